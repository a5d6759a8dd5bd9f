// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Patches in several pieces, against bare transfers of the same pieces. The difference is the cost of finding
// the pieces.
#include <algorithm>
#include <string>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/runtime/local_buffer.hpp>

#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

constexpr const char* section = "patches: so many pieces in blocks of as many or fewer owners";

// How a rank's elements are stored.
enum class Stored { by_block, together };

struct Case {
  int pieces;
  const char* name;
  Layout<2> layout;
  Stored stored;
  Patch<2> patch;
};

// Pieces of h x w inside blocks of twice that size, so that their rows are not contiguous. The patch lies
// around a corner of four blocks, or across the border of two.
std::vector<Case> cases(int ranks, index_t h, index_t w) {
  const Extents<2> block(2 * h, 2 * w);
  const Extents<2> four(4 * h, 4 * w), grid_of_two(2, 1);
  const Patch<2> corner = Patch<2>::at({h, w}, {2 * h, 2 * w});
  std::vector<Case> all;
  all.push_back({2, "blocked",
                 Layout<2>::blocked({ranks * 2 * h, 2 * w}, ranks, {.grid = Extents<2>(ranks, 1)}),
                 Stored::by_block, Patch<2>::at({(ranks - 1) * 2 * h - h, w / 2}, {2 * h, w})});
  if (ranks >= 4)
    all.push_back(
        {4, "blocked", Layout<2>::blocked(four, ranks, {.grid = Extents<2>(2, 2)}), Stored::by_block, corner});
  all.push_back({4, "tiled", Layout<2>::tiled(four, block, {grid_of_two}, ranks), Stored::by_block, corner});
  all.push_back({4, "block-cyclic", Layout<2>::block_cyclic(four, block, {grid_of_two}, ranks),
                 Stored::together, corner});
  return all;
}

// Elements at offset + i * stride[0] + j * stride[1].
struct Lie {
  index_t offset;
  std::array<index_t, 2> stride;
  index_t at(const Index<2>& from, const Index<2>& to) const noexcept {
    return offset + (to[0] - from[0]) * stride[0] + (to[1] - from[1]) * stride[1];
  }
};

// Where a part of a patch lies in its owner's memory, counted in elements.
Lie lie_of(const Case& c, const OwnedPatch<2>& part) {
  const Layout<2>& layout = c.layout;
  if (c.stored == Stored::together) {
    const Extents<2> block(c.patch.extents()), grid = layout.grid();
    Index<2> local;
    for (std::size_t d = 0; d < 2; ++d) {
      const index_t at = part.patch.lo[d];
      local[d] = at / (block[d] * grid[d]) * block[d] + at % block[d];
    }
    const index_t rows = layout.dims()[0] / grid[0];
    return {local[0] + local[1] * rows, {1, rows}};
  }
  index_t offset = 0;
  for (index_t b = 0;; ++b) {
    const Patch<2> block = layout.block(part.rank, b);
    const Lie lie{offset, dense_strides(block.extents(), layout.storage())};
    if (block.contains(part.patch.lo)) return {lie.at(block.lo, part.patch.lo), lie.stride};
    offset += block.size();
  }
}

// One piece: a transfer between its owner's slice and a place in the buffer.
struct Bare {
  int rank;
  index_t offset;  // in bytes
  double* local;
  Strided shape;
};

std::vector<Bare> pieces_of(const Case& c, double* buffer) {
  std::vector<Bare> all;
  const Lie local{0, dense_strides(c.patch.extents(), c.layout.storage())};
  const std::size_t fast = c.layout.storage() == StorageOrder::row_major ? 1 : 0, slow = 1 - fast;
  for (const OwnedPatch<2>& part : c.layout.locate(c.patch)) {
    const Lie remote = lie_of(c, part);
    const Extents<2> extents = part.patch.extents();
    Strided shape = Strided::contiguous(extents[fast] * element);
    if (extents[slow] > 1) {
      shape.levels = 1;
      shape.count[0] = extents[slow];
      shape.remote_stride[0] = remote.stride[slow] * element;
      shape.local_stride[0] = local.stride[slow] * element;
    }
    all.push_back({part.rank, remote.offset * element, buffer + local.at(c.patch.lo, part.patch.lo), shape});
  }
  return all;
}

// This rank's elements, which begin with those of its first block.
std::span<double> own_part(Array<double, 2>& array) {
  const int me = array.group().rank();
  const index_t size = array.layout().local_size(me);
  if (size == 0) return {};
  return {array.address(array.layout().block(me).lo), static_cast<std::size_t>(size)};
}

// Makes the same transfer in both ways, and compares all memory, including the memory around the patch.
void check(const Group& world, const std::string& what, const Routine& own, const Routine& bare,
           Array<double, 2>& array, const Segment& segment, std::span<double> buffer) {
  const std::span<double> elements = own_part(array);
  auto* slice = reinterpret_cast<double*>(segment.address(world.rank()));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = slice[i] = 0.5 * static_cast<double>(i);
  std::vector<double> into[2];
  for (const bool ours : {true, false}) {
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<double>(i) + 1.0;
    world.sync();
    if (world.rank() == 0) (ours ? own : bare)(1);
    world.sync();
    into[ours ? 0 : 1].assign(buffer.begin(), buffer.end());
  }
  require_everywhere(world, into[0] == into[1] && std::equal(elements.begin(), elements.end(), slice), what);
}

void measure(Session& session, const Place& place, const Case& c, const std::string& size) {
  const Group& world = session.world();
  Array<double, 2> array(world, c.layout, {.name = "patches"});
  index_t most = 0;
  for (int rank = 0; rank < world.size(); ++rank) most = std::max(most, c.layout.local_size(rank));
  Segment segment(world, most * element, "pieces");
  LocalBuffer<double> buffer(c.patch.size());
  const std::vector<Bare> pieces = pieces_of(c, buffer.data());
  const View<double, 2> view(buffer.data(), c.patch.extents(),
                             dense_strides(c.patch.extents(), c.layout.storage()));
  const bool apart = !place.one_node;
  static constexpr double one = 1.0;
  const Others others = waiting(world);

  const auto row = [&](const char* name, const auto& whole, const auto& piecewise) {
    const Routine own = repeat([&, whole] {
      whole();
      if (apart) array.flush();
    });
    const Routine bare = repeat([&, piecewise] {
      for (const Bare& piece : pieces) piecewise(piece);
      if (apart) segment.flush();
    });
    const std::string title =
        std::string(name) + ", " + std::to_string(c.pieces) + " x " + size + ", " + c.name;
    check(world, title, own, bare, array, segment, {buffer.begin(), buffer.end()});
    session.compare({.section = section,
                     .name = title,
                     .routine = own,
                     .bytes = static_cast<double>(c.patch.size() * element),
                     .others = others},
                    {{.name = "bare transfers",
                      .routine = bare,
                      .target = Target{Goal::at_least, 1.0 / 1.15},
                      .others = others}});
  };
  row(
      "put", [&] { array.put(c.patch, view); },
      [&](const Bare& p) { segment.put(p.rank, p.offset, p.shape, p.local); });
  row(
      "get", [&] { array.get(c.patch, view); },
      [&](const Bare& p) { segment.get(p.rank, p.offset, p.shape, p.local); });
  row(
      "acc", [&] { array.acc(c.patch, view); },
      [&](const Bare& p) {
        segment.accumulate(p.rank, p.offset, p.shape, ElementKind::float64, &one, p.local);
      });
  segment.close();
  array.close();
}

struct Size {
  index_t rows, columns;  // of a piece
};

}  // namespace

void patches(Session& session, const Place& place) {
  if (!session.wants(section)) return;
  std::vector<Size> sizes{{1, 1}, {2, 4}, {8, 16}, {32, 64}, {128, 256}, {512, 512}, {1024, 1024}};
  if (session.is_quick()) sizes = {{1, 1}, {8, 16}, {128, 256}};
  for (const Size& size : sizes) {
    for (const Case& c : cases(session.world().size(), size.rows, size.columns))
      measure(session, place, c, format_bytes(size.rows * size.columns * element));
  }
}

}  // namespace tessera::benchmark::arrays
