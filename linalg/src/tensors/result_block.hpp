// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "blas/blas.hpp"
#include "products/fused_matrix.hpp"
#include "scalapack/scalapack_matrix.hpp"
#include "tensors/block_map.hpp"
#include "tensors/block_panels.hpp"
#include "tensors/contraction.hpp"

namespace tessera::linalg::detail {

/// A block of the result, as the products of one term see it: a matrix of rows x columns. @local
template <class T>
class ResultBlock {
 public:
  /// `at` is the place of the block, `data` its elements.
  ResultBlock(const BlockMap& map, const Coordinates& at, T* data, const Contraction& kinds) : data_(data) {
    const Coordinates all_extents = map.extents(at), all_strides = map.strides(at);
    const auto list = [&](const std::vector<int>& dimensions, std::vector<index_t>& extents,
                          std::vector<index_t>& strides) {
      index_t size = 1;
      for (const int d : dimensions) {
        extents.push_back(all_extents[static_cast<std::size_t>(d)]);
        strides.push_back(all_strides[static_cast<std::size_t>(d)]);
        size *= extents.back();
      }
      return size;
    };
    rows_ = list(kinds.rows_of_c, extents_, strides_);
    std::vector<index_t> column_extents, column_strides;
    columns_ = list(kinds.columns_of_c, column_extents, column_strides);
    const auto row = fused_stride(extents_, strides_), column = fused_stride(column_extents, column_strides);
    if (row && column && blas::order_of(*row, *column, rows_, columns_) != blas::Order::neither) {
      panel_ = {data, *row, *column};
      return;
    }
    // The elements that lie closest in the block are closest in memory, too.
    memory_ = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(rows_ * columns_));
    const bool by_columns = !strides_.empty() && strides_.back() == 1;
    panel_ = by_columns ? blas::Panel<T>{memory_.get(), 1, rows_} : blas::Panel<T>{memory_.get(), columns_, 1};
    if (by_columns) extents_.swap(column_extents), strides_.swap(column_strides);
    extents_.insert(extents_.end(), column_extents.begin(), column_extents.end());
    strides_.insert(strides_.end(), column_strides.begin(), column_strides.end());
  }
  /// Adds alpha * left * right. The first product also multiplies what was there by beta.
  void add(T alpha, const BlockPanel<T>& left, const BlockPanel<T>& right, index_t inner, T beta) {
    const T old = is_first_ ? (memory_ ? T{0} : beta) : T{1};
    is_first_ = false;
    blas::gemm<T>(rows_, columns_, inner, alpha * static_cast<Real<T>>(left.sign * right.sign), left.panel,
                  false, right.panel.transposed(), false, old, panel_);
  }
  /// Stores the sum, or multiplies the block by beta if there was no product.
  void end(T beta) {
    if (is_first_) {
      for (index_t i = 0; i < rows_ * columns_; ++i) data_[i] = blas::scaled(beta, data_[i]);
    } else if (memory_) {
      const T* from = memory_.get();
      store(0, data_, from, beta);
    }
  }

 private:
  void store(std::size_t d, T* to, const T*& from, T beta) {
    if (d + 1 < extents_.size()) {
      for (index_t i = 0; i < extents_[d]; ++i) store(d + 1, to + i * strides_[d], from, beta);
      return;
    }
    for (index_t i = 0; i < extents_[d]; ++i, ++from) {
      T& x = to[i * strides_[d]];
      x = *from + blas::scaled(beta, x);
    }
  }

  T* data_;
  index_t rows_ = 1, columns_ = 1;
  // Of the dimensions in the order of the memory: rows and then columns, or columns and then rows.
  std::vector<index_t> extents_, strides_;
  blas::Panel<T> panel_{};
  std::unique_ptr<T[]> memory_;
  bool is_first_ = true;
};

}  // namespace tessera::linalg::detail
