// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <complex>
#include <cstring>
#include <deque>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/runtime/batch.hpp>
#include <tessera/runtime/error.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

// Many small operations sent as few, checked against a model that makes them one by one.
namespace {

using namespace tessera;
using namespace tessera::test;

constexpr index_t words = 400, word = 8;

// Each rank works on words of its own in every slice of two segments.
class Player {
 public:
  Player(Segment& a, Segment& b, std::uint64_t seed)
      : segments_{&a, &b},
        models_{SliceModel(world().size(), words * word), SliceModel(world().size(), words * word)},
        random_(seed + static_cast<std::uint64_t>(world().rank())) {}

  void add(Batch& batch) {
    const auto which = static_cast<std::size_t>(pick(random_, 0, 1));
    const int rank = static_cast<int>(pick(random_, 0, world().size() - 1));
    const index_t n = pick(random_, 1, 5), begin = pick(random_, 0, words - n);
    const index_t offset = (world().rank() * words + begin) * word;
    std::byte* model = models_[which].place(rank, begin * word);
    std::vector<std::int64_t> data(at(n));
    for (auto& x : data) x = pick(random_, -1000, 1000);
    Segment& segment = *segments_[which];
    const Strided run = Strided::contiguous(n * word);
    switch (pick(random_, 0, 3)) {
      case 0:
        batch.put(segment, rank, offset, data.data(), n * word);
        std::memcpy(model, data.data(), at(n * word));
        break;
      case 1: {
        auto& [found, expected] =
            results_.emplace_back(std::vector<std::int64_t>(at(n)), std::vector<std::int64_t>(at(n)));
        batch.get(segment, rank, offset, found.data(), n * word);
        std::memcpy(expected.data(), model, at(n * word));
        break;
      }
      case 2: {
        const std::int64_t factor = pick(random_, -3, 3);
        batch.accumulate(segment, rank, offset, ElementKind::int64, &factor, data.data(), n * word);
        for_each_pair<std::int64_t>(run, model, reinterpret_cast<const std::byte*>(data.data()),
                                    [&](std::int64_t x, std::int64_t y) { return x + factor * y; });
        break;
      }
      default: {
        auto& [found, expected] =
            results_.emplace_back(std::vector<std::int64_t>(1), std::vector<std::int64_t>(1));
        const bool wanted = pick(random_, 0, 3) > 0;
        batch.fetch_add(segment, rank, offset, ElementKind::int64, data.data(),
                        wanted ? found.data() : nullptr);
        std::int64_t old;
        std::memcpy(&old, model, word);
        expected[0] = wanted ? old : 0;
        old += data[0];
        std::memcpy(model, &old, word);
      }
    }
    std::fill(data.begin(), data.end(), -7);  // ours again
  }
  void check() {
    Comparison compared;
    for (std::size_t i = 0; i < results_.size(); ++i) compared(i, results_[i].second, results_[i].first);
    EXPECT_TRUE(compared.equal());
    results_.clear();
    for (std::size_t which : {0U, 1U}) {
      for (int rank = 0; rank < world().size(); ++rank) {
        Bytes found(at(words * word));
        segments_[which]->get(rank, world().rank() * words * word, Strided::contiguous(words * word),
                              found.data());
        EXPECT_TRUE(same_bytes(models_[which].slices[at(rank)], found))
            << "segment " << which << " at rank " << rank;
      }
    }
  }

 private:
  Segment* segments_[2];
  SliceModel models_[2];
  Random random_;
  // Found and expected values. The deque does not move them.
  std::deque<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> results_;
};

TEST(Batch, random_operations_equal_those_made_one_by_one) {
  const index_t bytes = words * word * world().size();
  for (const auto& domain : domains()) {
    Segment a(world(), bytes, {.name = "first", .domain = domain}), b(world(), bytes, {.name = "second"});
    zero(a, bytes);
    zero(b, bytes);
    Player player(a, b, 11);
    Batch batch;
    for (int round = 0; round < 6; ++round) {
      for (index_t i = 0; i < (round == 0 ? 0 : 5 << (2 * round)); ++i) player.add(batch);
      if (round % 2 == 0) {
        batch.send();
      } else {
        Request request = batch.send_async();
        while (!request.test()) {
        }
      }
      player.check();
    }
    a.sync();
    b.sync();
  }
}

// On a node updates wait for later ones. They must still come in order, each with its own old value.
template <class T>
void expect_updates_in_order(ElementKind kind, const std::vector<Update>& updates) {
  constexpr index_t places = 7;
  const index_t size = sizeof(T), slice = places * world().size();
  Segment segment(world(), slice * size, "in turn");
  zero(segment, slice * size);
  Random random(3 + static_cast<std::uint64_t>(world().rank()));
  std::vector<std::vector<T>> model(at(world().size()), std::vector<T>(at(places)));
  std::vector<T> found(500), expected(500);
  Batch batch;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const int rank = static_cast<int>(pick(random, 0, world().size() - 1));
    const index_t place = pick(random, 0, places - 1);
    const index_t offset = (world().rank() * places + place) * size;
    T value = static_cast<T>(static_cast<float>(pick(random, -50, 50)));
    T& element = model[at(rank)][at(place)];
    expected[i] = element;
    if (i % 40 == 39) {  // between updates of the same element
      batch.put(segment, rank, offset, &value, size);
      element = found[i] = expected[i] = value;
    } else {
      const Update update = updates[at(pick(random, 0, static_cast<index_t>(updates.size()) - 1))];
      batch.fetch_op(segment, rank, offset, kind, update, &value, &found[i]);
      if (update == Update::sum) element += value;
      if (update == Update::replace) element = value;
      if constexpr (std::is_arithmetic_v<T>) {
        if (update == Update::min) element = std::min(element, value);
        if (update == Update::max) element = std::max(element, value);
      }
    }
    value = T(-7);  // ours again
    if (i % 180 == 179) batch.send();
  }
  batch.send();
  segment.sync();
  EXPECT_EQ(found, expected);
  for (int rank = 0; rank < world().size(); ++rank) {
    std::vector<T> now(at(places));
    segment.get(rank, world().rank() * places * size, Strided::contiguous(places * size), now.data());
    EXPECT_EQ(now, model[at(rank)]) << "at rank " << rank;
  }
  segment.sync();
}

TEST(Batch, updates_keep_their_order_and_fetch_old_values) {
  const std::vector<Update> all{Update::sum, Update::replace, Update::min, Update::max};
  expect_updates_in_order<std::int32_t>(ElementKind::int32, all);
  expect_updates_in_order<std::int64_t>(ElementKind::int64, all);
  expect_updates_in_order<float>(ElementKind::float32, all);
  expect_updates_in_order<double>(ElementKind::float64, all);
  expect_updates_in_order<std::complex<double>>(ElementKind::complex128, {Update::sum, Update::replace});
}

TEST(Batch, is_sent_when_it_goes_and_flushed_with_its_segment) {
  const int right = (world().rank() + 1) % world().size();
  Segment segment(world(), 8 * 1000, "filled");
  zero(segment, 8 * 1000);
  {
    Batch batch, other;
    for (index_t i = 0; i < 1000; ++i) {
      const double value = static_cast<double>(world().rank() * 1000 + i);
      batch.put(segment, right, 8 * i, &value, 8);
    }
    segment.flush();  // a flush before the batch is sent loses nothing
    other = std::move(batch);
  }
  segment.sync();
  const int left = (world().rank() + world().size() - 1) % world().size();
  Comparison compared;
  for (index_t i = 0; i < 1000; ++i)
    compared(i, static_cast<double>(left * 1000 + i), segment.load<double>(world().rank(), 8 * i));
  EXPECT_TRUE(compared.equal());
  segment.sync();
}

TEST(Batch, adds_of_all_ranks_to_the_same_words_lose_nothing) {
  Segment segment(world(), 64 * word, "sums");
  zero(segment, 64 * word);
  {
    Batch batch;
    const std::int64_t one = 1, two = 2;
    for (int i = 0; i < 640; ++i) {
      batch.accumulate(segment, 0, word * (i % 64), ElementKind::int64, &two, &one, word);
      segment.accumulate(0, word * (i % 64), Strided::contiguous(word), ElementKind::int64, &one, &one);
      batch.fetch_add(segment, 0, word * (i % 64), ElementKind::int64, &one, nullptr);
    }
  }
  segment.sync();
  for (index_t i = 0; i < 64; ++i)
    EXPECT_EQ(segment.load<std::int64_t>(0, word * i), 40 * world().size()) << "word " << i;
  segment.sync();
}

TEST(Batch, large_runs_and_runs_of_no_bytes_arrive) {
  constexpr index_t large = 3 << 17;
  Segment segment(world(), 2 * large, "large");
  zero(segment, 2 * large);
  Random random(5);
  const int right = (world().rank() + 1) % world().size();
  const Bytes data = random_bytes(random, large);
  Bytes found(large);
  Batch batch;
  batch.put(segment, right, 0, data.data(), 0);
  batch.put(segment, right, large, data.data(), large);
  batch.send();
  batch.get(segment, right, large, found.data(), large);
  batch.send();
  EXPECT_TRUE(same_bytes(data, found));
  segment.sync();
}

TEST(Batch, what_is_large_stays_behind_what_came_before) {
  constexpr index_t large = 70000, bytes = 1 << 17;
  Segment segment(world(), bytes, "in order");
  zero(segment, bytes);
  Random random(6);
  const int right = (world().rank() + 1) % world().size();
  const Bytes data = random_bytes(random, large);
  Bytes found(large);
  const std::int64_t old = -1, next = 42;
  Batch batch;
  batch.put(segment, right, 0, &old, word);
  batch.put(segment, right, 0, data.data(), large);
  batch.send();
  segment.flush();
  segment.get(right, 0, Strided::contiguous(large), found.data());
  EXPECT_TRUE(same_bytes(data, found)) << "the put of 8 bytes came after the large one";
  batch.put(segment, right, 0, &next, word);
  batch.get(segment, right, 0, found.data(), large);
  batch.send();
  std::int64_t seen = 0;
  std::memcpy(&seen, found.data(), word);
  EXPECT_EQ(seen, next) << "the large get came before the put of 8 bytes";
  segment.sync();
}

TEST(Batch, results_that_nobody_wants_need_no_batch) {
  Segment segment(world(), 64 * word, "unwanted");
  zero(segment, 64 * word);
  const int right = (world().rank() + 1) % world().size();
  Request request;
  {
    Batch batch;
    const std::int64_t one = 1;
    for (index_t i = 0; i < 64; ++i)
      batch.fetch_add(segment, right, word * i, ElementKind::int64, &one, nullptr);
    request = batch.send_async();
  }
  std::vector<std::byte> where_the_batch_was(4096, std::byte{7});
  request.wait();
  segment.sync();
  for (index_t i = 0; i < 64; ++i) EXPECT_EQ(segment.load<std::int64_t>(world().rank(), word * i), 1);
  EXPECT_EQ(where_the_batch_was, std::vector<std::byte>(4096, std::byte{7}));
  segment.sync();
}

TEST(Batch, one_that_is_assigned_sends_what_it_had) {
  Segment segment(world(), 2 * word, "assigned");
  zero(segment, 2 * word);
  const int right = (world().rank() + 1) % world().size();
  const std::int64_t first = 11, second = 22;
  {
    Batch batch, other;
    batch.put(segment, right, 0, &first, word);
    other.put(segment, right, word, &second, word);
    batch = std::move(other);
  }
  segment.sync();
  EXPECT_EQ(segment.load<std::int64_t>(world().rank(), 0), first);
  EXPECT_EQ(segment.load<std::int64_t>(world().rank(), word), second);
  segment.sync();
}

// One request for several segments. The flush of each segment waits for it.
TEST(Batch, of_several_segments_is_flushed_with_each) {
  Segment first(world(), 64 * word, "first"), second(world(), 64 * word, "second");
  const int me = world().rank(), right = (me + 1) % world().size();
  for (index_t i = 0; i < 64; ++i) {
    const std::int64_t value = 100 * me + i;
    first.store(me, word * i, value);
    second.store(me, word * i, -value);
  }
  world().sync();
  for (int round = 0; round < 20; ++round) {
    std::vector<std::int64_t> a(64, 7), b(64, 7);
    Batch batch;
    for (index_t i = 0; i < 64; ++i) {
      const auto at = static_cast<std::size_t>(i);
      batch.get(first, right, word * i, &a[at], word);
      batch.get(second, right, word * i, &b[at], word);
    }
    Request request = batch.send_async();
    second.flush(right);
    EXPECT_EQ(b[63], -(100 * right + 63));
    request.wait();
    EXPECT_EQ(a[63], 100 * right + 63);
  }
  world().sync();
}

TEST(Batch, bad_operations_throw_at_once) {
  const Group& all = world();
  Segment segment(all, 64, "refusing");
  zero(segment, 64);
  Batch batch;
  std::int64_t value = 1;
  std::vector<std::int64_t> found(static_cast<std::size_t>(all.size()));
  const double alpha = 1.0;
  const std::int64_t zero_word = 0;
  for (int rank = 0; rank < all.size(); ++rank) {
    EXPECT_THROW(batch.put(segment, rank, 60, &value, 8), UsageError);
    EXPECT_THROW(batch.get(segment, rank, -1, &value, 8), UsageError);
    EXPECT_THROW(batch.accumulate(segment, rank, 4, ElementKind::float64, &alpha, &value, 8), UsageError);
    EXPECT_THROW(batch.accumulate(segment, rank, 8, ElementKind::bytes, &alpha, &value, 8), UsageError);
    EXPECT_THROW(batch.fetch_op(segment, rank, 8, ElementKind::float64, Update::bit_or, &alpha, &value),
                 UsageError);
    EXPECT_THROW(batch.fetch_add(segment, rank, 4, ElementKind::int64, &value, &value), UsageError);
  }
  EXPECT_THROW(batch.put(segment, all.size(), 0, &value, 8), UsageError);
  EXPECT_THROW(batch.put(segment, -1, 0, &value, 8), UsageError);
  // These take the path of the last operation, whose place was valid.
  constexpr index_t least = std::numeric_limits<index_t>::min();
  for (int rank = 0; rank < all.size(); ++rank) {
    batch.get(segment, rank, 8, &found[static_cast<std::size_t>(rank)], 8);  // no rank changes it
    for (const index_t bytes : {index_t{-8}, least}) {
      EXPECT_THROW(batch.get(segment, rank, 0, &value, bytes), UsageError);
      EXPECT_THROW(batch.put(segment, rank, 0, &value, bytes), UsageError);
      EXPECT_THROW(batch.accumulate(segment, rank, 0, ElementKind::float64, &alpha, &value, bytes), UsageError);
    }
    batch.accumulate(segment, rank, 0, ElementKind::int64, &zero_word, &zero_word, 8);
    EXPECT_THROW(batch.put(segment, rank, 0, &value, -8), UsageError);
    EXPECT_THROW(batch.accumulate(segment, rank, 0, ElementKind::int64, &zero_word, &zero_word, -8),
                 UsageError);
    EXPECT_THROW(batch.fetch_add(segment, rank, -8, ElementKind::int64, &zero_word, nullptr), UsageError);
  }
  EXPECT_THROW(batch.put(segment, all.size(), 0, nullptr, 0), UsageError);
  EXPECT_THROW(batch.get(segment, -1, 0, nullptr, 0), UsageError);
  EXPECT_THROW(batch.accumulate(segment, -1, 0, ElementKind::int64, &zero_word, nullptr, 0), UsageError);
  batch.send();
  segment.sync();
  EXPECT_EQ(own_slice(segment, 64), Bytes(64));
  segment.sync();
}

// What a batch holds must not reach the memory of a segment that is closed: another segment may have it.
TEST(Batch, refuses_to_send_what_is_for_a_closed_segment) {
  const int next = (world().rank() + 1) % world().size();
  for (const bool by_send : {true, false}) {
    Segment closed(world(), words * word, {.name = "closed"}), open(world(), words * word);
    zero(open, words * word);
    const std::int64_t one = 1;
    Batch batch;
    batch.update(closed, next, 0, ElementKind::int64, Update::sum, &one);
    batch.accumulate(closed, next, word, ElementKind::int64, &one, &one, word);
    batch.update(open, next, 0, ElementKind::int64, Update::sum, &one);
    closed.close();
    const auto go_on = [&] {
      by_send ? batch.send() : batch.update(open, next, word, ElementKind::int64, Update::sum, &one);
    };
    EXPECT_THROW(go_on(), UsageError);
    // It can be used again, and nothing that was lost is done later.
    batch.update(open, next, 2 * word, ElementKind::int64, Update::sum, &one);
    batch.send();
    open.sync();
    std::int64_t found[3];
    open.get(world().rank(), 0, Strided::contiguous(sizeof found), found);
    EXPECT_LE(found[0], 1) << "what MPI does was done at once";
    EXPECT_EQ(found[1], 0) << by_send;
    EXPECT_EQ(found[2], 1) << by_send;
    open.sync();
  }
}

}  // namespace
