// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>

#include <tessera/runtime/detail/unique_handle.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera {

namespace detail {
/// Memory from MPI_Alloc_mem (MPI standard 9.2). @throws MemoryError
void* allocate_local(index_t count, index_t element);
struct LocalMemoryTraits {
  using Handle = void*;
  static Handle null() noexcept { return nullptr; }
  static void free(Handle memory) noexcept;
};
}  // namespace detail

/// Local memory that MPI has registered if its network requires it. It is the best local side for transfers
/// between nodes; on a node it is as good as any other memory. Contents are unspecified. Needs a Runtime.
/// Move-only.
template <Element T>
class LocalBuffer {
 public:
  /// Room for `count` elements. @local @throws MemoryError if there is not enough; UsageError if count < 0, or
  /// if this is not the main thread and MPI's thread level is below serialized
  explicit LocalBuffer(index_t count)
      : memory_(detail::allocate_local(count, sizeof(T))), count_(memory_ ? count : 0) {}

  T* data() const noexcept { return static_cast<T*>(memory_.get()); }
  index_t size() const noexcept { return memory_ ? count_ : 0; }
  T* begin() const noexcept { return data(); }
  T* end() const noexcept { return data() + size(); }
  T& operator[](index_t i) const noexcept { return data()[i]; }
  operator std::span<T>() const noexcept { return {data(), static_cast<std::size_t>(size())}; }

 private:
  detail::UniqueHandle<detail::LocalMemoryTraits> memory_;
  index_t count_;
};

}  // namespace tessera
