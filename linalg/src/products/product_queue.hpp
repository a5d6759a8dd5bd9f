// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "products/local_product.hpp"

namespace tessera::linalg::detail {

/// Where a product goes.
template <class T>
struct ProductTarget {
  /// Without memory, if `open` is given.
  blas::Panel<T> panel;
  /// Makes the memory of the panel, of so many bytes, before the first step; and what follows the last one.
  index_t bytes = 0;
  std::function<T*()> open{};
  std::function<void()> close{};
};

/// Products that one process computes one after the other. It reads the factors in place on its node as far as
/// possible, and copies what else its node has when it needs it. It fetches the rest while it multiplies what
/// comes before, also in other products.
template <class T>
class ProductQueue {
 public:
  /// c = the product of these rows, columns and inner indices + beta * c, in those tiles. run() computes it.
  /// `first` as for LocalProduct::steps(). @local
  void add(std::shared_ptr<const LocalProduct<T>> product, const ProductBlock& part, const IndexSet& inner,
           T beta, ProductTarget<T> c, double first, const Tiles& tiles);
  /// The most bytes that run() needs for targets and for factors that it fetches. @local
  index_t memory();
  /// The most for factors of any layouts, without targets. @local
  static index_t most_memory(index_t rows, index_t columns, index_t inner);
  /// Whether run() should come before more products, as the plans of so many take memory. @local
  bool is_long() const noexcept { return steps_.size() >= 1024; }
  /// Computes all products. @onesided @throws what a target or a source throws
  void run();

 private:
  struct Target {
    ProductTarget<T> to;
    std::size_t steps = 0;  // that are left
    bool is_open = false;
  };
  struct QueuedBlock {
    std::shared_ptr<const LocalProduct<T>> product;
    std::shared_ptr<Target> target;
    ProductBlock part;
    index_t row, column;  // of the target
    index_t longest;
    blas::Order order;
    Tiles tiles;
  };
  struct Room;  // memory of both factors of a step: the left one, and behind it the right one
  struct Step {
    std::shared_ptr<const QueuedBlock> block;
    IndexSet inner;
    T beta;
    std::optional<blas::Panel<const T>> left{}, right{};
    Fetches fetches{};
    // What it needs beside the factors in place: copies of what its node has, or a transfer.
    enum class Lacks : std::uint8_t { nothing, a_copy, a_transfer } lacks = Lacks::nothing;
    std::size_t room = 0;                              // of the queue's, in turn
    index_t fetched_left = 0, fetched_right = 0;       // elements; 0 of a factor in place
    bool left_is_near = false, right_is_near = false;  // this node stores all of the factor
    void find_in_place();
    void fetch_left(Room& to);
    void fetch_right(Room& to);
  };
  void plan();
  void multiply(const Step& step) const;

  std::deque<Step> steps_;
  std::size_t transfers_ = 0;  // at once
};

}  // namespace tessera::linalg::detail
