// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/path_choice.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <tessera/runtime/segment.hpp>
#include <tessera/runtime/vector.hpp>

#include "agents/operation_list.hpp"

namespace tessera::detail {
namespace {

using Clock = std::chrono::steady_clock;

// The window must be twice as fast. A smaller difference may be chance, and a wrong choice then costs little.
constexpr int margin = 2;
constexpr int repetitions = 3;
constexpr index_t most_runs = 32;                         // of a list
constexpr auto max_time = std::chrono::milliseconds(20);  // of one measurement, as programs must start fast

template <class Operation>
Clock::duration best_time(Operation&& operation) {
  auto best = Clock::duration::max();
  const auto end = Clock::now() + max_time;
  for (int i = 0; i < repetitions && (i == 0 || Clock::now() < end); ++i) {
    const auto begin = Clock::now();
    operation();
    best = std::min(best, Clock::now() - begin);
  }
  return best;
}

// Runs that are spread over a segment's slice on one rank.
class RunsOf {
 public:
  RunsOf(Segment& segment, int rank, index_t length, std::vector<std::byte>& local) : length_(length) {
    const auto bytes = static_cast<index_t>(local.size());
    const index_t count = std::min(bytes / length, most_runs);
    for (index_t run = 0; run < count; ++run) {
      remote_.push_back({&segment, rank, run * (bytes / count)});
      local_.push_back(local.data() + run * length);
    }
  }
  Vector list() const noexcept { return {length_, remote_, local_}; }

 private:
  index_t length_;
  std::vector<Place> remote_;
  std::vector<std::byte*> local_;
};

}  // namespace

bool PathChoice::any() const noexcept {
  auto is_set = [](bool faster) { return faster; };
  const auto has = [&](const auto& faster) { return std::any_of(faster.begin(), faster.end(), is_set); };
  return has(put) || has(get) || has(put_lists) || has(get_lists);
}

bool PathChoice::by_window(Verb verb, index_t run, Amount amount) const noexcept {
  const bool puts = verb == Verb::put;
  const auto& faster = amount == Amount::one ? (puts ? put : get) : (puts ? put_lists : get_lists);
  const auto after = std::upper_bound(lengths.begin(), lengths.end(), run);
  return faster[static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - lengths.begin() - 1, 0))];
}

PathChoice PathChoice::measure(const Group& world) {
  PathChoice choice;
  constexpr index_t bytes = lengths.back();
  Segment window(world, bytes, {.name = "paths by window", .method = TransferMethod::batched});
  Segment agent(world, bytes, {.name = "paths by agent", .method = TransferMethod::packed});
  world.barrier();
  if (world.rank() == 0) {
    int target = 1;
    while (world.on_node(target)) ++target;
    std::vector<std::byte> local(static_cast<std::size_t>(bytes));
    // Whether an operation on the segment with the window is faster than on the other one.
    auto is_faster = [&](auto&& operation) {
      auto time = [&](Segment& segment) { return best_time([&] { operation(segment); }); };
      return margin * time(window) < time(agent);
    };
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const Strided shape = Strided::contiguous(lengths[i]);
      choice.put[i] = is_faster([&](Segment& segment) {
        segment.put(target, 0, shape, local.data());
        segment.flush(target);
      });
      choice.get[i] = is_faster([&](Segment& segment) { segment.get(target, 0, shape, local.data()); });
      if (lengths[i] > largest_packed) {  // the runs of such lists travel one by one
        choice.put_lists[i] = choice.put[i];
        choice.get_lists[i] = choice.get[i];
        continue;
      }
      choice.put_lists[i] = is_faster([&](Segment& segment) {
        tessera::put(RunsOf(segment, target, lengths[i], local).list());
        segment.flush(target);
      });
      choice.get_lists[i] =
          is_faster([&](Segment& segment) { tessera::get(RunsOf(segment, target, lengths[i], local).list()); });
    }
  }
  choice = world.broadcast(choice, 0);
  window.close();
  agent.close();
  return choice;
}

}  // namespace tessera::detail
