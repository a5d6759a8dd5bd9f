// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/path_choice.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <tessera/runtime/segment.hpp>

namespace tessera::detail {
namespace {

using Clock = std::chrono::steady_clock;

// The window must be twice as fast. A smaller difference may be chance, and a wrong choice then costs little.
constexpr int margin = 2;
constexpr int repetitions = 3;
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

}  // namespace

bool PathChoice::any() const noexcept {
  auto is_set = [](bool faster) { return faster; };
  return std::any_of(put.begin(), put.end(), is_set) || std::any_of(get.begin(), get.end(), is_set);
}

bool PathChoice::by_window(Verb verb, index_t run) const noexcept {
  const auto& faster = verb == Verb::put ? put : get;
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
    }
  }
  choice = world.broadcast(choice, 0);
  window.close();
  agent.close();
  return choice;
}

}  // namespace tessera::detail
