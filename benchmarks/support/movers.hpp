// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tessera/runtime/statistics.hpp>

#include "session.hpp"

/// Transfers that several libraries make in the same way: checked, then compared.
namespace tessera::benchmark {

/// Local memory that begins at a cache line. Memory from malloc does not. With it, memcpy of 4 KiB out of an
/// array took 111 ns here instead of 22, and out of the peers' memory less. That would compare places, not
/// libraries.
class LineAligned {
 public:
  explicit LineAligned(index_t count) : memory_(static_cast<std::size_t>(count) + line), count_(count) {}
  std::span<double> span() noexcept {
    const auto past = reinterpret_cast<std::uintptr_t>(memory_.data()) / sizeof(double) % line;
    return {memory_.data() + (line - past) % line, static_cast<std::size_t>(count_)};
  }

 private:
  static constexpr std::size_t line = 64 / sizeof(double);
  std::vector<double> memory_;
  index_t count_;
};

/// One way of making the three transfers: by a library or by hand. Rank 0 makes them, between a buffer of its
/// own and the memory of one rank, mostly the last. A routine is empty if the library is absent or cannot do
/// the transfer.
struct Mover {
  Reference put = {}, get = {}, accumulate = {};
  /// This rank's part of the memory.
  std::span<double> memory = {};
  /// Makes changes of the memory visible to all ranks. @collective
  std::function<void()> sync = {};
  /// The factor by which accumulate multiplies.
  double factor = 1.0;

  const Reference& of(Operation operation) const;
};

/// What is moved: element i of the buffer to, from or onto element places[i] of the memory of one rank.
struct Transfer {
  std::string section, name;
  std::vector<index_t> places;
  /// Whose memory it is; without a value the last rank's.
  std::optional<int> rank = {};
};
/// The places of rows inside rows of `stride` elements, the first one at `first`. @local
std::vector<index_t> places_of_rows(index_t rows, index_t columns, index_t stride, index_t first);

/// Checks that a mover moves what it should, and nothing else. @collective @throws Error on every rank for a
/// wrong value
void check(const Group& world, const Transfer& transfer, std::span<double> buffer, const Mover& mover,
           Operation operation);

/// Checks all movers, and compares Tessera's with each of the others. It does so for put, get and accumulate,
/// as far as Tessera's mover has them. @collective @throws as check
void measure(Session& session, const Transfer& transfer, std::span<double> buffer, const Mover& own,
             const std::vector<Mover>& others);

}  // namespace tessera::benchmark
