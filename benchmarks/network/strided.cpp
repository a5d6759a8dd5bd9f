// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Short rows, of sizes and counts that are usual in papers on ARMCI. Measures whether Tessera chooses the best
// method.
#include <algorithm>

#include <fmt/format.h>

#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::network {
namespace {

constexpr const char *section = "strided: rows of twice their length", *best_of = "best other way";
constexpr index_t lengths[] = {16, 128, kib, 8 * kib}, counts[] = {1, 4, 16, 64, 256, 1024};
constexpr index_t most = 8 * mib;

struct Trial {
  const Reference* reference;
  double ratio;  // our speed relative to it
};

// A short trial finds the fastest of the others. The row is then measured again, so that luck in the trial does
// not count.
void measure_cell(Session& session, const Transfer& transfer, std::span<double> buffer, const Mover& own,
                  const std::vector<Mover>& others) {
  Effort effort{.pairs = 7, .sample_seconds = 200e-6, .comparison_seconds = 0.1};
  if (session.is_quick()) effort = {.pairs = 2, .sample_seconds = 5e-6, .comparison_seconds = 0.01};
  const Meter meter(session.world(), effort);
  for (const Operation operation : {Operation::put, Operation::get}) {
    check(session.world(), transfer, buffer, own, operation);
    const Reference& automatic = own.of(operation);
    std::vector<Trial> trials;
    for (const Mover& other : others) {
      check(session.world(), transfer, buffer, other, operation);
      const Reference& reference = other.of(operation);
      const Measurement trial = meter.compare({automatic.routine, automatic.others},
                                              {reference.routine, reference.others}, Clock::origin);
      trials.push_back({&reference, trial.ratio->value});
    }
    std::ranges::sort(trials, {}, &Trial::ratio);
    Reference best = *trials.front().reference;
    best.remark = best.name;
    for (std::size_t i = 1; i < trials.size(); ++i)
      best.remark += fmt::format(", {} {:.2f}", trials[i].reference->name, trials[i].ratio);
    best.name = best_of;
    best.target = Target{Goal::at_least, 0.85};
    session.compare({.section = transfer.section,
                     .name = std::string(to_string(operation)) + ", " + transfer.name,
                     .routine = automatic.routine,
                     .bytes = static_cast<double>(transfer.places.size() * sizeof(double)),
                     .others = automatic.others},
                    {best});
  }
}

}  // namespace

void strided(Session& session, Ends& ends) {
  if (!session.wants(section)) return;
  const Group& world = ends.world();
  const auto segment_by = [&](TransferMethod method) {
    return Segment(world, 2 * most, {.name = to_string(method), .method = method});
  };
  Segment automatic = segment_by(TransferMethod::automatic);
  std::vector<Segment> forced;
  std::optional<mpi_peer::Window> window;
  if (ends.has_windows()) {
    forced.push_back(segment_by(TransferMethod::batched));
    forced.push_back(segment_by(TransferMethod::direct));
    window.emplace(world, 2 * most, mpi_peer::Memory::given);
  }
  forced.push_back(segment_by(TransferMethod::packed));
  const LocalBuffer<double> memory(most / element);
  const std::span<double> buffer = span_of(memory);
  for (const index_t length : lengths) {
    for (const index_t count : counts) {
      const Rows rows{count, length, 2 * length, length};
      const auto by = [&](Segment& segment) {
        Mover mover = by_segment(segment, target, rows, buffer.data(), ends.waiting());
        mover.put.name = mover.get.name = segment.name();
        return mover;
      };
      std::vector<Mover> others;
      for (Segment& segment : forced) others.push_back(by(segment));
      if (window) {
        others.push_back(by_window(*window, target, rows, buffer.data()));
        others.back().put.name = others.back().get.name = "MPI vector type";
      }
      measure_cell(session,
                   {section, std::to_string(count) + " x " + format_bytes(length) + waits, places_of(rows)},
                   buffer, by(automatic), others);
    }
  }
  session.ask_for_mean(section, best_of, 0.95);
  session.note(
      "Strided rows: ratios are to the fastest of the other ways, and those of the slower ones follow, from "
      "short "
      "trials. MPI's datatypes were made beforehand.");
  for (Segment& segment : forced) segment.close();
  automatic.close();
}

}  // namespace tessera::benchmark::network
