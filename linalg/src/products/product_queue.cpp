// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "products/product_queue.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "blas/instantiate.hpp"

namespace tessera::linalg::detail {

template <class T>
struct ProductQueue<T>::Room {
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

template <class T>
void ProductQueue<T>::add(std::shared_ptr<const LocalProduct<T>> product, const ProductBlock& part,
                          const IndexSet& inner, T beta, ProductTarget<T> c, double first, const Tiles& tiles) {
  const auto target = std::make_shared<Target>(Target{std::move(c)});
  for (ProductBlock& some : product->blocks(part, inner, first)) {
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
void ProductQueue<T>::Step::find_in_place() {
  const IndexSet &rows = block->part.rows, &columns = block->part.columns;
  const Factor<T>&of_rows = block->product->left(), &of_columns = block->product->right();
  left = of_rows.in_place(rows, inner, block->order);
  right = of_columns.in_place(columns, inner, blas::turned(block->order));
  left_is_near = left || of_rows.is_near(rows, inner);
  right_is_near = right || of_columns.is_near(columns, inner);
  fetched_left = left ? 0 : rows.size() * block->longest;
  fetched_right = right ? 0 : columns.size() * block->longest;
  lacks = left && right ? Lacks::nothing : left_is_near && right_is_near ? Lacks::a_copy : Lacks::a_transfer;
}

template <class T>
void ProductQueue<T>::Step::fetch_left(Room& to) {
  T* const memory = to.of(fetched_left + fetched_right);
  left = block->product->left().fetch(block->part.rows, inner, block->order, memory, fetches);
}

template <class T>
void ProductQueue<T>::Step::fetch_right(Room& to) {
  T* const memory = to.of(fetched_left + fetched_right) + fetched_left;
  right =
      block->product->right().fetch(block->part.columns, inner, blas::turned(block->order), memory, fetches);
}

// Transfers take the rooms in turn. Beside a copy the next transfers are under way, if there are some; so the
// copy takes the room that they leave.
template <class T>
void ProductQueue<T>::plan() {
  index_t largest = 0;
  for (Step& step : steps_) {
    step.find_in_place();
    largest = std::max(largest, step.fetched_left + step.fetched_right);
  }
  transfers_ = static_cast<std::size_t>(transfers_at_once(largest * static_cast<index_t>(sizeof(T))));
  const auto is_transfer = [](const Step& step) { return step.lacks == Step::Lacks::a_transfer; };
  const auto transfers = static_cast<std::size_t>(std::ranges::count_if(steps_, is_transfer));
  std::size_t ended = 0;
  for (Step& step : steps_)
    step.room = (is_transfer(step) ? ended++ : std::min(ended + transfers_, transfers)) % (transfers_ + 1);
}

template <class T>
index_t ProductQueue<T>::memory() {
  plan();
  std::vector<index_t> rooms(transfers_ + 1);  // the elements of each
  index_t most = 0;
  for (const Step& step : steps_) {
    const QueuedBlock& block = *step.block;
    rooms[step.room] = std::max(rooms[step.room], step.fetched_left + step.fetched_right);
    const index_t elements = std::accumulate(rooms.begin(), rooms.end(), index_t{0});
    most = std::max(most, elements * static_cast<index_t>(sizeof(T)) + block.target->to.bytes);
  }
  return most;
}

template <class T>
index_t ProductQueue<T>::most_memory(index_t rows, index_t columns, index_t inner) {
  const index_t room =
      (rows + columns) * longest_step<T>(rows, columns, inner) * static_cast<index_t>(sizeof(T));
  return (transfers_at_once(room) + 1) * room;
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
  using Lacks = typename Step::Lacks;
  plan();
  std::vector<Room> rooms(transfers_ + 1);
  // After the rooms, as steps that are dropped wait for what they fetch into them.
  std::deque<Step> steps = std::exchange(steps_, {});
  auto next = steps.begin();
  std::size_t under_way = 0;
  const auto fetch_next = [&] {
    if (under_way == transfers_) return;
    next = std::find_if(next, steps.end(), [](const Step& step) { return step.lacks == Lacks::a_transfer; });
    if (next == steps.end()) return;
    if (!next->left_is_near) next->fetch_left(rooms[next->room]);
    if (!next->right_is_near) next->fetch_right(rooms[next->room]);
    ++next;
    ++under_way;
  };
  for (Step& now : steps) {
    for (std::size_t i = under_way; i < transfers_; ++i) fetch_next();
    if (!now.left) now.fetch_left(rooms[now.room]);
    if (!now.right) now.fetch_right(rooms[now.room]);
    now.fetches.wait();
    if (now.lacks == Lacks::a_transfer) {
      --under_way;
      fetch_next();
    }
    multiply(now);
  }
}

#define TESSERA_DEFINE(T) template class ProductQueue<T>;
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::detail
