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

// Every BLACS and ScaLAPACK routine that Tessera calls, in one place. Those for eigenvalues and singular values
// are in scalapack_eigen.hpp.
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
  /// Places the ranks of `comm` as a block-cyclic layout does. @collective over comm
  Grid(MPI_Comm comm, int rows, int columns, GridOrder order);
  int context() const noexcept { return context_.get(); }
  explicit operator bool() const noexcept { return static_cast<bool>(context_); }
  /// This process's place; only for processes in the grid.
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

/// Sets the topologies of broadcasts and combines to ScaLAPACK's defaults while this object lives. Then it
/// restores those of the program. ScaLAPACK has them once for a process, and p?orgqr leaves them changed on the
/// grid that it worked on. Processes with different topologies wait for each other forever. @local
class Topologies {
 public:
  Topologies();
  ~Topologies();
  Topologies(const Topologies&) = delete;
  Topologies& operator=(const Topologies&) = delete;

 private:
  std::array<char, 6> before_;
};

/// Info of ours: a process had no memory for its workspace, or ScaLAPACK wrote behind the workspace.
inline constexpr int no_memory = -1'000'000, wrote_behind = -1'000'001;
/// The info of largest magnitude in the grid. @collective over the grid
int agree(int context, int info);

/// `value` as an int: BLAS and ScaLAPACK count in 32 bits. @throws UsageError that names the array.
int checked_int(index_t value, std::string_view array);

// All return info, unless said otherwise; triangles are the lower ones.
template <class T>
int potrf(int n, T* a, const Descriptor& da);
template <class T>
int potrs(int n, int columns, const T* a, const Descriptor& da, T* b, const Descriptor& db);
template <class T>
int potri(int n, T* a, const Descriptor& da);

/// The size of a process's list of pivots of a matrix. @local
std::size_t pivots_of(const Descriptor& a);
/// Pivots are rows of the whole matrix, counted from 1, for the local rows of the factor.
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
/// Leaves R in the upper triangle, and Q as reflections below it and in `scales`. `scales` has room for the
/// local columns.
template <class T>
int geqrf(int m, int n, T* a, const Descriptor& da, T* scales);
/// The first `columns` columns of Q from `reflections` of them.
template <class T>
int orgqr(int m, int columns, int reflections, T* a, const Descriptor& da, const T* scales);
/// b has max(m, n) rows, and becomes x.
template <class T>
int gels(int m, int n, int columns, T* a, const Descriptor& da, T* b, const Descriptor& db);
/// b = the inverse of l, or of its adjoint, times b. l is the lower triangle of a, and has as many rows as b.
template <class T>
void trsm(char op, int rows, int columns, const T* a, const Descriptor& da, T* b, const Descriptor& db);

}  // namespace tessera::linalg::scalapack
