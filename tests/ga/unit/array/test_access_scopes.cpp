// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "array/access_scopes.hpp"

#include <gtest/gtest.h>

#include <string>

#include <tessera/core/array_core.hpp>
#include <tessera/runtime/error.hpp>

#include "message_of.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

TEST(AccessScopes, one_block_has_one_writer_at_a_time) {
  detail::AccessScopes scopes;
  scopes.begin_write(3, "A");
  scopes.begin_write(4, "A");
  const std::string text = message_of<UsageError>([&] { scopes.begin_write(3, "A"); });
  EXPECT_NE(text.find("array \"A\""), std::string::npos) << text;
  scopes.end_write(3);
  EXPECT_NO_THROW(scopes.begin_write(3, "A"));
  EXPECT_THROW(scopes.begin_write(4, "A"), UsageError);
}

TEST(AccessScopes, all_blocks_share_elements_with_every_block) {
  constexpr index_t all = detail::ArrayCore::all_blocks;
  detail::AccessScopes scopes;
  scopes.begin_write(all, "A");
  EXPECT_THROW(scopes.begin_write(0, "A"), UsageError);
  EXPECT_THROW(scopes.begin_write(all, "A"), UsageError);
  scopes.end_write(all);
  scopes.begin_write(7, "A");
  EXPECT_THROW(scopes.begin_write(all, "A"), UsageError);
}

TEST(AccessScopes, the_end_of_an_unknown_access_does_nothing) {
  detail::AccessScopes scopes;
  scopes.begin_write(1, "A");
  scopes.end_write(2);
  EXPECT_THROW(scopes.begin_write(1, "A"), UsageError);
}

}  // namespace
