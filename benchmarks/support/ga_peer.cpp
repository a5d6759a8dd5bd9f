// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "ga_peer.hpp"

#include <cstdlib>
#include <exception>
#include <numeric>

#include <mpi.h>

#include <tessera/runtime/error.hpp>

#if TESSERA_BENCHMARK_GLOBAL_ARRAYS
#include <ga.h>
#include <macdecls.h>

namespace tessera::benchmark::ga_peer {
namespace {

// Global Arrays takes every argument as not const, and bounds as int, the upper ones included.
struct Bounds {
  explicit Bounds(const Patch& patch)
      : low{checked(patch.row), checked(patch.column)},
        high{checked(patch.row + patch.rows - 1), checked(patch.column + patch.columns - 1)},
        leading{checked(patch.columns)} {}
  static int checked(std::int64_t value) {
    if (value != static_cast<int>(value)) throw UsageError("Global Arrays is called with int bounds here");
    return static_cast<int>(value);
  }
  int low[2], high[2], leading[1];
};

int created(int handle) {
  if (handle == 0) throw Error("Global Arrays could not create an array");
  GA_Zero(handle);
  return handle;
}

int positions(std::span<const int> at) { return Bounds::checked(static_cast<std::int64_t>(at.size() / 2)); }

// Collective, so it is skipped while a rank unwinds: the others would not take part.
void destroy(int handle) {
  if (std::uncaught_exceptions() == 0) GA_Destroy(handle);
}

}  // namespace

bool available() noexcept { return true; }
std::string why_not() { return {}; }

Library::Library(std::int64_t scratch) {
#if defined(MPICH)
  // MPICH 4.0.2 may move the base of a window from MPI_Win_allocate, and results are then wrong. So ARMCI-MPI
  // is told to use MPI_Win_create. (Not on Open MPI: it has no MPI_Win_create for a single process.)
  setenv("ARMCI_USE_WIN_ALLOCATE", "0", 1);
#endif
  GA_Initialize();
  const auto elements = scratch / static_cast<std::int64_t>(sizeof(double));
  if (scratch > 0 && !MA_init(C_DBL, elements, elements)) throw Error("Global Arrays has no local memory");
}

Library::~Library() {
  if (std::uncaught_exceptions() == 0) GA_Terminate();
}

std::string Library::name() { return "Global Arrays"; }

Matrix::Matrix(int ranks, std::int64_t block_rows, std::int64_t columns) {
  int dims[2] = {Bounds::checked(ranks * block_rows), Bounds::checked(columns)};
  int blocks[2] = {ranks, 1};
  std::vector<int> starts(static_cast<std::size_t>(ranks) + 1);
  for (int rank = 0; rank < ranks; ++rank) starts[static_cast<std::size_t>(rank)] = rank * dims[0] / ranks;
  starts.back() = 0;  // the one block of columns
  char name[] = "matrix";
  handle_ = created(NGA_Create_irreg(C_DBL, 2, dims, name, blocks, starts.data()));
}

Matrix::~Matrix() { destroy(handle_); }

void Matrix::put(const Patch& patch, const double* from) {
  Bounds b(patch);
  NGA_Put(handle_, b.low, b.high, const_cast<double*>(from), b.leading);
}

void Matrix::get(const Patch& patch, double* into) const {
  Bounds b(patch);
  NGA_Get(handle_, b.low, b.high, into, b.leading);
}

void Matrix::accumulate(const Patch& patch, const double* from, double alpha) {
  Bounds b(patch);
  NGA_Acc(handle_, b.low, b.high, const_cast<double*>(from), b.leading, &alpha);
}

void Matrix::gather(std::span<const int> at, double* into) const {
  NGA_Gather_flat(handle_, into, const_cast<int*>(at.data()), positions(at));
}

void Matrix::scatter(std::span<const int> at, const double* from) {
  NGA_Scatter_flat(handle_, const_cast<double*>(from), const_cast<int*>(at.data()), positions(at));
}

void Matrix::scatter_accumulate(std::span<const int> at, const double* from, double alpha) {
  NGA_Scatter_acc_flat(handle_, const_cast<double*>(from), const_cast<int*>(at.data()), positions(at), &alpha);
}

void Matrix::multiply(const Matrix& a, const Matrix& b, const std::array<std::int64_t, 3>& mnk) {
  GA_Dgemm('n', 'n', Bounds::checked(mnk[0]), Bounds::checked(mnk[1]), Bounds::checked(mnk[2]), 1.0, a.handle_,
           b.handle_, 0.0, handle_);
}

double* Matrix::own() const {
  int low[2], high[2], leading[1];
  double* block = nullptr;
  NGA_Distribution(handle_, GA_Nodeid(), low, high);
  NGA_Access(handle_, low, high, &block, leading);
  NGA_Release(handle_, low, high);
  return block;
}

Counters::Counters(int ranks) {
  std::vector<int> starts(static_cast<std::size_t>(ranks));
  std::iota(starts.begin(), starts.end(), 0);
  char name[] = "counters";
  handle_ = created(NGA_Create_irreg(C_LONG, 1, &ranks, name, &ranks, starts.data()));
}

Counters::~Counters() { destroy(handle_); }

std::int64_t Counters::read_increment(int rank, std::int64_t by) { return NGA_Read_inc(handle_, &rank, by); }

namespace {

int create(std::int64_t rows, std::int64_t columns) {
  int dims[2] = {Bounds::checked(rows), Bounds::checked(columns)};
  char name[] = "short-lived";
  const int handle = NGA_Create(C_DBL, 2, dims, name, nullptr);
  if (handle == 0) throw Error("Global Arrays could not create an array");
  return handle;
}

}  // namespace

void create_and_destroy(std::int64_t rows, std::int64_t columns) { GA_Destroy(create(rows, columns)); }

void create_fill_and_destroy(std::int64_t rows, std::int64_t columns) {
  const int handle = create(rows, columns);
  double one = 1;
  GA_Fill(handle, &one);
  GA_Destroy(handle);
}

void sync() { GA_Sync(); }

}  // namespace tessera::benchmark::ga_peer

#else

namespace tessera::benchmark::ga_peer {
namespace {

[[noreturn]] void absent() { throw UsageError(why_not()); }

}  // namespace

bool available() noexcept { return false; }
std::string why_not() {
  return "Not compared with Global Arrays and ARMCI: they were not found when the benchmarks were built "
         "(Debian: libglobalarrays-dev and libarmci-mpi-dev).";
}

Library::Library(std::int64_t) { absent(); }
Library::~Library() = default;
std::string Library::name() { return "Global Arrays"; }
Matrix::Matrix(int, std::int64_t, std::int64_t) : handle_(0) { absent(); }
Matrix::~Matrix() = default;
void Matrix::put(const Patch&, const double*) { absent(); }
void Matrix::get(const Patch&, double*) const { absent(); }
void Matrix::accumulate(const Patch&, const double*, double) { absent(); }
void Matrix::gather(std::span<const int>, double*) const { absent(); }
void Matrix::scatter(std::span<const int>, const double*) { absent(); }
void Matrix::scatter_accumulate(std::span<const int>, const double*, double) { absent(); }
void Matrix::multiply(const Matrix&, const Matrix&, const std::array<std::int64_t, 3>&) { absent(); }
double* Matrix::own() const { absent(); }
Counters::Counters(int) : handle_(0) { absent(); }
Counters::~Counters() = default;
std::int64_t Counters::read_increment(int, std::int64_t) { absent(); }
void create_and_destroy(std::int64_t, std::int64_t) { absent(); }
void create_fill_and_destroy(std::int64_t, std::int64_t) { absent(); }
void sync() {}

}  // namespace tessera::benchmark::ga_peer

#endif
