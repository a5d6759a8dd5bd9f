// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include <tessera/fused.hpp>
#include <tessera/matrix.hpp>

namespace tessera::linalg {

/// The element types of matrix routines.
template <class T>
concept MatrixElement = std::is_same_v<T, float> || std::is_same_v<T, double> ||
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

namespace detail {
template <class A>
inline constexpr bool is_fused = false;
template <class T>
inline constexpr bool is_fused<Fused<T>> = true;
}  // namespace detail

/// A matrix that a routine reads, of one of these types: an array, a slice of one, or a fused slice. Of a fused
/// slice, the routine makes a copy, which it frees on return.
template <class A>
concept ScalarMatrix = (MatrixOperand<A> || detail::is_fused<A>)&&MatrixElement<value_t<A>>;
/// A matrix of the same element type.
template <class B, class A>
concept MatrixLike = MatrixOperand<B> && std::is_same_v<value_t<A>, value_t<B>>;
/// A matrix that a routine writes: an array or a slice of one.
template <class A>
concept Result = WritableOperand<A> && MatrixOperand<A> && MatrixElement<value_t<A>>;
/// A result of the same element type as a matrix.
template <class B, class A>
concept ResultLike = Result<B> && std::is_same_v<value_t<A>, value_t<B>>;

/// A batch of matrices of one shape: an array or slice whose first index selects the matrix.
template <class A>
concept MatrixBatch = tessera::Operand<A> && tessera::detail::has_rank<A, 3> && MatrixElement<value_t<A>>;
/// A vector for a matrix of a type.
template <class V, class T>
concept VectorOf = tessera::Operand<V> && tessera::detail::has_rank<V, 1> && std::is_same_v<value_t<V>, T>;

/// Which triangle of a matrix a routine uses.
enum class Triangle : std::uint8_t { lower, upper };
/// How a routine reads a matrix: as it is, transposed, or transposed and conjugated.
enum class Op : std::uint8_t { none, transpose, adjoint };

/// A matrix that a routine reads: an array or a slice of one, or transpose() or adjoint() of it. Refers to the
/// array. @local
template <MatrixElement T>
class Operand {
 public:
  Operand(const Array<T, 2>& matrix, Op op = Op::none) : core_(matrix.core()), op_(op) {}
  Operand(const Slice<T, 2>& matrix, Op op = Op::none) : core_(matrix.core()), op_(op) {}
  Operand(const Slice<const T, 2>& matrix, Op op = Op::none) : core_(matrix.core()), op_(op) {}
  const tessera::detail::SliceCore& core() const noexcept { return core_; }
  Op op() const noexcept { return op_; }

 private:
  tessera::detail::SliceCore core_;
  Op op_;
};

/// A factor of a product, which is read where it is: as Operand, and also a fused slice, or transpose() or
/// adjoint() of it. Refers to the array. @local
template <MatrixElement T>
class MatrixFactor {
 public:
  template <class A>
  requires std::is_convertible_v<const A&, Operand<T>> MatrixFactor(const A& matrix)
      : MatrixFactor(Operand<T>(matrix)) {}
  MatrixFactor(const Operand<T>& matrix) : core_(matrix.core()), op_(matrix.op()) {}
  MatrixFactor(const Fused<T>& matrix, Op op = Op::none) : core_(matrix.core()), op_(op) {}
  MatrixFactor(const Fused<const T>& matrix, Op op = Op::none) : core_(matrix.core()), op_(op) {}
  const tessera::detail::FusedCore& core() const noexcept { return core_; }
  Op op() const noexcept { return op_; }

 private:
  tessera::detail::FusedCore core_;
  Op op_;
};

/// The transpose of a matrix, as an operand; moves nothing. @local
template <MatrixOperand A>
requires MatrixElement<value_t<A>> Operand<value_t<A>> transpose(const A& a) { return {a, Op::transpose}; }
template <class T>
MatrixFactor<std::remove_const_t<T>> transpose(const Fused<T>& a) {
  return {a, Op::transpose};
}

/// The conjugate transpose of a matrix, as an operand; moves nothing. @local
template <MatrixOperand A>
requires MatrixElement<value_t<A>> Operand<value_t<A>> adjoint(const A& a) { return {a, Op::adjoint}; }
template <class T>
MatrixFactor<std::remove_const_t<T>> adjoint(const Fused<T>& a) {
  return {a, Op::adjoint};
}

namespace detail {

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <class T>
using Real = typename RealOf<T>::type;

/// A new array for the result of a routine on a matrix, named after the matrix. It has the layout of `a` if `a`
/// is an array, and a blocked layout if `a` is a slice.
/// @collective
template <ScalarMatrix A>
Array<value_t<A>, 2> array_like(const A& a, const std::string& what) {
  const tessera::detail::SliceCore source = [&] {
    if constexpr (is_fused<A>)
      return a.core().slice;
    else
      return slice_of(a).core();
  }();
  const std::string name = what + " of " + source.array().name();
  if constexpr (requires { a.layout(); })
    return a.duplicate(name);
  else
    return Array<value_t<A>, 2>(a.group(), a.dims(), {.name = name});
}

}  // namespace detail

}  // namespace tessera::linalg

namespace tessera {
// Argument-dependent lookup then finds these for arrays; otherwise it would find only transpose(from, to).
using linalg::adjoint;
using linalg::transpose;
}  // namespace tessera
