// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/strided.hpp>

namespace tessera::detail {

template <class F>
void for_each_run(const Strided& shape, int level, index_t remote, index_t local, F& f) {
  if (level == 0) return f(remote, local);
  const auto l = static_cast<std::size_t>(level - 1);
  for (index_t i = 0; i < shape.count[l]; ++i) {
    for_each_run(shape, level - 1, remote + i * shape.remote_stride[l], local + i * shape.local_stride[l], f);
  }
}

/// Calls f(remote, local) with the byte offsets of each run.
template <class F>
void for_each_run(const Strided& shape, F&& f) {
  for_each_run(shape, shape.levels, 0, 0, f);
}

/// The same elements with the local side densely packed in the order of the remote side.
inline Strided packed(const Strided& shape) {
  Strided dense = shape;
  index_t stride = shape.run;
  for (std::size_t l = 0; l < static_cast<std::size_t>(shape.levels); ++l) {
    dense.local_stride[l] = stride;
    stride *= shape.count[l];
  }
  return dense;
}

/// The transfer from local memory (its local side) to a buffer packed in this way (its remote side).
inline Strided packing(const Strided& shape) {
  Strided repack = packed(shape);
  repack.remote_stride = repack.local_stride;
  repack.local_stride = shape.local_stride;
  return repack;
}

}  // namespace tessera::detail
