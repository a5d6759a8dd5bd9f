// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <numeric>
#include <vector>

#include <tessera/runtime/segment.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

// Transfers whose local memory lies in a segment, mostly in the area of the remote side. The result must be as
// if the whole source were read first.
namespace {

using namespace tessera;
using namespace tessera::test;

// Random transfers of one process between areas that only it uses, in every slice of two segments.
class OverlappingPlay {
 public:
  static constexpr index_t area = 320;

  OverlappingPlay(Domain domain, std::uint64_t seed)
      : segments_{Segment(world(), area * world().size(), {.name = "first", .domain = domain}),
                  Segment(world(), area * world().size(), {.name = "second", .domain = domain})},
        random_(seed + static_cast<std::uint64_t>(world().rank())),
        begin_(area * world().rank()) {
    for (std::size_t s = 0; s < 2; ++s) {
      zero(segments_[s], area * world().size());
      models_.emplace_back(world().size(), area);
      for (int rank = 0; rank < world().size(); ++rank) renew({s, rank});
    }
    for (int rank = 0; rank < world().size(); ++rank) {
      if (world().on_node(rank)) near_.push_back(rank);
    }
  }

  // A put or a get of bytes.
  void copy_something() {
    const Transfer t(*this, pick(random_, 1, 16), 1);
    const bool puts = coin(), later = coin();
    const Bytes source = model(puts ? t.local : t.remote);  // all of it, before anything is written
    Bytes& target = model(puts ? t.remote : t.local);
    for_each_run(t.shape.shape, [&](index_t remote, index_t local) {
      const index_t there = t.shape.offset + remote, here = t.from + local;
      std::copy_n(source.begin() + (puts ? here : there), t.shape.shape.run,
                  target.begin() + (puts ? there : here));
    });
    Segment& segment = segments_[t.remote.segment];
    const index_t offset = begin_ + t.shape.offset;
    order();
    if (later) {
      Request request = puts ? segment.put_async(t.remote.rank, offset, t.shape.shape, t.memory)
                             : segment.get_async(t.remote.rank, offset, t.shape.shape, t.memory);
      request.wait();
    } else if (puts) {
      segment.put(t.remote.rank, offset, t.shape.shape, t.memory);
    } else {
      segment.get(t.remote.rank, offset, t.shape.shape, t.memory);
    }
    compare(t);
  }

  // An accumulate of words: sums, minima or maxima.
  void accumulate_something() {
    const Transfer t(*this, 8, 8);
    const index_t what = pick(random_, 0, 2);
    const std::int64_t alpha = coin() ? 1 : -2;
    const Update update = coin() ? Update::min : Update::max;
    const Bytes source = model(t.local);
    for_each_pair<std::int64_t>(
        t.shape.shape, model(t.remote).data() + t.shape.offset, source.data() + t.from,
        [&](auto old, auto x) { return what < 2 ? old + alpha * x : updated(update, old, x); });
    Segment& segment = segments_[t.remote.segment];
    const index_t offset = begin_ + t.shape.offset;
    order();
    if (what == 0)
      segment.accumulate(t.remote.rank, offset, t.shape.shape, ElementKind::int64, &alpha, t.memory);
    if (what == 1)
      segment.accumulate_async(t.remote.rank, offset, t.shape.shape, ElementKind::int64, &alpha, t.memory)
          .wait();
    if (what == 2)
      segment.accumulate(t.remote.rank, offset, t.shape.shape, ElementKind::int64, update, t.memory);
    compare(t);
    // Sums of sums would soon be too large.
    if (is_large(model(t.remote))) renew(t.remote);
  }

  // Whether the areas of every transfer were right.
  testing::AssertionResult equal() const { return compared_.equal(); }
  // How many transfers had both sides in one area.
  int met() const noexcept { return met_; }
  void sync() const {
    for (const Segment& segment : segments_) segment.sync();
  }

 private:
  struct Area {
    std::size_t segment;
    int rank;
    friend bool operator==(const Area&, const Area&) = default;
  };
  struct Transfer {
    Area remote, local;
    RandomTransfer shape;
    index_t from;  // in the local area: the first element
    std::byte* memory;

    Transfer(OverlappingPlay& play, index_t element, index_t unit)
        : remote(play.any_area()), local(play.any_area_near(remote)), shape(play.any_shape(element)) {
      from = pick(play.random_, 0, (area - shape.local_bytes) / unit) * unit + shape.local_begin;
      memory = play.segments_[local.segment].address(local.rank) + play.begin_ + from;
      play.met_ += static_cast<int>(local == remote);
    }
  };

  bool coin() { return pick(random_, 0, 1) == 1; }
  Bytes& model(const Area& a) { return models_[a.segment].slices[at(a.rank)]; }
  Area any_area() {
    const auto segment = static_cast<std::size_t>(pick(random_, 0, 1));
    return {segment, static_cast<int>(pick(random_, 0, world().size() - 1))};
  }
  // An area that has a local address, mostly the area of the other side.
  Area any_area_near(const Area& other) {
    if (world().on_node(other.rank) && pick(random_, 0, 2) > 0) return other;
    const auto segment = static_cast<std::size_t>(pick(random_, 0, 1));
    return {segment, near_[at(pick(random_, 0, static_cast<index_t>(near_.size()) - 1))]};
  }
  // Neither side overlaps itself, and both fit the area.
  RandomTransfer any_shape(index_t element) {
    for (;;) {
      RandomTransfer shape(random_, area, element);
      if (shape.local_bytes <= area) return shape;
    }
  }
  void order() const {
    for (const Segment& segment : segments_) segment.order_local_access();
  }
  void renew(const Area& a) {
    for (index_t i = 0; i < area; i += 8) {
      const std::int64_t x = pick(random_, -1000, 1000);
      std::memcpy(model(a).data() + i, &x, sizeof x);
    }
    segments_[a.segment].put(a.rank, begin_, Strided::contiguous(area), model(a).data());
    segments_[a.segment].flush(a.rank);
  }
  static bool is_large(const Bytes& words) {
    for (index_t i = 0; i < area; i += 8) {
      std::int64_t x = 0;
      std::memcpy(&x, words.data() + i, sizeof x);
      if (x > index_t{1} << 50 || x < -(index_t{1} << 50)) return true;
    }
    return false;
  }
  void compare(const Transfer& t) {
    order();
    for (const Area& a : {t.remote, t.local}) {
      Bytes found(at(area));
      segments_[a.segment].get(a.rank, begin_, Strided::contiguous(area), found.data());
      compare_bytes(compared_, std::tuple(transfers_, a.segment, a.rank), model(a), found);
    }
    ++transfers_;
  }

  Segment segments_[2];
  std::vector<SliceModel> models_;
  Random random_;
  index_t begin_;
  std::vector<int> near_;
  Comparison compared_;
  int transfers_ = 0, met_ = 0;
};

TEST(Overlap, copies_read_the_whole_source_first) {
  OverlappingPlay play(std::nullopt, 50);
  for (int i = 0; i < times(world(), 800, 300); ++i) play.copy_something();
  EXPECT_TRUE(play.equal());
  EXPECT_GT(play.met(), 50 / world().size());
  play.sync();
}

TEST(Overlap, updates_read_the_whole_source_first) {
  for (const Domain& domain : domains()) {
    OverlappingPlay play(domain, 60);
    for (int i = 0; i < times(world(), 500, 200); ++i) play.accumulate_something();
    EXPECT_TRUE(play.equal());
    EXPECT_GT(play.met(), 30 / world().size());
    play.sync();
  }
}

// Three rows up or down in a matrix, in place. Each row is source and target.
TEST(Overlap, rows_move_in_a_large_slice) {
  const Group& all = world();
  constexpr index_t rows = 500, columns = 300, pitch = 320;
  Segment segment(all, rows * pitch * 8, "matrix");
  // Only one process may move rows of a slice. Each works on the slice of the next process on its node.
  const std::vector<int> near = all.ranks_on_node(all.node_of(all.rank()));
  const int owner = near[at(all.node().rank() + 1) % near.size()];
  for (const index_t by : {-3, 3}) {
    std::vector<double> numbers(at(rows * pitch));
    std::iota(numbers.begin(), numbers.end(), all.rank() * 1e6);
    segment.put(all.rank(), 0, Strided::contiguous(rows * pitch * 8), numbers.data());
    segment.sync();
    std::iota(numbers.begin(), numbers.end(), owner * 1e6);
    auto* memory = reinterpret_cast<double*>(segment.address(owner));
    const index_t first = std::max<index_t>(0, -by), last = std::min(rows, rows - by);
    const Strided shape{.run = columns * 8,
                        .levels = 1,
                        .count = {last - first},
                        .remote_stride = {pitch * 8},
                        .local_stride = {pitch * 8}};
    segment.put(owner, (first + by) * pitch * 8, shape, memory + first * pitch);
    segment.flush();
    segment.order_local_access();
    Comparison compared;
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < pitch; ++j) {
        const bool moved = j < columns && i - by >= first && i - by < last;
        compared(std::pair(i, j), numbers[at((moved ? i - by : i) * pitch + j)], memory[i * pitch + j]);
      }
    }
    EXPECT_TRUE(compared.equal()) << "by " << by;
    segment.sync();
  }
}

}  // namespace
