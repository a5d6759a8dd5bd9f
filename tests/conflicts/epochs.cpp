// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/epochs.hpp>

#include "cases.hpp"

// Epochs begin and end as if with a sync.
namespace cases {
namespace {

// The sums are there when the epoch has ended.
void accumulate_epoch(Stage& at) {
  auto epoch = accumulate_only(at.line);
  epoch.acc({{0}, {8}}, LocalArray<double, 1>(Extents<1>{8}));
  epoch.end();
  if (at.rank == 1) get(at.line, 0, 8);
}

// The epoch begins as if with a sync.
void put_before_an_epoch(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8);
  auto epoch = read_only(at.line);
  static_cast<void>(epoch.get({{0}, {8}}));
  epoch.end();
}

// So does an operation on the whole array.
void whole_array_operation(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8);
  scale(at.line, 2.0);
  if (at.rank == 1) get(at.line, 0, 8);
}

// Each is after the operation, and nothing is between them.
void put_after_whole_array_operation(Stage& at) {
  fill(at.line, 2.0);
  if (at.rank == 0) put(at.line, 0, 8);
  if (at.rank == 1) get(at.line, 0, 8);
}

}  // namespace

std::span<const Case> epochs() {
  static constexpr Case all[] = {
      {"accumulate-epoch", Verdict::right, 2, accumulate_epoch},
      {"put-before-an-epoch", Verdict::right, 2, put_before_an_epoch},
      {"whole-array-operation", Verdict::right, 2, whole_array_operation},
      {"put-after-whole-array-operation", Verdict::wrong, 2, put_after_whole_array_operation, "put by rank 0",
       "get by rank 1"},
  };
  return all;
}

}  // namespace cases
