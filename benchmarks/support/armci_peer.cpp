// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "armci_peer.hpp"

#include <exception>
#include <string>

#include <mpi.h>

#include <tessera/runtime/error.hpp>

#if TESSERA_BENCHMARK_GLOBAL_ARRAYS
extern "C" {
#include <armci.h>
}

namespace tessera::benchmark::armci_peer {
namespace {

void check(int code, const char* call) {
  if (code != 0) throw Error(std::string(call) + " failed in a benchmark");
}

std::vector<void*> allocate_parts(const Group& world, index_t bytes) {
  std::vector<void*> parts(static_cast<std::size_t>(world.size()));
  check(ARMCI_Malloc(parts.data(), bytes), "ARMCI_Malloc");
  return parts;
}

// ARMCI takes everything as not const.
void* plain(const double* from) { return const_cast<double*>(from); }

double one = 1.0;

// Rows as ARMCI takes them: one stride on either side, the extents innermost first.
struct Strides {
  explicit Strides(const Rows& rows)
      : from{static_cast<int>(rows.from_stride)},
        to{static_cast<int>(rows.to_stride)},
        count{static_cast<int>(rows.bytes), static_cast<int>(rows.count)} {}
  int from[1], to[1], count[2];
};

armci_giov_t outgoing(List& list) {
  return {list.local.data(), list.remote.data(), list.bytes, static_cast<int>(list.local.size())};
}

armci_giov_t incoming(List& list) {
  return {list.remote.data(), list.local.data(), list.bytes, static_cast<int>(list.local.size())};
}

}  // namespace

bool available() noexcept { return true; }

Memory::Memory(const Group& world, index_t bytes) : rank_(world.rank()), parts_(allocate_parts(world, bytes)) {}

Memory::~Memory() {
  // Collective, so it is skipped while a rank unwinds: the others would not take part.
  if (std::uncaught_exceptions() == 0) ARMCI_Free(own());
}

void Memory::put(int rank, index_t offset, const double* from, const Rows& rows) {
  Strides s(rows);
  void* to = address(rank) + offset;
  if (rows.count == 1) return check(ARMCI_Put(plain(from), to, s.count[0], rank), "ARMCI_Put");
  check(ARMCI_PutS(plain(from), s.from, to, s.to, s.count, 1, rank), "ARMCI_PutS");
}

void Memory::get(int rank, index_t offset, double* into, const Rows& rows) {
  Strides s(rows);
  void* from = address(rank) + offset;
  if (rows.count == 1) return check(ARMCI_Get(from, into, s.count[0], rank), "ARMCI_Get");
  check(ARMCI_GetS(from, s.from, into, s.to, s.count, 1, rank), "ARMCI_GetS");
}

void Memory::accumulate(int rank, index_t offset, const double* from, const Rows& rows) {
  Strides s(rows);
  void* to = address(rank) + offset;
  if (rows.count == 1)
    return check(ARMCI_Acc(ARMCI_ACC_DBL, &one, plain(from), to, s.count[0], rank), "ARMCI_Acc");
  check(ARMCI_AccS(ARMCI_ACC_DBL, &one, plain(from), s.from, to, s.to, s.count, 1, rank), "ARMCI_AccS");
}

void Memory::fence(int rank) { ARMCI_Fence(rank); }

void Memory::put(int rank, List& list) {
  armci_giov_t runs = outgoing(list);
  check(ARMCI_PutV(&runs, 1, rank), "ARMCI_PutV");
}

void Memory::get(int rank, List& list) {
  armci_giov_t runs = incoming(list);
  check(ARMCI_GetV(&runs, 1, rank), "ARMCI_GetV");
}

void Memory::accumulate(int rank, List& list) {
  armci_giov_t runs = outgoing(list);
  check(ARMCI_AccV(ARMCI_ACC_DBL, &one, &runs, 1, rank), "ARMCI_AccV");
}

std::int64_t Memory::fetch_add(int rank, index_t offset, int value) {
  long old = 0;
  check(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, address(rank) + offset, value, rank), "ARMCI_Rmw");
  return old;
}

std::int64_t Memory::exchange(int rank, index_t offset, std::int64_t value) {
  long local = value;  // passes the new value, and becomes the old one
  check(ARMCI_Rmw(ARMCI_SWAP_LONG, &local, address(rank) + offset, 0, rank), "ARMCI_Rmw");
  return local;
}

std::unique_ptr<Memory> allocate(const Group& world, index_t bytes) {
  return std::make_unique<Memory>(world, bytes);
}

Mutexes::Mutexes() { check(ARMCI_Create_mutexes(1), "ARMCI_Create_mutexes"); }

Mutexes::~Mutexes() {
  if (std::uncaught_exceptions() == 0) ARMCI_Destroy_mutexes();
}

void Mutexes::lock(int rank) { ARMCI_Lock(0, rank); }
void Mutexes::unlock(int rank) { ARMCI_Unlock(0, rank); }

std::unique_ptr<Mutexes> mutexes(const Group& world) {
#if defined(OPEN_MPI)
  if (world.size() == 1) return nullptr;
#endif
  static_cast<void>(world);
  return std::make_unique<Mutexes>();
}

void allocate_and_free(const Group& world, index_t bytes) {
  const std::vector<void*> parts = allocate_parts(world, bytes);
  check(ARMCI_Free(parts[static_cast<std::size_t>(world.rank())]), "ARMCI_Free");
}

void sync() { ARMCI_Barrier(); }

}  // namespace tessera::benchmark::armci_peer

#else

namespace tessera::benchmark::armci_peer {
namespace {

[[noreturn]] void absent() { throw UsageError("the benchmarks were built without ARMCI"); }

}  // namespace

bool available() noexcept { return false; }
Memory::Memory(const Group&, index_t) : rank_(0) { absent(); }
Memory::~Memory() = default;
void Memory::put(int, index_t, const double*, const Rows&) { absent(); }
void Memory::get(int, index_t, double*, const Rows&) { absent(); }
void Memory::accumulate(int, index_t, const double*, const Rows&) { absent(); }
void Memory::fence(int) { absent(); }
void Memory::put(int, List&) { absent(); }
void Memory::get(int, List&) { absent(); }
void Memory::accumulate(int, List&) { absent(); }
std::int64_t Memory::fetch_add(int, index_t, int) { absent(); }
std::int64_t Memory::exchange(int, index_t, std::int64_t) { absent(); }
std::unique_ptr<Memory> allocate(const Group&, index_t) { return nullptr; }
Mutexes::Mutexes() { absent(); }
Mutexes::~Mutexes() = default;
void Mutexes::lock(int) { absent(); }
void Mutexes::unlock(int) { absent(); }
std::unique_ptr<Mutexes> mutexes(const Group&) { return nullptr; }
void allocate_and_free(const Group&, index_t) { absent(); }
void sync() { absent(); }

}  // namespace tessera::benchmark::armci_peer

#endif
