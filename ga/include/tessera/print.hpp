// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <iosfwd>

#include <tessera/slice.hpp>

namespace tessera {

struct PrintOptions {
  /// The most elements of a dimension, or ranks, or blocks, that are shown. If there are more, only the first
  /// and the last are shown, this many in all.
  index_t most = 8;
  int precision = 6;
};

namespace detail {
void print(std::ostream& out, const SliceCore& slice, const PrintOptions& options);
void print(std::ostream& out, const LayoutCore& layout, const PrintOptions& options);
}  // namespace detail

/// Writes name, type, extents, layout and (aligned, abridged) elements of an array or slice to `out` on rank 0.
/// @collective @throws on every rank if the stream throws on rank 0
template <Operand A>
void print(std::ostream& out, const A& a, const PrintOptions& options = {}) {
  detail::print(out, slice_of(a).core(), options);
}

/// Writes which rank owns which blocks to `out`, abridged. @local
template <std::size_t N>
void print(std::ostream& out, const Layout<N>& layout, const PrintOptions& options = {}) {
  detail::print(out, layout.core(), options);
}

}  // namespace tessera
