// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/runtime/vector.hpp>

#include "transfer/paths/run.hpp"
#include "transfer/route.hpp"

namespace tessera::detail {

/// The runs of a list in its order. Throws UsageError for a list that is wrong in itself or reaches outside.
/// @local
std::vector<Run> resolve(const Vector& vector);
/// Throws UsageError if a run begins or ends within an element. @local
void require_whole_elements(const Vector& vector, const std::vector<Run>& runs, ElementKind kind);

inline bool on_node(const Run& run, Verb verb) noexcept { return is_direct(*run.segment, run.place, verb); }
inline bool same_target(const Run& a, const Run& b) noexcept {
  return a.segment == b.segment && a.rank == b.rank;
}
/// The order of the target alone. For sorting, so objects that are inlined, and not functions that are called.
inline constexpr auto to_other_target = [](const Run& a, const Run& b) noexcept {
  if (a.segment->number != b.segment->number) return a.segment->number < b.segment->number;
  return a.rank < b.rank;
};
/// The order of target and offset.
inline constexpr auto before = [](const Run& a, const Run& b) noexcept {
  return same_target(a, b) ? a.offset < b.offset : to_other_target(a, b);
};

/// Whether the result of the batched method is that of the conservative one whatever the runs: on a node they
/// are copied one after another, in the order of the list, so only one that overlaps itself can differ.
bool order_is_kept(const std::vector<Run>& runs, index_t run, Verb verb) noexcept;
/// The same of agents, which are sent the runs in the order of the list; what is written here would be by the
/// answers, in any order.
bool agents_keep_order(const std::vector<Run>& runs, index_t run, Verb verb) noexcept;
/// Whether the order of the runs matters: two are written to one place, or one is written to where another is
/// read.
bool overlaps(const std::vector<Run>& runs, index_t run, Verb verb);

/// vector.cpp: moves runs that are found and checked, at least one. @onesided
Request transfer_runs(std::vector<Run> runs, index_t run, const Action& action, VectorMethod method,
                      Returns returns);

}  // namespace tessera::detail
