// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <list>
#include <set>
#include <utility>
#include <vector>

#include <tessera/runtime/segment.hpp>
#include <tessera/runtime/vector.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

// A process sees its own operations on one location in program order, whatever paths they took and whether it
// waited for them.
namespace {

using namespace tessera;
using namespace tessera::test;

constexpr index_t elements = 48, element_bytes = 8, own_bytes = elements * element_bytes;

// Random operations of one process on areas that only it uses, one in every slice, and their expected results.
class OrderedPlay {
 public:
  OrderedPlay(Segment& segment, std::uint64_t seed)
      : segment_(segment),
        random_(seed),
        ranks_(segment.group().size()),
        begin_(own_bytes * segment.group().rank()),
        model_(ranks_, own_bytes) {}

  void step() {
    ++steps_;
    const index_t what = pick(random_, 0, 9);
    if (what == 0) put();
    if (what == 1) get();
    if (what == 2) accumulate();
    if (what == 3) combine();
    if (what == 4) fetch();
    if (what == 5) compare();
    if (what == 6) load();
    if (what == 7) store();
    if (what == 8) several();
    if (what == 9) wait_for_some();
    if (pick(random_, 0, 20) == 0) segment_.flush(owner());
    if (pick(random_, 0, 50) == 0) segment_.flush();
  }
  // Waits for everything. Compares the areas, and returns whether all results were right.
  testing::AssertionResult end() {
    while (!outstanding_.empty()) finish(outstanding_.begin());
    for (int rank = 0; rank < ranks_; ++rank) {
      Bytes found(at(own_bytes));
      segment_.get(rank, begin_, Strided::contiguous(own_bytes), found.data());
      compare_bytes(compared_, std::pair("at the end"sv, rank), model_.slices[at(rank)], found);
    }
    return compared_.equal();
  }
  const SliceModel& model() const noexcept { return model_; }

 private:
  // A transfer and its local memory, which stays in place until the transfer is done.
  struct Outstanding {
    int step = 0;
    Bytes local, expected;
    Request request;
    std::vector<Place> remote;
    std::vector<std::byte*> runs;
  };
  using Entry = std::list<Outstanding>::iterator;

  int owner() { return static_cast<int>(pick(random_, 0, ranks_ - 1)); }
  bool coin() { return pick(random_, 0, 1) == 1; }
  std::int64_t value() { return pick(random_, -1000, 1000); }
  Entry with_words(index_t bytes) {
    const Entry entry = outstanding_.emplace(outstanding_.end());
    entry->step = steps_;
    for (index_t i = 0; i < bytes / element_bytes; ++i) {
      const std::int64_t x = value();
      const auto* raw = reinterpret_cast<const std::byte*>(&x);
      entry->local.insert(entry->local.end(), raw, raw + element_bytes);
    }
    entry->expected = entry->local;
    return entry;
  }
  void finish(Entry entry) {
    entry->request.wait();
    compare_bytes(compared_, entry->step, entry->expected, entry->local);
    outstanding_.erase(entry);
  }
  void wait_for_some() {
    while (outstanding_.size() > 10) {
      finish(std::next(outstanding_.begin(), pick(random_, 0, static_cast<index_t>(outstanding_.size()) - 1)));
    }
  }

  void put() {
    const int rank = owner();
    const RandomTransfer t(random_, own_bytes, element_bytes);
    const Entry entry = with_words(t.local_bytes);
    const std::byte* from = entry->local.data() + t.local_begin;
    model_.put(rank, t.offset, t.shape, from);
    if (coin()) {
      entry->request = segment_.put_async(rank, begin_ + t.offset, t.shape, from);
    } else {
      segment_.put(rank, begin_ + t.offset, t.shape, from);
      finish(entry);
    }
  }
  void get() {
    const int rank = owner();
    const RandomTransfer t(random_, own_bytes, element_bytes);
    const Entry entry = with_words(t.local_bytes);
    model_.get(rank, t.offset, t.shape, entry->expected.data() + t.local_begin);
    std::byte* into = entry->local.data() + t.local_begin;
    if (coin()) {
      entry->request = segment_.get_async(rank, begin_ + t.offset, t.shape, into);
    } else {
      segment_.get(rank, begin_ + t.offset, t.shape, into);
      finish(entry);
    }
  }
  void accumulate() {
    const int rank = owner();
    const RandomTransfer t(random_, own_bytes, element_bytes);
    const Entry entry = with_words(t.local_bytes);
    const std::byte* from = entry->local.data() + t.local_begin;
    const std::int64_t alpha = coin() ? 1 : pick(random_, -2, 2);
    for_each_pair<std::int64_t>(t.shape, model_.place(rank, t.offset), from,
                                [alpha](auto old, auto x) { return old + alpha * x; });
    if (coin()) {
      entry->request =
          segment_.accumulate_async(rank, begin_ + t.offset, t.shape, ElementKind::int64, &alpha, from);
    } else {
      segment_.accumulate(rank, begin_ + t.offset, t.shape, ElementKind::int64, &alpha, from);
      finish(entry);
    }
  }
  void combine() {
    const int rank = owner();
    const RandomTransfer t(random_, own_bytes, element_bytes);
    const Entry entry = with_words(t.local_bytes);
    const std::byte* from = entry->local.data() + t.local_begin;
    const Update update = all_updates[pick(random_, 0, 2)];  // sum, min, max
    for_each_pair<std::int64_t>(t.shape, model_.place(rank, t.offset), from,
                                [update](auto old, auto x) { return updated(update, old, x); });
    segment_.accumulate(rank, begin_ + t.offset, t.shape, ElementKind::int64, update, from);
    finish(entry);
  }
  void fetch() {
    const int rank = owner();
    const index_t offset = element_bytes * pick(random_, 0, elements - 1);
    const Update update = all_updates[pick(random_, 0, 6)];
    const std::int64_t x = value(), before = element(rank, offset);
    std::int64_t old = 0;
    segment_.fetch_op(rank, begin_ + offset, ElementKind::int64, update, &x, &old);
    compared_(steps_, before, old);
    set_element(rank, offset, updated(update, before, x));
  }
  void compare() {
    if (!has_compare_exchange(segment_)) return;
    const int rank = owner();
    const index_t offset = element_bytes * pick(random_, 0, elements - 1);
    const std::int64_t before = element(rank, offset), x = value();
    std::int64_t expected = coin() ? before : before + 1;
    const bool should = expected == before;
    compared_(steps_, should,
              segment_.compare_exchange(rank, begin_ + offset, ElementKind::int64, &expected, &x));
    compared_(steps_, before, expected);
    if (should) set_element(rank, offset, x);
  }
  void load() {
    const int rank = owner();
    const index_t offset = element_bytes * pick(random_, 0, elements - 1);
    compared_(steps_, element(rank, offset), segment_.load<std::int64_t>(rank, begin_ + offset));
  }
  void store() {
    const int rank = owner();
    const index_t offset = element_bytes * pick(random_, 0, elements - 1);
    const std::int64_t x = value();
    segment_.store(rank, begin_ + offset, x);
    set_element(rank, offset, x);
  }
  // A vector transfer of a few elements at different places.
  void several() {
    std::set<std::pair<int, index_t>> places;
    for (int i = 0; i < 6; ++i) places.emplace(owner(), element_bytes * pick(random_, 0, elements - 1));
    const Entry entry = with_words(element_bytes * static_cast<index_t>(places.size()));
    const index_t what = pick(random_, 0, 2);
    const std::int64_t alpha = pick(random_, -2, 2);
    for (const auto& [rank, offset] : places) {
      entry->runs.push_back(entry->local.data() + element_bytes * static_cast<index_t>(entry->runs.size()));
      entry->remote.push_back({&segment_, rank, begin_ + offset});
      std::int64_t x = 0;
      std::memcpy(&x, entry->runs.back(), sizeof x);
      const std::int64_t before = element(rank, offset);
      if (what == 0) set_element(rank, offset, x);
      if (what == 1)
        std::memcpy(entry->expected.data() + (entry->runs.size() - 1) * element_bytes, &before, element_bytes);
      if (what == 2) set_element(rank, offset, before + alpha * x);
    }
    const Vector vector{.run = element_bytes, .remote = entry->remote, .local = entry->runs};
    const auto method = static_cast<VectorMethod>(pick(random_, 0, 3));
    if (what == 0) entry->request = put_async(vector, method);
    if (what == 1) entry->request = get_async(vector, method);
    if (what == 2) entry->request = accumulate_async(vector, ElementKind::int64, &alpha, method);
    if (coin()) finish(entry);
  }

  std::int64_t element(int rank, index_t offset) const {
    std::int64_t x = 0;
    std::memcpy(&x, model_.place(rank, offset), sizeof x);
    return x;
  }
  void set_element(int rank, index_t offset, std::int64_t x) {
    std::memcpy(model_.place(rank, offset), &x, sizeof x);
  }

  Segment& segment_;
  Random random_;
  int ranks_;
  index_t begin_;
  SliceModel model_;
  std::list<Outstanding> outstanding_;
  Comparison compared_;
  int steps_ = 0;
};

void check_order(Domain domain, std::uint64_t seed) {
  const Group& all = world();
  Segment segment(all, own_bytes * all.size(), {.name = "ordered", .domain = domain});
  zero(segment, own_bytes * all.size());
  OrderedPlay play(segment, seed + static_cast<std::uint64_t>(all.rank()));
  for (int i = 0; i < times(all, 1000, 400); ++i) play.step();
  EXPECT_TRUE(play.end());
  segment.sync();
  // The owners find the same. Each rank's area in the slice of the next rank is compared there.
  Segment expected(all, own_bytes, "expected");
  expected.put(right(), 0, Strided::contiguous(own_bytes), play.model().place(right(), 0));
  expected.sync();
  const Bytes here = own_slice(segment, own_bytes * all.size()), should = own_slice(expected, own_bytes);
  EXPECT_TRUE(same_bytes(should, {here.data() + left() * own_bytes, should.size()}));
  segment.sync();
}

TEST(ProgramOrder, random_operations_are_seen_in_program_order) {
  for (const auto& domain : domains()) check_order(domain, 600);
}

// Operations through a segment and through its part are of the same bytes, so they keep their order.
TEST(ProgramOrder, holds_between_a_segment_and_its_part) {
  constexpr index_t bytes = index_t{64} << 10;
  Segment whole(world(), 2 * bytes, {.name = "whole"});
  Segment part = whole.part(bytes, bytes, "part", 0);
  Segment inner = part.part(bytes / 2, bytes / 2, "part of the part", 0);
  const int target = (world().rank() + 1) % world().size();
  std::vector<std::int64_t> sent(at(bytes / 16)), found(sent.size());
  const Strided half = Strided::contiguous(bytes / 2);
  for (std::int64_t round = 0; round < 30; ++round) {
    std::fill(sent.begin(), sent.end(), 2 * round);
    whole.put(target, bytes + bytes / 2, half, sent.data());
    inner.get(target, 0, half, found.data());
    EXPECT_EQ(found, sent);
    std::fill(sent.begin(), sent.end(), 2 * round + 1);
    inner.put_async(target, 0, half, sent.data()).wait();
    whole.get(target, bytes + bytes / 2, half, found.data());
    EXPECT_EQ(found, sent);
    part.put(target, bytes / 2, half, found.data());
    inner.flush(target);
  }
  world().sync();
}

}  // namespace
