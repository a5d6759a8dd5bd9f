// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalapack/scalapack_matrix.hpp"

// Scales matrices by powers of two to near one before a routine works on them, and scales the results back. At
// either end of the range, routines overflow, underflow or compare with constants of their own. A power of two
// changes no digit of a number that stays within the range. Each power is given as its exponent.
namespace tessera::linalg::detail {

/// Calls f(i, j, element) for the elements that this rank has. @local
template <class T, class F>
void for_each_element(const SliceCore& a, F&& f) {
  a.for_each_piece_of(a.array().group().rank(), [&](const tessera::detail::LocalPiece& piece) {
    const auto& lo = piece.box.lo;
    const auto& hi = piece.box.hi;
    for (index_t j = lo[1]; j < hi[1]; ++j) {
      for (index_t i = lo[0]; i < hi[0]; ++i) {
        f(i, j,
          reinterpret_cast<T*>(piece.data)[(i - lo[0]) * piece.strides[0] + (j - lo[1]) * piece.strides[1]]);
      }
    }
  });
}

/// The exponent that brings this magnitude to at least 1 and below 2; 0 for 0. @local
int to_one(double magnitude);
/// `x` times a power of two, which itself may be out of range. @local
template <class T>
T times_power(T x, int exponent);

/// The larger of the real and the imaginary part, or infinity if one is not finite. @local
template <class T>
double magnitude_of(const T& x) {
  const double real = std::abs(static_cast<double>(std::real(x))),
               imaginary = std::abs(static_cast<double>(std::imag(x)));
  // std::max does not propagate every NaN.
  return std::isfinite(real) && std::isfinite(imaginary) ? std::max(real, imaginary)
                                                         : std::numeric_limits<double>::infinity();
}
/// The largest magnitude of the real and imaginary parts of all elements, or infinity if one is not finite.
/// @collective
double largest_of(const SliceCore& a);
/// Whether no element is NaN or infinity. @collective
bool is_finite(const SliceCore& a);
/// largest_of(), which must be finite. @collective @throws LinalgError on every rank if there is a NaN or
/// infinity
double require_finite(std::string_view routine, const SliceCore& a, std::string name);
[[noreturn]] void throw_not_finite(std::string_view routine, const SliceCore& a, std::string name);

/// Which elements of a matrix count. Triangles are with the diagonal unless `below` or `above` it.
enum class Counted { all, lower, upper, below, above };
/// For each row (dimension 0) or column (1), the exponent that brings its largest element to one. @collective
/// @throws as require_finite
std::vector<int> each_to_one(std::string_view routine, const SliceCore& a, int dimension, std::string name,
                             Counted counted = Counted::all);
/// The same for rows (columns) of a matrix whose columns (rows) have been multiplied by powers, of these
/// exponents; an empty span stands for zeros. @collective @throws as require_finite
std::vector<int> each_to_one_of_scaled(std::string_view routine, const SliceCore& a, int dimension,
                                       std::span<const int> scales, std::string name);
/// For each element of the diagonal of a positive definite matrix, half the exponent that brings it to one. It
/// is 0 for an element that is not positive. @collective
std::vector<int> roots_to_one(const SliceCore& a);
std::vector<int> negated(std::vector<int> exponents);

/// A similar matrix, with the elements a(i, j) 2^(x(j) - x(i)).
struct Balance {
  std::vector<int> exponents;  // x
  int largest = 0;             // the exponent of its largest element
};
/// The x for which the largest elements of row i and column i are of about one size, but for the diagonal.
/// Small elements of badly scaled matrices then count as much as large ones. @collective
Balance balance(const SliceCore& a);
/// Makes the matrix the similar one times 2^-largest. @local
void apply(const Balance& balance, const SliceCore& a);

/// Multiplies the elements that this rank has. @local
void scale_by(const SliceCore& a, int exponent);
/// The same with an exponent for each row and each column; an empty span stands for zeros. An element is in
/// range if its product with both powers is. @local
void scale_by(const SliceCore& a, std::span<const int> rows, std::span<const int> columns);
/// The same with the sum of three exponents: one for all, and those of row and column, from one list. @local
void scale_all(const SliceCore& a, int exponent, std::span<const int> scales);

}  // namespace tessera::linalg::detail
