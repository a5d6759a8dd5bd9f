// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>

#include <tessera/detail/layout_core.hpp>
#include <tessera/patch.hpp>

namespace tessera::io::detail {

/// A patch with run-time rank. @local
template <std::size_t N>
tessera::detail::Box box_of(const Patch<N>& patch) {
  tessera::detail::Box box{};
  std::copy_n(patch.lo.begin(), N, box.lo.begin());
  std::copy_n(patch.hi.begin(), N, box.hi.begin());
  return box;
}

}  // namespace tessera::io::detail
