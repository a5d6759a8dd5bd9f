// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <string_view>

#include <tessera/runtime/detail/tally.hpp>
#include <tessera/runtime/segment.hpp>

namespace tessera {

namespace detail {
/// The operations on memory that is not reached directly. @onesided
void scalar_update(const Segment& segment, int rank, index_t offset, ElementKind kind, Update update,
                   const void* value, void* result);
bool scalar_compare_exchange(const Segment& segment, int rank, index_t offset, ElementKind kind, void* expected,
                             const void* desired);
void scalar_load(const Segment& segment, int rank, index_t offset, ElementKind kind, void* value);
void scalar_store(const Segment& segment, int rank, index_t offset, ElementKind kind, const void* value);
}  // namespace detail

/// Atomic integers for counters and flags: `count` on every member of a group, zero at first, each in its own
/// cache line. On a node, operations are single atomic instructions, sequentially consistent. They need no
/// lock, as nothing else may touch the memory. T is std::int32_t or std::int64_t.
template <IntegerElement T>
class Scalars {
 public:
  /// The members must agree on all arguments; `fingerprint` is a hash of anything else. @collective
  /// @throws as Segment; UsageError if count < 0
  Scalars(const Group& group, index_t count, std::string_view name = "scalars", std::uint64_t fingerprint = 0);
  /// Frees the memory now. @collective
  void close() { segment_.close(); }

  const Group& group() const noexcept { return segment_.group(); }
  const std::string& name() const noexcept { return segment_.name(); }
  /// Scalars on each member. @local
  index_t count() const noexcept { return count_; }
  Statistics statistics() const { return segment_.statistics(); }

  /// These act on scalar `i` of `rank`. @onesided @throws UsageError if there is no such scalar.
  /// @completion done on return.
  T load(int rank, index_t i) const;
  void store(int rank, index_t i, T value);
  T fetch_add(int rank, index_t i, T value) { return fetch_op(rank, i, Update::sum, value); }
  T exchange(int rank, index_t i, T value) { return fetch_op(rank, i, Update::replace, value); }
  T fetch_op(int rank, index_t i, Update update, T value);
  /// Stores `desired` if the scalar equals `expected`, and returns whether it did; `expected` becomes the old
  /// value.
  bool compare_exchange(int rank, index_t i, T& expected, T desired);

  /// The address of a scalar on this node; null for one elsewhere. @local
  T* address(int rank, index_t i) const noexcept;

  /// Bytes from one scalar to the next, and the memory they lie in; for Tessera's own modules. @local
  static constexpr index_t spacing = 64;
  const Segment& segment() const noexcept { return segment_; }

 private:
  T* fast(int rank, index_t i) const noexcept {
    if (i < 0 || i >= count_) return nullptr;
    return reinterpret_cast<T*>(segment_.face().count(rank, i * spacing, sizeof(T), Operation::atomic));
  }
  index_t offset(int rank, index_t i) const;

  Segment segment_;
  index_t count_;
};

extern template class Scalars<std::int32_t>;
extern template class Scalars<std::int64_t>;

namespace detail {
template <IntegerElement T>
T apply(std::atomic_ref<T> scalar, Update update, T value) noexcept;
}

template <IntegerElement T>
inline T Scalars<T>::fetch_op(int rank, index_t i, Update update, T value) {
  if (T* scalar = fast(rank, i)) {
    std::atomic_ref<T> atomic(*scalar);
    if (update == Update::sum) return atomic.fetch_add(value);
    if (update == Update::replace) return atomic.exchange(value);
    return detail::apply(atomic, update, value);
  }
  T result;
  detail::scalar_update(segment_, rank, offset(rank, i), element_kind<T>(), update, &value, &result);
  return result;
}

template <IntegerElement T>
inline T Scalars<T>::load(int rank, index_t i) const {
  if (T* scalar = fast(rank, i)) return std::atomic_ref<T>(*scalar).load();
  T value;
  detail::scalar_load(segment_, rank, offset(rank, i), element_kind<T>(), &value);
  return value;
}

template <IntegerElement T>
inline void Scalars<T>::store(int rank, index_t i, T value) {
  if (T* scalar = fast(rank, i)) return std::atomic_ref<T>(*scalar).store(value);
  detail::scalar_store(segment_, rank, offset(rank, i), element_kind<T>(), &value);
}

template <IntegerElement T>
inline bool Scalars<T>::compare_exchange(int rank, index_t i, T& expected, T desired) {
  if (T* scalar = fast(rank, i)) return std::atomic_ref<T>(*scalar).compare_exchange_strong(expected, desired);
  return detail::scalar_compare_exchange(segment_, rank, offset(rank, i), element_kind<T>(), &expected,
                                         &desired);
}

}  // namespace tessera
