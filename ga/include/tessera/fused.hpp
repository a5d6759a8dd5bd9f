// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include <tessera/elementwise.hpp>
#include <tessera/slice.hpp>

namespace tessera {

namespace detail {
/// A slice as a matrix: its first dimensions are fused to rows, and the others to columns.
struct FusedCore {
  FusedCore(const SliceCore& all, int rows) : slice(all), row_dimensions(rows) {}
  /// A matrix as it is.
  FusedCore(const SliceCore& matrix) : FusedCore(matrix, 1) {}

  SliceCore slice;
  int row_dimensions;
};
/// @throws UsageError unless each dimension is listed once @local
FusedCore fuse(const SliceCore& slice, std::initializer_list<int> rows, std::initializer_list<int> columns);
}  // namespace detail

/// A slice as a matrix: some dimensions are fused to its rows, and the others to its columns. The last
/// dimension of either list varies fastest. Made by Slice::fused(). It copies nothing. Refers to the array,
/// which must outlive it. T is const for one that is only read.
template <class T>
class Fused {
 public:
  using value_type = std::remove_const_t<T>;

  explicit Fused(const detail::FusedCore& core) : core_(core) {}
  Fused(const Fused<value_type>& other) requires(std::is_const_v<T>) : core_(other.core()) {}
  Fused(const Fused&) = default;
  Fused& operator=(const Fused&) = default;

  static constexpr std::size_t rank() noexcept { return 2; }
  /// The numbers of rows and columns. @local
  Extents<2> dims() const noexcept {
    Extents<2> dims(1, 1);
    for (int d = 0; d < core_.slice.rank(); ++d)
      dims[d < core_.row_dimensions ? 0 : 1] *= core_.slice.extents()[static_cast<std::size_t>(d)];
    return dims;
  }
  const Group& group() const noexcept { return core_.slice.array().group(); }

  /// A new array with the elements, in a blocked layout. @collective
  Array<value_type, 2> matrix(std::string_view name = "fused") const {
    Array<value_type, 2> all(group(), dims(), {.name = name});
    detail::reshape(core_.slice, all.core());
    return all;
  }

  /// The compiled matrix behind the type; for Tessera's own modules. @local
  const detail::FusedCore& core() const noexcept { return core_; }

 private:
  detail::FusedCore core_;
};

template <class T, std::size_t N>
Fused<T> Slice<T, N>::fused(std::initializer_list<int> rows, std::initializer_list<int> columns) const {
  return Fused<T>(detail::fuse(core_, rows, columns));
}

namespace detail {
// No Operand of element-wise operations, but it has a type of elements, and is a matrix.
template <class T>
struct OperandOf<Fused<T>> : std::false_type {
  using value_type = std::remove_const_t<T>;
  static constexpr std::size_t rank = 2;
};

/// The elements of a fused slice in an array of their own, for as long as this object lives.
template <class T>
class FusedCopy {
 public:
  explicit FusedCopy(const Fused<T>& fused)
      : array_(fused.matrix("copy of " + fused.core().slice.description())) {}
  SliceCore core() const { return array_.core(); }

 private:
  Array<std::remove_const_t<T>, 2> array_;
};
}  // namespace detail

/// A copy of the elements, for routines that do not take fused slices as they are. @collective
template <class T>
detail::FusedCopy<T> slice_of(const Fused<T>& fused) {
  return detail::FusedCopy<T>(fused);
}

}  // namespace tessera
