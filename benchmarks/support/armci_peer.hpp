// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <tessera/runtime/group.hpp>

#include "rows.hpp"

/// ARMCI, the layer below Global Arrays, for comparison. It runs while a ga_peer::Library lives. Its headers
/// stay in armci_peer.cpp.
namespace tessera::benchmark::armci_peer {

/// Whether ARMCI was found when the benchmarks were built. @local
bool available() noexcept;

/// Runs of bytes anywhere in the memory of one rank.
struct List {
  int bytes;
  std::vector<void*> remote, local;
};

/// The same `bytes` of memory on every rank; offsets are in bytes, elements are double. @collective to make and
/// destroy
class Memory {
 public:
  Memory(const Group& world, index_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// This rank's part, which only this rank may access; the addresses of other ranks are for use in a List.
  /// @local
  double* own() const noexcept { return reinterpret_cast<double*>(address(rank_)); }
  std::byte* address(int rank) const noexcept {
    return static_cast<std::byte*>(parts_[static_cast<std::size_t>(rank)]);
  }

  /// ARMCI_Put and so on for a single row, ARMCI_PutS and so on for several. @onesided
  void put(int rank, index_t offset, const double* from, const Rows& rows);
  void get(int rank, index_t offset, double* into, const Rows& rows);
  void accumulate(int rank, index_t offset, const double* from, const Rows& rows);
  /// ARMCI_Fence: puts and accumulates to a rank are complete there. @onesided
  void fence(int rank);
  /// ARMCI_PutV and so on. @onesided
  void put(int rank, List& list);
  void get(int rank, List& list);
  void accumulate(int rank, List& list);

  /// ARMCI_Rmw on an integer at the offset; returns the old value. @onesided
  std::int64_t fetch_add(int rank, index_t offset, int value);
  std::int64_t exchange(int rank, index_t offset, std::int64_t value);

 private:
  int rank_;
  std::vector<void*> parts_;
};
/// Null where there is no ARMCI. @collective
std::unique_ptr<Memory> allocate(const Group& world, index_t bytes);

/// One mutex on every rank; at most one such set at a time. @collective to make and destroy
class Mutexes {
 public:
  Mutexes();
  ~Mutexes();
  Mutexes(const Mutexes&) = delete;
  Mutexes& operator=(const Mutexes&) = delete;

  /// @onesided
  void lock(int rank);
  void unlock(int rank);
};
/// Null if there is no ARMCI, or it has no mutexes: for a single process on Open MPI, making them ends the
/// program.
/// @collective
std::unique_ptr<Mutexes> mutexes(const Group& world);

/// ARMCI_Malloc and ARMCI_Free. @collective
void allocate_and_free(const Group& world, index_t bytes);

/// ARMCI_Barrier: the operations of all ranks are complete and visible. @collective
void sync();

}  // namespace tessera::benchmark::armci_peer
