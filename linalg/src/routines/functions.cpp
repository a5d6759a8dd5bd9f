// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/functions.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <tessera/linalg/eigh.hpp>

#include "blas/instantiate.hpp"
#include "products/symmetric_product.hpp"
#include "scalapack/scalapack_call.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::LocalPiece;

template <class T>
using Vectors = std::optional<Array<T, 2>>;

template <class T>
std::vector<Real<T>> eigen(const SliceCore& a, const EighOptions& options, Vectors<T>& vectors) {
  return eigh<T>(a, nullptr, options, [&](index_t count) {
    vectors.emplace(a.array().group(), Extents<2>{a.extents()[0], count},
                    ArrayOptions<2>{.name = "eigenvectors of " + a.array().name()});
    return slice_of(*vectors).core();
  });
}

// Column j times factors[j].
template <class T>
void scale_columns(const SliceCore& a, const std::vector<double>& factors) {
  a.for_each_piece_of(a.array().group().rank(), [&](const LocalPiece& piece) {
    for (index_t i = piece.box.lo[0]; i < piece.box.hi[0]; ++i) {
      for (index_t j = piece.box.lo[1]; j < piece.box.hi[1]; ++j) {
        reinterpret_cast<T*>(
            piece.data)[(i - piece.box.lo[0]) * piece.strides[0] + (j - piece.box.lo[1]) * piece.strides[1]] *=
            static_cast<Real<T>>(factors[static_cast<std::size_t>(j)]);
      }
    }
  });
  tessera::detail::end_operation(a);
}

// The function may throw.
using SpectralFunction = std::function<std::vector<double>(const std::vector<double>& eigenvalues)>;

void apply(std::string_view routine, const SliceCore& a, const SpectralFunction& f, const SliceCore& result,
           const Blocking& blocking) {
  begin_routine(routine, {a, result});
  require_square(routine, a);
  if (a.size() == 0) return;
  with_scalar(routine, a, [&]<class T>(T) {
    largest_of_lower<T>(routine, a, "p?syevd");  // an error of eigh() would name eigh()
    Vectors<T> vectors;
    const auto values = eigen<T>(a, {.blocking = blocking}, vectors);
    std::vector<double> scales;
    // f may be a function of the user's, which may throw.
    const tessera::detail::Outcome outcome([&] {
      scales = f({values.begin(), values.end()});
      for (std::size_t i = 0; i < scales.size(); ++i) {
        const auto scale = static_cast<Real<T>>(scales[i]);
        if (std::isfinite(scale)) continue;
        throw LinalgError(
            formatted("{}: the function of eigenvalue {} of {} is {}", routine, values[i], described(a), scale),
            std::string(routine), 0);
      }
    });
    outcome.agree(a.array().group(), routine);
    const SliceCore v = slice_of(*vectors).core();
    const Array<T, 2> scaled = vectors->duplicate("scaled eigenvectors");
    const SliceCore left = slice_of(scaled).core();
    tessera::detail::copy(v, left);
    // Scaled to one for the product, whose sums then overflow only if the result does.
    const double most = std::abs(*std::max_element(
        scales.begin(), scales.end(), [](double x, double y) { return std::abs(x) < std::abs(y); }));
    const int power = to_one(most);
    for (double& scale : scales) scale = times_power(scale, power);
    scale_columns<T>(left, scales);
    begin_routine(routine, {left, v, result});
    constexpr bool is_complex = !std::is_floating_point_v<T>;
    symmetric_product(is_complex ? Symmetry::hermitian : Symmetry::symmetric, T{1}, left, false, v, is_complex,
                      T{0}, result);
    scale_by(result, -power);
    tessera::detail::end_operation(result);
    if (is_finite(result)) return;
    throw LinalgError(
        formatted("{}: {} has a result that is out of the range of its type", routine, described(a)),
        std::string(routine), 0);
  });
}

}  // namespace

void function(std::string_view routine, const SliceCore& a, const std::function<double(double)>& f,
              const SliceCore& result, const Blocking& blocking) {
  apply(
      routine, a,
      [&](const std::vector<double>& values) {
        std::vector<double> scales;
        for (const double value : values) scales.push_back(f(value));
        return scales;
      },
      result, blocking);
}

void power(const SliceCore& a, double exponent, const SliceCore& result, const Blocking& blocking) {
  const bool is_whole = exponent == std::floor(exponent);
  apply(
      "power", a,
      [&](const std::vector<double>& values) {
        double epsilon = 0;
        with_scalar("power", a, [&]<class T>(T) {
          epsilon = static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
        });
        const double largest = std::max(std::abs(values.front()), std::abs(values.back()));
        const double least = largest * epsilon * static_cast<double>(values.size());
        std::vector<double> scales;
        for (std::size_t i = 0; i < values.size(); ++i) {
          double value = values[i];
          // An eigenvalue that is zero up to rounding may come out a little below.
          if (exponent > 0 && !is_whole && value < 0 && value >= -least) value = 0;
          if ((exponent < 0 && std::abs(value) <= least) || (!is_whole && value < 0)) {
            throw LinalgError(
                formatted("power: {} to the power {}: eigenvalue {} is {}{}", described(a), exponent, i + 1,
                          values[i], exponent == -0.5 ? "; canonical_orthogonaliser() leaves such out" : ""),
                "power", static_cast<int>(i + 1));
          }
          scales.push_back(std::pow(value, exponent));
        }
        return scales;
      },
      result, blocking);
}

namespace {

// The Frobenius norm of the matrix with this lower triangle, in units of its largest element.
template <class T>
double frobenius_norm(const SliceCore& s, double largest) {
  if (largest == 0) return 0;
  const int power = to_one(largest);
  double sum = 0;
  for_each_of_lower<T>(s, [&](index_t i, index_t j, const T& x) {
    const T scaled = times_power(x, power);
    sum += (i == j ? 1 : 2) * static_cast<double>(std::norm(scaled));
  });
  return std::sqrt(s.array().group().all_reduce(sum, Reduce::sum)) / times_power(largest, power);
}

}  // namespace

template <class T>
Array<T, 2> canonical_orthogonaliser(const SliceCore& s, double threshold, const Blocking& blocking) {
  constexpr const char* routine = "canonical_orthogonaliser";
  if (!(threshold >= 0)) throw UsageError(formatted("{}: a threshold of {}", routine, threshold));
  begin_routine(routine, {s});
  require_square(routine, s);
  const double largest = largest_of_lower<T>(routine, s, "p?syevd");
  // An eigenvalue that is far below the norm cannot be told from zero.
  const auto epsilon = static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
  threshold = std::max(threshold, 4 * epsilon * frobenius_norm<T>(s, largest) * largest);
  threshold = std::min(threshold, static_cast<double>(std::numeric_limits<Real<T>>::max()));
  Vectors<T> vectors;
  const EighOptions options{
      .indices = {},
      .interval = EighOptions::Interval{threshold, std::numeric_limits<double>::infinity()},
      .solver = EighSolver::automatic,
      .blocking = blocking};
  const auto values = eigen<T>(s, options, vectors);
  std::vector<double> scales;
  for (const Real<T> value : values) scales.push_back(1 / std::sqrt(static_cast<double>(value)));
  if (!values.empty()) scale_columns<T>(slice_of(*vectors).core(), scales);
  return std::move(*vectors);
}
#define TESSERA_DEFINE(T) \
  template Array<T, 2> canonical_orthogonaliser<T>(const SliceCore&, double, const Blocking&);
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::detail
