// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "agents/tag_pool.hpp"

namespace {

using tessera::detail::AgentComms;
using tessera::detail::TagPool;

// The tags that a pool gives in two rounds.
std::set<std::int32_t> given(TagPool& tags) {
  std::set<std::int32_t> all;
  for (std::int32_t i = 0; i < 2 * AgentComms::tags; ++i) all.insert(tags.next());
  return all;
}

TEST(TagPool, all_tags_are_given_in_turn) {
  TagPool tags;
  const std::int32_t first = tags.next();
  EXPECT_EQ(tags.next(), first + 1);
  const auto all = given(tags);
  EXPECT_EQ(all.size(), static_cast<std::size_t>(AgentComms::tags));
  EXPECT_EQ(*all.begin(), 0);
  EXPECT_LE(AgentComms::data_tag(*all.rbegin()), 32767) << "what MPI promises";
}

TEST(TagPool, those_that_are_held_are_not_given_again) {
  TagPool tags;
  const std::int32_t lost = tags.next(), kept = tags.next(), moved = tags.next();
  std::optional<TagPool::Held> first = tags.hold(lost), second = tags.hold(kept);
  TagPool::Held to = tags.hold(moved), other;
  other = std::move(to);
  EXPECT_EQ(given(tags).size(), static_cast<std::size_t>(AgentComms::tags - 3));
  first.reset();
  auto all = given(tags);
  EXPECT_EQ(all.size(), static_cast<std::size_t>(AgentComms::tags - 2));
  EXPECT_TRUE(all.contains(lost));
  EXPECT_FALSE(all.contains(kept));
  EXPECT_FALSE(all.contains(moved));
  *second = {};
  EXPECT_TRUE(given(tags).contains(kept));
  other = {};
  EXPECT_EQ(given(tags).size(), static_cast<std::size_t>(AgentComms::tags));
}

TEST(TagPool, an_empty_hold_holds_no_tag) {
  TagPool tags;
  { TagPool::Held none, other(std::move(none)); }
  EXPECT_EQ(given(tags).size(), static_cast<std::size_t>(AgentComms::tags));
}

}  // namespace
