// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Transfers that progress while their process computes.
#include "overlap.hpp"

#include <algorithm>
#include <memory>

#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::network {
namespace {

constexpr const char* section = "overlap";
constexpr index_t sizes[] = {256 * kib, mib, 8 * mib};
constexpr double longer = 1.2;  // than the transfer

Halves halves(Segment& segment, Operation operation, index_t bytes, double* buffer, const Others& others) {
  static constexpr double one = 1.0;
  const Strided block = Strided::contiguous(bytes);
  const auto request = std::make_shared<Request>();
  const auto begin = [=, &segment] {
    if (operation == Operation::put) return segment.put_async(target, 0, block, buffer);
    if (operation == Operation::get) return segment.get_async(target, 0, block, buffer);
    return segment.accumulate_async(target, 0, block, ElementKind::float64, &one, buffer);
  };
  const auto finish = [=, &segment] {
    request->wait();
    if (operation != Operation::get) segment.flush(target);
  };
  return {.start = [=] { *request = begin(); }, .finish = finish, .others = others};
}

}  // namespace

void overlap(Session& session, Ends& ends, bool judged) {
  if (!session.wants(section)) return;
  const index_t most = sizes[2];
  Segment segment(ends.world(), most, "blocks");
  const LocalBuffer<double> memory(most / element);
  std::ranges::fill(memory, 1.0);
  segment.sync();
  std::optional<Target> goal;
  if (judged) goal = Target{Goal::share_at_least, 0.9};
  for (const Operation operation : {Operation::put, Operation::get, Operation::accumulate}) {
    for (const index_t bytes : sizes) {
      const auto row = [&](const std::string& meanwhile, const Others& others, std::optional<Target> wanted) {
        const Halves transfer = halves(segment, operation, bytes, memory.data(), others);
        session.add({.section = section,
                     .name = std::string(to_string(operation)) + ", " + format_bytes(bytes) + meanwhile,
                     .reference = "the blocking operation",
                     .measured = measure_overlap(session, transfer, longer),
                     .bytes = static_cast<double>(bytes),
                     .target = wanted});
      };
      row(waits, ends.waiting(), goal);
      if (ends.is_served()) row(computes, ends.computing(), {});
    }
  }
  session.note(
      "Overlap: the time is that of starting the operation, computing for 1.2 times as long as it takes, and "
      "waiting for "
      "it; the share is what of the blocking operation's time that computation hid.");
  segment.close();
}

}  // namespace tessera::benchmark::network
