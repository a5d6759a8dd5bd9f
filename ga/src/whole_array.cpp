// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/whole_array_core.hpp>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <tessera/runtime/detail/fingerprint.hpp>

#include "dispatch.hpp"
#include "patch_text.hpp"

namespace tessera::detail {
namespace {

constexpr index_t most_fetched = index_t{1} << 17;  // elements of a source fetched at a time

template <class F>
void in_chunks(const Box& box, int rank, F& f) {
  index_t size = 1;
  std::size_t widest = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
    const index_t extent = box.hi[d] - box.lo[d];
    if (extent > box.hi[widest] - box.lo[widest]) widest = d;
    size *= extent;
  }
  if (size <= most_fetched) return f(box);
  Box first = box, second = box;
  first.hi[widest] = second.lo[widest] = box.lo[widest] + (box.hi[widest] - box.lo[widest]) / 2;
  in_chunks(first, rank, f);
  in_chunks(second, rank, f);
}

// Extents of a box, and strides that lay it out densely in a storage order.
struct Dense {
  Coordinates extents{}, strides{};
  index_t size = 1;
  Dense(const Box& box, int rank, StorageOrder order) {
    for (int i = 0; i < rank; ++i) {
      const auto d = static_cast<std::size_t>(order == StorageOrder::row_major ? rank - 1 - i : i);
      extents[d] = box.hi[d] - box.lo[d];
      strides[d] = size;
      size *= extents[d];
    }
  }
};

index_t offset_in(const Piece& block, const Coordinates& at, int rank) {
  index_t offset = block.offset;
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d)
    offset += (at[d] - block.box.lo[d]) * block.strides[d];
  return offset;
}

// Calls f(box, offset in the local storage, strides) for pieces of this rank's blocks that fit the fetch
// buffer.
template <class F>
void for_each_local_chunk(const ArrayCore& a, F&& f) {
  const LayoutCore& layout = a.layout();
  const int me = a.group().rank();
  for (index_t b = 0; b < layout.block_count(me); ++b) {
    const Piece block = layout.block(me, b);
    auto chunk = [&](const Box& box) { f(box, offset_in(block, box.lo, a.rank()), block.strides); };
    in_chunks(block.box, a.rank(), chunk);
  }
}

std::byte* at(const ArrayCore& a, index_t offset) {
  return static_cast<std::byte*>(a.local_data()) + offset * a.type().size;
}

// Runs of a chunk along its contiguous dimension: f(offset from the chunk's first element at `strides`, and in
// a dense copy).
template <class F>
void rows(const Dense& dense, const Coordinates& strides, int rank, StorageOrder order, F&& f) {
  const auto fast = static_cast<std::size_t>(order == StorageOrder::row_major ? rank - 1 : 0);
  const index_t count = dense.size / dense.extents[fast];
  Coordinates where{};
  for (index_t row = 0; row < count; ++row) {
    index_t target = 0, copy = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
      target += where[d] * strides[d];
      copy += where[d] * dense.strides[d];
    }
    f(target, copy, dense.extents[fast]);
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
      if (d == fast) continue;
      if (++where[d] < dense.extents[d]) break;
      where[d] = 0;
    }
  }
}

}  // namespace

void begin_operation(std::string_view operation, Arrays arrays, Shapes shapes) {
  const ArrayCore& first = **arrays.begin();
  Fingerprint print;
  for (const ArrayCore* array : arrays) {
    array->require_open();
    if (!(array->group() == first.group())) {
      throw UsageError(fmt::format("{}: arrays \"{}\" and \"{}\" are of different groups", operation,
                                   first.name(), array->name()));
    }
    if (array->type() != first.type()) {
      throw UsageError(fmt::format("{}: array \"{}\" is of {} and array \"{}\" of {}", operation, first.name(),
                                   to_string(first.type()), array->name(), to_string(array->type())));
    }
    if (shapes == Shapes::equal &&
        (array->rank() != first.rank() || array->layout().dims() != first.layout().dims())) {
      throw UsageError(fmt::format("{}: array \"{}\" has extents {} and array \"{}\" has {}", operation,
                                   first.name(), extents_text(first.layout().dims().data(), first.rank()),
                                   array->name(), extents_text(array->layout().dims().data(), array->rank())));
    }
    print.add(array->name()).add(array->layout().fingerprint());
  }
  first.group().check_agreement(fmt::format("{} of \"{}\"", operation, first.name()), print.value());
  first.group().sync();
  for (const ArrayCore* array : arrays) array->order_local_access();
}

void end_operation(const ArrayCore& written) {
  written.order_local_access();
  written.group().sync();
}

void for_each_run(const ArrayCore& target, std::span<const ArrayCore* const> sources, const RunFunction& f) {
  const index_t local = target.local_shape().size;
  if (local == 0) return;
  std::vector<const void*> runs(sources.size());
  const bool aligned = std::all_of(sources.begin(), sources.end(), [&](const ArrayCore* source) {
    return source->layout() == target.layout();
  });
  if (aligned) {
    std::transform(sources.begin(), sources.end(), runs.begin(),
                   [](const ArrayCore* s) { return s->local_data(); });
    return f(target.local_data(), runs.data(), local);
  }
  const int rank = target.rank();
  const StorageOrder order = target.layout().storage();
  std::vector<std::vector<std::byte>> fetched(sources.size());
  for_each_local_chunk(target, [&](const Box& box, index_t offset, const Coordinates& strides) {
    const Dense dense(box, rank, order);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      fetched[s].resize(static_cast<std::size_t>(dense.size * sources[s]->type().size));
      sources[s]->get(box, {fetched[s].data(), dense.extents.data(), dense.strides.data()});
    }
    rows(dense, strides, rank, order, [&](index_t there, index_t here, index_t count) {
      for (std::size_t s = 0; s < sources.size(); ++s)
        runs[s] = fetched[s].data() + here * sources[s]->type().size;
      f(at(target, offset + there), runs.data(), count);
    });
  });
}

void fill(ArrayCore& a, const void* value) {
  begin_operation("fill", {&a});
  const auto size = static_cast<std::size_t>(a.type().size);
  auto set = [&]<class T>(T) {
    T element;
    std::memcpy(&element, value, sizeof element);
    std::fill_n(static_cast<T*>(a.local_data()), a.local_shape().size, element);
  };
  if (size == 4)
    set(std::uint32_t{});
  else if (size == 8)
    set(std::uint64_t{});
  else
    for (index_t i = 0; i < a.local_shape().size; ++i) std::memcpy(at(a, i), value, size);
  end_operation(a);
}

void scale(ArrayCore& a, const void* alpha) {
  begin_operation("scale", {&a});
  with_kind(a.type().kind, "scale", [&]<class T>(T) {
    const T factor = *static_cast<const T*>(alpha);
    T* x = static_cast<T*>(a.local_data());
    for (index_t i = 0; i < a.local_shape().size; ++i) x[i] = static_cast<T>(x[i] * factor);
  });
  end_operation(a);
}

void axpby(const void* alpha, const ArrayCore& x, const void* beta, ArrayCore& y) {
  begin_operation("axpby", {&x, &y});
  with_kind(y.type().kind, "axpby", [&]<class T>(T) {
    const T a = *static_cast<const T*>(alpha), b = *static_cast<const T*>(beta);
    const ArrayCore* sources[] = {&x};
    for_each_run(y, sources, [&](void* target, const void* const* source, index_t n) {
      T* to = static_cast<T*>(target);
      const T* from = static_cast<const T*>(source[0]);
      // beta == 0 overwrites, so that what was never written (NaN) does not survive, as in BLAS.
      if (b == T{0}) {
        for (index_t i = 0; i < n; ++i) to[i] = static_cast<T>(a * from[i]);
      } else {
        for (index_t i = 0; i < n; ++i) to[i] = static_cast<T>(a * from[i] + b * to[i]);
      }
    });
  });
  end_operation(y);
}

void copy(const ArrayCore& from, ArrayCore& to) {
  begin_operation("copy", {&from, &to});
  const LayoutCore& layout = to.layout();
  const int me = to.group().rank();
  if (&from != &to && from.layout() == layout) {
    if (to.local_shape().size > 0) {
      std::memcpy(to.local_data(), from.local_data(),
                  static_cast<std::size_t>(to.local_shape().size * to.type().size));
    }
  } else if (&from != &to) {
    for (index_t b = 0; b < layout.block_count(me); ++b) {
      const Piece block = layout.block(me, b);
      const Dense dense(block.box, to.rank(), layout.storage());
      from.get(block.box, {at(to, block.offset), dense.extents.data(), block.strides.data()});
    }
  }
  end_operation(to);
}

void transpose(const ArrayCore& from, ArrayCore& to) {
  begin_operation("transpose", {&from, &to}, Shapes::any);
  const Coordinates &a = from.layout().dims(), &b = to.layout().dims();
  if (from.rank() != 2 || to.rank() != 2 || a[0] != b[1] || a[1] != b[0]) {
    throw UsageError(fmt::format(
        "transpose: array \"{}\" of extents {} cannot become array \"{}\" of extents {}", from.name(),
        extents_text(a.data(), from.rank()), to.name(), extents_text(b.data(), to.rank())));
  }
  if (&from == &to)
    throw UsageError(fmt::format("transpose of array \"{}\" onto itself; give it another target", to.name()));
  for_each_local_chunk(to, [&](const Box& box, index_t offset, const Coordinates& strides) {
    Box source;
    source.lo = {box.lo[1], box.lo[0]};
    source.hi = {box.hi[1], box.hi[0]};
    const index_t extents[] = {box.hi[1] - box.lo[1], box.hi[0] - box.lo[0]},
                  turned[] = {strides[1], strides[0]};
    from.get(source, {at(to, offset), extents, turned});
  });
  end_operation(to);
}

}  // namespace tessera::detail
