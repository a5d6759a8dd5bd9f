// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/flags.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

// The value that a rank sends in a round to its neighbour on one side (0: left, 1: right).
double halo(int rank, int round, int side, index_t i) {
  return 1e6 * rank + 1000.0 * round + 500.0 * side + static_cast<double>(i % 300);
}

// Exchanges halos with both neighbours. Each side has two buffers and two flags, which take turns.
class Ring {
 public:
  Ring() : halos_(world(), 4 * count * 8, "halos"), flags_(world(), 4, "arrivals") {
    zero(halos_, 4 * count * 8);
  }

  void send(int round) {
    for (const int side : {0, 1}) {
      std::vector<double> data(count);
      for (index_t i = 0; i < count; ++i) data[at(i)] = halo(world().rank(), round, side, i);
      const int to = side == 0 ? left() : right();
      // Data sent to the left neighbour arrive there from the right.
      put_notify(halos_, to, place(round, 1 - side), Strided::contiguous(count * 8), data.data(),
                 flags_.at(to, which(round, 1 - side)));
      std::fill(data.begin(), data.end(), -1.0);  // ours again
    }
  }
  // Waits for both sides and compares their values, read in one of two ways.
  void receive(int round, Comparison& compared) {
    for (const int side : {0, 1}) {
      flags_.wait(which(round, side));
      const int from = side == 0 ? left() : right();
      std::vector<double> found(count);
      if (round % 2 == 0) {
        halos_.get(world().rank(), place(round, side), Strided::contiguous(count * 8), found.data());
      } else {
        std::memcpy(found.data(), halos_.address(world().rank()) + place(round, side), at(count * 8));
      }
      for (index_t i = 0; i < count; ++i)
        compared(std::tuple(round, side, i), halo(from, round, 1 - side, i), found[at(i)]);
    }
  }

 private:
  static constexpr index_t count = 700;
  static index_t which(int round, int side) { return round % 2 * 2 + side; }
  static index_t place(int round, int side) { return which(round, side) * count * 8; }

  Segment halos_;
  Flags flags_;
};

TEST(Flags, neighbours_exchange_halos_without_a_barrier) {
  Ring ring;
  Random random(10 + static_cast<std::uint64_t>(world().rank()));
  Comparison compared;
  for (int round = 0; round < 50; ++round) {
    if (pick(random, 0, 4) == 0) usleep(static_cast<useconds_t>(pick(random, 0, 2000)));
    ring.send(round);
    if (pick(random, 0, 9) == 0) usleep(static_cast<useconds_t>(pick(random, 0, 1000)));
    ring.receive(round, compared);
  }
  EXPECT_TRUE(compared.equal());
  world().sync();
}

// One rank begins only when all others except its neighbours have finished their exchange. So they do not wait
// for it. (If they did, the rank would give up after a while.)
TEST(Flags, only_neighbours_wait_for_the_slow) {
  const Group& all = world();
  const int slow = all.size() / 2, others = all.size() - 3;
  if (others < 1) return;  // all ranks are neighbours of each other
  Ring ring;
  Scalars<std::int32_t> through(all, 1, "through"), begun(all, 1, "begun");
  const int distance =
      std::min((all.rank() - slow + all.size()) % all.size(), (slow - all.rank() + all.size()) % all.size());
  all.barrier();
  if (distance == 0) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (through.load(slow, 0) < others && std::chrono::steady_clock::now() < limit) usleep(1000);
    EXPECT_EQ(through.load(slow, 0), others);
    for (int rank = 0; rank < all.size(); ++rank) begun.store(rank, 0, 1);
  }
  ring.send(0);
  Comparison compared;
  ring.receive(0, compared);
  EXPECT_TRUE(compared.equal());
  if (distance > 1) through.fetch_add(slow, 0, 1);
  if (distance == 1) {
    EXPECT_EQ(begun.load(all.rank(), 0), 1);
  }
  all.sync();
}

TEST(Flags, notifications_add_up) {
  const Group& all = world();
  Flags flags(all, 3, "counting");
  EXPECT_EQ(flags.count(), 3);
  EXPECT_TRUE(flags.group() == all);
  constexpr int each = 20;
  for (int i = 0; i < each; ++i) {
    flags.notify(right(), 1);
    for (int rank = 0; rank < all.size(); ++rank) flags.notify(rank, 2);
  }
  // Waits in portions. No notification is left over.
  flags.wait(1);
  flags.wait(1, each - 3);
  flags.wait(1, 2);
  flags.wait(2, each * all.size());
  all.barrier();
  EXPECT_FALSE(flags.test(1));
  EXPECT_FALSE(flags.test(2));
  EXPECT_FALSE(flags.test(0));
  all.barrier();
  // As many as came can be taken, and then none.
  flags.notify(left(), 0);
  flags.notify(left(), 0);
  flags.notify(left(), 0);
  all.sync();
  EXPECT_FALSE(flags.test(0, 4));
  EXPECT_TRUE(flags.test(0, 2));
  EXPECT_FALSE(flags.test(0, 2));
  EXPECT_TRUE(flags.test(0));
  EXPECT_FALSE(flags.test(0));
  flags.wait(0, 0);
  EXPECT_TRUE(flags.test(0, 0));
  all.sync();
}

TEST(Flags, test_does_not_wait) {
  const Group& all = world();
  Flags flags(all, 1);
  Segment data(all, 8, "announced");
  all.barrier();
  // Rank 0 notifies only after every rank has found no notification.
  EXPECT_FALSE(flags.test(0));
  all.barrier();
  const double value = 4.25;
  if (all.rank() == 0) {
    for (int rank = 0; rank < all.size(); ++rank)
      put_notify(data, rank, 0, Strided::contiguous(8), &value, flags.at(rank, 0));
  }
  while (!flags.test(0)) usleep(100);
  EXPECT_EQ(data.load<double>(all.rank(), 0), 4.25);
  EXPECT_FALSE(flags.test(0));
  all.sync();
}

// A chain through all ranks. Each rank waits for the one before it, and sleeps for long or not at all.
TEST(Flags, notifications_wake_a_sleeping_rank) {
  const Group& all = world();
  Flags flags(all, 2);
  Segment data(all, 8, "passed on");
  data.store<std::int64_t>(all.rank(), 0, -1);
  data.sync();
  for (int round = 0; round < 5; ++round) {
    if (all.rank() == 0) {
      usleep(round % 2 == 0 ? 5000 : 0);
    } else {
      flags.wait(0);
      EXPECT_EQ(data.load<std::int64_t>(all.rank(), 0), 100 * round + all.rank());
    }
    const std::int64_t next = 100 * round + all.rank() + 1;
    if (all.rank() + 1 < all.size())
      put_notify(data, right(), 0, Strided::contiguous(8), &next, flags.at(right(), 0));
    // The last rank ends the round for all, so that no rank overtakes another.
    if (all.rank() + 1 == all.size()) {
      for (int rank = 0; rank < all.size(); ++rank) flags.notify(rank, 1);
    }
    flags.wait(1);
  }
  all.sync();
}

// wait_any returns any flag that has a notification.
TEST(Flags, wait_any_returns_a_flag_that_was_notified) {
  const Group& all = world();
  const int me = all.rank(), n = all.size();
  Flags flags(all, n, "many");
  // Each rank notifies all others at its own time, and waits for each of them once.
  for (int round = 0; round < 5; ++round) {
    if ((me + round) % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    for (int i = 1; i < n; ++i) flags.notify((me + i) % n, me);
    std::vector<index_t> awaited;
    for (int i = 0; i < n; ++i) {
      if (i != me) awaited.push_back(i);
    }
    while (!awaited.empty()) {
      const index_t found = flags.wait_any(awaited);
      const auto place = std::find(awaited.begin(), awaited.end(), found);
      ASSERT_NE(place, awaited.end());
      awaited.erase(place);
    }
  }
  for (int i = 0; i < n; ++i) EXPECT_FALSE(flags.test(i));
  EXPECT_THROW(flags.wait_any({}), UsageError);
  const index_t none[] = {index_t{n}};
  EXPECT_THROW(flags.wait_any(none), UsageError);
  all.sync();
}

// The flag may have another owner than the data. A third rank is told that the data have arrived.
TEST(Flags, a_flag_may_have_another_owner_than_the_data) {
  const Group& all = world();
  Flags flags(all, all.size(), "told");
  Segment data(all, 8 * all.size(), "told about");
  zero(data, 8 * all.size());
  const int third = (all.rank() + 2) % all.size(), writer = (all.rank() + all.size() - 2) % all.size();
  const std::int64_t value = 7 + all.rank();
  put_notify(data, right(), 8 * all.rank(), Strided::contiguous(8), &value, flags.at(third, all.rank()));
  flags.wait(writer);
  EXPECT_EQ(data.load<std::int64_t>((writer + 1) % all.size(), 8 * writer), 7 + writer);
  all.sync();
}

// Strided data, from every rank to every rank, many at once.
TEST(Flags, flags_announce_strided_data_to_all) {
  const Group& all = world();
  constexpr index_t rows = 30;
  Flags flags(all, all.size());
  Segment data(all, rows * 8 * all.size(), "columns");
  zero(data, rows * 8 * all.size());
  const Strided column{
      .run = 8, .levels = 1, .count = {rows}, .remote_stride = {8 * all.size()}, .local_stride = {8}};
  std::vector<std::int64_t> sent(rows), found(rows);
  for (index_t i = 0; i < rows; ++i) sent[at(i)] = 1000 * all.rank() + i;
  for (int rank = 0; rank < all.size(); ++rank)
    put_notify(data, rank, 8 * all.rank(), column, sent.data(), flags.at(rank, all.rank()));
  for (int rank = all.size(); rank-- > 0;) {
    flags.wait(rank);
    data.get(all.rank(), 8 * rank, column, found.data());
    for (index_t i = 0; i < rows; ++i) EXPECT_EQ(found[at(i)], 1000 * rank + i);
  }
  all.sync();
}

// The last notifications of dropped flags must not reach the next flags, which get the same memory.
TEST(Flags, notifications_of_dropped_flags_do_not_reach_the_next_ones) {
  const Group& all = world();
  Segment data(all, 1 << 16, "data");
  zero(data, 1 << 16);
  const std::vector<std::byte> sent(1 << 16, std::byte{1});
  for (int round = 0; round < 30; ++round) {
    {
      Flags flags(all, 4, "left behind");
      const index_t bytes = round % 2 == 0 ? 64 : 1 << 16;
      put_notify(data, right(), 0, Strided::contiguous(bytes), sent.data(), flags.at(right(), 0));
    }
    // The last rank finds all others there and does not wait. So it does not look after its agent meanwhile.
    const auto late = std::chrono::steady_clock::now() + std::chrono::microseconds(all.rank() % 2 * 500);
    while (std::chrono::steady_clock::now() < late) {
    }
    Flags next(all, 4, "next");
    EXPECT_FALSE(next.test(0)) << "round " << round;
    all.sync();
    EXPECT_FALSE(next.test(0)) << "round " << round;
  }
  all.sync();
}

TEST(Flags, flags_that_do_not_exist_are_refused) {
  const Group& all = world();
  Flags flags(all, 2, "two");
  Segment data(all, 64, "data");
  zero(data, 64);
  const double value = 1;
  const auto text = message_of<UsageError>([&] { flags.notify(0, 2); });
  EXPECT_NE(text.find("\"two\""), std::string::npos) << text;
  EXPECT_THROW(flags.notify(0, -1), UsageError);
  EXPECT_THROW(flags.notify(-1, 0), UsageError);
  EXPECT_THROW(flags.notify(all.size(), 0), UsageError);
  EXPECT_THROW(flags.wait(2), UsageError);
  EXPECT_THROW(flags.wait(-1), UsageError);
  EXPECT_THROW(flags.test(2), UsageError);
  EXPECT_THROW(flags.test(-1), UsageError);
  // Bad counts must not bring back notifications that were waited for.
  constexpr auto least = std::numeric_limits<std::int64_t>::min(),
                 most = std::numeric_limits<std::int64_t>::max();
  flags.wait(0, 0);
  EXPECT_TRUE(flags.test(0, 0));
  for (const std::int64_t bad : {std::int64_t{-1}, least}) {
    EXPECT_THROW(flags.wait(0, bad), UsageError);
    EXPECT_THROW(flags.test(0, bad), UsageError);
  }
  flags.notify(all.rank(), 1);
  flags.wait(1);
  EXPECT_FALSE(flags.test(1, most));
  for (const index_t bad : {index_t{-1}, std::numeric_limits<index_t>::min()})
    EXPECT_THROW(Flags(all, bad, "negative"), UsageError);
  for (const index_t bad : {std::numeric_limits<index_t>::max(), index_t{1} << 58, index_t{1} << 62})
    EXPECT_THROW(Flags(all, bad, "endless"), MemoryError);
  const Strided word = Strided::contiguous(8);
  EXPECT_THROW(put_notify(data, 0, 64, word, &value, flags.at(0, 0)), UsageError);
  EXPECT_THROW(put_notify(data, 0, 0, word, &value, flags.at(0, 2)), UsageError);
  all.sync();
  // No rank was told of data that could not be put.
  EXPECT_FALSE(flags.test(0));
  EXPECT_FALSE(flags.test(1));
  EXPECT_THROW(Flags(all, -1), UsageError);
  flags.close();
  EXPECT_THROW(flags.notify(0, 0), UsageError);
  EXPECT_THROW(flags.test(0), UsageError);
  all.sync();
}

}  // namespace
