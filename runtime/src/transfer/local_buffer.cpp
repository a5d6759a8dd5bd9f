// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/local_buffer.hpp>

#include <algorithm>
#include <mutex>
#include <vector>

#include <tessera/runtime/detail/product.hpp>
#include <tessera/runtime/error.hpp>

#include "base/memory_check.hpp"
#include "conflicts/conflicts.hpp"
#include "format.hpp"
#include "mpi/mpi.hpp"
#include "mpi/mpi_process.hpp"

namespace tessera::detail {
namespace {

// Memory given up by threads that may not call MPI; a later allocation frees it. Guarded by mpi::mutex(); never
// destroyed, as buffers may be static.
std::vector<void*>& given_up() {
  static auto& list = *new std::vector<void*>;
  return list;
}

void free_given_up() noexcept {
  for (void* memory : given_up()) mpi::free_mem(memory);
  given_up().clear();
}

}  // namespace

void* allocate_local(index_t count, index_t element) {
  if (count < 0) throw UsageError(formatted("a local buffer of {} elements was asked for", count));
  const auto fitting = checked_product(count, element);
  const index_t bytes = fitting.value_or(0);
  // Pages are only found when they are touched, so a buffer beyond the available memory is refused now. The
  // check takes a while, so small buffers skip it.
  constexpr index_t small = index_t{1} << 20;
  const MemoryAvailable available = fitting && bytes <= small ? MemoryAvailable{small, {}} : memory_available();
  if (!fitting || bytes > available.bytes) {
    throw MemoryError(
        formatted("a local buffer of {} elements of {} bytes needs more than the {} available ({})", count,
                  element, format_bytes(available.bytes), available.limited_by));
  }
  const std::lock_guard lock(mpi::mutex());
  if (!mpi::may_call()) {
    throw UsageError(
        "a local buffer by another thread than the one that started MPI; start with RuntimeOptions{.threads = "
        "ThreadLevel::serialized}");
  }
  free_given_up();
  void* const memory = mpi::alloc_mem(std::max<index_t>(bytes, 1));
  if (memory == nullptr) {
    throw MemoryError(formatted(
        "a local buffer of {} was refused by MPI_Alloc_mem; use a smaller one, or fewer", format_bytes(bytes)));
  }
  if (conflicts::on()) conflicts::Recorder::instance().allocated(memory, bytes);
  return memory;
}

void LocalMemoryTraits::free(Handle memory) noexcept {
  if (conflicts::on()) conflicts::Recorder::instance().freed(memory);
  const std::lock_guard lock(mpi::mutex());
  if (mpi::finalized()) return;
  mpi::may_call() ? mpi::free_mem(memory) : given_up().push_back(memory);
}

}  // namespace tessera::detail
