// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <complex>
#include <string>
#include <string_view>

#include <mpi.h>

#include <tessera/core/layout_core.hpp>
#include <tessera/runtime/detail/unique_handle.hpp>

// Every BLACS and ScaLAPACK routine that Tessera calls, in one place; those for eigenvalues and singular values
// in another, scalapack_eigen.hpp.
namespace tessera::linalg::scalapack {

struct ContextTraits {
  using Handle = int;
  static Handle null() noexcept { return -1; }
  static void free(Handle context) noexcept;
};
struct SystemTraits {
  using Handle = int;
  static Handle null() noexcept { return -1; }
  static void free(Handle handle) noexcept;
};

/// A BLACS process grid; on processes outside it there is no context.
class Grid {
 public:
  /// Ranks of `comm` are placed as a block-cyclic layout has them. @collective over comm
  Grid(MPI_Comm comm, int rows, int columns, GridOrder order);
  int context() const noexcept { return context_.get(); }
  explicit operator bool() const noexcept { return static_cast<bool>(context_); }
  /// This process's place; only for those in the grid.
  struct Place {
    int row, column;
  };
  Place place() const;

 private:
  tessera::detail::UniqueHandle<SystemTraits> system_;
  tessera::detail::UniqueHandle<ContextTraits> context_;
};

/// An array descriptor (ScaLAPACK Users' Guide, section 4.3.3).
struct Descriptor {
  int type, context, m, n, mb, nb, row_source, column_source, leading;
};

/// Keeps the topologies of broadcasts and combines, which ScaLAPACK has once for a process and p?orgqr leaves
/// changed on the grid that it worked on: processes that differ in them wait for each other in vain. While this
/// lives they are ScaLAPACK's defaults, and then again what the program had set. @local
class Topologies {
 public:
  Topologies();
  ~Topologies();
  Topologies(const Topologies&) = delete;
  Topologies& operator=(const Topologies&) = delete;

 private:
  std::array<char, 6> before_;
};

/// Info of ours, on a process whose workspace could not be had, or was overrun.
inline constexpr int no_memory = -1'000'000, wrote_behind = -1'000'001;
/// The info of largest magnitude in the grid. @collective over the grid
int agree(int context, int info);

/// BLAS and ScaLAPACK count in 32 bits. @throws UsageError that names the array.
int checked_int(index_t value, std::string_view array);

// All return info, unless said otherwise; triangles are the lower ones.
template <class T>
int potrf(int n, T* a, const Descriptor& da);
template <class T>
int potrs(int n, int columns, const T* a, const Descriptor& da, T* b, const Descriptor& db);
template <class T>
int potri(int n, T* a, const Descriptor& da);

/// As many pivots as a process has of a matrix. @local
std::size_t pivots_of(const Descriptor& a);
/// Pivots are rows of the whole matrix, from 1 on, for the local rows of the factor.
template <class T>
int getrf(int m, int n, T* a, const Descriptor& da, int* pivots);
template <class T>
int getrs(char op, int n, int columns, const T* a, const Descriptor& da, const int* pivots, T* b,
          const Descriptor& db);
template <class T>
int getri(int n, T* a, const Descriptor& da, const int* pivots);
template <class T>
int trtrs(char triangle, char op, char diagonal, int n, int columns, const T* a, const Descriptor& da, T* b,
          const Descriptor& db);
/// R in the upper triangle, Q as reflections below it and in `scales`, for which there is room for local
/// columns.
template <class T>
int geqrf(int m, int n, T* a, const Descriptor& da, T* scales);
/// The first `columns` columns of Q from `reflections` of them.
template <class T>
int orgqr(int m, int columns, int reflections, T* a, const Descriptor& da, const T* scales);
/// b, of the larger of m and n rows, becomes x.
template <class T>
int gels(int m, int n, int columns, T* a, const Descriptor& da, T* b, const Descriptor& db);
/// b = inverse of the lower triangle of a, or of its adjoint, times b, which has the rows of a.
template <class T>
void trsm(char op, int rows, int columns, const T* a, const Descriptor& da, T* b, const Descriptor& db);

}  // namespace tessera::linalg::scalapack
