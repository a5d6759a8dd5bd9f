// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <tessera/array.hpp>

#include "armci_peer.hpp"
#include "rows.hpp"
#include "session.hpp"

/// Transfers that several libraries make in the same way: checked, then compared.
namespace tessera::benchmark::onesided {

/// Local memory that begins a cache line. With memory from malloc, which does not, memcpy out of an array took
/// 111 ns here for 4 KiB instead of 22, and out of the peers' memory less: that would compare places, not
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
/// own and the memory of the last rank. Without routines: a library that is not there.
struct Mover {
  Reference put, get, accumulate;
  /// This rank's part of the memory.
  std::span<double> memory = {};
  /// Shows everybody what was done to the memory. @collective
  std::function<void()> sync = {};

  const Reference& of(Operation operation) const;
};

/// What is moved: element i of the buffer to, from or onto element places[i] of the last rank's memory.
struct Transfer {
  std::string section, name;
  std::vector<index_t> places;
};
/// The places of rows inside rows of `stride` elements, the first one at `first`. @local
std::vector<index_t> places_of_rows(index_t rows, index_t columns, index_t stride, index_t first);

/// Checks that all movers do what they should, and compares Tessera's with each of the others: put, get,
/// accumulate.
/// @collective @throws Error on every rank for a wrong value
void measure(Session& session, const Transfer& transfer, std::span<double> buffer, const Mover& own,
             const std::vector<Mover>& others);

/// What is asked of a transfer of so many bytes against the best that can be written by hand. @local
std::optional<Target> close_to_hand(Operation operation, index_t bytes);

/// By hand, in the memory of another mover: `rows` are those of the put. @collective
Mover by_hand(const Session& session, const Mover& same_memory, double* remote, double* buffer,
              const Rows& rows);
/// By ARMCI, `offset` bytes into the memory; no mover if there is none. @local
Mover by_armci(const Session& session, armci_peer::Memory* memory, index_t bytes, index_t offset,
               double* buffer, const Rows& rows);

/// By Tessera: a patch of an array. @local
template <std::size_t N>
Mover by_tessera(Array<double, N>& array, const Patch<N>& patch, double* buffer) {
  const int me = array.group().rank();
  const View<double, N> view(buffer, patch.extents());
  return {.put = {"put", repeat([&array, patch, view] { array.put(patch, view); })},
          .get = {"get", repeat([&array, patch, view] { array.get(patch, view); })},
          .accumulate = {"acc", repeat([&array, patch, view] { array.acc(patch, view); })},
          .memory = {array.address(array.local_patch().lo),
                     static_cast<std::size_t>(array.layout().local_size(me))},
          .sync = [&array] { array.sync(); }};
}

}  // namespace tessera::benchmark::onesided
