// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/core/layout_frame.hpp>

#include <algorithm>

#include <tessera/runtime/detail/product.hpp>

#include "base/at.hpp"
#include "format.hpp"

namespace tessera::detail {

void LayoutFrame::require_size() const {
  index_t elements = 1;
  for (int d = 0; d < rank_; ++d) {
    const index_t extent = dims_[at(d)];
    if (extent < 0)
      throw UsageError(formatted("a layout has the negative extent {} in dimension {}", extent, d));
    const auto more = checked_product(elements, std::max<index_t>(extent, 1));
    if (!more)
      throw UsageError(formatted("a layout has more than 2^63 elements (dimension {} has {})", d, extent));
    elements = *more;
  }
}

}  // namespace tessera::detail
