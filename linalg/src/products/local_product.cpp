// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "products/local_product.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <limits>

namespace tessera::linalg::detail {
namespace {

using tessera::detail::Box;
using tessera::detail::Coordinates;

// Below these extents, BLAS loses more time than a copy of the factors costs.
constexpr index_t min_outer = 64, min_inner = 64;
// The most that is fetched at a time: inner indices (enough for BLAS), and bytes for two buffers of both
// factors.
constexpr index_t max_inner = 512, buffer_bytes = index_t{64} << 20;
// A part from other nodes is fetched in at least so many steps, if each has so many indices. Then less is left
// to multiply when the last step arrives.
constexpr index_t remote_steps = 4, min_remote = 128;

// Inner indices that are fetched at a time for so many rows and columns.
template <class T>
index_t max_fetched(index_t rows, index_t columns) {
  const index_t width = (rows + columns) * 2 * static_cast<index_t>(sizeof(T));
  return std::clamp(buffer_bytes / width, min_inner, max_inner);
}

// The right factor is held transposed, and so read in the other order.
blas::Order turned(blas::Order order) {
  return order == blas::Order::by_columns ? blas::Order::by_rows : blas::Order::by_columns;
}

// Both lists, evenly interleaved, beginning with an element of `first`.
std::vector<IndexSet> mixed(std::vector<IndexSet> first, std::vector<IndexSet> second) {
  std::vector<IndexSet> all;
  for (std::size_t i = 0, j = 0; i < first.size() || j < second.size();) {
    const bool take_first = j == second.size() || i * second.size() <= j * first.size();
    all.push_back(std::move(take_first && i < first.size() ? first[i++] : second[j++]));
  }
  return all;
}

}  // namespace

std::vector<TileRange> tile_ranges(const IndexSet& set, index_t size) {
  std::vector<TileRange> ranges;
  index_t offset = 0;
  for (const IndexRun& run : set.runs()) {
    for (index_t i = run.begin; i < run.end();) {
      const index_t number = i / size, count = std::min(run.end(), (number + 1) * size) - i;
      if (!ranges.empty() && ranges.back().number == number)
        ranges.back().count += count;
      else
        ranges.push_back({number, offset, count});
      offset += count;
      i += count;
    }
  }
  return ranges;
}

template <class T>
Factor<T>::Factor(const FusedMatrix& matrix, bool conjugated) : matrix_(matrix), conjugated_(conjugated) {
  if (is_source()) return;
  for (int rank = 0; rank < matrix.array().group().size(); ++rank) {
    for (OwnedSubmatrix& share : shares_of(matrix, rank)) {
      share.pieces.clear();
      shares_.push_back(std::move(share));
    }
  }
}

template <class T>
bool Factor<T>::is_remote() const noexcept {
  return is_source() || std::any_of(shares_.begin(), shares_.end(),
                                    [](const OwnedSubmatrix& share) { return share.data == nullptr; });
}

template <class T>
std::vector<IndexSet> Factor<T>::cut(const IndexSet& outer) const {
  std::vector<IndexSet> parts;
  index_t covered = 0;
  for (const OwnedSubmatrix& share : shares_) {
    IndexSet part = share.rows.intersection(outer);
    if (part.empty() || std::find(parts.begin(), parts.end(), part) != parts.end()) continue;
    const bool is_whole = part.size() == outer.size();
    if (!is_whole && (part.size() < min_outer || !outer.find(part) || !share.rows.find(part))) return {outer};
    covered += part.size();
    parts.push_back(std::move(part));
  }
  // The parts overlap, because they differ for different inner indices: a part in place for one is not for the
  // next.
  if (covered != outer.size()) return {outer};
  return parts;
}

template <class T>
std::vector<IndexSet> Factor<T>::inner_of(const IndexSet& outer) const {
  std::vector<IndexSet> parts;
  index_t covered = 0;
  for (const OwnedSubmatrix& share : shares_) {
    if (!share.rows.find(outer)) continue;
    covered += share.columns.size();
    parts.push_back(share.columns);
  }
  if (covered != matrix_.columns()) return {};
  return parts;
}

template <class T>
std::optional<blas::Panel<const T>> Factor<T>::in_place(const IndexSet& outer, const IndexSet& inner,
                                                        blas::Order result) const {
  for (const OwnedSubmatrix& share : shares_) {
    if (!share.is_even || share.data == nullptr) continue;
    const auto row = share.rows.find(outer), column = share.columns.find(inner);
    if (!row || !column) continue;
    const blas::Order order = blas::order_of(share.row_stride, share.column_stride, outer.size(), inner.size());
    if (!blas::can_read(order, conjugated_, result)) return {};
    const auto* data = reinterpret_cast<const T*>(share.data);
    return blas::Panel<const T>{data, share.row_stride, share.column_stride}.from(*row, *column);
  }
  return {};
}

template <class T>
blas::Panel<const T> Factor<T>::fetch(const IndexSet& outer, const IndexSet& inner, blas::Order result, T* into,
                                      Fetches& fetches) const {
  // In the stored order, which is copied fastest, unless BLAS cannot read it.
  bool by_rows =
      is_source() ? matrix_.has_closest_in_rows() : !shares_.empty() && shares_.front().column_stride == 1;
  by_rows = by_rows || outer.size() > std::numeric_limits<int>::max();
  if (conjugated_) by_rows = result == blas::Order::by_columns;
  const std::array<index_t, 2> strides =
      by_rows ? std::array<index_t, 2>{inner.size(), 1} : std::array<index_t, 2>{1, outer.size()};
  matrix_.for_each_box(
      outer, inner, strides[0], strides[1],
      [&](const Box& box, index_t offset, const Coordinates& extents, const Coordinates& in_box) {
        matrix_.tensor().get_async(box, {into + offset, extents.data(), in_box.data()}, fetches);
      });
  return {into, strides[0], strides[1]};
}

template <class T>
LocalProduct<T>::LocalProduct(T alpha, const FusedMatrix& left, bool conjugate_left,
                              const FusedMatrix& right_transposed, bool conjugate_right)
    : alpha_(alpha), left_(left, conjugate_left), right_(right_transposed, conjugate_right) {}

// Calls f(rows, columns) for blocks of the result that are computed one after the other.
//
// A cut saves a copy of the factor, but makes BLAS write the result in strips. If few inner indices are summed,
// this costs more than the copy. A source would compute its elements anew for each part of the other factor.
template <class T>
template <class F>
void LocalProduct<T>::for_each_block(const IndexSet& rows, const IndexSet& columns, const IndexSet& inner,
                                     F&& f) const {
  const auto parts = [&](const Factor<T>& factor, const IndexSet& outer, const Factor<T>& other,
                         const IndexSet& other_outer) {
    return other.is_source() || inner.size() < other_outer.size() ? std::vector{outer} : factor.cut(outer);
  };
  const std::vector<IndexSet> column_parts = parts(right_, columns, left_, rows);
  for (const IndexSet& some_rows : parts(left_, rows, right_, columns)) {
    for (const IndexSet& some_columns : column_parts) f(some_rows, some_columns);
  }
}

template <class T>
void LocalProduct<T>::add(const IndexSet& rows, const IndexSet& columns, const IndexSet& inner, T beta,
                          const blas::Panel<T>& c, double first, const Tiles& tiles) {
  for_each_block(rows, columns, inner, [&](const IndexSet& some_rows, const IndexSet& some_columns) {
    add_block(some_rows, some_columns, inner, beta, c.from(*rows.find(some_rows), *columns.find(some_columns)),
              first, tiles);
  });
}

template <class T>
index_t LocalProduct<T>::most_memory(index_t rows, index_t columns, index_t inner) {
  const index_t longest = std::min(max_fetched<T>(rows, columns), inner);
  return 2 * (rows + columns) * longest * static_cast<index_t>(sizeof(T));
}

template <class T>
index_t LocalProduct<T>::memory(const IndexSet& rows, const IndexSet& columns, const IndexSet& inner,
                                index_t row_stride, index_t column_stride, double first) const {
  index_t most = 0;
  for_each_block(rows, columns, inner, [&](const IndexSet& some_rows, const IndexSet& some_columns) {
    const index_t m = some_rows.size(), n = some_columns.size();
    const blas::Order result = blas::order_of(row_stride, column_stride, m, n);
    std::array<index_t, 2> left{}, right{};  // of both rooms
    std::size_t fetched = 0;
    for (const IndexSet& some : steps(some_rows, some_columns, inner, result, first)) {
      const bool left_is_here = left_.in_place(some_rows, some, result).has_value();
      const bool right_is_here = right_.in_place(some_columns, some, turned(result)).has_value();
      if (left_is_here && right_is_here) continue;
      const std::size_t room = fetched++ % 2;
      if (!left_is_here) left[room] = m;
      if (!right_is_here) right[room] = n;
    }
    const index_t longest = std::min(max_fetched<T>(m, n), inner.size());
    most = std::max(most, (left[0] + left[1] + right[0] + right[1]) * longest);
  });
  return most * static_cast<index_t>(sizeof(T));
}

// Splits the sum into steps: parts that both factors have in place, and parts that are fetched at a time. The
// steps in place are spread between the fetches, to overlap with them.
template <class T>
std::vector<IndexSet> LocalProduct<T>::steps(const IndexSet& rows, const IndexSet& columns,
                                             const IndexSet& inner, blas::Order result, double first) const {
  // Parts too small for BLAS are fetched together. More parts than this are not even compared.
  const auto max_parts = static_cast<std::size_t>(1 + inner.size() / min_inner);
  auto parts_of = [&](const Factor<T>& factor, const IndexSet& outer) {
    std::vector<IndexSet> parts;
    for (const IndexSet& owned : factor.inner_of(outer)) {
      IndexSet part = owned.intersection(inner);
      if (!part.empty()) parts.push_back(std::move(part));
    }
    if (parts.empty() || parts.size() > max_parts) parts = {inner};
    return parts;
  };
  std::vector<IndexSet> whole;
  const std::vector<IndexSet> rights = parts_of(right_, columns);
  for (const IndexSet& mine : parts_of(left_, rows)) {
    for (const IndexSet& theirs : rights) {
      IndexSet part = mine.intersection(theirs);
      if (!part.empty()) whole.push_back(std::move(part));
    }
  }
  if (whole.size() > max_parts) whole = {inner};
  const index_t most = max_fetched<T>(rows.size(), columns.size());
  const bool is_remote = left_.is_remote() || right_.is_remote();
  std::vector<IndexSet> in_place, fetched;
  for (const IndexSet& part : whole) {
    const index_t parts = (part.size() + most - 1) / most;
    const bool is_here = left_.in_place(rows, part, result) && right_.in_place(columns, part, turned(result));
    const index_t alone = is_here ? 1 : parts;
    const index_t beside_a_fetch =
        is_here ? parts : std::max(parts, std::min(remote_steps, part.size() / min_remote));
    std::ranges::move(part.split(is_remote ? beside_a_fetch : alone),
                      std::back_inserter(is_here ? in_place : fetched));
  }
  for (std::vector<IndexSet>* steps : {&in_place, &fetched}) {
    const auto start = static_cast<std::ptrdiff_t>(first * static_cast<double>(steps->size()));
    std::rotate(steps->begin(), steps->begin() + start, steps->end());
  }
  return mixed(std::move(in_place), std::move(fetched));
}

// Memory of factors that are fetched for one step.
template <class T>
struct LocalProduct<T>::Room {
  std::unique_ptr<T[]> left, right;
};

// The factors that one call of BLAS multiplies, and the memory of those that were fetched.
template <class T>
struct LocalProduct<T>::Step {
  IndexSet inner;
  std::optional<blas::Panel<const T>> left, right;
  Fetches fetches{};
  Room* room = nullptr;
};

template <class T>
void LocalProduct<T>::multiply(const IndexSet& rows, const IndexSet& columns, const Step& step, T beta,
                               const blas::Panel<T>& c, const Tiles& tiles) const {
  const auto part = [&](index_t row, index_t m, index_t column, index_t n) {
    blas::gemm<T>(m, n, step.inner.size(), alpha_, step.left->from(row, 0), left_.is_conjugated(),
                  step.right->from(column, 0).transposed(), right_.is_conjugated(), beta, c.from(row, column));
  };
  if (tiles.part == Tiles::Part::all) return part(0, rows.size(), 0, columns.size());
  const std::vector<TileRange> all_rows = tile_ranges(rows, tiles.size);
  for (const TileRange& column : tile_ranges(columns, tiles.size)) {
    for (auto row = all_rows.begin(); row != all_rows.end();) {
      const auto wanted = [&](const TileRange& range) { return tiles.wants(range.number, column.number); };
      row = std::find_if(row, all_rows.end(), wanted);
      const auto end = std::find_if_not(row, all_rows.end(), wanted);
      index_t count = 0;
      for (auto at = row; at != end; ++at) count += at->count;
      if (count > 0) part(row->offset, count, column.offset, column.count);
      row = end;
    }
  }
}

template <class T>
void LocalProduct<T>::add_block(const IndexSet& rows, const IndexSet& columns, const IndexSet& inner, T beta,
                                const blas::Panel<T>& c, double first, const Tiles& tiles) {
  const index_t m = rows.size(), n = columns.size();
  const blas::Order result = blas::order_of(c.row_stride, c.column_stride, m, n);
  const std::vector<IndexSet> all = steps(rows, columns, inner, result, first);
  const index_t longest = std::min(max_fetched<T>(m, n), inner.size());
  Room rooms[2];
  std::deque<Step> begun;
  const auto fetch = [&](const Factor<T>& factor, const IndexSet& outer, blas::Order order,
                         std::unique_ptr<T[]>& memory, Step& step) {
    if (!memory) memory = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(outer.size() * longest));
    return factor.fetch(outer, step.inner, order, memory.get(), step.fetches);
  };
  std::size_t fetched = 0;
  bool is_fetching = false;
  // One fetch at a time: two would share the network, and the first would arrive later.
  const auto begin = [&](const IndexSet& some) {
    Step step{some, left_.in_place(rows, some, result), right_.in_place(columns, some, turned(result))};
    if (!step.left || !step.right) {
      if (is_fetching) return false;
      is_fetching = true;
      step.room = &rooms[fetched++ % 2];
      if (!step.left) step.left = fetch(left_, rows, result, step.room->left, step);
      if (!step.right) step.right = fetch(right_, columns, turned(result), step.room->right, step);
    }
    begun.push_back(std::move(step));
    return true;
  };
  auto next = all.begin();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (begun.empty()) begin(*next++);
    Step& now = begun.front();
    now.fetches.wait();
    if (now.room != nullptr) is_fetching = false;
    while (next != all.end() && begin(*next)) ++next;
    multiply(rows, columns, now, i == 0 ? beta : T{1}, c, tiles);
    begun.pop_front();
  }
}

template class Factor<float>;
template class Factor<double>;
template class Factor<std::complex<float>>;
template class Factor<std::complex<double>>;
template class LocalProduct<float>;
template class LocalProduct<double>;
template class LocalProduct<std::complex<float>>;
template class LocalProduct<std::complex<double>>;

}  // namespace tessera::linalg::detail
