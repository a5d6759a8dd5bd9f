// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/linalg/block_tensor.hpp>

#include "tensors/block_map.hpp"

namespace tessera::linalg::detail {

/// Finds out whether a sum of products has the symmetries of the block tensor that it is added to: blocks on
/// the diagonals of symmetric dimensions show it. Differences count if they are larger than rounding may make
/// them, from what is known of the size of the products. Those that were there before do not count: if large
/// terms have cancelled, their rounding is larger than what is left.
class SymmetryCheck {
 public:
  explicit SymmetryCheck(const BlockTensorCore& tensor) : tensor_(tensor) {}
  /// Takes the tensor's elements, which a factor of this size will scale, as they are. @collective
  template <class T>
  void start_from(double size);
  /// A term of this size, times the factors' largest elements, times the number of products in a sum. They
  /// bound what rounding may do to an element. The range of long double holds them. @collective
  void add(double size, index_t products, const tessera::detail::SliceCore& a,
           const tessera::detail::SliceCore& b);
  /// The size of a term is not known, so nothing is checked. @local
  void give_up() noexcept { is_wanted_ = false; }
  /// @collective @throws LinalgError on every rank if a block does not have the symmetry
  template <class T>
  void require() const;

 private:
  bool wants() const noexcept { return is_wanted_ && !tensor_.map().symmetries().empty(); }
  /// The largest difference of elements that are images of each other. @collective
  template <class T>
  double difference() const;

  const BlockTensorCore& tensor_;
  long double size_ = 0, difference_before_ = 0;
  bool is_wanted_ = true;
};

}  // namespace tessera::linalg::detail
