// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "triples.hpp"

#include <algorithm>
#include <array>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "triple.hpp"

namespace ccsd {

using namespace tessera;

namespace {

// A part of a tensor that is fetched, and shared by the tasks that need it.
using Tile = std::shared_ptr<Stored::Fetch>;

// Three occupied orbitals, i >= j >= k, that are not all the same: those have no connected triples.
std::array<index_t, 3> orbitals_of(index_t task) {
  index_t i = 1, before = 0;
  while (before + (i + 1) * (i + 2) / 2 - 1 <= task) before += (i + 1) * (i + 2) / 2 - 1, ++i;
  index_t rest = task - before, j = 0;
  while (rest > j) rest -= j + 1, ++j;
  return {i, j, rest};
}

index_t tasks_of(index_t occupied) { return occupied * (occupied + 1) * (occupied + 2) / 6 - occupied; }

// What products of the triples read: integrals and amplitudes side by side, so that one product sums both.
class Factors {
 public:
  Factors(const Space& space, const MoIntegrals& g, const Amplitudes& t, const Scratch& scratch)
      : virtuals_(space.virtuals),
        of_one_(t.t2.group(), scratch, "factors of one orbital",
                {space.occupied, virtuals_, virtuals_, space.size()}, 2),
        of_two_(t.t2.group(), Scratch(), "factors of two orbitals",
                {space.occupied, space.occupied, space.size() + virtuals_, virtuals_}, 2) {
    const index_t o = space.occupied, v = virtuals_, m = space.size();
    // (ia|bd) and -t(l, i, b, a) become of_one(i, a, b, d or l).
    const index_t together = scratch ? 1 : o;
    for (index_t i = 0; i < o; i += together) {
      of_one_.set({{i, 0, 0, 0}, {i + together, v, v, m}}, [&](const Slice<double, 4>& to) {
        g.ovvv.use({{i, 0, 0, 0}, {i + together, v, v, v}}, [&](const auto& ovvv) {
          copy(ovvv, to.slice({{0, 0, 0, 0}, {together, v, v, v}}));
        });
        axpby(-1, t.t2.slice({{0, i, 0, 0}, {o, i + together, v, v}}).permuted({1, 3, 2, 0}), 0,
              to.slice({{0, 0, 0, v}, {together, v, v, m}}));
      });
    }
    // t(j, k, d, c), (jl|kc) and (jb|kc) become of_two(j, k, d or l or b, c).
    of_two_.set(Patch<4>::whole(of_two_.dims()), [&](const Slice<double, 4>& to) {
      copy(t.t2, to.slice({{0, 0, 0, 0}, {o, o, v, v}}));
      copy(g.ooov.slice().permuted({0, 2, 1, 3}), to.slice({{0, 0, v, 0}, {o, o, m, v}}));
      copy(g.ovov.slice().permuted({0, 2, 1, 3}), to.slice({{0, 0, m, 0}, {o, o, m + v, v}}));
    });
  }

  Tile of_one(index_t i) {
    return fetch(of_one_, {i, 0, 0, 0}, {1, virtuals_, virtuals_, of_one_.dims()[3]}, one_, 6);
  }
  Tile of_two(index_t j, index_t k) {
    return fetch(of_two_, {j, k, 0, 0}, {1, 1, of_two_.dims()[2], virtuals_}, two_, 24);
  }

 private:
  struct Kept {
    Index<4> at;
    Tile tile;
  };
  static Tile fetch(const Stored& from, const Index<4>& at, const Extents<4>& extents, std::list<Kept>& kept,
                    std::size_t most) {
    const auto found = std::find_if(kept.begin(), kept.end(), [&](const Kept& one) { return one.at == at; });
    if (found != kept.end()) {
      kept.splice(kept.begin(), kept, found);
    } else {
      kept.push_front({at, std::make_shared<Stored::Fetch>(from.get_async(Patch<4>::at(at, extents)))});
      if (kept.size() > most) kept.pop_back();
    }
    return kept.front().tile;
  }

  index_t virtuals_;
  Stored of_one_, of_two_;
  std::list<Kept> one_, two_;  // the last ones that were wanted, the newest first
};

// The tiles of a task.
struct Input {
  std::array<Tile, 3> one;
  std::array<std::array<Tile, 3>, 3> two;  // of the orbitals x and y of the three, x other than y
  void wait() {
    for (Tile& tile : one) tile->wait();
    for (auto& row : two) {
      for (Tile& tile : row) {
        if (tile) tile->wait();
      }
    }
  }
};

}  // namespace

double triples_energy(const Space& space, const MoIntegrals& integrals, const Amplitudes& t,
                      const Scratch& scratch, Progress progress) {
  const Group& world = t.t2.group();
  Factors factors(space, integrals, t, scratch);
  const auto singles = t.t1.get(Patch<2>::whole(t.t1.dims()));
  Triple triple(space, {singles.data(), singles.extents()});
  TaskCounter tasks(world, tasks_of(space.occupied), {.name = "triples of occupied orbitals"});
  double energy = 0;
  const auto compute_all = [&] {
    for_each_task(
        tasks,
        [&](index_t task) {
          const auto orbitals = orbitals_of(task);
          Input input;
          for (std::size_t x = 0; x < 3; ++x) {
            input.one[x] = factors.of_one(orbitals[x]);
            for (std::size_t y = 0; y < 3; ++y) {
              if (x != y) input.two[x][y] = factors.of_two(orbitals[x], orbitals[y]);
            }
          }
          return input;
        },
        [&](index_t task, Input& input) {
          Triple::Factors of;
          for (std::size_t x = 0; x < 3; ++x) {
            of.one[x] = input.one[x]->data.data();
            for (std::size_t y = 0; y < 3; ++y) {
              if (x != y) of.two[x][y] = input.two[x][y]->data.data();
            }
          }
          energy += triple.energy(orbitals_of(task), of);
          progress(static_cast<double>(task + 1) / static_cast<double>(tasks.count()));
        });
  };
  // A file may fail on one rank alone: then all give up.
  std::string problem;
  try {
    compute_all();
  } catch (const io::IoError& error) {
    problem = error.what();
  }
  problem = world.agree(problem);
  if (!problem.empty()) throw io::IoError(problem);
  return world.all_reduce(energy, Reduce::sum);
}

}  // namespace ccsd
