// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include "tensors/block_map.hpp"
#include "tensors/contraction.hpp"

namespace tessera::linalg::detail {

/// The inner dimensions that may be exchanged in both factors at once, with the product of the signs 1. The
/// products of blocks whose places differ by such exchanges are equal, so one of them stands for all. If the
/// product of the signs is -1, they add up to zero; but they are all computed, as NaN is not to vanish. @local
class InnerExchanges {
 public:
  /// A dense factor has no map.
  InnerExchanges(const BlockMap* a, const BlockMap* b, const Contraction& kinds);
  /// Whether the product at this place of a block of a stands for those at its images: the coordinates fall
  /// along the dimensions.
  bool stand_for_all(const Coordinates& of_a) const noexcept;
  /// How many places have the same products, if they stand for all.
  index_t images(const Coordinates& of_a) const noexcept;

 private:
  std::vector<std::vector<std::size_t>> groups_;  // of dimensions of a
};

}  // namespace tessera::linalg::detail
