// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "block.hpp"

#include <algorithm>
#include <vector>

namespace tessera::benchmark::multigrid {

void copy_patch(const Patch<3>& patch, const ConstValues& from, const Values& to) {
  if (patch.empty()) return;
  const index_t count = patch.hi[2] - patch.lo[2];
  for (index_t i = patch.lo[0]; i < patch.hi[0]; ++i) {
    for (index_t j = patch.lo[1]; j < patch.hi[1]; ++j)
      std::copy_n(&from(i, j, patch.lo[2]), count, &to(i, j, patch.lo[2]));
  }
}

void restrict_means(const ConstValues& fine, const Values& coarse, const Patch<3>& patch) {
  if (patch.empty()) return;
  const index_t count = patch.hi[2] - patch.lo[2], first = patch.lo[2];
  for (index_t i = patch.lo[0]; i < patch.hi[0]; ++i) {
    for (index_t j = patch.lo[1]; j < patch.hi[1]; ++j) {
      const double* __restrict a = &fine(2 * i, 2 * j, 2 * first);
      const double* __restrict b = &fine(2 * i, 2 * j + 1, 2 * first);
      const double* __restrict c = &fine(2 * i + 1, 2 * j, 2 * first);
      const double* __restrict d = &fine(2 * i + 1, 2 * j + 1, 2 * first);
      double* __restrict to = &coarse(i, j, first);
      for (index_t k = 0; k < count; ++k) {
        const index_t f = 2 * k;
        to[k] = 0.125 * (a[f] + a[f + 1] + b[f] + b[f + 1] + c[f] + c[f + 1] + d[f] + d[f + 1]);
      }
    }
  }
}

void add_interpolated(const ConstValues& coarse, const Values& fine, const Patch<3>& patch) {
  if (patch.empty()) return;
  // Fine cell j lies in coarse cell j / 2, beside the lower neighbour if j is even, else beside the higher one.
  const auto beside = [](index_t j) { return j % 2 == 0 ? j / 2 - 1 : j / 2 + 1; };
  const index_t begin = (patch.lo[2] + 1) / 2 - 1, end = patch.hi[2] / 2 + 1;
  std::vector<double> memory(static_cast<std::size_t>(end - begin));
  double* __restrict line = memory.data();
  for (index_t i = patch.lo[0]; i < patch.hi[0]; ++i) {
    for (index_t j = patch.lo[1]; j < patch.hi[1]; ++j) {
      const double* a = &coarse(i / 2, j / 2, begin);
      const double* b = &coarse(i / 2, beside(j), begin);
      const double* c = &coarse(beside(i), j / 2, begin);
      const double* d = &coarse(beside(i), beside(j), begin);
      for (index_t k = 0; k < end - begin; ++k)
        line[k] = 0.5625 * a[k] + 0.1875 * (b[k] + c[k]) + 0.0625 * d[k];
      double* __restrict to = &fine(i, j, patch.lo[2]) - patch.lo[2];
      const auto add = [&](index_t f) { to[f] += 0.75 * line[f / 2 - begin] + 0.25 * line[beside(f) - begin]; };
      index_t f = patch.lo[2];
      if (f % 2 != 0) add(f++);
      const double* t = line + (f / 2 - begin);
      for (; f + 1 < patch.hi[2]; f += 2, ++t) {
        to[f] += 0.75 * t[0] + 0.25 * t[-1];
        to[f + 1] += 0.75 * t[0] + 0.25 * t[1];
      }
      if (f < patch.hi[2]) add(f);
    }
  }
}

}  // namespace tessera::benchmark::multigrid
