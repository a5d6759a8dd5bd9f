// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <sched.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/request.hpp>
#include <tessera/runtime/segment.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

// A transfer in flight with its local memory.
struct Transfer {
  RandomTransfer shape;
  Bytes local;
  Request request;
  std::byte* begin() { return local.data() + shape.local_begin; }
};

// One rank starts random transfers to random owners. It ends them in another order, in every possible way.
TEST(Request, random_transfers_end_in_any_order_and_way) {
  const Group& all = world();
  constexpr index_t bytes = 4000;
  Segment segment(all, bytes, "bytes");
  zero(segment, bytes);
  SliceModel model(all.size(), bytes);
  Random random(21);
  Comparison compared;
  for (int round = 0; round < 12; ++round) {
    const auto writer = static_cast<int>(pick(random, 0, all.size() - 1));
    std::vector<Transfer> puts, gets;
    for (int i = 0; i < 10; ++i) {
      const auto owner = static_cast<int>(pick(random, 0, all.size() - 1));
      Transfer& t = puts.emplace_back(Transfer{RandomTransfer(random, bytes, pick(random, 1, 16)), {}, {}});
      t.local = random_bytes(random, t.shape.local_bytes);
      model.put(owner, t.shape.offset, t.shape.shape, t.begin());
      if (writer == all.rank()) t.request = segment.put_async(owner, t.shape.offset, t.shape.shape, t.begin());
    }
    std::shuffle(puts.begin(), puts.end(), random);
    for (Transfer& t : puts) {
      const index_t how = pick(random, 0, 3);
      if (how == 0) t.request.wait();
      if (how == 1) std::move(t.request).detach();
      while (how == 2 && !t.request.test()) sched_yield();
      if (how == 3 && &t != &puts.front()) puts.front().request += std::move(t.request);
    }
    puts.front().request.wait();
    segment.sync();
    compare_bytes(compared, std::pair("puts"sv, round), model.slices[at(all.rank())],
                  own_slice(segment, bytes));
    Random own(random() + static_cast<std::uint64_t>(all.rank()));
    std::vector<Bytes> expected;
    for (int i = 0; i < 6; ++i) {
      const auto owner = static_cast<int>(pick(own, 0, all.size() - 1));
      Transfer& t = gets.emplace_back(Transfer{RandomTransfer(own, bytes, pick(own, 1, 16)), {}, {}});
      t.local = random_bytes(own, t.shape.local_bytes);
      expected.push_back(t.local);  // gaps stay as they are
      model.get(owner, t.shape.offset, t.shape.shape, expected.back().data() + t.shape.local_begin);
      t.request = segment.get_async(owner, t.shape.offset, t.shape.shape, t.begin());
    }
    for (std::size_t i = gets.size(); i-- > 0;) {
      gets[i].request.wait();
      compare_bytes(compared, std::tuple("get"sv, round, i), expected[i], gets[i].local);
    }
    segment.sync();
  }
  EXPECT_TRUE(compared.equal());
}

// No other member takes part in the flush. The barrier alone completes nothing.
TEST(Flush, of_a_group_completes_what_this_process_left_under_way) {
  const Group& all = world();
  constexpr index_t count = 3000, bytes = count * index_t{sizeof(std::int64_t)};
  Segment one(all, bytes, "one"), two(all, bytes, "two");
  Group same = all.split(0, all.rank());
  Segment other(same, bytes, "of another group");
  std::vector<std::int64_t> sent(at(count));
  for (int round = 0; round < times(all, 20, 5); ++round) {
    std::iota(sent.begin(), sent.end(), 10'000 * all.rank() + round);
    for (Segment* segment : {&one, &two, &other})
      segment->put_async(right(), 0, Strided::contiguous(bytes), sent.data()).detach();
    const auto untouched = other.statistics().flushes;
    all.flush();
    EXPECT_EQ(other.statistics().flushes, untouched);
    same.flush();
    all.barrier();
    for (Segment* segment : {&one, &two, &other}) {
      const auto* mine = reinterpret_cast<const std::int64_t*>(segment->address(all.rank()));
      segment->order_local_access();
      EXPECT_EQ(mine[0], 10'000 * left() + round);
      EXPECT_EQ(mine[count - 1], 10'000 * left() + round + count - 1);
    }
    all.barrier();
  }
  other.close();
  same.close();
  EXPECT_THROW(same.flush(), UsageError);
}

TEST(Request, thousands_may_be_under_way_at_once) {
  const Group& all = world();
  const index_t count = all.rank() == 0 ? 3000 : 3000 / all.size();
  Segment segment(all, 3000 * 8 * all.size(), "many");
  zero(segment, 3000 * 8 * all.size());
  std::vector<std::int64_t> values(at(count)), found(at(count), 0);
  std::iota(values.begin(), values.end(), 1000000 * all.rank());
  Random random(22 + static_cast<std::uint64_t>(all.rank()));
  auto place = [&](index_t i) { return (3000 * all.rank() + i) * 8; };
  std::vector<Request> requests;
  for (index_t i = 0; i < count; ++i)
    requests.push_back(
        segment.put_async(static_cast<int>(i % all.size()), place(i), Strided::contiguous(8), &values[at(i)]));
  std::shuffle(requests.begin(), requests.end(), random);
  wait_all(requests);
  for (Request& request : requests) EXPECT_TRUE(request.test());
  requests.clear();
  for (index_t i = 0; i < count; ++i)
    requests.push_back(
        segment.get_async(static_cast<int>(i % all.size()), place(i), Strided::contiguous(8), &found[at(i)]));
  std::reverse(requests.begin(), requests.end());
  wait_all(requests);
  EXPECT_EQ(found, values);
  segment.sync();
  // The owners check what rank 0 has put.
  Comparison compared;
  for (index_t i = all.rank(); i < 3000; i += all.size())
    compared(i, i, segment.load<std::int64_t>(all.rank(), 8 * i));
  EXPECT_TRUE(compared.equal());
  const double one = 1;
  std::vector<double> terms(at(count), 1);
  requests.clear();
  segment.sync();
  zero(segment, 64);
  for (index_t i = 0; i < count; ++i)
    requests.push_back(segment.accumulate_async(static_cast<int>(i % all.size()), 8 * (i % 3),
                                                Strided::contiguous(8), ElementKind::float64, &one,
                                                &terms[at(i)]));
  wait_all(requests);
  segment.sync();
  double sum = 0;
  for (index_t i = 0; i < 3; ++i) sum += segment.load<double>(all.rank(), 8 * i);
  EXPECT_EQ(all.all_reduce(sum, Reduce::sum), static_cast<double>(all.all_reduce(count, Reduce::sum)));
  segment.sync();
}

TEST(Request, a_request_of_nothing_is_done) {
  Request none;
  none.wait();
  EXPECT_TRUE(none.test());
  std::move(none).detach();
  Request a, b;
  a += std::move(b);
  EXPECT_TRUE(a.test());
  wait_all({});
  std::vector<Request> several(3);
  wait_all(several);
}

// Every way to end a request. Afterwards the local memory is the caller's again.
TEST(Request, the_destructor_waits_as_does_assignment) {
  const Group& all = world();
  constexpr index_t count = 3000;
  Segment segment(all, 2 * count * 8, "ended");
  std::vector<double> first(count, 1.0 + all.rank()), second(count, -1.0 - all.rank()), found(count, 0);
  const Strided whole = Strided::contiguous(count * 8);
  { const Request request = segment.put_async(right(), 0, whole, first.data()); }
  std::fill(first.begin(), first.end(), 0.0);
  Request request = segment.put_async(right(), count * 8, whole, second.data());
  { const Request taken = std::move(request); }
  std::fill(second.begin(), second.end(), 0.0);
  segment.sync();
  { const Request got = segment.get_async(all.rank(), 0, whole, found.data()); }
  EXPECT_EQ(found, std::vector<double>(count, 1.0 + left()));
  request = segment.get_async(left(), 0, whole, first.data());
  request = segment.get_async(left(), count * 8, whole, second.data());
  const int before = (left() + all.size() - 1) % all.size();
  EXPECT_EQ(first, std::vector<double>(count, 1.0 + before));  // replaced by another request, so it is done
  request.wait();
  EXPECT_EQ(second, std::vector<double>(count, -1.0 - before));
  segment.sync();
}

TEST(Request, joined_requests_are_done_with_the_last) {
  const Group& all = world();
  Segment segment(all, 800, "joined");
  std::vector<std::int64_t> sent(100), found(100, -1);
  std::iota(sent.begin(), sent.end(), 100 * all.rank());
  Request every;
  for (index_t i = 0; i < 100; ++i)
    every += segment.put_async(right(), 8 * i, Strided::contiguous(8), &sent[at(i)]);
  every.wait();
  EXPECT_TRUE(every.test());
  segment.sync();
  Request odd = segment.get_async(all.rank(), 8, Strided::contiguous(8), &found[1]);
  every = segment.get_async(all.rank(), 0, Strided::contiguous(8), found.data());
  for (index_t i = 2; i < 100; ++i)
    (i % 2 == 0 ? every : odd) += segment.get_async(all.rank(), 8 * i, Strided::contiguous(8), &found[at(i)]);
  every += std::move(odd);
  while (!every.test()) sched_yield();
  for (index_t i = 0; i < 100; ++i) EXPECT_EQ(found[at(i)], 100 * left() + i);
  segment.sync();
}

TEST(Request, detached_ones_are_completed_by_flush_sync_and_close) {
  const Group& all = world();
  Segment segment(all, 64, "detached");
  Segment closing(all, 64, "closing");
  const std::int64_t a = 10 + all.rank(), b = 20 + all.rank();
  std::int64_t found = -1, more = -1, last = -1;
  segment.put_async(right(), 0, Strided::contiguous(8), &a).detach();
  segment.flush(right());
  all.barrier();
  segment.get_async(all.rank(), 0, Strided::contiguous(8), &found).detach();
  segment.flush();
  EXPECT_EQ(found, 10 + left());
  segment.put_async(right(), 8, Strided::contiguous(8), &b).detach();
  segment.sync();
  segment.get_async(left(), 8, Strided::contiguous(8), &more).detach();
  segment.sync();
  EXPECT_EQ(more, 20 + (left() + all.size() - 1) % all.size());
  closing.store(right(), 0, a);
  closing.sync();
  closing.get_async(left(), 0, Strided::contiguous(8), &last).detach();
  closing.close();
  EXPECT_EQ(last, 10 + (left() + all.size() - 1) % all.size());
  // A request that is still held is done, too.
  Request held = segment.get_async(right(), 0, Strided::contiguous(8), &last);
  segment.close();
  held.wait();
  EXPECT_EQ(last, 10 + all.rank());
  all.sync();
}

TEST(Request, transfers_keep_program_order_with_what_follows) {
  const Group& all = world();
  constexpr index_t count = 2000;
  Segment segment(all, count * 8, "followed");
  const Strided whole = Strided::contiguous(count * 8);
  const std::vector<double> ones(count, 1), twos(count, 2);
  for (int round = 0; round < 5; ++round) {
    std::vector<double> old(count, 0), now(count, 0);
    segment.put(right(), 0, whole, ones.data());
    // The get comes first, so it reads the values from before the put.
    Request got = segment.get_async(right(), 0, whole, old.data());
    Request sent = segment.put_async(right(), 0, whole, twos.data());
    segment.get(right(), 0, whole, now.data());
    EXPECT_EQ(now, twos);
    got.wait();
    EXPECT_EQ(old, ones);
    // The accumulates follow the put and each other. The fetch_add comes after them.
    const double half = 0.5;
    Request first = segment.accumulate_async(right(), 0, whole, ElementKind::float64, &half, ones.data());
    Request second = segment.accumulate_async(right(), 0, whole, ElementKind::float64, &half, twos.data());
    double before = 0;
    segment.fetch_add(right(), 8, ElementKind::float64, &half, &before);
    EXPECT_EQ(before, 3.5);
    EXPECT_EQ(segment.load<double>(right(), 8 * (count - 1)), 3.5);
    segment.store(right(), 0, 9.0);
    first += std::move(second);
    first.wait();
    EXPECT_EQ(segment.load<double>(right(), 0), 9.0);
    EXPECT_EQ(segment.load<double>(right(), 8), 4.0);
  }
  segment.sync();
}

// The local side has nothing contiguous, and more bytes than a packing buffer holds.
TEST(Request, large_strided_transfers_are_packed_in_parts) {
  const Group& all = world();
  constexpr index_t rows = 600, columns = 1100;
  Segment segment(all, rows * columns * 8, "large");
  const Strided shape{.run = 8,
                      .levels = 2,
                      .count = {columns, rows},
                      .remote_stride = {8, columns * 8},
                      .local_stride = {rows * 8, 8}};
  std::vector<double> mine(at(rows * columns)), found(mine.size(), -1);
  std::iota(mine.begin(), mine.end(), all.rank() * 1e6);
  Request sent = segment.put_async(right(), 0, shape, mine.data());
  sent.wait();
  segment.sync();
  const double* here = reinterpret_cast<const double*>(segment.address(all.rank()));
  Comparison compared;
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j)
      compared(std::pair(i, j), left() * 1e6 + static_cast<double>(j * rows + i), here[i * columns + j]);
  }
  EXPECT_TRUE(compared.equal());
  Request got = segment.get_async(right(), 0, shape, found.data());
  got.wait();
  EXPECT_EQ(found, mine);
  segment.sync();
}

TEST(Request, bad_transfers_throw_at_once) {
  const Group& all = world();
  Segment segment(all, 64, "small");
  double x = 0;
  const double one = 1;
  const Strided word = Strided::contiguous(8);
  EXPECT_THROW(segment.put_async(0, 60, word, &x).wait(), UsageError);
  EXPECT_THROW(segment.get_async(0, -8, word, &x).wait(), UsageError);
  EXPECT_THROW(segment.accumulate_async(all.size(), 0, word, ElementKind::float64, &one, &x).wait(),
               UsageError);
  segment.close();
  EXPECT_THROW(segment.put_async(0, 0, word, &x).wait(), UsageError);
}

}  // namespace
