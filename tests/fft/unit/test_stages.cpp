// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "stages.hpp"

#include <gtest/gtest.h>

// Stages as lists of dimensions.

namespace tessera::fft {
namespace {

constexpr DimensionSet all = 0b111;

StageQuestion question(index_t extent, int ranks, DimensionSet whole_in, DimensionSet whole_out,
                       Decomposition decomposition = Decomposition::automatic) {
  return {.rank = 3,
          .extents = {extent, extent, extent},
          .transformed = all,
          .whole_in = whole_in,
          .whole_out = whole_out,
          .ranks = ranks,
          .decomposition = decomposition};
}

using Stages = std::vector<DimensionSet>;

TEST(Stages, begin_with_the_dimensions_that_the_input_has_whole) {
  EXPECT_EQ(stages_for(question(64, 4, 0b110, 0b110)), (Stages{0b110, 0b001}));
  EXPECT_EQ(stages_for(question(64, 4, 0b011, 0b011)), (Stages{0b011, 0b100}));
}

TEST(Stages, end_with_the_dimensions_that_only_the_output_has_whole) {
  EXPECT_EQ(stages_for(question(64, 4, 0, 0b011)), (Stages{0b100, 0b011}));
  EXPECT_EQ(stages_for(question(64, 4, 0b100, 0b010)), (Stages{0b100, 0b011}));
  EXPECT_EQ(stages_for(question(64, 100, 0b100, 0b010)), (Stages{0b100, 0b001, 0b010}));
}

TEST(Stages, of_blocks_are_slabs_where_all_ranks_have_work) {
  EXPECT_EQ(stages_for(question(64, 4, 0, 0)), (Stages{0b110, 0b001}));
  EXPECT_EQ(stages_for(question(64, 100, 0, 0)), (Stages{0b100, 0b010, 0b001}));
}

TEST(Stages, do_not_join_what_exceeds_the_caches) {
  EXPECT_EQ(stages_for(question(256, 1, all, all)), (Stages{0b110, 0b001}));
  EXPECT_EQ(stages_for(question(2048, 1, all, all)), (Stages{0b100, 0b010, 0b001}));
  EXPECT_EQ(stages_for(question(16, 1, all, all)), (Stages{all}));
}

TEST(Stages, are_slabs_or_pencils_as_asked) {
  EXPECT_EQ(stages_for(question(2048, 100, 0b110, 0b110, Decomposition::slabs)), (Stages{0b110, 0b001}));
  EXPECT_EQ(stages_for(question(16, 1, all, all, Decomposition::pencils)), (Stages{0b100, 0b010, 0b001}));
}

TEST(Stages, of_real_arrays_begin_with_the_dimension_that_becomes_shorter) {
  for (const DimensionSet in : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U}) {
    for (const DimensionSet out : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U}) {
      for (const auto how : {Decomposition::automatic, Decomposition::slabs, Decomposition::pencils}) {
        for (const int first : {0, 1, 2}) {
          StageQuestion asked = question(64, 4, in, out, how);
          asked.first = first;
          const Stages stages = stages_for(asked);
          EXPECT_TRUE(contains(stages.front(), only(first)));
          DimensionSet together = 0;
          for (const DimensionSet stage : stages) {
            EXPECT_NE(stage, 0U);
            EXPECT_EQ(stage & together, 0U);
            together |= stage;
          }
          EXPECT_EQ(together, all);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tessera::fft
