// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "scalapack/scalapack_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <tessera/runtime/detail/fingerprint.hpp>

#include "format.hpp"

namespace tessera::linalg::detail {
namespace {

constexpr int largest_block = 64, smallest_block = 8;

bool is_scalapack(const LayoutCore& layout) {
  using Kind = tessera::detail::Axis::Kind;
  const auto* grid = layout.grid();
  return layout.rank() == 2 && grid != nullptr && !grid->is_tiled() && !grid->is_restricted() &&
         layout.storage() == StorageOrder::column_major && grid->axis(0).kind() == Kind::cyclic &&
         grid->axis(1).kind() == Kind::cyclic && grid->axis(0).block() == grid->axis(1).block();
}

// Ranks with different blockings would wait for each other in different grids.
void check(std::string_view routine, const Blocking& blocking, const Group& group) {
  tessera::detail::Fingerprint print;
  print.add(blocking.block).add(blocking.rows).add(blocking.columns);
  group.check_agreement(routine, print.value());
  const auto [block, rows, columns] = blocking;
  if (block < 0 || rows < 0 || columns < 0 || (rows == 0) != (columns == 0)) {
    throw UsageError(
        formatted("{}: a blocking of {} on a grid of {} x {}: none may be negative, and a grid needs "
                  "both extents",
                  routine, block, rows, columns));
  }
  if (index_t{rows} * columns > group.size()) {
    throw UsageError(formatted("{}: a grid of {} x {} needs {} processes, and the group has {}", routine, rows,
                               columns, index_t{rows} * columns, group.size()));
  }
}

}  // namespace

BlockGrid BlockGrid::choose(std::string_view routine, const SliceCore& preferred, index_t largest_extent,
                            const Blocking& blocking) {
  check(routine, blocking, preferred.array().group());
  const LayoutCore& layout = preferred.array().layout();
  const bool is_set = blocking.block != 0 || blocking.rows != 0;
  const auto* grid = layout.grid();
  // ScaLAPACK's workspaces grow with the block, even beyond the matrix. eig needs blocks a little beyond it.
  const index_t most = largest_extent + largest_block;
  if (!is_set && preferred.is_whole() && is_scalapack(layout) && grid->axis(0).block() <= most) {
    return {scalapack::checked_int(grid->axis(0).block(), preferred.array().name()), grid->axis(0).parts(),
            grid->axis(1).parts(), grid->grid_order()};
  }
  const int ranks = preferred.array().group().size();
  int rows = blocking.rows, columns = blocking.columns;
  if (rows == 0) {
    rows = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
    while (ranks % rows != 0) --rows;
    columns = ranks / rows;
  }
  int block = static_cast<int>(std::min(index_t{blocking.block}, most));
  if (block == 0) {
    const index_t share = (largest_extent + columns - 1) / columns;
    block = static_cast<int>(std::clamp<index_t>(share, smallest_block, largest_block));
  }
  return {block, rows, columns, GridOrder::row_major};
}

LayoutCore BlockGrid::layout(const index_t* dims, int ranks) const {
  using tessera::detail::Axis;
  return {{Axis::cyclic(dims[0], block, rows), Axis::cyclic(dims[1], block, columns)},
          ranks,
          order,
          StorageOrder::column_major};
}

ScalapackMatrix::ScalapackMatrix(const SliceCore& matrix, const BlockGrid& target, const scalapack::Grid& grid,
                                 Contents contents, Use use)
    : original_(&matrix.array()) {
  const ArrayCore& array = matrix.array();
  const auto& dims = matrix.extents();
  LayoutCore layout = target.layout(dims.data(), array.group().size());
  for (int rank = 0; rank < layout.ranks(); ++rank) max_local_ = std::max(max_local_, layout.local(rank).size);
  // The extents may fit, but ScaLAPACK also counts the elements of a process in 32 bits.
  if (max_local_ > std::numeric_limits<int>::max()) {
    throw UsageError(formatted(
        "array \"{}\" of {} x {} has {} elements on one process, and ScaLAPACK counts them in 32 bits (at most "
        "2147483647): use more processes",
        array.name(), dims[0], dims[1], max_local_));
  }
  if (use == Use::copy || !matrix.is_whole() || !(array.layout() == layout)) {
    copy_.emplace(array.group(), std::move(layout), array.type(),
                  tessera::detail::CoreOptions{.name = array.name()});
    if (contents == Contents::keep) tessera::detail::copy(matrix, *copy_);
  }
  const index_t leading = std::max<index_t>(1, used().local_shape().extents[0]);
  auto narrow = [&](index_t value) { return scalapack::checked_int(value, array.name()); };
  descriptor_ = {1, grid.context(), narrow(dims[0]), narrow(dims[1]), target.block, target.block, 0,
                 0, narrow(leading)};
}

void ScalapackMatrix::store(const SliceCore& matrix) {
  if (copy_) return tessera::detail::copy(*copy_, matrix);
  tessera::detail::end_operation(matrix);
}

index_t ScalapackMatrix::exchanges(std::span<const int> pivots) const {
  // All processes of a grid row have the same pivots; the process with the first column counts them.
  const LayoutCore& layout = used().layout();
  const int rank = used().group().rank();
  index_t count = 0;
  std::size_t next = 0;
  for (index_t b = 0; b < layout.block_count(rank); ++b) {
    const auto& box = layout.block(rank, b).box;
    if (box.lo[1] != 0) continue;
    for (index_t i = box.lo[0]; i < box.hi[0]; ++i) count += static_cast<index_t>(pivots[next++] != i + 1);
  }
  return count;
}

void require_no_members(std::string_view routine, const SliceCore& matrix) {
  if (!matrix.is_of_members()) return;
  throw UsageError(
      formatted("{}: the elements of {} are members of structures, which only factors of products may be; copy "
                "them to an array of their own, or from there",
                routine, matrix.description()));
}

std::string described(const SliceCore& matrix) {
  return matrix.is_whole() ? formatted("matrix \"{}\"", matrix.array().name()) : matrix.description();
}

int agree_on_info(const SliceCore& matrix, int info) {
  const Group& group = matrix.array().group();
  const std::int32_t least = group.all_reduce(info, Reduce::min);
  const std::int32_t most = group.all_reduce(info, Reduce::max);
  return least < 0 ? least : most;
}

void throw_bad_shapes(std::string_view routine, std::initializer_list<const SliceCore*> matrices) {
  std::string shapes;
  for (const SliceCore* matrix : matrices) {
    shapes += formatted("{}{} is {} x {}", shapes.empty() ? "" : ", ", matrix->description(),
                        matrix->extents()[0], matrix->extents()[1]);
  }
  throw UsageError(formatted("{}: the shapes do not fit: {}", routine, shapes));
}

}  // namespace tessera::linalg::detail
