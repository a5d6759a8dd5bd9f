// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <mpi.h>

#include <tessera/runtime/group.hpp>
#include <tessera/runtime/statistics.hpp>

#include "rows.hpp"

/// MPI itself, for comparison.
namespace tessera::benchmark::mpi_peer {

/// @local @throws Error if a call of MPI did not succeed
void check(int code, const char* call);

/// MPI_Type_vector of doubles: rows as the target of a transfer whose local side is dense. A single row needs
/// no such type. @local
class RowsType {
 public:
  explicit RowsType(const Rows& rows);
  ~RowsType();
  RowsType(const RowsType&) = delete;
  RowsType& operator=(const RowsType&) = delete;

  MPI_Datatype get() const noexcept { return type_; }
  /// All rows are so many of this type.
  int count() const noexcept { return type_ == MPI_DOUBLE ? elements_ : 1; }
  /// The elements of all rows.
  int elements() const noexcept { return elements_; }

 private:
  MPI_Datatype type_ = MPI_DOUBLE;
  int elements_;
};

/// Where the memory of a window comes from.
enum class Memory {
  allocated,  ///< from MPI_Win_allocate: the fastest on a node
  given,      ///< whole pages that are given to MPI_Win_create
};

/// MPI_Win_allocate with hints. Without them MPICH 4.0.2 may place the memory of other ranks wrongly. The unit
/// of displacement is 8 bytes. @collective
MPI_Win allocate(MPI_Comm comm, index_t bytes, void*& base);

/// Memory of all ranks of a group, for one-sided operations. They are within one epoch that lasts as long as
/// the window: MPI_Win_lock_all, with all hints that help an implementation. @collective to make and destroy
class Window {
 public:
  Window(const Group& group, index_t bytes, Memory memory = Memory::allocated);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// This rank's part. @local
  double* own() const noexcept { return static_cast<double*>(base_); }
  /// Moves or adds `count` elements, to or from the first ones of a rank's part. It is complete there on return
  /// (MPI_Win_flush).
  /// @onesided
  void put(int rank, const double* from, int count);
  void get(int rank, double* into, int count);
  void accumulate(int rank, const double* from, int count);
  /// The same for dense local memory and rows from the beginning of a rank's part. @onesided
  void put(int rank, const double* from, const RowsType& rows);
  void get(int rank, double* into, const RowsType& rows);
  void accumulate(int rank, const double* from, const RowsType& rows);
  /// The same in two calls: MPI_Rput and so on; then MPI_Wait and, unless it is a get, MPI_Win_flush. @onesided
  MPI_Request start(Operation operation, int rank, double* buffer, const RowsType& rows);
  void finish(Operation operation, MPI_Request request, int rank);
  /// The operations of all ranks are complete, and visible to the owners. @collective
  void sync();

 private:
  void flush(int rank);
  MPI_Comm comm_;
  std::unique_ptr<void, void (*)(void*)> given_;
  void* base_;
  MPI_Win win_;
};

/// How an atomic operation combines words.
enum class Combine { sum, bit_xor };

/// 64-bit words of all ranks of a group, zero at first, in a window from MPI_Win_allocate. One epoch lasts as
/// long as the window, as with Window. @collective to make and destroy
class Words {
 public:
  Words(const Group& group, index_t count);
  ~Words();
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  /// This rank's words. @local
  std::span<std::uint64_t> own() const noexcept { return {base_, static_cast<std::size_t>(count_)}; }
  /// MPI_Fetch_and_op, complete on return; returns the old value. @onesided
  std::uint64_t fetch_op(int rank, index_t at, Combine how, std::uint64_t value);
  /// MPI_Accumulate of one word, which is read until the next flush. @onesided
  void accumulate(int rank, index_t at, Combine how, const std::uint64_t& value);
  /// MPI_Get and MPI_Put of one word, complete on return. @onesided
  std::uint64_t get(int rank, index_t at);
  void put(int rank, index_t at, std::uint64_t value);
  /// This rank's operations are complete. @onesided
  void flush_all();
  /// The operations of all ranks are complete, and visible to the owners. @collective
  void sync();

 private:
  MPI_Comm comm_;
  index_t count_;
  std::uint64_t* base_ = nullptr;
  MPI_Win win_;
};

/// MPI_Alltoall and MPI_Alltoallv of words: to each rank so many of `send`, which are sorted by rank. Returns
/// what came.
/// @collective
std::vector<std::uint64_t> exchange_words(const Group& group, std::span<const std::uint64_t> send,
                                          const std::vector<int>& counts);

/// Makes a window of so many bytes for each member, and frees it. @collective
void allocate_and_free(const Group& group, index_t bytes);

/// Makes a window of so many doubles for each member, sets them to 1, and frees it. @collective
void allocate_fill_and_free(const Group& group, index_t count);

/// MPI_Barrier. @collective
void barrier(const Group& group);

/// MPI_Allreduce of doubles in place, to their sums. @collective
void all_reduce(const Group& group, double* data, index_t bytes);
/// MPI_Reduce of doubles to their sums, which replace the root's. @collective
void reduce(const Group& group, double* data, index_t bytes, int root);
/// MPI_Bcast. @collective
void broadcast(const Group& group, void* data, index_t bytes, int root);
/// MPI_Allgather of so many bytes from each. @collective
void all_gather(const Group& group, const void* value, void* all, index_t bytes);

/// A message, or the memory for one.
struct Message {
  void* memory;
  index_t bytes;
};
/// A message from rank 0 to rank `partner`, and then another one back; other ranks do nothing. Each rank gives
/// the memory that it sends from and receives into. @collective
void exchange(const Group& group, int partner, const Message& there, const Message& back);

/// A message of `bytes` from rank 0 to rank `partner`, and another one back; other ranks do nothing.
/// @collective
void ping_pong(const Group& group, int partner, void* buffer, index_t bytes);

/// Messages to a rank and from it at once: `count` of `bytes` in each direction, so many of them under way.
/// Their memory has room for these. @collective over this rank and the partner
void both_ways(const Group& group, int partner, std::byte* from, std::byte* into, index_t bytes, index_t count,
               index_t under_way);

}  // namespace tessera::benchmark::mpi_peer
