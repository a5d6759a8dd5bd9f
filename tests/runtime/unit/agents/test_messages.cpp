// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <cstddef>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/runtime/detail/runs.hpp>

#include "agents/messages.hpp"
#include "random_transfer.hpp"

// How requests are written, and how large transfers are cut into parts.
namespace {

using namespace tessera;
using namespace tessera::test;
using tessera::detail::Header;
using tessera::detail::Part;
using tessera::detail::Parts;

using BytePairs = std::multiset<std::pair<index_t, index_t>>;

// The pairs of bytes that a shape moves, from these places on.
void add_pairs(BytePairs& all, const Strided& shape, index_t remote, index_t local) {
  detail::for_each_run(shape, [&](index_t there, index_t here) {
    for (index_t byte = 0; byte < shape.run; ++byte) all.emplace(remote + there + byte, local + here + byte);
  });
}

std::vector<Part> cut(const Strided& shape, index_t limit) {
  std::vector<Part> all;
  for (Parts parts(shape, limit); !parts.is_over();) all.push_back(parts.next());
  return all;
}

TEST(Parts, move_every_byte_once_and_are_no_larger_than_the_limit) {
  Random random(1);
  int several = 0;
  for (int round = 0; round < 1000; ++round) {
    const RandomTransfer transfer(random, 700, pick(random, 1, 8));
    const index_t limit = pick(random, 1, 100);
    BytePairs expected, found;
    add_pairs(expected, transfer.shape, 0, 0);
    const auto parts = cut(transfer.shape, limit);
    for (const Part& part : parts) {
      EXPECT_LE(part.shape.bytes(), limit);
      add_pairs(found, part.shape, part.remote, part.local);
    }
    ASSERT_EQ(found, expected) << "round " << round;
    several += static_cast<int>(parts.size() > 1);
  }
  EXPECT_GT(several, 200);
}

// The target knows run, counts and its own strides.
TEST(Parts, both_ends_cut_alike) {
  Random random(2);
  for (int round = 0; round < 1000; ++round) {
    const RandomTransfer transfer(random, 700, pick(random, 1, 8));
    const index_t limit = pick(random, 1, 100);
    const auto here = cut(transfer.shape, limit), there = cut(detail::packed(transfer.shape), limit);
    ASSERT_EQ(here.size(), there.size()) << "round " << round;
    index_t done = 0;
    for (std::size_t i = 0; i < here.size(); ++i) {
      ASSERT_EQ(here[i].shape.bytes(), there[i].shape.bytes()) << "round " << round << ", part " << i;
      EXPECT_EQ(here[i].remote, there[i].remote);
      EXPECT_EQ(there[i].local, done) << "packed parts follow each other";
      done += there[i].shape.bytes();
    }
  }
}

TEST(Parts, the_first_of_a_packed_transfer_is_small) {
  const auto parts = cut(Strided::contiguous(3 * detail::part_bytes), detail::part_bytes);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].shape.bytes(), detail::first_part_bytes);
  EXPECT_EQ(parts[1].shape.bytes(), detail::part_bytes);
  EXPECT_EQ(parts[1].remote, detail::first_part_bytes);
  EXPECT_EQ(parts[3].shape.bytes(), detail::part_bytes - detail::first_part_bytes);
}

TEST(Parts, are_as_large_as_mpi_allows_where_both_sides_are_contiguous) {
  for (const bool contiguous : {false, true}) {
    EXPECT_EQ(detail::part_limit(1, contiguous, false), detail::mpi::eager_bytes);
    EXPECT_EQ(detail::part_limit(detail::max_unasked, contiguous, false), detail::mpi::eager_bytes);
    EXPECT_EQ(detail::part_limit(index_t{1} << 40, contiguous, true), detail::mpi::eager_bytes);
  }
  EXPECT_EQ(detail::part_limit(detail::max_unasked + 1, false, false), detail::part_bytes);
  EXPECT_EQ(detail::part_limit(detail::max_unasked + 1, true, false), detail::mpi::max_bytes);
  const index_t bytes = 2 * detail::mpi::max_bytes + 5;
  const auto parts = cut(Strided::contiguous(bytes), detail::part_limit(bytes, true, false));
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[2].shape.bytes(), 5);
  EXPECT_EQ(parts[2].local, 2 * detail::mpi::max_bytes);
}

TEST(Requests, are_read_as_they_were_written) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const Strided shape = RandomTransfer(random, 700, pick(random, 1, 8)).shape;
    Header sent, header;
    sent.verb = detail::Verb::accumulate;
    sent.kind = ElementKind::complex64;
    sent.levels = static_cast<std::uint8_t>(shape.levels);
    sent.tag = static_cast<std::int32_t>(pick(random, 0, 9999));
    sent.region = random();
    sent.position = pick(random, 0, index_t{1} << 50);
    sent.run = shape.run;
    sent.value[15] = std::byte{9};
    std::array<std::byte, detail::message_bytes> message;
    const index_t length = detail::write_request(message.data(), sent, shape);
    EXPECT_EQ(length, detail::request_length(shape.levels));
    Strided found;
    EXPECT_EQ(detail::read_request(message.data(), header, found), length);
    EXPECT_EQ(std::tie(header.verb, header.kind, header.levels, header.tag, header.region, header.position),
              std::tie(sent.verb, sent.kind, sent.levels, sent.tag, sent.region, sent.position));
    EXPECT_EQ(header.value, sent.value);
    const Strided packed = detail::packed(shape);
    ASSERT_EQ(found.levels, packed.levels);
    EXPECT_EQ(found.run, packed.run);
    for (std::size_t l = 0; l < static_cast<std::size_t>(found.levels); ++l)
      EXPECT_EQ(std::tie(found.count[l], found.remote_stride[l], found.local_stride[l]),
                std::tie(packed.count[l], packed.remote_stride[l], packed.local_stride[l]));
  }
}

}  // namespace
