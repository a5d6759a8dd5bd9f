// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/runtime/detail/unique_handle.hpp>

namespace {

std::vector<int> freed;

struct Traits {
  using Handle = int;
  static Handle null() noexcept { return -1; }
  static void free(Handle handle) noexcept { freed.push_back(handle); }
};
using Unique = tessera::detail::UniqueHandle<Traits>;
using Freed = std::vector<int>;

static_assert(!std::is_copy_constructible_v<Unique> && !std::is_copy_assignable_v<Unique>);
static_assert(std::is_nothrow_move_constructible_v<Unique> && std::is_nothrow_move_assignable_v<Unique>);
static_assert(!std::is_convertible_v<int, Unique>);

class UniqueHandle : public testing::Test {
  void SetUp() override { freed.clear(); }
};

TEST_F(UniqueHandle, frees_exactly_once_at_the_end) {
  {
    Unique zero(0), seven(7);
    EXPECT_TRUE(zero);  // 0 is a handle like any other where null is -1
    EXPECT_EQ(seven.get(), 7);
    EXPECT_TRUE(freed.empty());
  }
  EXPECT_EQ(freed, (Freed{7, 0}));
}

TEST_F(UniqueHandle, null_is_never_freed) {
  {
    Unique empty, also(-1);
    EXPECT_FALSE(empty);
    EXPECT_FALSE(also);
    empty.reset();
    empty = std::move(also);
  }
  EXPECT_TRUE(freed.empty());
}

TEST_F(UniqueHandle, self_move_keeps_the_handle) {
  {
    Unique handle(3);
    Unique& same = handle;
    handle = std::move(same);
    EXPECT_EQ(handle.get(), 3);
    EXPECT_TRUE(freed.empty());
  }
  EXPECT_EQ(freed, (Freed{3}));
}

TEST_F(UniqueHandle, moving_over_a_live_handle_frees_it_and_empties_the_source) {
  {
    Unique target(1), source(2);
    target = std::move(source);
    EXPECT_EQ(freed, (Freed{1}));
    EXPECT_EQ(target.get(), 2);
    EXPECT_FALSE(source);  // NOLINT: moved-from on purpose
    Unique third(std::move(target));
    EXPECT_FALSE(target);  // NOLINT
    EXPECT_EQ(third.get(), 2);
  }
  EXPECT_EQ(freed, (Freed{1, 2}));
}

TEST_F(UniqueHandle, release_keeps_the_handle_and_reset_frees_it) {
  {
    Unique handle(5);
    EXPECT_EQ(handle.release(), 5);
    EXPECT_FALSE(handle);
    EXPECT_TRUE(freed.empty());
    handle.reset(6);
    handle.reset(8);
    EXPECT_EQ(freed, (Freed{6}));
    handle.reset();
    EXPECT_EQ(freed, (Freed{6, 8}));
  }
  EXPECT_EQ(freed, (Freed{6, 8}));
}

TEST_F(UniqueHandle, lives_in_containers) {
  {
    std::vector<Unique> many;
    for (int i = 0; i < 10; ++i) many.emplace_back(i);
    many.erase(many.begin() + 3);
    EXPECT_EQ(freed, (Freed{3}));
  }
  EXPECT_EQ(freed.size(), 10U);
}

}  // namespace
