// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include <tessera/detail/operations.hpp>

#include "boxes.hpp"
#include "patch_text.hpp"

// Copies between slices: every owner fetches what is to be at its place.
namespace tessera::detail {
namespace {

template <class F>
void for_each_local_piece(const SliceCore& slice, F&& f) {
  slice.for_each_piece_of(slice.array().group().rank(), f);
}

void fetch(const SliceCore& from, const SliceCore& to) {
  Request all;
  for_each_local_piece(to, [&](const LocalPiece& piece) {
    const Dense dense(piece.box, to.rank());
    all += from.get_async(piece.box, {piece.data, dense.extents.data(), piece.strides.data()});
  });
  all.wait();
}

// Where what is written is also read, all is read first: into as much memory as this rank's part of the target.
void fetch_and_store(const SliceCore& from, const SliceCore& to) {
  const int rank = to.rank();
  const index_t size = to.array().type().size;
  index_t bytes = 0;
  for_each_local_piece(to, [&](const LocalPiece& piece) { bytes += Dense(piece.box, rank).size * size; });
  const auto all = std::make_unique<std::byte[]>(static_cast<std::size_t>(bytes));
  auto each = [&](auto&& transfer) {
    std::byte* next = all.get();
    for_each_local_piece(to, [&](const LocalPiece& piece) {
      const Dense dense(piece.box, rank);
      transfer(piece.box, next, dense);
      next += dense.size * size;
    });
  };
  each([&](const Box& box, std::byte* data, const Dense& dense) {
    from.get(box, {data, dense.extents.data(), dense.strides.data()});
  });
  to.array().group().sync();
  each([&](const Box& box, const std::byte* data, const Dense& dense) {
    to.put(box, {data, dense.extents.data(), dense.strides.data()});
  });
}

}  // namespace

void copy(const SliceCore& from, const SliceCore& to) {
  begin_operation("copy", {from, to});
  const bool same_place = &from.array() == &to.array() && from.is_aligned_with(to);
  if (!same_place) is_entangled(to, from) ? fetch_and_store(from, to) : fetch(from, to);
  end_operation(to);
}

void transpose(const SliceCore& from, const SliceCore& to) {
  if (from.rank() != 2 || to.rank() != 2 || from.extents()[0] != to.extents()[1] ||
      from.extents()[1] != to.extents()[0]) {
    throw UsageError(fmt::format("transpose: {} of extents {} cannot become {} of extents {}",
                                 from.description(), extents_text(from.extents().data(), from.rank()),
                                 to.description(), extents_text(to.extents().data(), to.rank())));
  }
  constexpr int order[] = {1, 0};
  const SliceCore turned = from.permuted(order);
  begin_operation("transpose", {turned, to});
  is_entangled(to, turned) ? fetch_and_store(turned, to) : fetch(turned, to);
  end_operation(to);
}

}  // namespace tessera::detail
