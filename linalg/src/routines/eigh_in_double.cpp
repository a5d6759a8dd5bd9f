// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "routines/eigh_in_double.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "scalapack/phases.hpp"
#include "scalapack/scalapack_call.hpp"

namespace tessera::linalg::detail {
namespace {

constexpr tessera::detail::ElementType wide_type{element_kind<double>(), sizeof(double)};

// Converts what this rank has of one matrix to another one of the same layout.
template <class From, class To>
void convert(const ArrayCore& from, const ArrayCore& to) {
  const index_t count = from.local_shape().extents[0] * from.local_shape().extents[1];
  const auto* const source = static_cast<const From*>(from.local_data());
  auto* const target = static_cast<To*>(to.local_data());
  for (index_t i = 0; i < count; ++i) target[i] = static_cast<To>(source[i]);
  tessera::detail::end_operation(to);
}

// A matrix on a grid, but without a context of BLACS: on one communicator, it has room for one at a time.
ArrayCore matrix_on(const BlockGrid& grid, const SliceCore& like, index_t rows, index_t columns,
                    const tessera::detail::ElementType& type) {
  const Group& group = like.array().group();
  const index_t dims[2] = {rows, columns};
  return {group, grid.layout(dims, group.size()), type, {.name = like.array().name()}};
}

ArrayCore widened(const BlockGrid& grid, const SliceCore& matrix) {
  const index_t n = matrix.extents()[0];
  const ArrayCore narrow = matrix_on(grid, matrix, n, n, matrix.type());
  ArrayCore wide = matrix_on(grid, matrix, n, n, wide_type);
  tessera::detail::copy(matrix, narrow);
  convert<float, double>(narrow, wide);
  return wide;
}

}  // namespace

std::vector<float> eigh_in_double(const SliceCore& a, const SliceCore* b, const EighOptions& options,
                                  const MakeVectors& make_vectors) {
  const index_t n = a.extents()[0];
  const BlockGrid grid = BlockGrid::choose("eigh", a, n, options.blocking);
  const ArrayCore wide_a = widened(grid, a);
  const SliceCore core_a(wide_a);
  std::optional<ArrayCore> wide_b, vectors;
  std::optional<SliceCore> core_b;
  if (b != nullptr) core_b.emplace(wide_b.emplace(widened(grid, *b)));
  const MakeVectors make_wide = [&](index_t count) {
    return SliceCore(vectors.emplace(matrix_on(grid, a, n, count, wide_type)));
  };
  EighOptions wide_options = options;
  wide_options.interval.reset();  // rounded values are to be in it
  const std::vector<double> values =
      eigh<double>(core_a, core_b ? &*core_b : nullptr, wide_options, make_vectors ? make_wide : MakeVectors());
  std::vector<float> rounded(values.begin(), values.end());
  if (!std::ranges::all_of(rounded, [](float value) { return std::isfinite(value); })) {
    throw LinalgError(formatted("eigh: {} has eigenvalues that are out of the range of its type", described(a)),
                      "p?syevd", 0);
  }
  const auto above = [&](double bound) {
    return std::ranges::upper_bound(rounded, static_cast<float>(bound)) - rounded.begin();
  };
  const auto count = static_cast<index_t>(rounded.size());
  const index_t first = options.interval ? above(options.interval->low) : 0,
                last = options.interval ? above(options.interval->high) : count;
  if (make_vectors) {
    const ArrayCore narrow = matrix_on(grid, a, n, count, a.type());
    convert<double, float>(*vectors, narrow);
    tessera::detail::Box box{};
    box.hi[0] = n;
    box.lo[1] = first, box.hi[1] = last;
    const SliceCore found = SliceCore(narrow).patch(box);
    fix_phases<float>(found);  // rounding may have changed which component is the first of the largest
    a.array().group().sync();
    tessera::detail::copy(found, make_vectors(last - first));
  }
  return {rounded.begin() + first, rounded.begin() + last};
}

}  // namespace tessera::linalg::detail
