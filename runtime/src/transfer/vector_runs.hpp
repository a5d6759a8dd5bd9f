// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <span>

#include <tessera/runtime/detail/kept_memory.hpp>
#include <tessera/runtime/vector.hpp>

#include "transfer/paths/run.hpp"
#include "transfer/route.hpp"

namespace tessera::detail {

/// The runs of a list, and facts about them. The facts are noted while the runs are found, as further loops
/// over the runs would take longer than short transfers. They are false where nothing is known.
struct RunFacts {
  std::span<Run> runs;
  RunLengths lengths = {};
  bool are_together = false;  // of one segment, and done by loads and stores
  bool have_one_rank = false;
  bool are_apart = false;  // on this node, and each apart from its own local memory
};

/// Memory for the runs of a list. A short list needs none from the heap, which would take much of its time.
class RunBuffer {
 public:
  Run* reserve(std::size_t count) {
    if (count <= few_.size()) return few_.data();
    many_.resize(count);
    return many_.data();
  }

 private:
  std::array<Run, 16> few_;
  KeptVector<Run> many_;
};

/// The runs of a list, in its order, without runs of no bytes. They are stored in the buffer. Throws UsageError
/// if the list is inconsistent, or a place is outside its slice. @local
RunFacts resolve(const Vector& vector, Verb verb, RunBuffer& buffer);
/// Throws UsageError if a run begins or ends within an element. @local
void require_whole_elements(std::span<const Run> runs, const RunLengths& lengths, ElementKind kind);

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

/// Whether the batched method by agents gives the result of the conservative one, even if runs overlap. Agents
/// get the runs of a segment in list order. False for gets: answers fill local memory in any order.
bool agents_keep_order(std::span<const Run> runs, const RunLengths& lengths, Verb verb) noexcept;
/// Whether the order of the runs matters: two are written to one place, or one is written to where another is
/// read.
bool overlaps(std::span<const Run> runs, const RunLengths& lengths, Verb verb);

/// In vector.cpp: moves at least one run; all are found and checked. It may sort them. @onesided
Request transfer_runs(const RunFacts& list, const Action& action, const VectorOptions& options,
                      Returns returns);

}  // namespace tessera::detail
