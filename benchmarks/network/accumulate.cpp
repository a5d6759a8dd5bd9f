// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Accumulates into the target's memory, while the target waits and while it computes.
#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::network {
namespace {

constexpr const char* section = "accumulate: half of an array added";
constexpr index_t sizes[] = {8, 512, 4 * kib, 32 * kib, 128 * kib, 512 * kib, 2 * mib, 8 * mib, 64 * mib};
constexpr index_t most = 64 * mib, large = 512 * kib;
constexpr double half = 0.5;
const std::string mpi = "MPI_Accumulate";

Reference named(Reference reference, const std::string& name, std::optional<Target> target = {}) {
  reference.name = name;
  reference.target = target;
  return reference;
}

std::optional<Target> from_large(index_t bytes, double ratio) {
  if (bytes < large) return {};
  return Target{Goal::at_least, ratio};
}

// Compares Tessera's accumulate with the references that references_of(mover) returns.
template <class F>
void measure(Session& session, const Transfer& transfer, std::span<double> buffer, const Mover& own,
             const std::string& meanwhile, const F& references_of) {
  check(session.world(), transfer, buffer, own, Operation::accumulate);
  session.compare({.section = section,
                   .name = "accumulate, " + transfer.name + meanwhile,
                   .routine = own.accumulate.routine,
                   .bytes = static_cast<double>(transfer.places.size() * sizeof(double)),
                   .others = own.accumulate.others},
                  references_of(own));
}

}  // namespace

void accumulate(Session& session, Ends& ends) {
  if (!session.wants(section)) return;
  Segment segment(ends.world(), most, "sums");
  std::optional<mpi_peer::Window> window;
  if (ends.has_windows()) window.emplace(ends.world(), most, mpi_peer::Memory::given);
  const LocalBuffer<double> memory(most / element);
  const std::span<double> buffer = span_of(memory);
  for (const index_t bytes : sizes) {
    const Rows block = Rows::contiguous(bytes);
    const Transfer transfer{section, format_bytes(bytes), places_of(block)};
    Reference by_mpi;
    if (window) {
      const Mover other = by_window(*window, target, block, buffer.data());
      check(ends.world(), transfer, buffer, other, Operation::accumulate);
      by_mpi = other.accumulate;
    }
    const auto against_put = [&](const Mover& own) {
      return std::vector{named(own.put, "put and flush of the same")};
    };
    const auto own = [&](const Others& others) {
      return by_segment(segment, target, block, buffer.data(), others, half);
    };
    measure(session, transfer, buffer, own(ends.waiting()), waits, [&](const Mover& mover) {
      if (!window) return against_put(mover);
      return std::vector{named(by_mpi, mpi + waits, from_large(bytes, 1.7))};
    });
    if (!ends.is_served()) continue;
    measure(session, transfer, buffer, own(ends.computing()), computes, [&](const Mover& mover) {
      if (!window) return against_put(mover);
      std::vector references{named(by_mpi, mpi + waits, from_large(bytes, 1.2))};
      if (bytes == sizes[0] || bytes == large) {
        references.push_back(named(by_mpi, mpi + computes));
        references.back().others = ends.computing();
      }
      return references;
    });
  }
  if (window) {
    session.note(
        "MPI_Accumulate, with a flush, adds without a factor. At a target that computes it goes on only when "
        "the "
        "agent of that process calls MPI, which it does every few milliseconds.");
  }
  segment.close();
}

}  // namespace tessera::benchmark::network
