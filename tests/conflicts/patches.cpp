// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <vector>

#include "cases.hpp"

// Which elements two patches have in common.
namespace cases {
namespace {

// Side by side.
void disjoint_patches(Stage& at) {
  if (at.rank < 2) put(at.line, 8 * at.rank, 8 * at.rank + 8);
}

// One element is in both.
void one_common_element(Stage& at) {
  if (at.rank < 2) put(at.line, 7 * at.rank, 7 * at.rank + 8);
}

// Even and odd elements: only their bounding boxes overlap.
void interleaved(Stage& at) {
  auto half = at.line.slice({{at.rank % 2}, {16}}, {2});
  if (at.rank < 2) half.put(LocalArray<double, 1>(Extents<1>{8}));
}

// Every sixth element is in both.
void every_second_and_every_third(Stage& at) {
  auto some = at.line.slice({{0}, {12}}, {at.rank + 2});
  if (at.rank < 2) some.put(LocalArray<double, 1>(some.dims()));
}

// A row and a column cross.
void rows_and_columns(Stage& at) {
  Plane plane(at.world, {12, 12}, {.name = "rows-and-columns"});
  if (at.rank == 0) put(plane, {{5, 0}, {6, 12}});
  if (at.rank == 1) put(plane, {{0, 7}, {12, 8}});
  plane.sync();
}

// Columns side by side, whose rows of memory interleave.
void columns(Stage& at) {
  Plane plane(at.world, {12, 12}, {.name = "columns"});
  if (at.rank < 2) put(plane, {{0, 6 * at.rank}, {12, 6 * at.rank + 6}});
  plane.sync();
}

// Two patches that touch at a corner.
void corners(Stage& at) {
  Plane plane(at.world, {12, 12}, {.name = "corners"});
  if (at.rank < 2) put(plane, {{4 * at.rank, 4 * at.rank}, {4 * at.rank + 4, 4 * at.rank + 4}});
  plane.sync();
}

// An element of a list is in the patch.
void list_and_patch(Stage& at) {
  const std::vector<Index<1>> list{{2}, {9}, {15}};
  if (at.rank == 0) at.line.scatter(list, std::vector<double>(3, 1.0));
  if (at.rank == 1) get(at.line, 8, 12);
}

// No element of the list is in the patch.
void list_beside_patch(Stage& at) {
  const std::vector<Index<1>> list{{2}, {7}, {15}};
  if (at.rank == 0) at.line.scatter(list, std::vector<double>(3, 1.0));
  if (at.rank == 1) get(at.line, 8, 12);
}

// Both lists have element 9.
void two_lists(Stage& at) {
  const std::vector<Index<1>> list{{2 + at.rank}, {9}, {14 - at.rank}};
  if (at.rank < 2) at.line.scatter(list, std::vector<double>(3, 1.0));
}

}  // namespace

std::span<const Case> patches() {
  static constexpr Case all[] = {
      {"disjoint-patches", Verdict::right, 2, disjoint_patches},
      {"one-common-element", Verdict::wrong, 2, one_common_element, "put by rank 0", "put by rank 1"},
      {"interleaved", Verdict::right, 2, interleaved},
      {"every-second-and-every-third", Verdict::wrong, 2, every_second_and_every_third, "put by rank 0",
       "put by rank 1"},
      {"rows-and-columns", Verdict::wrong, 2, rows_and_columns, "put by rank 0", "put by rank 1"},
      {"columns", Verdict::right, 2, columns},
      {"corners", Verdict::right, 2, corners},
      {"list-and-patch", Verdict::wrong, 2, list_and_patch, "put by rank 0", "get by rank 1"},
      {"list-beside-patch", Verdict::right, 2, list_beside_patch},
      {"two-lists", Verdict::wrong, 2, two_lists, "put by rank 0", "put by rank 1"},
  };
  return all;
}

}  // namespace cases
