// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/path_choice.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <tessera/runtime/segment.hpp>
#include <tessera/runtime/vector.hpp>

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
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const Strided shape = Strided::contiguous(lengths[i]);
      auto put_by = [&](Segment& segment) {
        return best_time([&] {
          segment.put(target, 0, shape, local.data());
          segment.flush(target);
        });
      };
      auto get_by = [&](Segment& segment) {
        return best_time([&] { segment.get(target, 0, shape, local.data()); });
      };
      choice.put[i] = margin * put_by(window) < put_by(agent);
      choice.get[i] = margin * get_by(window) < get_by(agent);
      auto put_list_by = [&](Segment& segment) {
        const RunsOf runs(segment, target, lengths[i], local);
        return best_time([&] {
          tessera::put(runs.list());
          segment.flush(target);
        });
      };
      auto get_list_by = [&](Segment& segment) {
        const RunsOf runs(segment, target, lengths[i], local);
        return best_time([&] { tessera::get(runs.list()); });
      };
      choice.put_lists[i] = margin * put_list_by(window) < put_list_by(agent);
      choice.get_lists[i] = margin * get_list_by(window) < get_list_by(agent);
    }
  }
  choice = world.broadcast(choice, 0);
  window.close();
  agent.close();
  return choice;
}

}  // namespace tessera::detail
