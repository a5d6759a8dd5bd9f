// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <tessera/linalg/block_contract.hpp>

#include "blas/blas.hpp"
#include "products/fused_matrix.hpp"
#include "tensors/block_map.hpp"

namespace tessera::linalg::detail {

/// A factor of a contraction by blocks. Its dimensions are cut as `starts` says: where the blocks of each
/// dimension begin, and where the last one ends.
struct BlockFactor {
  const BlockTensorCore* blocks;    // or null
  std::optional<TensorView> dense;  // or nothing
  std::vector<std::vector<index_t>> starts;
  bool is_conjugated;

  index_t length(std::size_t d, index_t block) const {
    return starts[d][static_cast<std::size_t>(block) + 1] - starts[d][static_cast<std::size_t>(block)];
  }
};

/// A block as a matrix of outer x inner that BLAS can read.
template <class T>
struct BlockPanel {
  blas::Panel<const T> panel{};
  index_t sign = 1;
  index_t bytes = 0;  // of memory
  std::unique_ptr<T[]> memory{};
  bool must_conjugate = false;
  index_t count = 0;
  Fetches fetches{};  // destroyed before the memory

  /// Returns when the elements are there.
  void wait();
};

/// Blocks of a factor as matrices, in place or fetched. Keeps those that were fetched until they take too much
/// memory.
template <class T>
class BlockPanels {
 public:
  /// The dimensions of the factor that are rows and columns of the matrices.
  BlockPanels(const BlockFactor& factor, std::vector<int> outer, std::vector<int> inner)
      : factor_(factor), outer_(std::move(outer)), inner_(std::move(inner)) {}
  /// Begins to fetch a block that is not absent, unless it is kept or can be read in place.
  std::shared_ptr<BlockPanel<T>> get(const Coordinates& at);

 private:
  std::shared_ptr<BlockPanel<T>> in_place(const BlockMap::Image& image) const;
  std::shared_ptr<BlockPanel<T>> fetched(const Coordinates& at, const BlockMap::Image* image) const;

  const BlockFactor& factor_;
  std::vector<int> outer_, inner_;
  std::map<Coordinates, std::shared_ptr<BlockPanel<T>>> kept_;
  index_t kept_bytes_ = 0;
};

}  // namespace tessera::linalg::detail
