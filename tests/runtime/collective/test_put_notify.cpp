// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include <tessera/runtime/flags.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

// Data that arrives before its flag, of every length at which the way changes between nodes.
namespace {

using namespace tessera;
using namespace tessera::test;

// Each rank sends to both neighbours, which may be one. The lengths are those at which the way of the data
// changes. Ranks compute at random times, flush at random, and read each other's data only after its flag.
TEST(PutNotify, neighbours_exchange_data_of_every_length_and_compute_meanwhile) {
  const Group& all = world();
  constexpr index_t kib = 1024, most = 320 * kib;
  const index_t lengths[] = {8,         64 * kib,      64 * kib + 8, 96 * kib, 128 * kib, 128 * kib + 8,
                             192 * kib, 192 * kib + 8, 256 * kib,    most};
  Segment landing(all, 4 * most, "landing places");
  Flags flags(all, 2, "from both sides");
  zero(landing, 4 * most);
  std::mt19937 random(static_cast<unsigned>(17 + all.rank()));
  const auto compute = [&] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 4 * 150);
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  const int left = (all.rank() + all.size() - 1) % all.size();
  const auto value = [](int rank, int round, index_t i) {
    return 1e8 * rank + 1e5 * round + static_cast<double>(i);
  };
  std::vector<double> sent(most / 8);
  for (int round = 0; round < 40; ++round) {
    const index_t bytes = lengths[at(round % std::ssize(lengths))], count = bytes / 8;
    for (index_t i = 0; i < count; ++i) sent[at(i)] = value(all.rank(), round, i);
    // The places alternate, as a neighbour may be one round ahead.
    const auto place = [&](index_t side) { return (2 * (round % 2) + side) * most; };
    compute();
    put_notify(landing, right(), place(0), Strided::contiguous(bytes), sent.data(), flags.at(right(), 0));
    if (random() % 4 == 0) landing.flush(right());
    compute();
    put_notify(landing, left, place(1), Strided::contiguous(bytes), sent.data(), flags.at(left, 1));
    if (random() % 4 == 0) landing.flush();
    compute();
    const int from[] = {left, right()};
    for (int side = 0; side < 2; ++side) {
      flags.wait(side);
      const auto* found = reinterpret_cast<const double*>(landing.address(all.rank()) + place(side));
      index_t same = 0;
      while (same < count && found[same] == value(from[side], round, same)) ++same;
      EXPECT_EQ(same, count) << "round " << round << ", side " << side << ", " << bytes << " bytes, found "
                             << found[std::min(same, count - 1)];
    }
  }
  all.sync();
}

// A flush completes the data of put_notify for all, whether its flag is waited for or not.
TEST(PutNotify, a_flush_completes_data_of_every_length_before_its_flag_is_read) {
  const Group& all = world();
  constexpr index_t kib = 1024, most = 320 * kib;
  Segment landing(all, most, "landing place");
  Flags flags(all, 1, "not yet waited for");
  zero(landing, most);
  const int left = (all.rank() + all.size() - 1) % all.size();
  std::vector<std::int64_t> sent(most / 8);
  int round = 0;
  for (const index_t bytes : {index_t{8}, 64 * kib, 96 * kib, 128 * kib, 192 * kib, 256 * kib, most}) {
    for (int again = 0; again < 3; ++again, ++round) {
      std::fill(sent.begin(), sent.end(), 1000 * round + all.rank());
      put_notify(landing, right(), 0, Strided::contiguous(bytes), sent.data(), flags.at(right(), 0));
      again == 0 ? landing.flush(right()) : landing.flush();
      all.barrier();
      const auto* found = reinterpret_cast<const std::int64_t*>(landing.address(all.rank()));
      EXPECT_EQ(std::count(found, found + bytes / 8, 1000 * round + left), bytes / 8) << bytes << " bytes";
      flags.wait(0);
      all.barrier();
    }
  }
  all.sync();
}

// The first one waits at the agent behind an asynchronous put. The second one, of another segment, must not
// overtake it: both raise the same flag.
TEST(PutNotify, notifications_of_one_process_come_in_order) {
  const Group& all = world();
  constexpr index_t count = index_t{1} << 19;
  Segment first(all, 16 * count, {.name = "first"}), second(all, index_t{256} << 10, {.name = "second"});
  Flags flags(all, 1, "in order");
  const int to = (all.rank() + 1) % all.size(), from = (all.rank() + all.size() - 1) % all.size();
  const Strided every_other{
      .run = 8, .levels = 1, .count = {count}, .remote_stride = {16}, .local_stride = {8}};
  std::vector<double> many(at(count));
  for (int round = 1; round <= 4; ++round) {
    all.sync();
    const double value = 100 * all.rank() + round;
    std::fill(many.begin(), many.end(), value);
    Request before = first.put_async(to, 0, every_other, many.data());
    put_notify(first, to, 8, Strided::contiguous(8), &value, flags.at(to, 0));
    put_notify(second, to, 0, Strided::contiguous(8), &value, flags.at(to, 0));
    flags.wait(0);
    EXPECT_EQ(reinterpret_cast<const double*>(first.address(all.rank()))[1], 100 * from + round);
    flags.wait(0);
    EXPECT_EQ(*reinterpret_cast<const double*>(second.address(all.rank())), 100 * from + round);
    before.wait();
  }
  all.sync();
}

}  // namespace
