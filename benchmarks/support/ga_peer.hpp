// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// The Global Arrays library, for comparison, in the same program and on the same MPI; its headers stay in
/// ga_peer.cpp.
namespace tessera::benchmark::ga_peer {

/// Whether Global Arrays was found when the benchmarks were built. @local
bool available() noexcept;
/// The note of a run without Global Arrays. @local
std::string why_not();

/// Starts the library on MPI_COMM_WORLD of a running MPI, and ends it. At most one at a time, once in a
/// program.
/// @collective
class Library {
 public:
  /// `scratch`: bytes of local memory for gather and scatter; without any, these end the program.
  explicit Library(std::int64_t scratch = 0);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// "Global Arrays". @local
  static std::string name();
};

/// A patch of a matrix: the position of its first element, and its extents.
struct Patch {
  std::int64_t row, column, rows, columns;
};

/// A matrix of double, zero at first, over all ranks. @collective to make and destroy
class Matrix {
 public:
  /// One block of `block_rows` x `columns` for each rank: those of rank 0 first.
  Matrix(int ranks, std::int64_t block_rows, std::int64_t columns);
  ~Matrix();
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  /// Local elements are dense and row-major. @onesided
  void put(const Patch& patch, const double* from);
  void get(const Patch& patch, double* into) const;
  void accumulate(const Patch& patch, const double* from, double alpha);
  /// Single elements, at a list of rows and columns in turn. @onesided
  void gather(std::span<const int> at, double* into) const;
  void scatter(std::span<const int> at, const double* from);
  void scatter_accumulate(std::span<const int> at, const double* from, double alpha);
  /// This = a * b. @collective
  void multiply(const Matrix& a, const Matrix& b, const std::array<std::int64_t, 3>& mnk);
  /// This rank's own block. @local
  double* own() const;

 private:
  int handle_;
};

/// Shared counters, one on each rank, 0 at first. @collective to make and destroy
class Counters {
 public:
  explicit Counters(int ranks);
  ~Counters();
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  /// Adds to the counter of a rank, and returns what was there. @onesided
  std::int64_t read_increment(int rank, std::int64_t by);

 private:
  int handle_;
};

/// Makes a matrix of double and destroys it. @collective
void create_and_destroy(std::int64_t rows, std::int64_t columns);

/// The same, and sets all elements to 1 in between. @collective
void create_fill_and_destroy(std::int64_t rows, std::int64_t columns);

/// The operations of all ranks on all arrays are complete. @collective
void sync();

}  // namespace tessera::benchmark::ga_peer
