// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <cstddef>

#include <gtest/gtest.h>

#include <tessera/runtime/error.hpp>

#include "agents/exposed_regions.hpp"

namespace {

using tessera::LogicError;
using tessera::detail::ExposedRegions;

TEST(ExposedRegions, are_found_until_they_are_removed) {
  std::array<std::byte, 16> memory{};
  ExposedRegions regions;
  EXPECT_FALSE(regions.find(3).has_value());
  regions.add(3, {memory.data(), 16, 77});
  const auto found = regions.find(3);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->base, memory.data());
  EXPECT_EQ(found->bytes, 16);
  EXPECT_EQ(found->salt, 77U);
  regions.remove(3);
  regions.remove(3);
  EXPECT_FALSE(regions.find(3).has_value());
}

TEST(ExposedRegions, refuse_bytes_outside_of_a_region_and_regions_they_do_not_know) {
  std::array<std::byte, 16> memory{};
  ExposedRegions regions;
  regions.add(3, {memory.data(), 16, 0});
  EXPECT_EQ(regions.at(3, 0, 16).base, memory.data());
  EXPECT_THROW(regions.at(3, -1, 8), LogicError);
  EXPECT_THROW(regions.at(3, 8, 17), LogicError);
  EXPECT_THROW(regions.at(4, 0, 0), LogicError);
}

}  // namespace
