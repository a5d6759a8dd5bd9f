// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cstring>
#include <vector>

#include <tessera/runtime/segment.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

// Transfers of all sizes at which the method changes between nodes. Data may travel with the request, be cut
// into parts, or be packed on one side, on both or on none.
namespace {

using namespace tessera;
using namespace tessera::test;

constexpr index_t slice = index_t{6} << 20;

// Rank 0 puts to the last rank, accumulates, and reads back. The model does the same.
class AtLimits {
 public:
  AtLimits() : segment_(world(), slice, "limits"), target_(world().size() - 1), model_(1, slice) {
    zero(segment_, slice);
  }

  void play(index_t offset, const Strided& shape, index_t local_bytes, std::uint64_t seed) {
    if (world().rank() != 0) return;
    Random random(seed);
    const bool later = random() % 2 == 0;
    const Bytes source = random_bytes(random, local_bytes);
    if (later) {
      segment_.put_async(target_, offset, shape, source.data()).wait();
    } else {
      segment_.put(target_, offset, shape, source.data());
    }
    model_.put(0, offset, shape, source.data());

    std::vector<std::int64_t> terms(at(local_bytes / 8 + 1));
    for (auto& term : terms) term = pick(random, -1000, 1000);
    const std::int64_t factor = pick(random, -3, 3);
    if (shape.run % 8 == 0 && offset % 8 == 0) {
      segment_.accumulate(target_, offset, shape, ElementKind::int64, &factor, terms.data());
      for_each_pair<std::int64_t>(shape, model_.place(0, offset),
                                  reinterpret_cast<const std::byte*>(terms.data()),
                                  [&](std::int64_t a, std::int64_t b) {
                                    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                                                     static_cast<std::uint64_t>(factor * b));
                                  });
    }

    // Reads at once, without a flush: the operations are in program order.
    Bytes found(at(local_bytes)), expected(at(local_bytes));
    model_.get(0, offset, shape, expected.data());
    if (later) {
      segment_.get_async(target_, offset, shape, found.data()).wait();
    } else {
      segment_.get(target_, offset, shape, found.data());
    }
    EXPECT_TRUE(same_bytes(expected, found)) << shape.bytes() << " bytes in runs of " << shape.run << " and "
                                             << shape.levels << " levels at " << offset;
  }

  // Compares the whole slice, so that bytes beside the transfers count too.
  void check_all() {
    if (world().rank() == 0) {
      Bytes found(at(slice));
      segment_.get(target_, 0, Strided::contiguous(slice), found.data());
      EXPECT_TRUE(same_bytes(model_.slices[0], found));
    }
    segment_.sync();
  }

 private:
  Segment segment_;
  int target_;
  SliceModel model_;
};

TEST(Parts, contiguous_transfers_of_all_sizes_equal_a_model) {
  AtLimits limits;
  std::uint64_t seed = 1;
  for (const index_t size :
       {index_t{1} << 14, index_t{1} << 16, index_t{1} << 18, index_t{1} << 20, index_t{5} << 20}) {
    for (const index_t more : {-8, -1, 0, 1, 8}) {
      const index_t bytes = size + more;
      limits.play(pick(*std::make_unique<Random>(seed), 0, (slice - bytes) / 8) * 8, Strided::contiguous(bytes),
                  bytes, seed);
      ++seed;
    }
  }
  limits.check_all();
}

TEST(Parts, transfers_strided_on_either_side_equal_a_model) {
  AtLimits limits;
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    Strided shape;
    shape.run = 8 * pick(random, 1, i % 3 == 0 ? 60000 : 900);
    shape.levels = static_cast<int>(pick(random, 1, 3));
    const bool local_dense = i % 4 == 1, remote_dense = i % 4 == 2;
    index_t remote = shape.run, local = shape.run;
    for (std::size_t l = 0; l < static_cast<std::size_t>(shape.levels); ++l) {
      const index_t most = std::max<index_t>(1, slice / 2 / remote);
      shape.count[l] = pick(random, 1, std::min<index_t>(most, l == 0 ? 400 : 6));
      if (!remote_dense && remote < slice / 8) remote += 8 * pick(random, 0, 9);
      if (!local_dense) local += 8 * pick(random, 0, 9);
      shape.remote_stride[l] = remote;
      shape.local_stride[l] = local;
      remote *= shape.count[l];
      local *= shape.count[l];
    }
    if (remote > slice) continue;
    limits.play(8 * pick(random, 0, (slice - remote) / 8), shape, local, 1000 + static_cast<std::uint64_t>(i));
  }
  limits.check_all();
}

// A large transfer in flight, and operations on the same bytes. They must keep program order.
TEST(Parts, overlapping_operations_keep_program_order) {
  Segment segment(world(), slice, "ordered");
  zero(segment, slice);
  constexpr index_t all_words = slice / 8;
  if (world().rank() == 0) {
    const int target = world().size() - 1;
    std::vector<std::int64_t> first(all_words, 1), second(all_words, 2), before(all_words, -1),
        after(all_words, -1);
    const std::int64_t one = 1;
    for (int round = 0; round < 5; ++round) {
      Request write = segment.put_async(target, 0, Strided::contiguous(slice), first.data());
      segment.accumulate(target, 8, Strided::contiguous(8), ElementKind::int64, &one, second.data());
      Request read = segment.get_async(target, 0, Strided::contiguous(slice), before.data());
      Request overwrite = segment.put_async(target, 0, Strided::contiguous(slice), second.data());
      std::int64_t old = 0;
      segment.fetch_add(target, 16, ElementKind::int64, &one, &old);
      EXPECT_EQ(old, 2);
      EXPECT_EQ(segment.load<std::int64_t>(target, slice - 8), 2);
      segment.get(target, 0, Strided::contiguous(slice), after.data());
      wait_all(std::span(&read, 1));
      write.wait();
      overwrite.wait();
      EXPECT_EQ(before[1], 3);
      before[1] = 1;
      EXPECT_EQ(std::count(before.begin(), before.end(), 1), all_words);
      EXPECT_EQ(after[2], 3);
      after[2] = 2;
      EXPECT_EQ(std::count(after.begin(), after.end(), 2), all_words);
    }
  }
  segment.sync();
}

// Each rank starts more large transfers than there are buffers, to a rank that does the same. No two ranks may
// wait for each other's buffers.
TEST(Parts, more_transfers_than_buffers_do_not_wait_for_each_other) {
  constexpr index_t rows = 40, pitch = slice / rows / 64 * 64, count = pitch / 32;
  Segment segment(world(), slice, "many");
  zero(segment, slice);
  const int target = (world().rank() + 1) % world().size();
  // Every other 16 bytes there: the target packs. Every third 16 bytes here, too: both sides pack.
  Strided shape{.run = 16, .levels = 1, .count = {count}, .remote_stride = {32}, .local_stride = {}};
  for (const index_t local_stride : {index_t{16}, index_t{48}}) {
    shape.local_stride = {local_stride};
    std::vector<Bytes> sources, found(rows, Bytes(at(local_stride * count)));
    Random random(static_cast<std::uint64_t>(3 + world().rank()));
    for (index_t i = 0; i < rows; ++i) sources.push_back(random_bytes(random, local_stride * count));
    std::vector<Request> requests;
    for (index_t i = 0; i < rows; ++i)
      requests.push_back(segment.put_async(target, i * pitch, shape, sources[at(i)].data()));
    for (index_t i = 0; i < rows; ++i)
      requests.push_back(segment.get_async(target, i * pitch, shape, found[at(i)].data()));
    while (!requests.empty()) {
      requests.back().wait();
      requests.pop_back();
    }
    for (index_t i = 0; i < rows; ++i) {
      const std::byte *source = sources[at(i)].data(), *copy = found[at(i)].data();
      Comparison compared;
      for (index_t k = 0; k < count; ++k)
        compare_bytes(compared, k, {source + k * local_stride, 16}, {copy + k * local_stride, 16});
      EXPECT_TRUE(compared.equal()) << "row " << i;
    }
  }
  segment.sync();
}

// Gets post receives in all buffers, and wait at the agent for a put that they follow. The put must still go
// on.
TEST(Parts, gets_of_what_a_put_still_writes_leave_it_a_buffer) {
  constexpr index_t run = 64, count = slice / run / 2;
  Segment segment(world(), run * count, "written and read");
  zero(segment, run * count);
  const int target = (world().rank() + 1) % world().size();
  const Strided shape{
      .run = run, .levels = 1, .count = {count}, .remote_stride = {run}, .local_stride = {2 * run}};
  std::vector<Bytes> found(8, Bytes(at(2 * run * count)));
  for (int round = 1; round <= 10; ++round) {
    const Bytes data(at(2 * run * count), static_cast<std::byte>(round));
    std::vector<Request> requests;
    requests.push_back(segment.put_async(target, 0, shape, data.data()));
    for (Bytes& one : found) requests.push_back(segment.get_async(target, 0, shape, one.data()));
    wait_all(requests);
    for (const Bytes& one : found) {
      Comparison compared;
      for (index_t i = 0; i < count; ++i)
        compare_bytes(compared, i, {data.data() + 2 * run * i, run}, {one.data() + 2 * run * i, run});
      EXPECT_TRUE(compared.equal()) << "round " << round;
    }
  }
  segment.sync();
}

// The oldest transfers need buffers of the agent, and the newest ones have them all: of so many origins that
// nothing is left.
TEST(Parts, more_puts_to_one_place_than_may_be_under_way) {
  if (world().size() < 5) return;
  constexpr index_t count = index_t{1} << 18;
  const index_t pitch = 32 * count;
  Segment segment(world(), world().rank() == 0 ? pitch * world().size() : 0, {.name = "of rank 0"});
  const Strided every_other{
      .run = 8, .levels = 1, .count = {count}, .remote_stride = {16}, .local_stride = {8}};
  const std::vector<double> sent(at(count), world().rank());
  std::vector<double> found(at(count));
  const index_t mine = pitch * world().rank();
  if (world().rank() > 0) {
    std::vector<Request> requests;
    for (int i = 0; i < 64; ++i) requests.push_back(segment.put_async(0, mine, every_other, sent.data()));
    for (int i = 0; i < 4; ++i)
      requests.push_back(segment.put_async(0, mine + pitch / 2, every_other, sent.data()));
    wait_all(requests);
    for (const index_t offset : {index_t{0}, pitch / 2}) {
      segment.get(0, mine + offset, every_other, found.data());
      EXPECT_TRUE(found == sent);
    }
  }
  segment.sync();
}

// All ranks start more large accumulates to one rank than its agent has buffers. The agent grants parts of
// each, so no two may wait for each other's.
TEST(Parts, more_accumulates_to_one_rank_than_its_agent_has_buffers) {
  constexpr index_t number = 24, elements = index_t{300} << 7, pitch = 16 * elements;  // 300 KiB in 600 KiB
  Segment segment(world(), number * pitch, "one for all");
  zero(segment, number * pitch);
  const int target = world().size() - 1;
  const Strided shape{.run = 8, .levels = 1, .count = {elements}, .remote_stride = {16}, .local_stride = {8}};
  std::vector<std::vector<std::int64_t>> terms(number, std::vector<std::int64_t>(at(elements)));
  for (index_t i = 0; i < number; ++i) {
    for (index_t k = 0; k < elements; ++k) terms[at(i)][at(k)] = (1 + world().rank()) * (1000 * i + k);
  }
  const std::int64_t one = 1;
  std::vector<Request> requests;
  for (index_t i = 0; i < number; ++i)
    requests.push_back(
        segment.accumulate_async(target, i * pitch, shape, ElementKind::int64, &one, terms[at(i)].data()));
  for (Request& request : requests) request.wait();
  segment.sync();
  const index_t ranks = world().size();
  std::vector<std::int64_t> found(at(2 * elements)), expected(at(2 * elements), 0);
  for (index_t i = world().rank(); i < number; i += ranks) {
    segment.get(target, i * pitch, Strided::contiguous(pitch), found.data());
    for (index_t k = 0; k < elements; ++k) expected[at(2 * k)] = ranks * (ranks + 1) / 2 * (1000 * i + k);
    EXPECT_TRUE(found == expected) << "accumulate " << i;
  }
  segment.sync();
}

// Every rank writes to the next one and reads it back, all at once: then even contiguous data goes in small
// parts.
TEST(Parts, contiguous_transfers_of_all_ranks_at_once_equal_what_was_written) {
  constexpr index_t rows = 6, bytes = (index_t{400} << 10) + 8;
  Segment segment(world(), rows * bytes, "at once");
  const int target = (world().rank() + 1) % world().size();
  Random random(static_cast<std::uint64_t>(11 + world().rank()));
  for (int round = 0; round < 3; ++round) {
    const Bytes source = random_bytes(random, rows * bytes);
    Bytes found(at(rows * bytes));
    std::vector<Request> requests;
    for (index_t i = 0; i < rows; ++i) {
      const Strided row = Strided::contiguous(bytes);
      if (round == 1) {
        segment.put(target, i * bytes, row, source.data() + i * bytes);
      } else {
        requests.push_back(segment.put_async(target, i * bytes, row, source.data() + i * bytes));
      }
    }
    for (index_t i = 0; i < rows; ++i) {
      const Strided row = Strided::contiguous(bytes);
      if (round == 1) {
        segment.get(target, i * bytes, row, found.data() + i * bytes);
      } else {
        requests.push_back(segment.get_async(target, i * bytes, row, found.data() + i * bytes));
      }
    }
    for (Request& request : requests) request.wait();
    EXPECT_TRUE(same_bytes(source, found)) << "round " << round;
  }
  segment.sync();
}

}  // namespace
