// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::detail {

/// Memory that short-lived lists use again and again. The allocator of the C library returns large blocks to
/// the system when they are freed, and the page faults of the next list would take longer than its transfer.
/// Freed blocks of 16 KiB to 2 MiB are kept, up to 6 MiB of each process. Any thread may free a block. @local
/// @throws std::bad_alloc
void* allocate_kept(std::size_t bytes);
void free_kept(void* memory, std::size_t bytes) noexcept;

/// An allocator of kept memory. New elements without a value are not initialised.
template <class T>
struct KeptAllocator {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  using value_type = T;

  KeptAllocator() noexcept = default;
  template <class U>
  KeptAllocator(const KeptAllocator<U>&) noexcept {}
  // NOLINTBEGIN(bugprone-sizeof-expression): elements may be pointers.
  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_kept(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept { free_kept(memory, count * sizeof(T)); }
  // NOLINTEND(bugprone-sizeof-expression)
  template <class U, class... Values>
  void construct(U* place, Values&&... values) {
    if constexpr (sizeof...(Values) == 0)
      ::new (static_cast<void*>(place)) U;
    else
      ::new (static_cast<void*>(place)) U(std::forward<Values>(values)...);
  }
  bool operator==(const KeptAllocator&) const noexcept { return true; }
};

/// A vector of kept memory, for lists that live as long as a transfer.
template <class T>
using KeptVector = std::vector<T, KeptAllocator<T>>;

}  // namespace tessera::detail
