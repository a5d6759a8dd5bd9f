// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "self_test.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/segment.hpp>

#include "mpi_trials.hpp"
#include "pairing.hpp"

namespace tessera::info {
namespace {

// A rank's area in its target's memory, as elements of 8 bytes. `many` elements travel in several messages.
constexpr index_t many = 25'600, few = 1'000;
constexpr index_t one_put = 0, counter = 8, many_put = 16, source = many_put + many, sums = source + many;
constexpr index_t area_elements = sums + few;
constexpr index_t element = sizeof(double);

enum Use : int { put_one, put_many, to_get, initial, added };

// What belongs to element i of a use: exact in a double, and different for every rank, use and element.
double value(int rank, Use use, index_t i) {
  return static_cast<double>(rank) * 1e6 + static_cast<double>(use) * 1e5 + static_cast<double>(i) * 0.5;
}

std::vector<double> values(int rank, Use use, index_t count) {
  std::vector<double> all;
  for (index_t i = 0; i < count; ++i) all.push_back(value(rank, use, i));
  return all;
}

// The first element that is not what `expected` says.
std::string compare(const double* found, index_t count, const std::string& what,
                    const std::function<double(index_t)>& expected) {
  for (index_t i = 0; i < count; ++i) {
    if (found[i] == expected(i)) continue;
    return "element " + std::to_string(i) + " of the " + what + " is " + std::to_string(found[i]) +
           ", and should be " + std::to_string(expected(i));
  }
  return {};
}

std::string from_to(const char* what, int from, int to) {
  return std::string(what) + " from rank " + std::to_string(from) + " to rank " + std::to_string(to);
}

// An exception is a problem, too.
std::string problem_of(const std::function<std::string()>& step) {
  try {
    return step();
  } catch (const std::exception& error) {
    return error.what();
  }
}

// The one-sided operations of all ranks by one path, each to its target of the pairing.
class OneSided {
 public:
  OneSided(const Group& world, Pairing pairing, std::string by, TransferMethod method)
      : world_(world),
        pairing_(std::move(pairing)),
        by_(std::move(by)),
        segment_(world, pairing_.areas * area_elements * element, {.name = "self-test", .method = method}) {}

  // By the window only puts and gets: agents do the rest, whatever the method.
  void run(std::vector<Trial>& trials, TimeLimit& limit, TransferMethod method) {
    fill();
    check(
        trials, limit, "put", [this] { return put(); }, [this] { return verify_put(); });
    check(
        trials, limit, "get", [this] { return get(); }, [] { return std::string(); });
    if (method != TransferMethod::batched) {
      check(
          trials, limit, "accumulate", [this] { return accumulate(); }, [this] { return verify_accumulate(); });
      check(
          trials, limit, "fetch_op", [this] { return fetch(); }, [this] { return verify_fetch(); });
    }
    segment_.close();
  }

 private:
  using Step = std::function<std::string()>;

  // What this rank does as an origin; then what it finds as a target.
  void check(std::vector<Trial>& trials, TimeLimit& limit, const char* what, const Step& act,
             const Step& verify) {
    limit.doing(std::string("self-test: ") + what + " between " + pairing_.name + ", by " + by_);
    std::string problem = problem_of(act);
    segment_.sync();
    segment_.order_local_access();
    if (problem.empty()) problem = problem_of(verify);
    add_trial(trials, world_, {what, pairing_.name, by_, {}}, problem);
  }

  double* mine(index_t area) const {
    return reinterpret_cast<double*>(segment_.address(world_.rank())) + area * area_elements;
  }
  index_t offset(index_t at) const { return (pairing_.area * area_elements + at) * element; }

  void fill() {
    const int me = world_.rank();
    for (const Origin& origin : pairing_.origins) {
      double* const area = mine(origin.area);
      std::fill(area, area + area_elements, 0.0);
      std::ranges::copy(values(me, to_get, many), area + source);
      std::ranges::copy(values(me, initial, few), area + sums);
    }
    segment_.order_local_access();
    segment_.sync();
  }

  std::string put() {
    const int me = world_.rank();
    const auto one = values(me, put_one, 1), all = values(me, put_many, many);
    segment_.put(pairing_.target, offset(one_put), Strided::contiguous(element), one.data());
    segment_.put(pairing_.target, offset(many_put), Strided::contiguous(many * element), all.data());
    return {};
  }
  std::string verify_put() const {
    for (const Origin& origin : pairing_.origins) {
      const std::string what = from_to("put", origin.rank, world_.rank());
      auto problem = compare(mine(origin.area) + one_put, 1, what,
                             [&](index_t i) { return value(origin.rank, put_one, i); });
      if (problem.empty())
        problem = compare(mine(origin.area) + many_put, many, what,
                          [&](index_t i) { return value(origin.rank, put_many, i); });
      if (!problem.empty()) return problem;
    }
    return {};
  }

  std::string get() const {
    std::vector<double> all(static_cast<std::size_t>(many)), last(1);
    segment_.get(pairing_.target, offset(source), Strided::contiguous(many * element), all.data());
    segment_.get(pairing_.target, offset(source + many - 1), Strided::contiguous(element), last.data());
    const std::string what = from_to("get", pairing_.target, world_.rank());
    auto problem =
        compare(all.data(), many, what, [&](index_t i) { return value(pairing_.target, to_get, i); });
    if (!problem.empty()) return problem;
    return compare(last.data(), 1, what, [&](index_t) { return value(pairing_.target, to_get, many - 1); });
  }

  std::string accumulate() {
    const double half = 0.5;
    const auto terms = values(world_.rank(), added, few);
    for (int time = 0; time < 2; ++time)
      segment_.accumulate(pairing_.target, offset(sums), Strided::contiguous(few * element),
                          ElementKind::float64, &half, terms.data());
    return {};
  }
  std::string verify_accumulate() const {
    for (const Origin& origin : pairing_.origins) {
      const auto expected = [&](index_t i) {
        return value(world_.rank(), initial, i) + value(origin.rank, added, i);
      };
      const auto problem =
          compare(mine(origin.area) + sums, few, from_to("accumulate", origin.rank, world_.rank()), expected);
      if (!problem.empty()) return problem;
    }
    return {};
  }

  std::string fetch() {
    for (int time = 0; time < 3; ++time) {
      const double more = world_.rank() + 1;
      double old = -1;
      segment_.fetch_op(pairing_.target, offset(counter), ElementKind::float64, Update::sum, &more, &old);
      const auto problem = compare(&old, 1, from_to("fetch_op", pairing_.target, world_.rank()),
                                   [&](index_t) { return time * more; });
      if (!problem.empty()) return problem;
    }
    return {};
  }
  std::string verify_fetch() const {
    for (const Origin& origin : pairing_.origins) {
      const auto problem =
          compare(mine(origin.area) + counter, 1, from_to("fetch_op", origin.rank, world_.rank()),
                  [&](index_t) { return 3.0 * (origin.rank + 1); });
      if (!problem.empty()) return problem;
    }
    return {};
  }

  const Group& world_;
  Pairing pairing_;
  std::string by_;
  Segment segment_;
};

void one_sided(std::vector<Trial>& trials, const Group& world, const Pairing& pairing, const std::string& by,
               TransferMethod method, TimeLimit& limit) {
  limit.doing("self-test: memory for the trial between " + pairing.name + ", by " + by);
  try {
    OneSided(world, pairing, by, method).run(trials, limit, method);
  } catch (const MemoryError& error) {  // on every rank
    trials.push_back({"memory for the trial", pairing.name, by, error.what(), world.size()});
  }
}

}  // namespace

void add_trial(std::vector<Trial>& trials, const Group& world, Trial trial, const std::string& problem) {
  const std::string mine = problem.empty() ? problem : "rank " + std::to_string(world.rank()) + ": " + problem;
  trial.problem = world.agree(mine);
  trial.failed = trial.problem.empty() ? 0 : world.all_reduce(problem.empty() ? 0 : 1, Reduce::sum);
  trials.push_back(std::move(trial));
}

std::vector<Trial> self_test(const Group& world, Windows windows, TimeLimit& limit) {
  std::vector<Trial> trials;
  const bool on_one_node = world.node_count() == 1;
  one_sided(trials, world, to_next_rank(world), on_one_node ? "shared memory" : "the usual path",
            TransferMethod::automatic, limit);
  if (!on_one_node) {
    const Pairing pairing = to_next_node(world);
    one_sided(trials, world, pairing, "agents", TransferMethod::packed, limit);
    if (windows == Windows::usable)
      one_sided(trials, world, pairing, "MPI's window", TransferMethod::batched, limit);
  }
  mpi_trials(trials, world, limit);
  return trials;
}

}  // namespace tessera::info
