// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The processor time that an agent takes from a rank that computes.
#include <ctime>
#include <vector>

#include "compute.hpp"
#include "sections.hpp"

namespace tessera::benchmark::network {
namespace {

constexpr const char* section = "progress: what an agent costs a rank that computes";
constexpr double rate = 1000.0;  // operations a second

double processor_seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The processor time of all threads of this process except the calling one.
double others_seconds() {
  return processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - processor_seconds(CLOCK_THREAD_CPUTIME_ID);
}

struct Windows {
  std::vector<double> seconds, shares;  // of the computation; of a processor, taken by other threads
  index_t operations = 0;               // made by rank 0
};

// Rank 1 computes. Rank 0 computes as well. If `paced`, rank 0 also gets 8 bytes every millisecond, until rank
// 1 tells it that the computation is done.
void take(Windows& windows, Ends& ends, Segment& segment, index_t steps, bool paced) {
  ends.world().barrier();
  double seconds = 0.0, others = 0.0;
  if (!ends.is_origin()) {
    const double others_before = others_seconds(), begin = now();
    compute(steps);
    seconds = now() - begin;
    others = others_seconds() - others_before;
    if (paced) ends.tell(Ends::origin);
  } else if (!paced) {
    compute(steps + steps / 20);
  } else {
    for (double next = now(); !ends.listen();) {
      if (now() < next) {
        compute(100);
        continue;
      }
      next += 1.0 / rate;
      static_cast<void>(segment.load<std::int64_t>(Ends::target, 0));
      ++windows.operations;
    }
  }
  ends.world().barrier();
  seconds = ends.world().broadcast(seconds, Ends::target);
  windows.seconds.push_back(seconds);
  windows.shares.push_back(ends.world().broadcast(others, Ends::target) / seconds);
  windows.operations = ends.world().broadcast(windows.operations, Ends::origin);
}

// How much longer than its partner each took, as a share of the partner.
Estimate excess(const std::vector<double>& seconds, const std::vector<double>& partners) {
  std::vector<double> shares = quotients(seconds, partners);
  for (double& share : shares) share -= 1.0;
  return median_estimate(shares);
}

void add_idle(Session& session, const Windows& idle) {
  session.add({.section = section,
               .name = "nobody calls: time of other threads",
               .measured = {.time = median_estimate(idle.seconds),
                            .control = median_estimate(neighbour_ratios(idle.seconds)),
                            .share = median_estimate(idle.shares)},
               .target = Target{Goal::share_at_most, 0.01}});
}

}  // namespace

void load(Session& session, Ends& ends) {
  if (!session.wants(section)) return;
  Segment segment(ends.world(), 64, "words");
  const bool quick = session.is_quick();
  const index_t steps = steps_of(quick ? 0.01 : 0.25);
  Windows idle, paced;
  const int blocks = quick ? 2 : 5;
  for (int block = 0; block < blocks; ++block) {
    take(idle, ends, segment, steps, false);
    if (ends.is_served()) {
      take(paced, ends, segment, steps, true);
      take(paced, ends, segment, steps, true);
    }
    take(idle, ends, segment, steps, false);
  }
  add_idle(session, idle);
  if (ends.is_served()) {
    const Target at_most{Goal::share_at_most, 0.03};
    session.add({.section = section,
                 .name = "1,000 gets/s: time of other threads",
                 .measured = {.time = median_estimate(paced.seconds), .share = median_estimate(paced.shares)},
                 .target = at_most});
    session.add({.section = section,
                 .name = "1,000 gets/s: longer by",
                 .reference = "nobody calls",
                 .measured = {.time = median_estimate(paced.seconds),
                              .reference = median_estimate(idle.seconds),
                              .control = median_estimate(neighbour_ratios(idle.seconds)),
                              .share = excess(paced.seconds, idle.seconds)},
                 .target = at_most});
    double total = 0.0;
    for (const double seconds : paced.seconds) total += seconds;
    session.note("Gets of 8 B made per second of that computation: " +
                 std::to_string(static_cast<index_t>(static_cast<double>(paced.operations) / total)) + ".");
  }
  session.note(
      "The time is that of a loop of arithmetic on rank 1 (compare TESSERA_PROGRESS=poll, where there is no "
      "agent); "
      "shares are of that time.");
  segment.close();
}

}  // namespace tessera::benchmark::network
