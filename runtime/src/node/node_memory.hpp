// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <tessera/runtime/detail/unique_handle.hpp>
#include <tessera/runtime/types.hpp>

#include "mpi/mpi.hpp"

namespace tessera::detail {

class NodeBarrier;

struct FdTraits {
  using Handle = int;
  static Handle null() noexcept { return -1; }
  static void free(Handle fd) noexcept;
};
using Fd = UniqueHandle<FdTraits>;

struct MappingHandle {
  void* reserved = nullptr;
  std::size_t bytes = 0;
  friend bool operator==(const MappingHandle&, const MappingHandle&) = default;
};
struct MappingTraits {
  using Handle = MappingHandle;
  static Handle null() noexcept { return {}; }
  static void free(Handle handle) noexcept;
};

/// How processes of a node share memory; `any` takes the first way that works.
enum class SharedMemory { any, memfd, shm, mpi };
/// The name of a way, such as "memfd". @local
const char* to_string(SharedMemory way) noexcept;
/// Chooses the way for all memory made from now on; the same on all processes, as they share one machine.
/// @local
void choose_shared_memory(SharedMemory way) noexcept;

/// Where processes of the node find the file behind shared memory, while the process that made it keeps it
/// open.
struct FileAddress {
  std::int64_t pid = 0;
  std::int32_t fd = -1;
  std::uint64_t device = 0, inode = 0;
};

/// Memory that the processes of a node share: `stride` bytes for each, one after the other. The pages that each
/// process asked for are reserved, and 64 bytes behind them can be read. The file behind the memory has no name
/// (memfd), or loses it as soon as all have attached (shm_open). So nothing is left behind however the job
/// ends. MPI_Win_allocate_shared is the last resort.
class NodeMemory {
 public:
  NodeMemory() = default;
  /// Maps and reserves. On failure the result is empty and `problem` says why, the same on every member.
  /// `stride` is a multiple of page_size_for(stride) and the same everywhere; `reserve` <= stride is this
  /// member's own.
  /// @collective over node
  static NodeMemory create(NodeBarrier& node, index_t stride, index_t reserve, std::string& problem);
  /// Maps memory that others have made: `bytes` of the file at that address. Empty if that is not possible;
  /// then `problem` says why. @local
  static NodeMemory attach(const FileAddress& address, index_t bytes, std::string& problem);
  /// The address for attach, on the first member. fd is -1 on the others, and for memory that is MPI's. @local
  FileAddress file() const noexcept;
  /// To be called when all have attached. @local
  void close_file() noexcept { file_.reset(); }

  std::byte* base() const noexcept { return base_; }
  /// The way that worked; `any` for memory that create() did not make. @local
  SharedMemory way() const noexcept { return way_; }
  explicit operator bool() const noexcept { return base_ != nullptr; }

 private:
  std::byte* base_ = nullptr;
  SharedMemory way_ = SharedMemory::any;
  UniqueHandle<MappingTraits> mapping_;
  mpi::Win window_;
  Fd file_;
};

index_t page_size() noexcept;
constexpr index_t round_up(index_t value, index_t to) noexcept { return (value + to - 1) / to * to; }

}  // namespace tessera::detail
