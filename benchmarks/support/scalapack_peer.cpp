// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "scalapack_peer.hpp"

#include <algorithm>
#include <exception>

#include <mpi.h>

#include <tessera/runtime/error.hpp>

#if TESSERA_BENCHMARK_SCALAPACK
extern "C" {
int Csys2blacs_handle(MPI_Comm);
void Cfree_blacs_system_handle(int);
void Cblacs_gridmap(int*, int*, int, int, int);
void Cblacs_gridexit(int);
void Cpdgemr2d(int, int, double*, int, int, int*, double*, int, int, int*, int);
void pdgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
             const int*, const int*, const int*, const double*, const int*, const int*, const int*,
             const double*, double*, const int*, const int*, const int*);
void pdsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*,
             const int*, const int*, const double*, double*, const int*, const int*, const int*);
void pdgesv_(const int*, const int*, double*, const int*, const int*, const int*, int*, double*, const int*,
             const int*, const int*, int*);
void pdgetrf_(const int*, const int*, double*, const int*, const int*, const int*, int*, int*);
void pdsyevd_(const char*, const char*, const int*, double*, const int*, const int*, const int*, double*,
              double*, const int*, const int*, const int*, double*, const int*, int*, const int*, int*);
void pdgesvd_(const char*, const char*, const int*, const int*, double*, const int*, const int*, const int*,
              double*, double*, const int*, const int*, const int*, double*, const int*, const int*, const int*,
              double*, const int*, int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
            const int*, const double*, const int*, const double*, double*, const int*);
}
#endif

namespace tessera::benchmark::scalapack_peer {
namespace {

// How many of `count` rows or columns the process at `place` of `places` has.
int share(int count, int block, int place, int places) {
  const int turns = count / (block * places), rest = count - turns * block * places;
  return turns * block + std::clamp(rest - place * block, 0, block);
}

}  // namespace

Matrix::Matrix(const Grid& grid, int rows, int columns, const Blocks& blocks) {
  const int row = grid.rank() / grid.columns(), column = grid.rank() % grid.columns();
  const int own_rows = share(rows, blocks.rows, row, grid.rows());
  const int own_columns = share(columns, blocks.columns, column, grid.columns());
  descriptor_ = {1, grid.context(), rows, columns, blocks.rows, blocks.columns, 0, 0, std::max(1, own_rows)};
  local_.resize(static_cast<std::size_t>(own_rows) * static_cast<std::size_t>(own_columns));
}

#if TESSERA_BENCHMARK_SCALAPACK

namespace {
// Memory for the pivots of a matrix.
std::vector<int> pivots_of(const std::array<int, 9>& descriptor) {
  return std::vector<int>(static_cast<std::size_t>(descriptor[8] + descriptor[4]));
}
}  // namespace

bool available() noexcept { return true; }
const char* why_not() noexcept { return ""; }

System::System(const Group& group) : group_(group) {
  if (MPI_Comm_dup(group.mpi_comm(), &comm_) != MPI_SUCCESS) throw Error("MPI_Comm_dup failed");
  handle_ = Csys2blacs_handle(comm_);
}
System::~System() {
  Cfree_blacs_system_handle(handle_);
  // Collective, so it is skipped while a rank unwinds: the others would not take part.
  if (std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
}

Grid::Grid(const System& system, int rows, int columns)
    : rows_(rows), columns_(columns), rank_(system.group().rank()), context_(system.handle()) {
  std::vector<int> map(static_cast<std::size_t>(rows * columns));  // column-major
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) map[static_cast<std::size_t>(r + c * rows)] = r * columns + c;
  }
  Cblacs_gridmap(&context_, map.data(), rows, rows, columns);
}

Grid::~Grid() {
  // Collective, so it is skipped while a rank unwinds: the others would not take part.
  if (std::uncaught_exceptions() == 0) Cblacs_gridexit(context_);
}

void redistribute(const Matrix& from, Matrix& to, const Grid& all) {
  const int rows = from.descriptor_[2], columns = from.descriptor_[3];
  Cpdgemr2d(rows, columns, const_cast<double*>(from.local_.data()), 1, 1,
            const_cast<int*>(from.descriptor_.data()), to.local_.data(), 1, 1, to.descriptor_.data(),
            all.context());
}

void multiply(const Matrix& a, const Matrix& b, Matrix& c) {
  const int m = c.descriptor_[2], n = c.descriptor_[3], k = a.descriptor_[3], one = 1;
  const double factor = 1, old = 0;
  pdgemm_("N", "N", &m, &n, &k, &factor, a.local_.data(), &one, &one, a.descriptor_.data(), b.local_.data(),
          &one, &one, b.descriptor_.data(), &old, c.local_.data(), &one, &one, c.descriptor_.data());
}

void multiply_transposed(const Matrix& a, Matrix& c) {
  const int n = c.descriptor_[2], k = a.descriptor_[3], one = 1;
  const double factor = 1, old = 0;
  pdsyrk_("L", "N", &n, &k, &factor, a.local_.data(), &one, &one, a.descriptor_.data(), &old, c.local_.data(),
          &one, &one, c.descriptor_.data());
}

void solve(Matrix& a, Matrix& b) {
  const int n = a.descriptor_[2], columns = b.descriptor_[3], one = 1;
  int info = 0;
  std::vector<int> pivots = pivots_of(a.descriptor_);
  pdgesv_(&n, &columns, a.local_.data(), &one, &one, a.descriptor_.data(), pivots.data(), b.local_.data(), &one,
          &one, b.descriptor_.data(), &info);
  if (info != 0) throw Error("PDGESV failed");
}

void factor(Matrix& a) {
  const int n = a.descriptor_[2], one = 1;
  int info = 0;
  std::vector<int> pivots = pivots_of(a.descriptor_);
  pdgetrf_(&n, &n, a.local_.data(), &one, &one, a.descriptor_.data(), pivots.data(), &info);
  if (info != 0) throw Error("PDGETRF failed");
}

void eigen(Matrix& a, Matrix& vectors, std::vector<double>& values) {
  const int n = a.descriptor_[2], one = 1;
  int info = 0, query = -1, integers = 0;
  double answer = 0;
  values.resize(static_cast<std::size_t>(n));
  pdsyevd_("V", "L", &n, a.local_.data(), &one, &one, a.descriptor_.data(), values.data(),
           vectors.local_.data(), &one, &one, vectors.descriptor_.data(), &answer, &query, &integers, &query,
           &info);
  // More than PDSYEVD asks for, because its back transformation may need it.
  const int length = static_cast<int>(answer) + 2 * n * a.descriptor_[4];
  std::vector<double> work(static_cast<std::size_t>(length));
  std::vector<int> integer_work(static_cast<std::size_t>(integers));
  pdsyevd_("V", "L", &n, a.local_.data(), &one, &one, a.descriptor_.data(), values.data(),
           vectors.local_.data(), &one, &one, vectors.descriptor_.data(), work.data(), &length,
           integer_work.data(), &integers, &info);
  if (info != 0) throw Error("PDSYEVD failed");
}

void singular(Matrix& a, Matrix& u, Matrix& vh, std::vector<double>& values) {
  const int m = a.descriptor_[2], n = a.descriptor_[3], one = 1;
  int info = 0, length = -1;
  double answer = 0;
  values.resize(static_cast<std::size_t>(std::min(m, n)));
  std::vector<double> work;
  for (double* room = &answer;; room = work.data()) {
    pdgesvd_("V", "V", &m, &n, a.local_.data(), &one, &one, a.descriptor_.data(), values.data(),
             u.local_.data(), &one, &one, u.descriptor_.data(), vh.local_.data(), &one, &one,
             vh.descriptor_.data(), room, &length, &info);
    if (length >= 0) break;
    length = static_cast<int>(answer) + 64;
    work.resize(static_cast<std::size_t>(length));
  }
  if (info != 0) throw Error("PDGESVD failed");
}

void multiply_alone(int m, int n, int k, const double* a, const double* b, double* c) {
  const double factor = 1, old = 0;
  dgemm_("N", "N", &m, &n, &k, &factor, a, &m, b, &k, &old, c, &m);
}

#else

bool available() noexcept { return false; }
const char* why_not() noexcept {
  return "Not compared with ScaLAPACK: the benchmarks were built without tessera::linalg.";
}

System::System(const Group& group) : group_(group), handle_(-1) { throw UsageError(why_not()); }
System::~System() = default;
Grid::Grid(const System&, int rows, int columns) : rows_(rows), columns_(columns), rank_(-1), context_(-1) {
  throw UsageError(why_not());
}
Grid::~Grid() = default;
void redistribute(const Matrix&, Matrix&, const Grid&) { throw UsageError(why_not()); }
void multiply(const Matrix&, const Matrix&, Matrix&) { throw UsageError(why_not()); }
void multiply_transposed(const Matrix&, Matrix&) { throw UsageError(why_not()); }
void solve(Matrix&, Matrix&) { throw UsageError(why_not()); }
void factor(Matrix&) { throw UsageError(why_not()); }
void eigen(Matrix&, Matrix&, std::vector<double>&) { throw UsageError(why_not()); }
void singular(Matrix&, Matrix&, Matrix&, std::vector<double>&) { throw UsageError(why_not()); }
void multiply_alone(int, int, int, const double*, const double*, double*) { throw UsageError(why_not()); }

#endif

}  // namespace tessera::benchmark::scalapack_peer
