// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>
#include <string>
#include <string_view>

#include <mpi.h>

#include <tessera/detail/layout_core.hpp>
#include <tessera/runtime/detail/unique_handle.hpp>

// Every BLACS and ScaLAPACK routine that Tessera calls, in one place.
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

 private:
  tessera::detail::UniqueHandle<SystemTraits> system_;
  tessera::detail::UniqueHandle<ContextTraits> context_;
};

/// An array descriptor (ScaLAPACK Users' Guide, section 4.3.3).
struct Descriptor {
  int type, context, m, n, mb, nb, row_source, column_source, leading;
};

/// BLAS and ScaLAPACK count in 32 bits. @throws UsageError that names the array.
int checked_int(index_t value, std::string_view array);

template <class T>
void gemm(char op_a, char op_b, int m, int n, int k, T alpha, const T* a, const Descriptor& da, const T* b,
          const Descriptor& db, T beta, T* c, const Descriptor& dc);
/// Lower triangle; returns info.
template <class T>
int potrf(int n, T* a, const Descriptor& da);
template <class T>
int potrs(int n, int columns, const T* a, const Descriptor& da, T* b, const Descriptor& db);
/// Divide and conquer, lower triangle; overwrites a; returns info.
template <class T, class Real>
int syevd(int n, T* a, const Descriptor& da, Real* w, T* z, const Descriptor& dz);

}  // namespace tessera::linalg::scalapack
