// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <iosfwd>

#include <tessera/array.hpp>

namespace tessera {

struct PrintOptions {
  /// Along a dimension longer than this only its first and last elements are shown, half of this many each.
  index_t most = 8;
  int precision = 6;
};

namespace detail {
void print(std::ostream& out, const ArrayCore& array, const PrintOptions& options);
}

/// Writes name, type, extents, layout and (aligned, abridged) elements to `out` on rank 0. @collective
template <Element T, std::size_t N>
void print(std::ostream& out, const Array<T, N>& array, const PrintOptions& options = {}) {
  detail::print(out, array.core(), options);
}

}  // namespace tessera
