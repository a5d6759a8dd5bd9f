// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <type_traits>

#include <tessera/array.hpp>

namespace tessera::linalg {

/// The element types of matrix routines.
template <class T>
concept Scalar = std::is_same_v<T, float> || std::is_same_v<T, double> ||
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

/// How a routine reads a matrix: as it is, transposed, or transposed and conjugated.
enum class Op : std::uint8_t { none, transpose, adjoint };

/// A matrix as an operand: an array, or transpose(array), or adjoint(array). Refers to the array. @local
template <Scalar T>
class Operand {
 public:
  Operand(const Array<T, 2>& array, Op op = Op::none) : array_(&array), op_(op) {}
  const Array<T, 2>& array() const noexcept { return *array_; }
  Op op() const noexcept { return op_; }

 private:
  const Array<T, 2>* array_;
  Op op_;
};

/// The transpose of a matrix, as an operand; moves nothing. @local
template <Scalar T>
Operand<T> transpose(const Array<T, 2>& a) {
  return {a, Op::transpose};
}

/// The conjugate transpose of a matrix, as an operand; moves nothing. @local
template <Scalar T>
Operand<T> adjoint(const Array<T, 2>& a) {
  return {a, Op::adjoint};
}

}  // namespace tessera::linalg
