// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/elementwise.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include <tessera/runtime/detail/fingerprint.hpp>

#include "boxes.hpp"
#include "format.hpp"
#include "patch_text.hpp"

namespace tessera::detail {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr std::size_t max_operands = max_sources + 1;
constexpr index_t most_fetched = index_t{1} << 17;  // elements of a source fetched at a time
// A source whose elements lie across is copied piece by piece, both ways in the inner caches.
constexpr index_t most_turned = index_t{1} << 13;

// One slice's elements of a box: where its first is, and how far apart they are.
struct Operand {
  std::byte* data;
  Coordinates strides;
  index_t size;  // of an element

  Operand from(const Box& box, const Box& part, int rank) const {
    Operand moved = *this;
    for (int d = 0; d < rank; ++d) moved.data += (part.lo[at(d)] - box.lo[at(d)]) * strides[at(d)] * size;
    return moved;
  }
};

// The dimension along which the elements of an operand lie closest.
int fastest(const Operand& operand, const Box& box, int rank) {
  int best = rank - 1;
  for (int d = 0; d < rank; ++d) {
    if (box.hi[at(d)] - box.lo[at(d)] > 1 &&
        (box.hi[at(best)] - box.lo[at(best)] <= 1 || operand.strides[at(d)] < operand.strides[at(best)]))
      best = d;
  }
  return best;
}

// The operands found so far, in a fixed place: pieces may be small.
struct Operands {
  std::array<Operand, max_operands> list;
  std::size_t count = 0;

  void push(const Operand& operand) { list[count++] = operand; }
};

// Nested loops over a box, the innermost first, joined where all operands allow it.
struct Nest {
  struct Loop {
    index_t count;
    std::array<index_t, max_operands> strides;
  };
  std::array<Loop, static_cast<std::size_t>(max_rank)> loops;
  std::size_t levels = 0;

  Nest(const Box& box, const Operands& operands, int rank) {
    std::array<int, static_cast<std::size_t>(max_rank)> order;
    std::size_t dimensions = 0;
    const Coordinates& key = operands.list[0].strides;
    for (int d = 0; d < rank; ++d) {
      if (box.hi[at(d)] - box.lo[at(d)] <= 1) continue;
      std::size_t place = dimensions++;
      for (; place > 0 && key[at(order[place - 1])] > key[at(d)]; --place) order[place] = order[place - 1];
      order[place] = d;
    }
    for (std::size_t i = 0; i < dimensions; ++i) {
      const std::size_t d = at(order[i]);
      const index_t extent = box.hi[d] - box.lo[d];
      bool joined = levels > 0;
      for (std::size_t k = 0; joined && k < operands.count; ++k) {
        const Loop& inner = loops[levels - 1];
        joined = operands.list[k].strides[d] == inner.strides[k] * inner.count;
      }
      if (joined) {
        loops[levels - 1].count *= extent;
        continue;
      }
      Loop& loop = loops[levels++];
      loop.count = extent;
      for (std::size_t k = 0; k < operands.count; ++k) loop.strides[k] = operands.list[k].strides[d];
    }
    if (levels > 0) return;
    levels = 1;
    loops[0].count = 1;
    loops[0].strides.fill(1);
  }
};

// Memory that any element may lie in.
struct alignas(most_alignment) Line {
  std::byte bytes[most_alignment];
};

class Walk {
 public:
  Walk(const SliceCore& target, std::span<const SliceCore> sources, const RunFunction& f)
      : target_(target), sources_(sources), f_(f), rank_(target.rank()), fetched_(sources.size()) {
    // Not for each piece: it compares all blocks of irregular layouts.
    for (const SliceCore& source : sources) aligned_.push_back(source.is_aligned_with(target));
  }

  void run() {
    target_.for_each_piece_of(target_.array().group().rank(), [&](const LocalPiece& piece) {
      operands_.count = 0;
      operands_.push({piece.data, piece.strides, target_.array().type().size});
      add_sources(piece.box);
    });
  }

 private:
  // The operands of `box` are known for the target and the first of the sources.
  void add_sources(const Box& box) {
    const std::size_t s = operands_.count - 1;
    if (s == sources_.size()) return call(box);
    const SliceCore& source = sources_[s];
    const index_t size = source.array().type().size;
    if (aligned_[s]) {
      const int me = target_.array().group().rank();
      const auto* mine = static_cast<const std::byte*>(target_.array().storage(me));
      const index_t offset = (operands_.list[0].data - mine) / operands_.list[0].size;
      operands_.push({static_cast<std::byte*>(source.array().storage(me)) + offset * size,
                      operands_.list[0].strides, size});
      add_sources(box);
      --operands_.count;
    } else if (is_on_node(source, box)) {
      source.for_each_piece(box, [&](int, const LocalPiece& piece) {
        const Operand found{piece.data, piece.strides, size};
        const int inner = fastest(operands_.list[0], piece.box, rank_);
        const bool turned = piece.strides[at(inner)] > piece.strides[at(fastest(found, piece.box, rank_))];
        if (turned && volume(piece.box, rank_) > 64)
          return in_chunks(piece.box, rank_, most_turned, [&](const Box& part) { fetch(box, part); });
        with_part(box, piece.box, found);
      });
    } else {
      in_chunks(box, rank_, most_fetched, [&](const Box& part) { fetch(box, part); });
    }
  }

  // With one more operand, for a part of a box.
  void with_part(const Box& box, const Box& part, const Operand& found) {
    const Operands whole = operands_;
    for (std::size_t k = 0; k < operands_.count; ++k)
      operands_.list[k] = operands_.list[k].from(box, part, rank_);
    operands_.push(found);
    add_sources(part);
    operands_ = whole;
  }

  // A copy of the source in the order of the target.
  void fetch(const Box& box, const Box& part) {
    const SliceCore& source = sources_[operands_.count - 1];
    auto& buffer = fetched_[operands_.count - 1];
    const index_t size = source.array().type().size, bytes = volume(part, rank_) * size;
    const std::size_t lines = (static_cast<std::size_t>(bytes) + sizeof(Line) - 1) / sizeof(Line);
    if (buffer.size() < lines) buffer.resize(lines);
    std::array<int, static_cast<std::size_t>(max_rank)> order{};
    for (int d = 0; d < rank_; ++d) order[at(d)] = d;
    std::stable_sort(order.begin(), order.begin() + rank_, [&](int a, int b) {
      return operands_.list[0].strides[at(a)] < operands_.list[0].strides[at(b)];
    });
    Operand copy{buffer.data()->bytes, {}, size};
    Coordinates extents{};
    index_t stride = 1;
    for (int i = 0; i < rank_; ++i) {
      const std::size_t d = at(order[at(i)]);
      copy.strides[d] = stride;
      stride *= extents[d] = part.hi[d] - part.lo[d];
    }
    source.get(part, {copy.data, extents.data(), copy.strides.data()});
    with_part(box, part, copy);
  }

  static bool is_on_node(const SliceCore& source, const Box& box) {
    if (source.array().group().node_count() == 1) return true;
    bool all = true;
    source.for_each_piece(box, [&](int, const LocalPiece& piece) { all = all && piece.data != nullptr; });
    return all;
  }

  void call(const Box& box) {
    const Nest nest(box, operands_, rank_);
    std::array<void*, max_operands> data{};
    for (std::size_t k = 0; k < operands_.count; ++k) data[k] = operands_.list[k].data;
    loop(nest, nest.levels - 1, data);
  }

  void loop(const Nest& nest, std::size_t level, const std::array<void*, max_operands>& begin) {
    const Nest::Loop& here = nest.loops[level];
    if (level == 0) return f_({begin.data(), here.strides.data(), here.count});
    std::array<void*, max_operands> data = begin;
    for (index_t i = 0; i < here.count; ++i) {
      loop(nest, level - 1, data);
      for (std::size_t k = 0; k < operands_.count; ++k)
        data[k] = static_cast<std::byte*>(data[k]) + here.strides[k] * operands_.list[k].size;
    }
  }

  const SliceCore& target_;
  std::span<const SliceCore> sources_;
  const RunFunction& f_;
  int rank_;
  std::vector<bool> aligned_;  // as the target, by source
  std::vector<std::vector<Line>> fetched_;
  Operands operands_;
};

void require_alike(std::string_view operation, const SliceCore& first, const SliceCore& other, Shapes shapes,
                   Types types) {
  if (!(other.array().group() == first.array().group())) {
    throw UsageError(formatted("{}: {} and {} are of different groups", operation, first.description(),
                               other.description()));
  }
  if (types == Types::equal && other.array().type() != first.array().type()) {
    throw UsageError(formatted("{}: {} is of {} and {} of {}", operation, first.description(),
                               to_string(first.array().type()), other.description(),
                               to_string(other.array().type())));
  }
  if (shapes == Shapes::equal && (other.rank() != first.rank() || other.extents() != first.extents())) {
    throw UsageError(formatted("{}: {} has extents {} and {} has {}", operation, first.description(),
                               extents_text(first.extents().data(), first.rank()), other.description(),
                               extents_text(other.extents().data(), other.rank())));
  }
}

}  // namespace

void begin_operation(std::string_view operation, std::span<const SliceCore> slices, Shapes shapes,
                     Types types) {
  const SliceCore& first = slices.front();
  const Group& group = first.array().group();
  for (const SliceCore& slice : slices) {
    slice.array().require_open();
    require_alike(operation, first, slice, shapes, types);
  }
#ifdef TESSERA_CHECKS
  Fingerprint print;
  for (const SliceCore& slice : slices) print.add(slice.fingerprint());
  group.check_agreement(formatted("{} of {}", operation, first.description()), print.value());
#endif
  for (const SliceCore& slice : slices) slice.array().end_epoch();
  group.sync();
  for (const SliceCore& slice : slices) slice.array().order_local_access();
}

void end_operation(const SliceCore& written) {
  written.array().order_local_access();
  written.array().group().sync();
}

void end_operation(std::string_view operation, const SliceCore& written, const Outcome& outcome) {
  written.array().order_local_access();
  outcome.agree_and_sync(written.array().group(), formatted("{} of {}", operation, written.description()));
}

void for_each_run(const SliceCore& target, std::span<const SliceCore> sources, const RunFunction& f) {
  Walk(target, sources, f).run();
}

void for_each_placed_run(const SliceCore& target, const std::function<void(const PlacedRun&)>& f) {
  target.for_each_piece_of(target.array().group().rank(), [&](const LocalPiece& piece) {
    const int rank = target.rank();
    const index_t size = target.array().type().size;
    PlacedRun run;
    run.along = fastest({piece.data, piece.strides, size}, piece.box, rank);
    run.at = piece.box.lo;
    run.count = piece.box.hi[at(run.along)] - piece.box.lo[at(run.along)];
    run.strides = &piece.strides[at(run.along)];
    for (;;) {
      index_t offset = 0;
      for (int d = 0; d < rank; ++d) offset += (run.at[at(d)] - piece.box.lo[at(d)]) * piece.strides[at(d)];
      void* data = piece.data + offset * size;
      run.data = &data;
      f(run);
      int d = rank - 1;
      for (; d >= 0; --d) {
        if (d == run.along) continue;
        if (++run.at[at(d)] < piece.box.hi[at(d)]) break;
        run.at[at(d)] = piece.box.lo[at(d)];
      }
      if (d < 0) return;
    }
  });
}

bool is_entangled(const SliceCore& target, const SliceCore& source) noexcept {
  return target.may_overlap(source) && !source.is_aligned_with(target);
}

void require_apart(std::string_view operation, const SliceCore& target, std::span<const SliceCore> sources) {
  for (const SliceCore& source : sources) {
    if (!is_entangled(target, source)) continue;
    throw UsageError(
        formatted("{}: {} overlaps {}, which is written at the same time; copy it to another array first",
                  operation, source.description(), target.description()));
  }
}

}  // namespace tessera::detail
