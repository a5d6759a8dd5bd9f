// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/print.hpp>

#include <algorithm>
#include <cstring>
#include <ostream>
#include <vector>

#include <tessera/core/operand_walk.hpp>

#include "base/dispatch.hpp"
#include "base/patch_text.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

constexpr index_t gap = -1;  // stands for the elements that are left out

std::vector<index_t> shown(index_t extent, index_t most) {
  std::vector<index_t> list;
  const index_t behind = most / 2, before = extent > most ? most - behind : extent;
  for (index_t i = 0; i < before; ++i) list.push_back(i);
  if (extent <= most) return list;
  list.push_back(gap);
  for (index_t i = extent - behind; i < extent; ++i) list.push_back(i);
  return list;
}

std::string element_text(const SliceCore& slice, const Coordinates& at, int precision) {
  const ElementType type = slice.type();
  std::vector<std::byte> bytes(static_cast<std::size_t>(type.size));
  Box box{at, at};
  Coordinates extents;
  extents.fill(1);
  for (int d = 0; d < slice.rank(); ++d) ++box.hi[static_cast<std::size_t>(d)];
  slice.get(box, {bytes.data(), extents.data(), extents.data()});
  return with_kind(type.kind, "print", [&]<class T>(T value) {
    std::memcpy(&value, bytes.data(), sizeof value);
    if constexpr (std::is_integral_v<T>)
      return formatted("{}", value);
    else if constexpr (std::is_floating_point_v<T>)
      return formatted("{:.{}g}", value, precision);
    else
      return formatted("{:.{}g}{:+.{}g}i", value.real(), precision, value.imag(), precision);
  });
}

// One matrix (or row, for rank 1) of the array: the last two dimensions, the others fixed in `at`.
void print_matrix(std::ostream& out, const SliceCore& slice, Coordinates at, const PrintOptions& options) {
  const auto rank = static_cast<std::size_t>(slice.rank());
  const auto& dims = slice.extents();
  const auto rows = rank == 1 ? std::vector<index_t>{0} : shown(dims[rank - 2], options.most);
  const auto columns = shown(dims[rank - 1], options.most);
  std::vector<std::vector<std::string>> cells;
  std::vector<std::size_t> width(columns.size(), 0);
  for (index_t row : rows) {
    auto& line = cells.emplace_back();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (rank > 1) at[rank - 2] = row;
      at[rank - 1] = columns[c];
      line.push_back(row == gap || columns[c] == gap ? "..." : element_text(slice, at, options.precision));
      width[c] = std::max(width[c], line.back().size());
    }
  }
  for (const auto& line : cells) {
    out << " ";
    for (std::size_t c = 0; c < line.size(); ++c) out << formatted(" {:>{}}", line[c], width[c]);
    out << '\n';
  }
}

void print_planes(std::ostream& out, const SliceCore& slice, int d, Coordinates& at,
                  const PrintOptions& options) {
  const int outer = slice.rank() - 2;
  if (d >= outer) {
    if (outer > 0) {
      std::string where;
      for (int i = 0; i < outer; ++i) where += formatted("{}, ", at[static_cast<std::size_t>(i)]);
      out << formatted("[{}:, :]\n", where);
    }
    return print_matrix(out, slice, at, options);
  }
  for (index_t i : shown(slice.extents()[static_cast<std::size_t>(d)], options.most)) {
    if (i == gap) {
      out << "...\n";
      continue;
    }
    at[static_cast<std::size_t>(d)] = i;
    print_planes(out, slice, d + 1, at, options);
  }
}

}  // namespace

void print(std::ostream& out, const SliceCore& slice, const PrintOptions& options) {
  if (options.precision < 0 || options.most < 1) {
    throw UsageError(
        formatted("print: a precision of {} and at most {} elements of each dimension are no way to print",
                  options.precision, options.most));
  }
  begin_operation("print", {slice});
  const ArrayCore& array = slice.array();
  const Outcome outcome([&] {
    if (array.group().rank() != 0) return;
    out << formatted("{}: {}, {}, {}\n", slice.description(),
                     extents_text(slice.extents().data(), slice.rank()), to_string(slice.type()),
                     array.layout().description());
    Coordinates at{};
    if (slice.type().kind != ElementKind::bytes && slice.size() > 0) print_planes(out, slice, 0, at, options);
    out.flush();
  });
  end_operation("print", slice, outcome);
}

void print(std::ostream& out, const LayoutCore& layout, const PrintOptions& options) {
  out << formatted("{} elements, {}\n", extents_text(layout.dims().data(), layout.rank()),
                   layout.description());
  for (index_t rank : shown(layout.ranks(), options.most)) {
    if (rank == gap) {
      out << "  ...\n";
      continue;
    }
    const int r = static_cast<int>(rank);
    const index_t blocks = layout.block_count(r);
    std::string text = blocks == 0 ? "nothing" : "";
    for (index_t b : shown(blocks, options.most)) {
      text += text.empty() ? "" : "  ";
      text += b == gap ? "..." : patch_text(layout.block(r, b).box, layout.rank());
    }
    out << formatted("  rank {:<{}}  {}\n", rank, formatted("{}", layout.ranks() - 1).size(), text);
  }
  out.flush();
}

}  // namespace tessera::detail
