// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <memory>
#include <span>

#include <tessera/core/agreed.hpp>
#include <tessera/core/operations.hpp>
#include <tessera/runtime/phase.hpp>

#include "base/box_chunks.hpp"
#include "base/patch_text.hpp"
#include "format.hpp"

// Copies between slices: every owner fetches the elements that it is to hold.
namespace tessera::detail {
namespace {

template <class F>
void for_each_local_piece(const SliceCore& slice, F&& f) {
  slice.for_each_piece_of(slice.array().group().rank(), f);
}

// Fills `to`: get(box, data, strides) begins to fetch the new elements of a box of it.
template <class Get>
void fetch(const SliceCore& to, Get&& get) {
  Request all;
  for_each_local_piece(to, [&](const LocalPiece& piece) { all += get(piece.box, piece.data, piece.strides); });
  all.wait();
}

// For a target that is also read: all elements are read before any is written. This takes as much memory as
// this rank's part of the target.
template <class Get>
void fetch_and_store(const SliceCore& to, Get&& get) {
  const int rank = to.rank();
  const index_t size = to.type().size;
  index_t bytes = 0;
  for_each_local_piece(to, [&](const LocalPiece& piece) { bytes += Dense(piece.box, rank).size * size; });
  std::unique_ptr<std::byte[]> all;
  auto each = [&](auto&& transfer) {
    std::byte* next = all.get();
    for_each_local_piece(to, [&](const LocalPiece& piece) {
      const Dense dense(piece.box, rank);
      transfer(piece.box, next, dense);
      next += dense.size * size;
    });
  };
  const Outcome fetched([&] {
    all = std::make_unique<std::byte[]>(static_cast<std::size_t>(bytes));
    Request requests;
    each([&](const Box& box, std::byte* data, const Dense& dense) {
      requests += get(box, data, dense.strides);
    });
    requests.wait();
  });
  fetched.agree_and_sync(to.array().group(), formatted("copying to {}", to.description()));
  each([&](const Box& box, const std::byte* data, const Dense& dense) {
    to.put(box, {data, dense.extents.data(), dense.strides.data()});
  });
}

template <class Get>
void fetch_into(const SliceCore& from, const SliceCore& to, Get&& get) {
  is_entangled(to, from) ? fetch_and_store(to, get) : fetch(to, get);
}

// A `get` for slices of the same extents.
auto same_box(const SliceCore& from) {
  return [&from](const Box& box, std::byte* data, const Coordinates& strides) {
    const Dense dense(box, from.rank());
    return from.get_async(box, {data, dense.extents.data(), strides.data()});
  };
}

void begin_copy(const SliceCore& from, const SliceCore& to) {
  begin_operation("copy", {from, to});
  const bool same_place =
      &from.array() == &to.array() && from.is_aligned_with(to) && !from.is_of_members() && !to.is_of_members();
  if (!same_place) fetch_into(from, to, same_box(from));
}

}  // namespace

void copy(const SliceCore& from, const SliceCore& to) {
  const Phase phase(from.array().group(), "copy");
  begin_copy(from, to);
  end_operation(to);
}

void copy_own_part(const SliceCore& from, const SliceCore& to) {
  const Phase phase(from.array().group(), "copy");
  begin_copy(from, to);
  to.array().complete_and_order();
}

void reshape(const SliceCore& from, const SliceCore& to) {
  const Phase phase(from.array().group(), "reshape");
  if (from.size() != to.size()) {
    throw UsageError(
        formatted("reshape: {} of extents {} cannot become {} of extents {}: {} elements are not {}",
                  from.description(), extents_text(from.extents().data(), from.rank()), to.description(),
                  extents_text(to.extents().data(), to.rank()), from.size(), to.size()));
  }
  const Dense target({{}, to.extents()}, to.rank());
  const std::span source(from.extents().data(), static_cast<std::size_t>(from.rank()));
  const index_t size = to.type().size;
  // Fetches the target by rows. A row takes in all last dimensions over which local memory is evenly spaced. In
  // the source it may be several boxes.
  auto get = [&](const Box& box, std::byte* data, const Coordinates& strides) {
    index_t count = 1, step = 1, begin = 0;
    std::size_t outer = static_cast<std::size_t>(to.rank());
    for (bool is_whole = true; is_whole && outer > 0; --outer) {
      const std::size_t d = outer - 1;
      const index_t extent = box.hi[d] - box.lo[d];
      if (target.extents[d] == 1) continue;
      if (count > 1 && strides[d] != step * count) break;
      if (count == 1) step = strides[d];
      count *= extent;
      begin += box.lo[d] * target.strides[d];
      is_whole = extent == target.extents[d];
    }
    Request all;
    auto walk = [&](auto&& self, std::size_t d, index_t number, std::byte* place) -> void {
      if (d == outer) {
        number += begin;
        return for_each_box_of_range(source, number, number + count, [&](const Box& part, index_t before) {
          Dense dense(part, from.rank());
          for (int k = 0; k < from.rank(); ++k) dense.strides[static_cast<std::size_t>(k)] *= step;
          all +=
              from.get_async(part, {place + before * step * size, dense.extents.data(), dense.strides.data()});
        });
      }
      for (index_t i = box.lo[d]; i < box.hi[d]; ++i)
        self(self, d + 1, number + i * target.strides[d], place + (i - box.lo[d]) * strides[d] * size);
    };
    walk(walk, 0, 0, data);
    return all;
  };
  begin_operation("reshape", {from, to}, Shapes::any);
  to.may_overlap(from) ? fetch_and_store(to, get) : fetch(to, get);
  end_operation(to);
}

void transpose(const SliceCore& from, const SliceCore& to) {
  const Phase phase(from.array().group(), "transpose");
  if (from.rank() != 2 || to.rank() != 2 || from.extents()[0] != to.extents()[1] ||
      from.extents()[1] != to.extents()[0]) {
    throw UsageError(
        formatted("transpose: {} of extents {} cannot become {} of extents {}, which must be {} x {}",
                  from.description(), extents_text(from.extents().data(), from.rank()), to.description(),
                  extents_text(to.extents().data(), to.rank()), from.extents()[1], from.extents()[0]));
  }
  constexpr int order[] = {1, 0};
  const SliceCore turned = from.permuted(order);
  begin_operation("transpose", {turned, to});
  fetch_into(turned, to, same_box(turned));
  end_operation(to);
}

}  // namespace tessera::detail
