// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <limits>
#include <string>

#include <tessera/layout.hpp>

#include "message_of.hpp"

// Layouts that are refused, and what the messages say.
namespace {

using namespace tessera;
using namespace tessera::test;

void expect_refusal(const std::function<void()>& action, std::initializer_list<std::string> parts) {
  const std::string text = message_of<UsageError>(action);
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks " << part;
}

TEST(Layout, bad_lists_are_told) {
  const Extents<2> dims{4, 4};
  expect_refusal([&] { Layout<2>::of_blocks(dims, {{0, {{0, 0}, {4, 3}}}}); }, {"no block", "4 x 4", "3:4"});
  expect_refusal(
      [&] {
        Layout<2>::of_blocks(dims, {{0, {{0, 0}, {4, 3}}}, {1, {{3, 2}, {4, 4}}}, {1, {{0, 3}, {3, 4}}}});
      },
      {"overlap", "[3:4, 2:3)"});
  expect_refusal(
      [&] {
        Layout<2>::of_blocks(dims, {{0, {{0, 0}, {4, 5}}}});
      },
      {"[0:4, 0:5)", "4 x 4", "dimension 1"});
  expect_refusal([&] { Layout<2>::of_blocks(dims, {{0, {{0, 0}, {-1, 4}}}}); }, {"dimension 0"});
  expect_refusal([&] { Layout<2>::of_blocks(dims, {{3, {{0, 0}, {4, 4}}}}, 3); }, {"rank 3", "3 ranks"});
  expect_refusal([&] { Layout<2>::of_blocks(dims, {{-1, {{0, 0}, {4, 4}}}}, 3); }, {"rank -1"});
  expect_refusal([&] { Layout<2>::of_blocks({-4, 4}, {}); }, {"-4"});
  expect_refusal([&] { Layout<2>::of_blocks({4, 4}, {}); }, {"no block"});
  EXPECT_EQ(Layout<2>::of_blocks({0, 4}, {}).core().size(), 0);
  expect_refusal([&] { Layout<2>::of_blocks({0, 4}, {}).grid(); }, {"no grid"});
  expect_refusal([&] { Layout<2>::of_blocks({0, 4}, {}).block_at({0, 0}); }, {"no grid"});
  expect_refusal([&] { Layout<2>::of_blocks({0, 4}, {}).rank_at({0, 0}); }, {"no grid"});
  const auto tiled = Layout<2>::tiled(dims, {1, 2}, {.shape = {2, 1}});
  expect_refusal([&] { tiled.block_at({0, 2}); }, {"no block 2", "dimension 1", "has 2"});
  expect_refusal([&] { tiled.block_at({-1, 0}); }, {"no block -1", "dimension 0"});
  expect_refusal([&] { tiled.rank_at({2, 0}); }, {"coordinate 2", "dimension 0", "grid of 2"});
  expect_refusal([&] { tiled.rank_at({0, -1}); }, {"coordinate -1", "dimension 1"});
  expect_refusal([&] { Layout<2>::blocked(dims, 4).on_ranks({0, 1, 2}, 5); }, {"4 ranks", "3"});
  expect_refusal([&] { Layout<2>::blocked(dims, 2).on_ranks({0, 5}, 5); }, {"rank 5", "5 ranks"});
  expect_refusal([&] { Layout<2>::blocked(dims, 2).on_ranks({3, 3}, 5); }, {"rank 3", "twice"});
  expect_refusal([&] { Layout<2>::tiled(dims, {0, 2}, {.shape = {1, 1}}); }, {"extent 0", "dimension 0"});
  expect_refusal(
      [&] {
        Layout<2>::tiled(dims, {{{0, 2, 2}, {0}}}, {.shape = {1, 1}});
      },
      {"dimension 0", "increase"});
  expect_refusal([&] { Layout<2>::tiled(dims, {{{0, 2}, {0, 4}}}, {.shape = {1, 1}}); }, {"4", "dimension 1"});
  expect_refusal(
      [&] {
        Layout<2>::tiled(dims, {{{1, 2}, {0}}}, {.shape = {1, 1}});
      },
      {"dimension 0", "begin with 0"});
  expect_refusal(
      [&] {
        Layout<2>::tiled(dims, {2, 2}, {.shape = {1, 1}}).with_ghosts({1, 0});
      },
      {"ghost", "tiled"});
  expect_refusal([&] { Layout<2>::blocked(dims, 2).with_ghosts({1, -1}); }, {"-1", "dimension 1"});
}

TEST(Layout, bad_arguments_are_told) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  expect_refusal([] { Layout<2>::blocked({10, -3}, 2); }, {"-3", "dimension 1"});
  expect_refusal([] { Layout<2>::blocked({10, 3}, 2, {.min_block = {0, -5}}); }, {"-5", "dimension 1"});
  expect_refusal([] { Layout<2>::blocked({10, 3}, 0); }, {"not 0"});
  expect_refusal([] { Layout<2>::blocked({10, 3}, -4); }, {"-4"});
  expect_refusal(
      [] {
        Layout<2>::blocked({10, 3}, 4, {.grid = Extents<2>{-1, 4}});
      },
      {"grid extent -1", "dimension 0"});
  expect_refusal([] { Layout<2>::blocked({10, 3}, 4, {.grid = Extents<2>{2, 3}}); }, {"6", "4 ranks"});
  expect_refusal([] { Layout<2>::blocked({most, 3}, 4); }, {"2^63"});
  expect_refusal(
      [] {
        Layout<4>::blocked({8, 8, 8, 8}, 65536, {.grid = Extents<4>{65536, 65536, 65536, 65536}});
      },
      {"65536 ranks"});
  expect_refusal([] { Layout<1>::blocked({100}, 2).with_ghosts({most}); }, {"2^63", "dimension 0"});
  expect_refusal([] { Layout<2>::irregular({10, 3}, {{{1, 5}, {0}}}); }, {"dimension 0", "begin with 0"});
  expect_refusal([] { Layout<2>::irregular({10, 3}, {{{}, {0}}}); }, {"dimension 0"});
  expect_refusal([] { Layout<2>::irregular({10, 3}, {{{0, 5, 4}, {0}}}); }, {"dimension 0", "decrease"});
  expect_refusal([] { Layout<2>::irregular({10, 3}, {{{0}, {0, 4}}}); }, {"4", "dimension 1", "extent 3"});
  expect_refusal([] { Layout<2>::irregular({10, 3}, {{{0, 5}, {0, 2}}}, 3); }, {"4 blocks", "3 ranks"});
  expect_refusal([] { Layout<2>::irregular({-10, 3}, {{{0}, {0}}}); }, {"-10"});
  expect_refusal([] { Layout<1>::irregular({10}, {{{0}}}, -1); }, {"-1"});
  expect_refusal(
      [] {
        Layout<2>::block_cyclic({10, 3}, {0, 2}, {.shape = {1, 1}});
      },
      {"block extent 0", "dimension 0"});
  expect_refusal(
      [] {
        Layout<2>::block_cyclic({10, 3}, {2, 2}, {.shape = {1, -1}});
      },
      {"grid extent -1", "dimension 1"});
  expect_refusal([] { Layout<2>::block_cyclic({10, 3}, {2, 2}, {.shape = {2, 3}}, 5); }, {"6", "5 ranks"});
  expect_refusal([] { Layout<2>::block_cyclic({-10, 3}, {2, 2}, {.shape = {1, 1}}); }, {"-10"});
  // A grid that does not fit an int must not be truncated to a small one.
  expect_refusal([] { Layout<1>::block_cyclic({10}, {2}, {.shape = {index_t{1} << 32}}); }, {"4294967296"});
  expect_refusal([] { Layout<1>::block_cyclic({10}, {2}, {.shape = {(index_t{1} << 32) + 1}}, 3); },
                 {"4294967297"});
  expect_refusal(
      [] {
        Layout<2>::block_cyclic({9, 9}, {2, 2}, {.shape = {1 << 16, 1 << 16}});
      },
      {"4294967296"});

  const auto layout = Layout<2>::blocked({10, 20}, 4);
  expect_refusal([&] { layout.owner({10, 0}); }, {"10 x 20", "dimension 0"});
  expect_refusal([&] { layout.owner({0, -1}); }, {"dimension 1", "-1"});
  expect_refusal(
      [&] {
        layout.locate({{0, 5}, {10, 25}});
      },
      {"[0:10, 5:25)", "10 x 20", "dimension 1 ends at 25"});
  expect_refusal([&] { layout.locate({{5, 5}, {4, 6}}); }, {"inverted", "dimension 0"});
}

}  // namespace
