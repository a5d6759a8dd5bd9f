// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <vector>

#include <tessera/linalg/operand.hpp>

#include "blas/blas.hpp"
#include "scalapack/scalapack.hpp"

// The arguments and the workspace of ScaLAPACK's routines.
namespace tessera::linalg::scalapack {

inline constexpr int one = 1;

inline const int* raw(const Descriptor& descriptor) { return &descriptor.type; }

// A workspace query answers in floating point, which may round down.
template <class T>
double answered(T answer) {
  return static_cast<double>(std::real(answer)) * 1.0001 + 64;
}

inline int length_of(double value) {
  return static_cast<int>(std::min(value, static_cast<double>(std::numeric_limits<int>::max())));
}

/// Workspace memory of a routine. There is room behind it, because some routines read a little beyond their
/// operands. A pattern in that room shows whether a routine wrote there.
template <class T>
class Memory {
 public:
  /// @throws std::bad_alloc
  explicit Memory(int count) : length_(count), all_(static_cast<std::size_t>(count) + spare) {
    std::memset(behind(), pattern, blas::room_behind);
  }
  T* data() noexcept { return all_.data(); }
  int length() const noexcept { return length_; }
  bool is_intact() const noexcept {
    return std::all_of(behind(), behind() + blas::room_behind, [](unsigned char c) { return c == pattern; });
  }

 private:
  static constexpr std::size_t spare = blas::room_behind / sizeof(T);
  static constexpr unsigned char pattern = 0xa5;
  unsigned char* behind() noexcept { return reinterpret_cast<unsigned char*>(all_.data() + length_); }
  const unsigned char* behind() const noexcept {
    return reinterpret_cast<const unsigned char*>(all_.data() + length_);
  }

  int length_;
  std::vector<T> all_;
};

/// Workspace of three kinds, with its lengths. A length of -1 for all asks how much is needed.
template <class T>
struct Workspace {
  T* work;
  int length;
  linalg::detail::Real<T>* reals;
  int real_length;
  int* integers;
  int integer_length;
};

/// How many elements of each kind.
struct Lengths {
  double work = 0, reals = 0, integers = 0;
};

/// Calls f(Workspace) with workspace of these lengths, and returns its info. If info is not 0 on some process,
/// or a process lacks memory, no process calls f: the others would wait there. @collective over the grid
template <class T, class F>
int with_memory(int context, int info, const Lengths& lengths, F&& f) {
  std::optional<Memory<T>> work;
  std::optional<Memory<linalg::detail::Real<T>>> reals;
  std::optional<Memory<int>> integers;
  try {
    if (info == 0) {
      work.emplace(length_of(lengths.work));
      reals.emplace(length_of(lengths.reals));
      integers.emplace(length_of(lengths.integers));
    }
  } catch (const std::bad_alloc&) {
    info = no_memory;
  }
  if (info = agree(context, info); info != 0) return info;
  info = f(Workspace<T>{work->data(), work->length(), reals->data(), reals->length(), integers->data(),
                        integers->length()});
  return work->is_intact() && reals->is_intact() && integers->is_intact() ? info : wrote_behind;
}

/// Calls f(Workspace) twice: first to ask for the lengths, then with these lengths plus `more`. Returns info.
/// @collective over the grid
template <class T, class F>
int with_workspace(const Descriptor& matrix, const Lengths& more, F&& f) {
  // Some routines answer with more than one number.
  T answer[4] = {};
  linalg::detail::Real<T> real_answer[4] = {};
  int integer_answer[4] = {};
  int info = f(Workspace<T>{answer, -1, real_answer, -1, integer_answer, -1});
  // A length that does not fit 32 bits comes out negative.
  if (info == 0 && (std::real(answer[0]) < 0 || real_answer[0] < 0 || integer_answer[0] < 0)) info = -1;
  return with_memory<T>(matrix.context, info,
                        {answered(answer[0]) + more.work, answered(real_answer[0]) + more.reals,
                         static_cast<double>(integer_answer[0]) + 64 + more.integers},
                        f);
}

}  // namespace tessera::linalg::scalapack
