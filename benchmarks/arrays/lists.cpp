// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Elements at random positions, against Global Arrays and against a loop over the memory that a node shares.
#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/elementwise.hpp>

#include "ga_peer.hpp"
#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

constexpr const char* section = "lists: doubles at random positions of 64 MiB of each rank";
constexpr index_t block_rows = 2048, columns = 4096;

// The positions, in the form of either library, and values for them. A position that is listed twice has the
// same value each time.
struct List {
  std::vector<Index<2>> at;
  std::vector<int> flat;
  std::vector<double> values;

  List(int ranks, index_t count) {
    std::mt19937_64 random(19940901);
    std::uniform_int_distribution<int> row(0, static_cast<int>(ranks * block_rows) - 1), column(0, columns - 1);
    for (index_t i = 0; i < count; ++i) {
      const int r = row(random), c = column(random);
      at.emplace_back(r, c);
      flat.insert(flat.end(), {r, c});
      values.push_back(static_cast<double>(2 * (r % 1000) - c));
    }
  }
};

// Plain pointers to the blocks of all ranks, where they share memory.
class ByHand {
 public:
  ByHand(const Array<double, 2>& array, const List& list) : at_(list.at) {
    for (int rank = 0; rank < array.group().size(); ++rank)
      blocks_.push_back(array.address({rank * block_rows, 0}));
  }
  template <class F>
  void for_each(F f) const {
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const index_t row = at_[i][0];
      f(i, blocks_[static_cast<std::size_t>(row / block_rows)][row % block_rows * columns + at_[i][1]]);
    }
  }

 private:
  const std::vector<Index<2>>& at_;
  std::vector<double*> blocks_;
};

// Operations of rank 0 on lists, in three ways.
class Comparison {
 public:
  Comparison(Session& session, const Place& place)
      : session_(session),
        place_(place),
        world_(session.world()),
        array_(world_,
               Layout<2>::blocked({world_.size() * block_rows, columns}, world_.size(),
                                  {.grid = Extents<2>(world_.size(), 1)}),
               {.name = "scattered"}),
        list_(world_.size(), count()),
        got_(list_.values.size()) {
    if (place.global_arrays) theirs_ = std::make_unique<ga_peer::Matrix>(world_.size(), block_rows, columns);
    if (place.one_node) by_hand_.emplace(array_, list_);
  }

  void run() {
    Ways gather{"gather", [this] { array_.gather(list_.at, got_); }};
    Ways scatter{"scatter", [this] { array_.scatter(list_.at, list_.values), finish(); }};
    Ways add{"scatter_acc", [this] { array_.scatter_acc(list_.at, list_.values, 0.5), finish(); }};
    if (theirs_) {
      gather.theirs = [this] { theirs_->gather(list_.flat, got_.data()); };
      scatter.theirs = [this] { theirs_->scatter(list_.flat, list_.values.data()); };
      add.theirs = [this] { theirs_->scatter_accumulate(list_.flat, list_.values.data(), 0.5); };
    }
    if (by_hand_) {
      gather.by_hand = [this] { by_hand_->for_each([this](std::size_t i, double& x) { got_[i] = x; }); };
      scatter.by_hand = [this] {
        by_hand_->for_each([this](std::size_t i, double& x) { x = list_.values[i]; });
      };
      add.by_hand = [this] {
        by_hand_->for_each([this](std::size_t i, double& x) { x += 0.5 * list_.values[i]; });
      };
    }
    for (const Ways& ways : {gather, scatter, add}) {
      check(ways);
      measure(ways);
      array_.sync();
    }
    world_.sync();
    theirs_.reset();
    array_.close();
  }

 private:
  struct Ways {
    std::string name;
    std::function<void()> own, theirs = {}, by_hand = {};
  };

  index_t count() const {
    if (session_.is_quick()) return 10000;
    return place_.one_node ? 1000000 : 100000;
  }
  // Between nodes, completes the operations at the owners, which is more than Global Arrays promises.
  void finish() const {
    if (!place_.one_node) array_.flush();
  }
  std::span<double> own_part() {
    const auto local = array_.local();
    return {local.data(), static_cast<std::size_t>(local.size())};
  }
  void reset(std::span<double> part) {
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = static_cast<double>(i % 1021) + 1.0;
    std::ranges::fill(got_, -1.0);
  }
  // The outcome of a call: this rank's memory, and the elements that were got.
  std::vector<double> outcome(const std::function<void()>& call, std::span<double> memory) {
    reset(memory);
    array_.sync();
    if (theirs_) ga_peer::sync();
    if (world_.rank() == 0) call();
    array_.sync();
    if (theirs_) ga_peer::sync();
    std::vector<double> all(memory.begin(), memory.end());
    all.insert(all.end(), got_.begin(), got_.end());
    return all;
  }
  void check(const Ways& ways) {
    const std::vector<double> ours = outcome(ways.own, own_part());
    bool right = true;
    if (ways.by_hand) right = right && outcome(ways.by_hand, own_part()) == ours;
    if (ways.theirs) right = right && outcome(ways.theirs, {theirs_->own(), own_part().size()}) == ours;
    if (!ways.by_hand && !ways.theirs) right = one_by_one(ways.name, ours);
    require_everywhere(world_, right, ways.name);
  }
  // For a run without other libraries: computes what each element should be from the list alone.
  bool one_by_one(const std::string& name, const std::vector<double>& ours) {
    std::vector<double> expected(ours.size(), -1.0);
    const std::size_t size = own_part().size();
    const auto before = [](index_t i) { return static_cast<double>(i % 1021) + 1.0; };
    for (std::size_t i = 0; i < size; ++i) expected[i] = before(static_cast<index_t>(i));
    for (std::size_t i = 0; i < list_.at.size(); ++i) {
      const index_t row = list_.at[i][0], place = row % block_rows * columns + list_.at[i][1];
      if (name == "gather" && world_.rank() == 0) expected[size + i] = before(place);
      if (name == "gather" || row / block_rows != world_.rank()) continue;
      double& x = expected[static_cast<std::size_t>(place)];
      x = name == "scatter" ? list_.values[i] : x + 0.5 * list_.values[i];
    }
    return ours == expected;
  }
  void measure(const Ways& ways) {
    Routine theirs, by_hand;
    if (ways.theirs) theirs = repeat(ways.theirs);
    if (ways.by_hand) by_hand = repeat([&ways, this] { ways.by_hand(), keep(got_.data()); });
    const std::string name = ways.name + " of " + std::to_string(list_.at.size());
    const Others others = waiting(world_);
    if (!ways.theirs && !ways.by_hand) {
      session_.add({.section = section,
                    .name = name,
                    .measured = session_.meter().time({repeat(ways.own), others}, Clock::origin),
                    .bytes = static_cast<double>(list_.at.size() * sizeof(double))});
      return;
    }
    session_.compare(
        {.section = section,
         .name = name,
         .routine = repeat(ways.own),
         .bytes = static_cast<double>(list_.at.size() * sizeof(double)),
         .others = others},
        {{ga_peer::Library::name(), theirs, Target{Goal::at_least, 5.0}, Counts::where_reference_is_fastest},
         {"a loop over plain pointers", by_hand}});
  }

  Session& session_;
  Place place_;
  const Group& world_;
  Array<double, 2> array_;
  List list_;
  std::vector<double> got_;
  std::unique_ptr<ga_peer::Matrix> theirs_;
  std::optional<ByHand> by_hand_;
};

}  // namespace

void lists(Session& session, const Place& place) {
  if (!session.wants(section)) return;
  Comparison(session, place).run();
}

}  // namespace tessera::benchmark::arrays
