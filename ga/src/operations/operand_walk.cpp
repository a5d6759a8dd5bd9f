// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <optional>
#include <vector>

#include <tessera/core/operand_walk.hpp>
#include <tessera/runtime/detail/copy.hpp>

#include "base/at.hpp"
#include "base/tiling.hpp"

// How operations get the same elements of several slices, in any layouts.
namespace tessera::detail {
namespace {

constexpr std::size_t max_operands = max_sources + 1;
// Bytes of a source on other nodes that are fetched at a time. While they are used, the next are in flight.
constexpr index_t max_fetched = index_t{1} << 20;
// Bytes of a source in another order that are turned into the target's order at a time. Both sides stay in the
// inner caches.
constexpr index_t max_turned = index_t{1} << 16;
// Not worth turning: pieces of at most `few` elements, and sources with runs of `long_run` bytes in the order
// of the target.
constexpr index_t few = 64, long_run = 1024;

// One slice's elements of a box: where the first one is, and their strides.
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

// The operands found so far. A fixed array, because pieces may be small.
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
    for (const std::size_t d : ByStride(box, operands.list[0].strides, rank)) {
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

// Whether an operand lies in another order than the target, with only short runs in the same order.
bool is_turned(const ByStride& target, const ByStride& order, const Box& box, index_t size) {
  index_t run = size;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (order[i] != target[i]) return run < long_run;
    run *= box.hi[target[i]] - box.lo[target[i]];
  }
  return false;
}

// Dense memory for the elements of a box, in a given order of the dimensions.
class DenseBuffer {
 public:
  Operand operand(const Box& box, const ByStride& order, index_t size, int rank) {
    const index_t bytes = volume(box, rank) * size;
    const std::size_t lines = (static_cast<std::size_t>(bytes) + sizeof(Line) - 1) / sizeof(Line);
    if (lines_.size() < lines) lines_.resize(lines);
    Operand dense{lines_.data()->bytes, {}, size};
    dense.strides.fill(1);
    index_t stride = 1;
    for (const std::size_t d : order) {
      dense.strides[d] = stride;
      stride *= box.hi[d] - box.lo[d];
    }
    return dense;
  }

 private:
  // Memory that is aligned for any element.
  struct alignas(max_alignment) Line {
    std::byte bytes[max_alignment];
  };
  std::vector<Line> lines_;
};

void copy_operand(const Operand& from, const Operand& to, const Box& box, int rank) {
  Strided shape = Strided::contiguous(from.size);
  for (int d = 0; d < rank; ++d) {
    const auto level = at(shape.levels);
    shape.count[level] = box.hi[at(d)] - box.lo[at(d)];
    if (shape.count[level] == 1) continue;
    shape.remote_stride[level] = from.strides[at(d)] * from.size;
    shape.local_stride[level] = to.strides[at(d)] * from.size;
    ++shape.levels;
  }
  copy_strided(to.data, from.data, shape, Direction::remote_to_local);
}

// Orders of some operands.
struct Orders {
  std::array<ByStride, max_operands> list;
  std::size_t count = 0;
  index_t largest = 1;  // element

  void push(const ByStride& order, index_t size) {
    list[count++] = order;
    largest = std::max(largest, size);
  }
  Tiling tiling(const Box& box, int rank, index_t bytes) const {
    return {box, rank, std::span(list.data(), count), std::max<index_t>(1, bytes / largest)};
  }
};

// A box of the target, and the elements of sources on other nodes that are in flight for it.
struct Ahead {
  Box box;
  Operand target;
  std::array<bool, max_sources> fetched{};
  std::array<DenseBuffer, max_sources> buffers;
  std::array<Operand, max_sources> operands;
  Request arrived;
};

// Prefetches the elements of a box, in the order in which they lie. The processor does not predict many short
// runs.
void ask_for(const Operand& operand, const Box& box, const ByStride& order) {
  constexpr index_t line = 64;
  index_t run = operand.size;
  std::size_t first = 0;
  for (; first < order.size() && operand.strides[order[first]] * operand.size == run; ++first)
    run *= box.hi[order[first]] - box.lo[order[first]];
  const auto each = [&](auto&& self, std::size_t levels, const std::byte* from) -> void {
    if (levels == first) {
      for (index_t i = 0; i < run + line - 1; i += line) __builtin_prefetch(from + std::min(i, run - 1));
      return;
    }
    const std::size_t d = order[levels - 1];
    for (index_t i = box.lo[d]; i < box.hi[d]; ++i, from += operand.strides[d] * operand.size)
      self(self, levels - 1, from);
  };
  each(each, order.size(), operand.data);
}

class Walk {
 public:
  Walk(const SliceCore& target, std::span<const SliceCore> sources, const RunFunction& f)
      : target_(target), sources_(sources), f_(f), rank_(target.rank()) {
    // Once, not for each piece: this compares all blocks of irregular layouts.
    for (std::size_t s = 0; s < sources.size(); ++s)
      aligned_[s] =
          sources[s].is_aligned_with(target) && !sources[s].is_of_members() && !target.is_of_members();
  }

  void run() {
    target_.for_each_piece_of(target_.array().group().rank(), [&](const LocalPiece& piece) {
      const Operand target{piece.data, piece.strides, target_.type().size};
      if (target_.array().group().node_count() == 1 || !fetch_sources(piece.box, target))
        use(piece.box, target);
    });
    if (begun_ > 0) use(turns_[(begun_ - 1) % 2]);
  }

 private:
  // Begins to fetch the sources of a box that are not all on the node, and meanwhile uses the chunks that were
  // begun before. Returns false if there are no such sources.
  bool fetch_sources(const Box& box, const Operand& target) {
    std::array<bool, max_sources> fetched{};
    std::array<Coordinates, max_sources> strides{};
    Orders orders;
    orders.push(ByStride(box, target.strides, rank_), target.size);
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      if (aligned_[s]) continue;
      sources_[s].for_each_piece(box, [&](int, const LocalPiece& piece) {
        fetched[s] = fetched[s] || piece.data == nullptr;
        strides[s] = piece.strides;
      });
      if (fetched[s]) orders.push(ByStride(box, strides[s], rank_), sources_[s].type().size);
    }
    if (orders.count == 1) return false;
    orders.tiling(box, rank_, max_fetched).for_each([&](const Box& chunk) {
      Ahead& next = turns_[begun_++ % 2];
      next.box = chunk;
      next.target = target.from(box, chunk, rank_);
      next.fetched = fetched;
      next.arrived = Request();
      for (std::size_t s = 0; s < sources_.size(); ++s) {
        if (!fetched[s]) continue;
        const Dense dense(chunk, rank_);
        const ByStride order(chunk, strides[s], rank_);
        const Operand into = next.buffers[s].operand(chunk, order, sources_[s].type().size, rank_);
        next.arrived += sources_[s].get_async(chunk, {into.data, dense.extents.data(), into.strides.data()});
        next.operands[s] = into;
      }
      if (begun_ > 1) use(turns_[begun_ % 2]);
    });
    return true;
  }

  void use(Ahead& ahead) {
    ahead.arrived.wait();
    ahead_ = &ahead;
    use(ahead.box, ahead.target);
    ahead_ = nullptr;
  }
  void use(const Box& box, const Operand& target) {
    operands_.count = 0;
    operands_.push(target);
    add_sources(box);
  }

  // Adds the remaining sources. operands_ already holds the target and the first sources, restricted to `box`.
  void add_sources(const Box& box) {
    const std::size_t s = operands_.count - 1;
    if (s == sources_.size()) return turn(box);
    const SliceCore& source = sources_[s];
    const index_t size = source.type().size;
    if (aligned_[s]) {
      const int me = target_.array().group().rank();
      const auto* mine = static_cast<const std::byte*>(target_.array().storage(me));
      const index_t offset = (operands_.list[0].data - mine) / operands_.list[0].size;
      operands_.push({static_cast<std::byte*>(source.array().storage(me)) + offset * size,
                      operands_.list[0].strides, size});
      add_sources(box);
      --operands_.count;
    } else if (ahead_ != nullptr && ahead_->fetched[s]) {
      operands_.push(ahead_->operands[s].from(ahead_->box, box, rank_));
      add_sources(box);
      --operands_.count;
    } else {
      source.for_each_piece(box, [&](int, const LocalPiece& piece) {
        const Operands whole = operands_;
        for (std::size_t k = 0; k < operands_.count; ++k)
          operands_.list[k] = operands_.list[k].from(box, piece.box, rank_);
        operands_.push({piece.data, piece.strides, size});
        add_sources(piece.box);
        operands_ = whole;
      });
    }
  }

  // Sources that lie in another order than the target are copied into its order, a tile at a time.
  void turn(const Box& box) {
    if (operands_.count == 1 || volume(box, rank_) <= few) return call(box, operands_);
    std::array<bool, max_operands> turned{};
    Orders orders;
    orders.push(ByStride(box, operands_.list[0].strides, rank_), operands_.list[0].size);
    for (std::size_t k = 1; k < operands_.count; ++k) {
      const Operand& operand = operands_.list[k];
      const ByStride order(box, operand.strides, rank_);
      turned[k] = is_turned(orders.list[0], order, box, operand.size);
      if (turned[k]) orders.push(order, operand.size);
    }
    if (orders.count == 1) return call(box, operands_);
    const auto use = [&](const Box& tile) {
      Operands here = operands_;
      const ByStride order(tile, operands_.list[0].strides, rank_);
      for (std::size_t k = 0; k < here.count; ++k) {
        Operand& operand = here.list[k];
        operand = operand.from(box, tile, rank_);
        if (!turned[k]) continue;
        const Operand copy = turned_[k].operand(tile, order, operand.size, rank_);
        copy_operand(operand, copy, tile, rank_);
        operand = copy;
      }
      call(tile, here);
    };
    std::optional<Box> before;
    orders.tiling(box, rank_, max_turned).for_each([&](const Box& tile) {
      for (std::size_t k = 1; k < operands_.count; ++k) {
        const Operand& operand = operands_.list[k];
        if (turned[k]) ask_for(operand.from(box, tile, rank_), tile, ByStride(tile, operand.strides, rank_));
      }
      if (before) use(*before);
      before = tile;
    });
    use(*before);
  }

  void call(const Box& box, const Operands& operands) {
    const Nest nest(box, operands, rank_);
    std::array<void*, max_operands> data{};
    for (std::size_t k = 0; k < operands.count; ++k) data[k] = operands.list[k].data;
    loop(nest, nest.levels - 1, data, operands);
  }

  void loop(const Nest& nest, std::size_t level, const std::array<void*, max_operands>& begin,
            const Operands& operands) {
    const Nest::Loop& here = nest.loops[level];
    if (level == 0) return f_({begin.data(), here.strides.data(), here.count});
    std::array<void*, max_operands> data = begin;
    for (index_t i = 0; i < here.count; ++i) {
      loop(nest, level - 1, data, operands);
      for (std::size_t k = 0; k < operands.count; ++k)
        data[k] = static_cast<std::byte*>(data[k]) + here.strides[k] * operands.list[k].size;
    }
  }

  const SliceCore& target_;
  std::span<const SliceCore> sources_;
  const RunFunction& f_;
  int rank_;
  std::array<bool, max_sources> aligned_{};  // whether each source is aligned with the target
  std::array<Ahead, 2> turns_;               // one is used while the other is fetched
  std::size_t begun_ = 0;                    // how many fetches were begun so far
  const Ahead* ahead_ = nullptr;             // the one that is used
  std::array<DenseBuffer, max_operands> turned_;
  Operands operands_;
};

}  // namespace

void for_each_run(const SliceCore& target, std::span<const SliceCore> sources, const RunFunction& f) {
  Walk(target, sources, f).run();
}

std::size_t closest(const LocalPiece& piece, int rank) noexcept {
  const ByStride order(piece.box, piece.strides, rank);
  return order.size() > 0 ? order[0] : at(rank - 1);
}

void for_each_placed_run(const SliceCore& target, const std::function<void(const PlacedRun&)>& f) {
  target.for_each_piece_of(target.array().group().rank(), [&](const LocalPiece& piece) {
    const int rank = target.rank();
    const index_t size = target.type().size;
    PlacedRun run;
    run.along = static_cast<int>(closest(piece, rank));
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

}  // namespace tessera::detail
