// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "cases.hpp"

#include <algorithm>
#include <cmath>

#include "near_square.hpp"

namespace tessera::benchmark::io {
namespace {

constexpr index_t cyclic = 64, tile = 128;

Selection selection_of(const Layout<2>& layout, const Extents<2>& block, int rank) {
  Selection own{};
  if (block == Extents<2>{}) {
    const Patch<2> patch = layout.block(rank);
    for (std::size_t d = 0; d < 2; ++d) {
      own.start[d] = patch.lo[d];
      own.count[d] = 1;
      own.stride[d] = own.block[d] = patch.hi[d] - patch.lo[d];
    }
    return own;
  }
  const Index<2> place = layout.coordinates(rank).value();
  for (std::size_t d = 0; d < 2; ++d) {
    const index_t blocks = layout.dims()[d] / block[d], processes = layout.grid()[d];
    own.start[d] = place[d] * block[d];
    own.stride[d] = processes * block[d];
    own.count[d] = (blocks - place[d] + processes - 1) / processes;
    own.block[d] = block[d];
  }
  return own;
}

// Copies in squares, so that the side that is stored by columns stays in a core's cache.
void copy(const View<const double, 2>& from, const View<double, 2>& to) {
  constexpr index_t square = 32;
  const Extents<2>& n = from.extents();
  if (from.stride(1) == 1 && to.stride(1) == 1) {
    for (index_t i = 0; i < n[0]; ++i) std::copy_n(&from(i, 0), n[1], &to(i, 0));
    return;
  }
  for (index_t top = 0; top < n[0]; top += square) {
    for (index_t left = 0; left < n[1]; left += square) {
      for (index_t i = top; i < std::min(top + square, n[0]); ++i) {
        for (index_t j = left; j < std::min(left + square, n[1]); ++j) to(i, j) = from(i, j);
      }
    }
  }
}

}  // namespace

Case::Case(std::string name, const Layout<2>& layout, const Extents<2>& block, int rank)
    : name_(std::move(name)),
      layout_(layout),
      block_(block),
      rank_(rank),
      selection_(selection_of(layout, block, rank)) {}

bool Case::is_row_major() const noexcept {
  return block_ == Extents<2>{} && layout_.storage() == StorageOrder::row_major;
}

View<double, 2> Case::packed(double* part, index_t b) const {
  const Patch<2> patch = layout_.block(rank_, b);
  const auto before = [&](std::size_t d) {
    return (patch.lo[d] - selection_.start[d]) / selection_.stride[d] * selection_.block[d];
  };
  const index_t columns = selection_.columns();
  return {part + before(0) * columns + before(1), patch.extents(), {columns, 1}};
}

void Case::pack(const Array<double, 2>& from, double* to) const {
  for (index_t b = 0; b < layout_.block_count(rank_); ++b) {
    const auto block = from.local_block(b);
    copy(block, packed(to, b));
  }
}

void Case::unpack(const double* from, Array<double, 2>& to) const {
  for (index_t b = 0; b < layout_.block_count(rank_); ++b) {
    const View<double, 2> part = packed(const_cast<double*>(from), b);
    const auto block = to.local_block(b);
    copy(View<const double, 2>(part.data_handle(), part.extents(), part.strides()), block);
  }
}

std::vector<Case> cases(index_t bytes, const Group& group) {
  const int ranks = group.size(), rank = group.rank();
  const Extents<2> grid = near_square(ranks);
  const auto whole = [](index_t n, index_t unit) { return std::max<index_t>(1, n / unit) * unit; };
  const index_t columns = whole(bytes >= (index_t{1} << 26) ? 8192 : 512, tile * grid[1]);
  const Extents<2> dims{whole(bytes / (8 * columns), tile * grid[0]), columns};
  const auto blocked = Layout<2>::blocked(dims, ranks);
  return {{"blocks", blocked, {}, rank},
          {"blocks by columns", blocked.with_storage(StorageOrder::column_major), {}, rank},
          {"cyclic 64", Layout<2>::block_cyclic(dims, {cyclic, cyclic}, {grid}, ranks), {cyclic, cyclic}, rank},
          {"tiles of 128", Layout<2>::tiled(dims, {tile, tile}, {grid}, ranks), {tile, tile}, rank}};
}

}  // namespace tessera::benchmark::io
