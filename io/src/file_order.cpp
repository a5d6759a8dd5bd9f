// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "file_order.hpp"

#include <tessera/layout.hpp>

namespace tessera::io::detail {

FileOrder::FileOrder(const tessera::detail::SliceCore& slice) : slice_(slice) {
  const auto& array = slice.array();
  const auto& layout = array.layout();
  const bool is_dense =
      layout.has_single_blocks() && !layout.has_ghosts() && layout.storage() == StorageOrder::row_major;
  if (slice.is_whole() && is_dense) return;
  const tessera::detail::Coordinates no_minimum{};
  copy_.emplace(array.group(),
                tessera::detail::make_blocked(slice.rank(), slice.extents().data(), array.group().size(),
                                              no_minimum.data(), nullptr),
                array.type(), tessera::detail::CoreOptions{.name = array.name()});
}

tessera::detail::Box FileOrder::box() const {
  const auto& used = copy_ ? *copy_ : slice_.array();
  const int me = used.group().rank();
  return used.layout().block_count(me) == 0 ? tessera::detail::Box{} : used.layout().block(me, 0).box;
}

}  // namespace tessera::io::detail
