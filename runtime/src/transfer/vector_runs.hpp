// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/runtime/vector.hpp>

#include "transfer/paths/run.hpp"
#include "transfer/route.hpp"

namespace tessera::detail {

/// The runs of a list, in its order, without runs of no bytes. Throws UsageError if the list is inconsistent,
/// or a place is outside its slice. @local
std::vector<Run> resolve(const Vector& vector);
/// The lengths of these runs. @local
RunLengths lengths_of(const Vector& vector, const std::vector<Run>& runs) noexcept;
/// Throws UsageError if a run begins or ends within an element. @local
void require_whole_elements(const std::vector<Run>& runs, const RunLengths& lengths, ElementKind kind);

inline bool on_node(const Run& run, Verb verb) noexcept { return is_direct(*run.segment, run.place, verb); }
inline bool same_target(const Run& a, const Run& b) noexcept {
  return a.segment == b.segment && a.rank == b.rank;
}
/// Orders by target alone. Both orders are objects, so that sorting inlines them; functions would be called.
inline constexpr auto to_other_target = [](const Run& a, const Run& b) noexcept {
  if (a.segment->number != b.segment->number) return a.segment->number < b.segment->number;
  return a.rank < b.rank;
};
/// Orders by target, then by offset.
inline constexpr auto before = [](const Run& a, const Run& b) noexcept {
  return same_target(a, b) ? a.offset < b.offset : to_other_target(a, b);
};

/// Whether the batched method gives the result of the conservative one, even if runs overlap. On a node, runs
/// are copied one after another in list order, so only a run that overlaps itself can differ.
bool order_is_kept(const std::vector<Run>& runs, const RunLengths& lengths, Verb verb) noexcept;
/// The same for agents, which get the runs in list order. False for gets: answers fill local memory in any
/// order.
bool agents_keep_order(const std::vector<Run>& runs, const RunLengths& lengths, Verb verb) noexcept;
/// Whether the order of the runs matters: two are written to one place, or one is written to where another is
/// read.
bool overlaps(const std::vector<Run>& runs, const RunLengths& lengths, Verb verb);

/// In vector.cpp: moves at least one run; all are found and checked. @onesided
Request transfer_runs(std::vector<Run> runs, const RunLengths& lengths, const Action& action,
                      VectorMethod method, Returns returns);

}  // namespace tessera::detail
