// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <tessera/linalg/blocking.hpp>
#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

namespace tessera::linalg {

/// Which routine computes eigenvalues. `automatic`: divide and conquer with vectors, QR iterations for
/// values alone.
enum class EighSolver : std::uint8_t {
  automatic,
  /// ScaLAPACK's p?syevd, p?heevd; always computes all vectors.
  divide_and_conquer,
  /// ScaLAPACK's p?syev, p?heev. With vectors it is slower, but takes less memory.
  qr_iteration,
  /// ELPA's one-stage solver; double precision only.
  elpa,
};

/// Whether this build has ELPA. Debian packages it for Open MPI. @local
bool has_elpa() noexcept;

/// Which eigenvalues of a matrix are returned, and how they are computed. All are returned by default.
/// ScaLAPACK computes all in any case: its routines for some of them return wrong ones if the matrix decouples
/// into blocks. ELPA computes those below `last`.
struct EighOptions {
  /// Eigenvalues number `first` up to, but not including, `last` in ascending order, counted from 0.
  struct Indices {
    index_t first, last;
  };
  std::optional<Indices> indices{};
  /// Eigenvalues w with low < w <= high.
  struct Interval {
    double low, high;
  };
  std::optional<Interval> interval{};
  EighSolver solver = EighSolver::automatic;
  Blocking blocking{};
};

namespace detail {
/// `b` may be null. `vectors`, if not empty, makes the array for `count` eigenvectors. Returns the eigenvalues.
using MakeVectors = std::function<tessera::detail::SliceCore(index_t count)>;
template <class T>
std::vector<Real<T>> eigh(const tessera::detail::SliceCore& a, const tessera::detail::SliceCore* b,
                          const EighOptions& options, const MakeVectors& vectors);
}  // namespace detail

/// Eigenvalues in ascending order, on every rank, and the eigenvectors as columns.
template <MatrixElement T>
struct Eigenpairs {
  std::vector<detail::Real<T>> values;
  Array<T, 2> vectors;
};

namespace detail {

template <ScalarMatrix A>
Eigenpairs<value_t<A>> eigen(const A& a, const tessera::detail::SliceCore* b, const EighOptions& options) {
  using T = value_t<A>;
  std::optional<Array<T, 2>> vectors;
  auto values = detail::eigh<T>(slice_of(a).core(), b, options, [&](index_t count) {
    if (count == a.dims()[1])
      vectors.emplace(array_like(a, "eigenvectors"));
    else
      vectors.emplace(a.group(), Extents<2>{a.dims()[0], count}, ArrayOptions<2>{.name = "eigenvectors"});
    return slice_of(*vectors).core();
  });
  return {std::move(values), std::move(*vectors)};
}

}  // namespace detail

/// Eigenvalues and orthonormal eigenvectors of a symmetric or Hermitian matrix: `auto [w, v] = eigh(a);` Only
/// the lower triangle of `a` is read, and `a` is unchanged. The routine works on a block-cyclic copy. If all
/// vectors are wanted, they have the layout of `a` (blocked if `a` is a slice); if only some are, their layout
/// is blocked.
///
/// In each vector, the first component whose magnitude is within 1e-6 (in single precision: 1e-3) of the
/// largest is real and positive. So a vector is the same on any number of processes, unless its eigenvalue is
/// multiple.
/// @collective
/// @throws UsageError if `a` is not square, the options are impossible, or they ask for ELPA and there is none;
/// LinalgError if `a` holds NaN or infinity, the iteration does not converge, or eigenvalues are out of the
/// range of the type. On every rank.
template <ScalarMatrix A>
Eigenpairs<value_t<A>> eigh(const A& a, const EighOptions& options = {}) {
  return detail::eigen(a, nullptr, options);
}
/// The generalised problem a v = b v w. `a` and `b` are symmetric or Hermitian; `b` is also positive definite,
/// such as an overlap matrix. Only their lower triangles are read. The vectors are orthonormal in b: v^H b v =
/// 1. Through the Cholesky factor of b (p?potrf, p?syngst, p?hengst). @collective
/// @throws as above; LinalgError if b is not positive definite
template <ScalarMatrix A, MatrixLike<A> B>
Eigenpairs<value_t<A>> eigh(const A& a, const B& b, const EighOptions& options = {}) {
  const tessera::detail::SliceCore metric = slice_of(b).core();
  return detail::eigen(a, &metric, options);
}

/// The eigenvalues alone, for less than half the work. @collective @throws as eigh
template <ScalarMatrix A>
std::vector<detail::Real<value_t<A>>> eigvalsh(const A& a, const EighOptions& options = {}) {
  return detail::eigh<value_t<A>>(slice_of(a).core(), nullptr, options, {});
}
template <ScalarMatrix A, MatrixLike<A> B>
std::vector<detail::Real<value_t<A>>> eigvalsh(const A& a, const B& b, const EighOptions& options = {}) {
  const tessera::detail::SliceCore metric = slice_of(b).core();
  return detail::eigh<value_t<A>>(slice_of(a).core(), &metric, options, {});
}

}  // namespace tessera::linalg
