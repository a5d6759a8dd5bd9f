// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Transfers that progress while their process computes.
#include <algorithm>
#include <vector>

#include "compute.hpp"
#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::network {
namespace {

constexpr const char* section = "overlap";
constexpr index_t sizes[] = {256 * kib, mib, 8 * mib};
constexpr int target = Ends::target;
const double one = 1.0;

struct Samples {
  std::vector<double> blocking, alone, together, shares;
};

class Overlap {
 public:
  Overlap(Session& session, Ends& ends, Segment& segment, double* buffer)
      : session_(session), ends_(ends), segment_(segment), buffer_(buffer) {}

  void measure(Operation operation, index_t bytes, const Others& others, const std::string& name,
               std::optional<Target> goal) {
    const Strided block = Strided::contiguous(bytes);
    const auto blocking = [&] { finish(start(operation, block), operation); };
    // The time of one transfer decides how long to compute, and how many pairs are affordable.
    std::vector<double> first;
    for (int i = 0; i < 6; ++i) first.push_back(timed(others, blocking));
    const double estimate = median(first);
    const index_t steps = steps_of(1.2 * estimate);
    const auto alone = [&] { compute(steps); };
    const auto together = [&] {
      Request request = start(operation, block);
      compute(steps);
      finish(std::move(request), operation);
    };
    const double affordable = (session_.is_quick() ? 0.05 : 5.0) / (4.0 * estimate);
    const int pairs = std::max(4, std::min(31, static_cast<int>(affordable)));
    Samples samples;
    for (int i = 0; i < pairs; ++i) {
      double times[3];
      for (int turn = 0; turn < 3; ++turn) {
        const int which = i % 2 == 0 ? turn : 2 - turn;
        times[which] = which == 0   ? timed(others, blocking)
                       : which == 1 ? timed(others, together)
                                    : timed(others, alone);
      }
      samples.blocking.push_back(times[0]);
      samples.together.push_back(times[1]);
      samples.alone.push_back(times[2]);
      samples.shares.push_back(1.0 - (times[1] - times[2]) / times[0]);
    }
    session_.add({.section = section,
                  .name = name,
                  .reference = "the blocking operation",
                  .measured = {.time = median_estimate(samples.together),
                               .reference = median_estimate(samples.blocking),
                               .control = control_of(samples),
                               .share = median_estimate(samples.shares)},
                  .bytes = static_cast<double>(bytes),
                  .target = goal});
  }

 private:
  Request start(Operation operation, const Strided& block) {
    if (operation == Operation::put) return segment_.put_async(target, 0, block, buffer_);
    if (operation == Operation::get) return segment_.get_async(target, 0, block, buffer_);
    return segment_.accumulate_async(target, 0, block, ElementKind::float64, &one, buffer_);
  }

  void finish(Request request, Operation operation) {
    request.wait();
    if (operation != Operation::get) segment_.flush(target);
  }

  // Rank 0's time, known to all.
  template <class F>
  double timed(const Others& others, const F& f) {
    double seconds = 0.0;
    ends_.call(others, [&] {
      const double begin = now();
      f();
      seconds = now() - begin;
    });
    return ends_.world().broadcast(seconds, Ends::origin);
  }

  // Each sample against its neighbour.
  static Estimate control_of(const Samples& samples) {
    std::vector<double> controls;
    for (const auto* times : {&samples.blocking, &samples.together}) {
      for (std::size_t i = 0; i + 1 < times->size(); i += 2) controls.push_back((*times)[i] / (*times)[i + 1]);
    }
    return median_estimate(controls);
  }

  Session& session_;
  Ends& ends_;
  Segment& segment_;
  double* buffer_;
};

}  // namespace

void overlap(Session& session, Ends& ends, bool judged) {
  if (!session.wants(section)) return;
  const index_t most = sizes[2];
  Segment segment(ends.world(), most, "blocks");
  const LocalBuffer<double> memory(most / element);
  const std::span<double> buffer = span_of(memory);
  std::ranges::fill(buffer, 1.0);
  segment.sync();
  Overlap measured(session, ends, segment, buffer.data());
  std::optional<Target> goal;
  if (judged) goal = Target{Goal::share_at_least, 0.9};
  for (const Operation operation : {Operation::put, Operation::get, Operation::accumulate}) {
    for (const index_t bytes : sizes) {
      const std::string name = std::string(to_string(operation)) + ", " + format_bytes(bytes);
      measured.measure(operation, bytes, ends.waiting(), name + waits, goal);
      if (ends.is_served()) measured.measure(operation, bytes, ends.computing(), name + computes, {});
    }
  }
  session.note(
      "Overlap: the time is that of starting the operation, computing for 1.2 times as long as it takes, and "
      "waiting for "
      "it; the share is what of the blocking operation's time that computation hid.");
  segment.close();
}

}  // namespace tessera::benchmark::network
