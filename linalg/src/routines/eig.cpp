// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/eig.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <tessera/linalg/gemm.hpp>

#include "blas/instantiate.hpp"
#include "scalapack/phases.hpp"
#include "scalapack/scalapack_call.hpp"
#include "scalapack/scalapack_eigen.hpp"

namespace tessera::linalg::detail {
namespace {

constexpr int min_block = 6;

// Copies a real or complex matrix to a complex one.
template <class T>
void copy_to_complex(const ScalapackCall& call, const SliceCore& a, const ArrayCore& copy) {
  if constexpr (!std::is_floating_point_v<T>) {
    tessera::detail::copy(a, copy);
  } else {
    const ArrayCore real = call.matrix(a.extents()[0], a.extents()[1]);
    tessera::detail::copy(a, real);
    // Both have the layout of the grid.
    const index_t count = real.local_shape().extents[0] * real.local_shape().extents[1];
    const auto* from = static_cast<const T*>(real.local_data());
    auto* to = static_cast<Complex<T>*>(copy.local_data());
    for (index_t i = 0; i < count; ++i) to[i] = from[i];
    tessera::detail::end_operation(copy);
  }
}

template <class T>
std::vector<Complex<T>> real_values(const ScalapackCall& call, const ScalapackMatrix& matrix, int n) {
  std::vector<T> scales(static_cast<std::size_t>(n) + 1), parts[2];
  for (auto& part : parts) part.resize(static_cast<std::size_t>(n));
  call.must("p?gehrd",
            [&] { return scalapack::gehrd<T>(n, matrix.data<T>(), matrix.descriptor(), scales.data()); });
  keep_triangle(matrix.matrix(), Triangle::upper, 1);
  call.must_converge("p?hseqr", "eigenvalues", [&] {
    return scalapack::hseqr<T>(n, matrix.data<T>(), matrix.descriptor(), parts[0].data(), parts[1].data());
  });
  std::vector<Complex<T>> values;
  for (std::size_t i = 0; i < parts[0].size(); ++i) values.emplace_back(parts[0][i], parts[1][i]);
  return values;
}

// On a grid of 1 x 3 processes or longer, p?hseqr's processes (ScaLAPACK 2.2) wait for each other in p?laqr5,
// which takes larger matrices. Two rows, or two processes, take fewer processes at times.
void keep_off_long_rows(Blocking& blocking) {
  const int processes = blocking.rows * blocking.columns;
  if (std::min(blocking.rows, blocking.columns) > 1 || processes < 3) return;
  blocking.rows = processes < 4 ? 1 : 2;
  blocking.columns = processes < 4 ? 2 : processes / 2;
}

// Scales each column to length 1. A column of zeros stays. Returns whether there is none.
template <class T>
bool normalise(const SliceCore& vectors) {
  const Group& group = vectors.array().group();
  std::vector<double> norms(static_cast<std::size_t>(vectors.extents()[1]));
  auto for_each = [&](auto&& f) {
    for_each_element<T>(vectors, [&](index_t, index_t j, T& x) { f(norms[static_cast<std::size_t>(j)], x); });
  };
  // First divides by the largest element, so that squares are in range.
  for_each([](double& norm, const T& x) { norm = std::max(norm, static_cast<double>(std::abs(x))); });
  group.all_reduce(std::span<double>(norms), Reduce::max);
  for_each([](double norm, T& x) {
    if (norm > 0) x /= static_cast<Real<T>>(norm);
  });
  std::fill(norms.begin(), norms.end(), 0.0);
  for_each([](double& norm, const T& x) { norm += static_cast<double>(std::norm(x)); });
  group.all_reduce(std::span<double>(norms), Reduce::sum);
  for_each([](double norm, T& x) {
    if (norm > 0) x /= static_cast<Real<T>>(std::sqrt(norm));
  });
  return std::ranges::all_of(norms, [](double norm) { return norm > 0; });
}

// A reflection, which is its own inverse: I - 2 u u^H / (u^H u). No element of u is small, u has no period, and
// its elements have different phases: p?lahqr fails for some matrices after every real reflection.
template <class T>
ArrayCore reflection(const ScalapackCall& call, index_t n) {
  const auto u = [](index_t i) {
    const double square = static_cast<double>(i) * static_cast<double>(i);
    return std::polar(2 + std::sin(1 + square), 2 * std::sin(2 + 3 * square));
  };
  double square = 0;
  for (index_t i = 0; i < n; ++i) square += std::norm(u(i));
  ArrayCore result = call.matrix(n, n, {element_kind<T>(), sizeof(T)});
  for_each_element<T>(result, [&](index_t i, index_t j, T& x) {
    x = static_cast<T>((i == j ? 1.0 : 0.0) - 2.0 * u(i) * std::conj(u(j)) / square);
  });
  tessera::detail::end_operation(result);
  return result;
}

// result = a b, for matrices of which one is a reflection.
template <class T>
void multiply(const SliceCore& a, const SliceCore& b, const SliceCore& result) {
  const T zero{0}, one{1};
  gemm(&one, {a, b, result, Op::none, Op::none}, &zero);
}

// The Schur form, and its vectors if there are any. Returns the info of p?lahqr, which is positive if the
// iteration did not converge.
template <class T>
int to_schur_form(const ScalapackCall& call, const ArrayCore& copy, int n, std::vector<T>& values,
                  const ArrayCore* unitary) {
  const ScalapackMatrix matrix = call.operand(copy), z = call.operand(unitary == nullptr ? copy : *unitary);
  std::vector<T> scales(static_cast<std::size_t>(n) + 1);
  call.must("p?gehrd",
            [&] { return scalapack::gehrd<T>(n, matrix.data<T>(), matrix.descriptor(), scales.data()); });
  if (unitary != nullptr) {
    const T zero{0}, one{1};
    tessera::detail::fill(*unitary, &zero);
    tessera::detail::change_diagonal(*unitary, tessera::detail::Diagonal::set, nullptr, &one);
    call.must("p?unmhr", [&] {
      return scalapack::unmhr<T>(n, matrix.data<T>(), matrix.descriptor(), scales.data(), z.data<T>(),
                                 z.descriptor());
    });
  }
  keep_triangle(copy, Triangle::upper, 1);
  return call.run([&] {
    return scalapack::lahqr<T>(unitary != nullptr, n, matrix.data<T>(), matrix.descriptor(), values.data(),
                               z.data<T>(), z.descriptor());
  });
}

// `fill_copy` fills the matrix given to it with a copy of the operand.
// `exponents` are those of rows by which this similar matrix differs from the operand.
template <class T, class F>
std::vector<T> complex_values(const ScalapackCall& call, F&& fill_copy, const std::vector<int>& exponents,
                              int n, const SliceCore* vectors) {
  const auto new_matrix = [&] { return call.matrix(n, n, {element_kind<T>(), sizeof(T)}); };
  const ArrayCore copy = new_matrix();
  std::optional<ArrayCore> unitary;
  if (vectors != nullptr) unitary.emplace(new_matrix());
  const ArrayCore* z = vectors == nullptr ? nullptr : &*unitary;
  std::vector<T> values(static_cast<std::size_t>(n));
  fill_copy(copy);
  int info = to_schur_form<T>(call, copy, n, values, z);
  std::optional<ArrayCore> mirror;
  if (info > 0) {
    // The shifts of p?lahqr (2.2) leave some sparse matrices as they are, such as cyclic permutations. A
    // similar matrix without zeros has other shifts.
    mirror.emplace(reflection<T>(call, n));
    const ArrayCore half = new_matrix();
    fill_copy(copy);
    multiply<T>(*mirror, copy, half);
    multiply<T>(half, *mirror, copy);
    info = to_schur_form<T>(call, copy, n, values, z);
  }
  if (info != 0) {
    call.fail("p?lahqr", info,
              info < 0 ? "failed" : formatted("has eigenvalues that did not converge (info {})", info));
  }
  if (vectors == nullptr) return values;
  const ScalapackMatrix matrix = call.operand(copy), right = call.operand(*unitary);
  call.must("p?trevc", [&] {
    return scalapack::trevc<T>(n, matrix.data<T>(), matrix.descriptor(), right.data<T>(), right.descriptor());
  });
  normalise<T>(*unitary);
  if (mirror) {
    unitary->sync();
    multiply<T>(*mirror, *unitary, copy);
    normalise<T>(copy);
  }
  const ArrayCore& result = mirror ? copy : *unitary;
  // Rows have powers of their own. Each column is brought to one before, as it may have few rows with numbers.
  scale_by(result, exponents, each_to_one_of_scaled(call.routine(), result, 1, exponents, "p?trevc"));
  if (!normalise<T>(result)) call.fail("p?trevc", 0, "has an eigenvector whose elements are all out of range");
  fix_phases<T>(result);
  result.sync();
  tessera::detail::copy(result, *vectors);
  return values;
}

}  // namespace

template <class T>
std::vector<Complex<T>> eig(const SliceCore& a, const SliceCore* vectors, const Blocking& blocking) {
  const std::string_view name = vectors == nullptr ? "eigvals" : "eig";
  begin_routine(name, {a});
  require_square(name, a);
  if (a.size() == 0) return {};
  require_finite(name, a, "p?gehrd");
  const Balance balanced = balance(a);
  const auto chosen = BlockGrid::choose(name, a, a.extents()[0], blocking);
  Blocking allowed{chosen.block, chosen.rows, chosen.columns};
  // The QR iterations need blocks of at least six rows, and p?hseqr (2.2) forgets the last eigenvalue if the
  // matrix ends with a whole block.
  while (allowed.block < min_block || a.extents()[0] % allowed.block == 0) ++allowed.block;
  if (std::is_floating_point_v<T> && vectors == nullptr) keep_off_long_rows(allowed);
  const ScalapackCall call(name, a, a.extents()[0], allowed);
  const int n = call.narrow(a.extents()[0]);
  std::vector<Complex<T>> values;
  if constexpr (std::is_floating_point_v<T>) {
    if (vectors == nullptr) {
      const ScalapackMatrix copy = call.copy_of(a);
      apply(balanced, copy.matrix());
      values = real_values<T>(call, copy, n);
    }
  }
  if (values.empty()) {
    const auto fill_copy = [&](const ArrayCore& copy) {
      copy_to_complex<T>(call, a, copy);
      apply(balanced, copy);
      tessera::detail::end_operation(copy);
    };
    values = complex_values<Complex<T>>(call, fill_copy, balanced.exponents, n, vectors);
  }
  // Processes outside the grid have no values yet, and all should have the same to the last bit.
  call.group().broadcast(std::span<Complex<T>>(values), 0);
  for (Complex<T>& value : values) {
    value = times_power(value, balanced.largest);
    if (!std::isfinite(value.real()) || !std::isfinite(value.imag()))
      call.fail("p?gehrd", 0, "has eigenvalues that are out of the range of its type");
  }
  return values;
}

#define TESSERA_DEFINE(T) \
  template std::vector<Complex<T>> eig<T>(const SliceCore&, const SliceCore*, const Blocking&);
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::detail
