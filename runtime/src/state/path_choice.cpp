// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/path_choice.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include <tessera/runtime/segment.hpp>
#include <tessera/runtime/vector.hpp>

#include "agents/operation_list.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

using Clock = std::chrono::steady_clock;

// The window must be twice as fast. A smaller difference may be chance, and a wrong choice then costs little.
constexpr int margin = 2;
constexpr std::size_t repetitions = 3;
constexpr int hopeless = 10;       // times as slow: the window waits for the target, whatever the length
constexpr index_t most_runs = 32;  // of a list
constexpr auto max_time = std::chrono::milliseconds(20);  // of one measurement, as programs must start fast

// A thread that has just run the agent still polls for a while, and moves operations by the window, too. After
// this time it sleeps, as in a process that computes.
constexpr auto until_asleep = std::chrono::microseconds(100);

// The times of an operation.
template <class Operation>
std::vector<Clock::duration> times(Operation&& operation, Clock::duration pause) {
  std::vector<Clock::duration> all;
  const auto end = Clock::now() + max_time;
  while (all.size() < repetitions && (all.empty() || Clock::now() < end)) {
    if (pause > pause.zero()) std::this_thread::sleep_for(pause);
    const auto begin = Clock::now();
    operation();
    all.push_back(Clock::now() - begin);
  }
  return all;
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

// Sleeps until another process, by the agent, sets `state` to `value`. A target that computes is out of MPI as
// well, and over TCP an operation by the window then takes until its agent looks for messages.
void stay_out_of_mpi(std::int64_t& state, std::int64_t value) {
  const std::atomic_ref<std::int64_t> now(state);
  while (now.load(std::memory_order_acquire) != value)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
}

std::pair<int, const char*> unit_of(index_t bytes) noexcept {
  if (bytes < 1024) return {0, "B"};
  return bytes < index_t{1} << 20 ? std::pair{10, "KiB"} : std::pair{20, "MiB"};
}

}  // namespace

bool PathChoice::any() const noexcept {
  auto is_set = [](bool faster) { return faster; };
  const auto has = [&](const auto& faster) { return std::any_of(faster.begin(), faster.end(), is_set); };
  return has(put) || has(get) || has(put_lists) || has(get_lists);
}

std::string PathChoice::text() const {
  std::string all;
  const auto add = [&](const char* what, const auto& faster) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      if (!faster[i]) continue;
      const auto [shift, unit] = unit_of(lengths[i]);
      all += formatted("{}{} of {} {}", all.empty() ? "" : ", ", what, lengths[i] >> shift, unit);
    }
  };
  add("put", put);
  add("get", get);
  add("lists of puts", put_lists);
  add("lists of gets", get_lists);
  return all;
}

bool PathChoice::by_window(Verb verb, index_t run, Amount amount) const noexcept {
  const bool puts = verb == Verb::put;
  const auto& faster = amount == Amount::one ? (puts ? put : get) : (puts ? put_lists : get_lists);
  const auto after = std::upper_bound(lengths.begin(), lengths.end(), run);
  return faster[static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - lengths.begin() - 1, 0))];
}

PathChoice PathChoice::measure(const Group& world, ProgressMode mode) {
  PathChoice choice;
  constexpr index_t bytes = lengths.back();
  constexpr std::int64_t measuring = 0, measured = 1;
  Segment window(world, bytes, {.name = "paths by window", .method = TransferMethod::batched});
  Segment agent(world, bytes + index_t{sizeof measured},
                {.name = "paths by agent", .method = TransferMethod::packed});
  auto* const state = reinterpret_cast<std::int64_t*>(agent.address(world.rank()) + bytes);
  *state = measuring;
  world.barrier();
  int target = 1;
  while (world.node_of(target) == world.node_of(0)) ++target;
  if (world.rank() == target && mode != ProgressMode::poll) stay_out_of_mpi(*state, measured);
  if (world.rank() == 0) {
    std::vector<std::byte> local(static_cast<std::size_t>(bytes));
    bool waits = false;  // the window, for the target
    // Whether an operation on the segment with the window is always faster than on the other one.
    auto is_faster = [&](auto&& operation) {
      const auto by_agent = std::ranges::min(times([&] { operation(agent); }, {}));
      const auto by_window = std::ranges::max(times([&] { operation(window); }, until_asleep));
      waits = waits || by_window > hopeless * by_agent;
      return margin * by_window < by_agent;
    };
    for (Segment* segment : {&agent, &window}) {  // connects the processes
      segment->put(target, 0, Strided::contiguous(lengths[0]), local.data());
      segment->flush(target);
    }
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const Strided shape = Strided::contiguous(lengths[i]);
      choice.put[i] = is_faster([&](Segment& segment) {
        segment.put(target, 0, shape, local.data());
        segment.flush(target);
      });
      if (waits) break;
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
    agent.store(target, bytes, measured);
    agent.flush(target);
  }
  choice = world.broadcast(choice, 0);
  window.close();
  agent.close();
  return choice;
}

}  // namespace tessera::detail
