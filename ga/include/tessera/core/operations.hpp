// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>
#include <cstdint>

#include <tessera/core/operand_walk.hpp>
#include <tessera/runtime/group.hpp>

// The operations on slices with run-time rank and element type, all @collective but own_dot. The typed
// declarations say what they do.
namespace tessera {

/// Whether a prefix ends with its element or just before it.
enum class Scan { inclusive, exclusive };

/// The norms of a matrix: the largest sum of the magnitudes of a column (LAPACK's "1"), of a row ("I"), and the
/// square root of the sum of all squared magnitudes ("F").
enum class MatrixNorm { column_sum, row_sum, frobenius };

}  // namespace tessera

namespace tessera::detail {

void fill(const SliceCore& a, const void* value);
/// For real types the numbers lie in [low, high), for integers in [low, high], and for complex numbers both
/// parts do.
void randomize(const SliceCore& a, std::uint64_t seed, const void* low, const void* high);
void enumerate(const SliceCore& a, const void* start, const void* step);
void copy(const SliceCore& from, const SliceCore& to);
/// The same without a synchronisation at the end: this rank's elements of `to` are there, but other ranks may
/// still read theirs of `from`.
void copy_own_part(const SliceCore& from, const SliceCore& to);
void reshape(const SliceCore& from, const SliceCore& to);
void scale(const SliceCore& a, const void* alpha);
void add_constant(const SliceCore& a, const void* value);
void axpby(const void* alpha, const SliceCore& x, const void* beta, const SliceCore& y, const SliceCore& z);
enum class Unary { magnitude, reciprocal };
void unary(Unary which, const SliceCore& x, const SliceCore& y);
enum class Binary { multiply, divide, minimum, maximum };
void binary(Binary which, const SliceCore& x, const SliceCore& y, const SliceCore& z);
void clamp(const SliceCore& a, const void* low, const void* high);

enum class Conjugate { no, yes };
void dot(const SliceCore& x, const SliceCore& y, Conjugate first, void* result);
/// The part of the sum of conj(x) y that this rank adds for its elements of x, in double precision. Elements of
/// y on other nodes are fetched. @onesided
std::complex<double> own_dot(const SliceCore& x, const SliceCore& y);
double exact_sum(const SliceCore& x);
double exact_dot(const SliceCore& x, const SliceCore& y);
enum class Norm { one, two, infinity };
double norm(const SliceCore& a, Norm which);
double matrix_norm(const SliceCore& a, MatrixNorm which);
void reduce(const SliceCore& a, Reduce operation, void* result);
/// The least or greatest element, and where it is in the slice.
enum class Extreme { least, greatest };
void extreme(const SliceCore& a, Extreme which, void* value, index_t* at);

/// Operations on vectors. `starts` may be null. pack and unpack return how many elements are marked.
void scan(const SliceCore& x, const SliceCore* starts, const SliceCore& y, Reduce operation, Scan kind);
void spread(const SliceCore& x, const SliceCore& starts, const SliceCore& y);
index_t pack(const SliceCore& x, const SliceCore& mask, const SliceCore& y);
index_t unpack(const SliceCore& x, const SliceCore& mask, const SliceCore& y);
/// `values` may be null.
void sort(const SliceCore& keys, const SliceCore* values);
void bin(const SliceCore& keys, const SliceCore& counts);

/// Operations on matrices and their rows, columns and diagonals.
void transpose(const SliceCore& from, const SliceCore& to);
void scale_lines(const SliceCore& a, int dimension, const SliceCore& factors);
void symmetrise(const SliceCore& a);
void get_diagonal(const SliceCore& a, const SliceCore& v);
enum class Diagonal { set, add };
void change_diagonal(const SliceCore& a, Diagonal how, const SliceCore* v, const void* alpha);

}  // namespace tessera::detail
