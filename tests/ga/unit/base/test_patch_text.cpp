// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/patch_text.hpp"

#include <gtest/gtest.h>

#include <string>

#include <tessera/layout.hpp>

#include "message_of.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;
using detail::box_of;

TEST(PatchText, lists_ranges_and_extents) {
  EXPECT_EQ(detail::patch_text(box_of(Patch<2>{{0, 5}, {10, 25}}), 2), "[0:10, 5:25)");
  EXPECT_EQ(detail::patch_text(box_of(Patch<1>{{-3}, {-5}}), 1), "[-3:-5)");
  const Extents<3> dims(10, 20, 0);
  EXPECT_EQ(detail::extents_text(dims.data(), 3), "10 x 20 x 0");
  EXPECT_EQ(detail::extents_text(dims.data(), 1), "10");
}

TEST(PatchText, empty_patches_up_to_the_end_are_inside) {
  const auto layout = Layout<2>::blocked({4, 6}, 1);
  const auto inside = [&](const Patch<2>& patch) { return detail::is_inside(layout.core(), box_of(patch)); };
  EXPECT_TRUE(inside({{0, 0}, {4, 6}}));
  EXPECT_TRUE(inside({{4, 6}, {4, 6}}));
  EXPECT_FALSE(inside({{0, 0}, {4, 7}}));
  EXPECT_FALSE(inside({{-1, 0}, {4, 6}}));
  EXPECT_FALSE(inside({{2, 0}, {1, 6}}));
}

TEST(PatchText, a_bad_patch_is_reported_with_its_first_bad_dimension) {
  const Extents<2> dims(4, 6);
  const auto text = [&](const Patch<2>& patch) {
    return message_of<UsageError>([&] { detail::throw_bad_patch(dims.data(), 2, box_of(patch), "it"); });
  };
  EXPECT_EQ(text({{3, 0}, {2, 9}}),
            "patch [3:2, 0:9) of it is inverted: dimension 0 begins at 3 and ends before it, at 2");
  EXPECT_EQ(text({{0, -1}, {4, 9}}),
            "patch [0:4, -1:9) exceeds it of extents 4 x 6 (dimension 1 begins at -1)");
  EXPECT_EQ(text({{0, 0}, {5, 9}}),
            "patch [0:5, 0:9) exceeds it of extents 4 x 6 (dimension 0 ends at 5); did you pass inclusive "
            "bounds? use Patch::inclusive");
  // A patch that is inside has no reason to be refused.
  EXPECT_THROW(detail::throw_bad_patch(dims.data(), 2, box_of(Patch<2>{{0, 0}, {4, 6}}), "it"), LogicError);
}

TEST(PatchText, messages_name_the_array_or_a_layout) {
  const auto layout = Layout<1>::blocked({4}, 1);
  const auto text = [&](const char* array) {
    return message_of<UsageError>([&] {
      detail::throw_bad_patch(layout.core(), box_of(Patch<1>{{0}, {5}}), array);
    });
  };
  EXPECT_NE(text("F").find("exceeds array \"F\" of extents 4"), std::string::npos) << text("F");
  EXPECT_NE(text("").find("exceeds a layout of extents 4"), std::string::npos) << text("");
}

}  // namespace
