// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "products/product_queue.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "blas/instantiate.hpp"

namespace tessera::linalg::detail {

// Memory of factors that are fetched for one step.
template <class T>
struct ProductQueue<T>::Room {
  struct Growing {
    std::unique_ptr<T[]> memory;
    index_t size = 0;
    T* of(index_t wanted) {
      if (size >= wanted) return memory.get();
      memory.reset();
      memory = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(wanted));
      size = wanted;
      return memory.get();
    }
  };
  Growing left{}, right{};
};

template <class T>
void ProductQueue<T>::add(std::shared_ptr<const LocalProduct<T>> product, const ProductBlock& part,
                          const IndexSet& inner, T beta, ProductTarget<T> c, double first, const Tiles& tiles) {
  const auto target = std::make_shared<Target>(Target{std::move(c)});
  for (ProductBlock& some : product->blocks(part, inner)) {
    const index_t m = some.rows.size(), n = some.columns.size();
    const blas::Panel<T>& panel = target->to.panel;
    const blas::Order order = blas::order_of(panel.row_stride, panel.column_stride, m, n);
    const index_t row = *part.rows.find(some.rows), column = *part.columns.find(some.columns);
    const auto block = std::make_shared<const QueuedBlock>(QueuedBlock{
        product, target, std::move(some), row, column, longest_step<T>(m, n, inner.size()), order, tiles});
    T old = beta;
    for (IndexSet& step : product->steps(block->part, inner, order, first)) {
      steps_.push_back({block, std::move(step), old});
      ++target->steps;
      old = T{1};
    }
  }
}

template <class T>
void ProductQueue<T>::find_in_place(Step& step) const {
  const QueuedBlock& block = *step.block;
  step.left = block.product->left().in_place(block.part.rows, step.inner, block.order);
  step.right = block.product->right().in_place(block.part.columns, step.inner, blas::turned(block.order));
}

template <class T>
index_t ProductQueue<T>::memory() const {
  std::array<std::array<index_t, 2>, 2> rooms{};  // the elements of both parts
  std::size_t fetched = 0;
  index_t most = 0;
  for (const Step& planned : steps_) {
    const QueuedBlock& block = *planned.block;
    Step step{planned.block, planned.inner, planned.beta};
    find_in_place(step);
    if (!step.left || !step.right) {
      auto& [left, right] = rooms[fetched++ % 2];
      if (!step.left) left = std::max(left, block.part.rows.size() * block.longest);
      if (!step.right) right = std::max(right, block.part.columns.size() * block.longest);
    }
    index_t elements = 0;
    for (const auto& room : rooms) elements += room[0] + room[1];
    most = std::max(most, elements * static_cast<index_t>(sizeof(T)) + block.target->to.bytes);
  }
  return most;
}

template <class T>
index_t ProductQueue<T>::most_memory(index_t rows, index_t columns, index_t inner) {
  return 2 * (rows + columns) * longest_step<T>(rows, columns, inner) * static_cast<index_t>(sizeof(T));
}

template <class T>
void ProductQueue<T>::multiply(const Step& step) const {
  const QueuedBlock& block = *step.block;
  Target& target = *block.target;
  if (!target.is_open && target.to.open) target.to.panel.data = target.to.open();
  target.is_open = true;
  block.product->multiply(block.part, step.inner.size(), *step.left, *step.right, step.beta,
                          target.to.panel.from(block.row, block.column), block.tiles);
  if (--target.steps == 0 && target.to.close) target.to.close();
}

template <class T>
void ProductQueue<T>::run() {
  std::array<Room, 2> rooms;
  // After the rooms, as steps that are dropped wait for what they fetch into them.
  std::deque<Step> steps = std::exchange(steps_, {});
  std::size_t begun = 0, fetched = 0;
  bool is_fetching = false;
  // One fetch at a time: two would share the network, and the first would arrive later.
  const auto begin = [&](Step& step) {
    find_in_place(step);
    if (step.left && step.right) return true;
    if (is_fetching) return false;
    is_fetching = true;
    step.room = &rooms[fetched++ % 2];
    const QueuedBlock& block = *step.block;
    const IndexSet &rows = block.part.rows, &columns = block.part.columns;
    if (!step.left) {
      T* const into = step.room->left.of(rows.size() * block.longest);
      step.left = block.product->left().fetch(rows, step.inner, block.order, into, step.fetches);
    }
    if (!step.right) {
      T* const into = step.room->right.of(columns.size() * block.longest);
      step.right =
          block.product->right().fetch(columns, step.inner, blas::turned(block.order), into, step.fetches);
    }
    return true;
  };
  for (; !steps.empty(); steps.pop_front(), --begun) {
    Step& now = steps.front();
    if (begun == 0 && begin(now)) ++begun;
    now.fetches.wait();
    if (now.room != nullptr) is_fetching = false;
    while (begun < steps.size() && begin(steps[begun])) ++begun;
    multiply(now);
  }
}

#define TESSERA_DEFINE(T) template class ProductQueue<T>;
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::detail
