// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <mpi.h>

#include <tessera/runtime/group.hpp>

/// ScaLAPACK's own redistribution and products, and those of BLAS alone, for comparison.
namespace tessera::benchmark::scalapack_peer {

/// Whether the benchmarks were built with ScaLAPACK, as they are where tessera::linalg is. @local
bool available() noexcept;
/// The note of a run without ScaLAPACK. @local
const char* why_not() noexcept;

/// The BLACS handle of a group. It has a communicator of its own: BLACS has one handle for each communicator,
/// and Tessera frees the communicators of its groups. @collective to make and destroy
class System {
 public:
  explicit System(const Group& group);
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  const Group& group() const noexcept { return group_; }
  int handle() const noexcept { return handle_; }

 private:
  Group group_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int handle_;
};

/// A process grid of BLACS over all ranks of a group: rank r is at (r / columns, r % columns). @collective to
/// make and destroy
class Grid {
 public:
  Grid(const System& system, int rows, int columns);
  ~Grid();
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  int rank() const { return rank_; }
  int context() const noexcept { return context_; }
  int rows() const noexcept { return rows_; }
  int columns() const noexcept { return columns_; }

 private:
  int rows_, columns_, rank_, context_;
};

/// The size of the blocks in which a matrix is distributed.
struct Blocks {
  int rows, columns;
};

/// A matrix of double, of which this object holds the part of this rank, column-major. @local
class Matrix {
 public:
  Matrix(const Grid& grid, int rows, int columns, const Blocks& blocks);
  std::vector<double>& local() noexcept { return local_; }
  const std::vector<double>& local() const noexcept { return local_; }

 private:
  friend void redistribute(const Matrix& from, Matrix& to, const Grid& all);
  friend void multiply(const Matrix& a, const Matrix& b, Matrix& c);
  friend void multiply_transposed(const Matrix& a, Matrix& c);
  friend void solve(Matrix& a, Matrix& b);
  friend void factor(Matrix& a);
  friend void eigen(Matrix& a, Matrix& vectors, std::vector<double>& values);
  friend void singular(Matrix& a, Matrix& u, Matrix& vh, std::vector<double>& values);
  std::array<int, 9> descriptor_;  // ScaLAPACK Users' Guide, section 4.3.3
  std::vector<double> local_;
};

/// PDGEMR2D: copies a whole matrix to one of other blocks, or on another grid; `all` holds both grids.
/// @collective
void redistribute(const Matrix& from, Matrix& to, const Grid& all);
/// PDGEMM: c = a * b. @collective
void multiply(const Matrix& a, const Matrix& b, Matrix& c);
/// PDSYRK: the lower triangle of c = a * transpose of a. @collective
void multiply_transposed(const Matrix& a, Matrix& c);
/// PDGESV: b becomes the solution, a its factors. @collective
void solve(Matrix& a, Matrix& b);
/// PDGETRF: a becomes its factors. @collective
void factor(Matrix& a);
/// PDSYEVD: overwrites a. @collective
void eigen(Matrix& a, Matrix& vectors, std::vector<double>& values);
/// PDGESVD: overwrites a. @collective
void singular(Matrix& a, Matrix& u, Matrix& vh, std::vector<double>& values);
/// DGEMM: c = a * b of dense m x k and k x n matrices, column-major. @local
void multiply_alone(int m, int n, int k, const double* a, const double* b, double* c);

}  // namespace tessera::benchmark::scalapack_peer
