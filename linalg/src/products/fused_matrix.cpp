// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "products/fused_matrix.hpp"

#include <algorithm>
#include <optional>

namespace tessera::linalg::detail {
namespace {

using tessera::detail::Box;

// The dimension along which the second box goes on where the first ends, if their indices then follow one
// another: none before it is longer than 1.
std::optional<std::size_t> joint_of(const Box& first, const Box& second, std::size_t dimensions) {
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (first.lo[d] == second.lo[d] && first.hi[d] == second.hi[d]) {
      if (first.hi[d] - first.lo[d] != 1) return std::nullopt;
      continue;
    }
    if (first.hi[d] != second.lo[d]) return std::nullopt;
    for (std::size_t e = d + 1; e < dimensions; ++e)
      if (first.lo[e] != second.lo[e] || first.hi[e] != second.hi[e]) return std::nullopt;
    return d;
  }
  return std::nullopt;
}

}  // namespace

std::optional<index_t> fused_stride(std::span<const index_t> extents, std::span<const index_t> strides) {
  std::optional<index_t> stride;
  index_t next = 0;
  for (std::size_t d = extents.size(); d-- > 0;) {
    if (extents[d] == 1 && extents.size() > 1) continue;
    if (stride && strides[d] != next) return std::nullopt;
    if (!stride) stride = strides[d];
    next = strides[d] * extents[d];
  }
  return stride ? stride : index_t{1};
}

FusedMatrix transposed(const tessera::detail::FusedCore& matrix) {
  const int all = matrix.slice.rank(), rows = matrix.row_dimensions;
  std::vector<int> order;
  for (int d = 0; d < all; ++d) order.push_back((d + rows) % all);
  return {matrix.slice.permuted(order.data()), all - rows};
}

bool FusedMatrix::has_closest_in_rows() const {
  const tessera::detail::Coordinates strides = tensor_.strides();
  const auto end = strides.begin() + static_cast<std::ptrdiff_t>(dimensions());
  return std::min_element(strides.begin(), end) - strides.begin() >=
         static_cast<std::ptrdiff_t>(row_dimensions_);
}

std::vector<IndexBox> boxes_of(const IndexSet& set, std::span<const index_t> extents) {
  std::vector<IndexBox> boxes;
  if (extents.empty()) {
    if (!set.empty()) boxes.push_back({Box{}, 0});
    return boxes;
  }
  index_t before = 0;
  for (const IndexRun& run : set.runs()) {
    tessera::detail::for_each_box_of_range(extents, run.begin, run.end(), [&](const Box& box, index_t offset) {
      boxes.push_back({box, before + offset});
      while (boxes.size() > 1) {
        IndexBox& last = boxes[boxes.size() - 2];
        const auto joint = joint_of(last.box, boxes.back().box, extents.size());
        if (!joint) break;
        last.box.hi[*joint] = boxes.back().box.hi[*joint];
        boxes.pop_back();
      }
    });
    before += run.count;
  }
  return boxes;
}

IndexSet fused(std::span<const IndexSet> sets, std::span<const index_t> extents) {
  IndexSet all(0, 1);
  for (std::size_t d = 0; d < sets.size(); ++d) {
    IndexSet next;
    for (const IndexRun& run : all.runs()) {
      if (sets[d].size() == extents[d]) {
        next.add({run.begin * extents[d], run.count * extents[d]});
        continue;
      }
      for (index_t i = run.begin; i < run.end(); ++i)
        for (const IndexRun& part : sets[d].runs()) next.add({i * extents[d] + part.begin, part.count});
    }
    all = std::move(next);
  }
  return all;
}

}  // namespace tessera::linalg::detail
