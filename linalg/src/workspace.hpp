// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include <tessera/linalg/operand.hpp>

#include "scalapack.hpp"

// How ScaLAPACK takes its arguments, and its workspace.
namespace tessera::linalg::scalapack {

inline constexpr int one = 1;

inline const int* raw(const Descriptor& descriptor) { return &descriptor.type; }

// The query answers in floating point, which may round down.
template <class T>
double answered(T answer) {
  return static_cast<double>(std::real(answer)) * 1.0001 + 64;
}

inline int length_of(double value) {
  return static_cast<int>(std::min(value, static_cast<double>(std::numeric_limits<int>::max())));
}

/// Room of three kinds, with its lengths; -1 for all asks how much is needed.
template <class T>
struct Workspace {
  T* work;
  int length;
  linalg::detail::Real<T>* reals;
  int real_length;
  int* integers;
  int integer_length;
};

/// Calls f(Workspace) twice, to ask and with what it asked for and `more` elements of the first kind; returns
/// info. @local
template <class T, class F>
int with_workspace(double more, F&& f) {
  // Some routines answer with more than one number.
  T answer[4] = {};
  linalg::detail::Real<T> real_answer[4] = {};
  int integer_answer[4] = {};
  int info = f(Workspace<T>{answer, -1, real_answer, -1, integer_answer, -1});
  if (info != 0) return info;
  // What does not fit 32 bits comes out negative.
  if (std::real(answer[0]) < 0 || real_answer[0] < 0 || integer_answer[0] < 0) return -1;
  std::vector<T> work(static_cast<std::size_t>(length_of(answered(answer[0]) + more)));
  std::vector<linalg::detail::Real<T>> reals(static_cast<std::size_t>(length_of(answered(real_answer[0]))));
  std::vector<int> integers(static_cast<std::size_t>(integer_answer[0]) + 64);
  return f(Workspace<T>{work.data(), static_cast<int>(work.size()), reals.data(),
                        static_cast<int>(reals.size()), integers.data(), static_cast<int>(integers.size())});
}

}  // namespace tessera::linalg::scalapack
