// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/strided.hpp>

#include <cstdlib>
#include <utility>

namespace tessera {

Strided Strided::merged() const noexcept {
  Strided m;
  m.run = run;
  struct Loop {
    index_t count, remote, local;
  };
  std::array<Loop, max_rank> loop;
  std::size_t n = 0;
  for (std::size_t l = 0; l < static_cast<std::size_t>(levels); ++l) {
    if (count[l] == 0) return contiguous(0);
    if (count[l] == 1) continue;
    // Insertion keeps the few loops sorted by remote stride; equal ones stay in the order given.
    std::size_t at = n++;
    for (; at > 0 && std::abs(loop[at - 1].remote) > std::abs(remote_stride[l]); --at) loop[at] = loop[at - 1];
    loop[at] = {count[l], remote_stride[l], local_stride[l]};
  }
  for (std::size_t l = 0; l < n; ++l) {
    const Loop& next = loop[l];
    if (m.levels == 0 && next.remote == m.run && next.local == m.run) {
      m.run *= next.count;
      continue;
    }
    if (m.levels > 0) {
      const auto last = static_cast<std::size_t>(m.levels - 1);
      if (next.remote == m.remote_stride[last] * m.count[last] &&
          next.local == m.local_stride[last] * m.count[last]) {
        m.count[last] *= next.count;
        continue;
      }
    }
    const auto at = static_cast<std::size_t>(m.levels++);
    m.count[at] = next.count;
    m.remote_stride[at] = next.remote;
    m.local_stride[at] = next.local;
  }
  return m;
}

}  // namespace tessera
