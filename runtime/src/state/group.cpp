// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/group.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/error.hpp>
#include <tessera/runtime/phase.hpp>

#include "base/activity.hpp"
#include "base/host_name.hpp"
#include "conflicts/conflicts.hpp"
#include "format.hpp"
#include "kernels/reduce_kernels.hpp"
#include "node/node_collectives.hpp"
#include "state/collectives.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"

namespace tessera {
namespace detail {
namespace {

// Stands in the parent's list for a child group that this process is not a member of.
struct Absent : Collective {
  Absent() { drop(); }
  void quiesce() override {}
  void release() noexcept override {}
};

}  // namespace
}  // namespace detail

using detail::CollectiveCall;
using detail::Fingerprint;
using detail::GroupState;

namespace {

// The user's handle of a group. When its last copy goes, the group is only marked as dropped.
std::shared_ptr<GroupState> handle_of(std::shared_ptr<GroupState> state) {
  auto* raw = state.get();
  // The deleter lives on while a segment has a weak pointer: it must not keep the state alive.
  return {raw, [kept = std::move(state)](GroupState*) mutable { std::exchange(kept, {})->drop(); }};
}

}  // namespace

const char* to_string(Reduce operation) noexcept {
  constexpr std::array names{"sum",         "product",    "min",     "max",    "absmax", "absmin",
                             "logical_and", "logical_or", "bit_and", "bit_or", "bit_xor"};
  return names[static_cast<std::size_t>(operation)];
}

GroupState& Group::state() const {
  if (!state_)
    throw UsageError("an empty group was used (this process is not a member); test it with if (group)");
  state_->require_open();
  return *state_;
}

int Group::rank() const { return state().rank(); }
int Group::size() const { return state().size(); }
MPI_Comm Group::mpi_comm() const { return state().comm(); }
int Group::node_count() const { return state().node_count(); }

Group Group::node() const {
  const GroupState& group = state();
  if (group.node_group() == nullptr) return *this;
  return Group(std::shared_ptr<GroupState>(state_, group.node_group()));  // keeps the whole group
}

int Group::node_of(int rank) const {
  const GroupState& group = state();
  if (rank < 0 || rank >= group.size())
    throw UsageError(formatted("rank {} is not in a group of {}", rank, group.size()));
  return group.node_of(rank);
}

bool Group::on_node(int rank) const { return node_of(rank) == state().node(); }

std::string Group::host() const { return detail::host_name(); }

Group Group::split(int color, int key) const {
  GroupState& parent = state();
  std::string problem;
  if (color < 0 && color != no_color) {
    problem = formatted("split: color {} on rank {} is negative; use Group::no_color to stay out", color,
                        parent.rank());
  }
  if (problem = parent.agree(problem); !problem.empty()) throw UsageError(problem);
  parent.meet();
  detail::mpi::Comm comm = detail::mpi::split(parent.comm(), color, key);
  std::shared_ptr<GroupState> child;
  try {
    if (comm)
      child = GroupState::create(parent.runtime(), std::move(comm), &GroupState::of(parent.runtime().world()));
  } catch (const MemoryError& error) {
    problem = error.what();
  }
  // All members adopt something, or none does: they free by the places in their lists.
  if (problem = parent.agree(problem); !problem.empty()) {
    if (child) child->release();
    throw MemoryError(problem);
  }
  if (!child) {
    parent.adopt(std::make_shared<detail::Absent>());
    return {};
  }
  parent.adopt(child);
  return Group(handle_of(std::move(child)));
}

namespace {

// The place of this process in a list of ranks, -1 if it is not there. The list is the same on every rank, and
// so is the error.
int place_in(std::span<const int> ranks, const GroupState& parent, std::string_view call) {
  int place = -1;
  std::set<int> seen;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] < 0 || ranks[i] >= parent.size()) {
      throw UsageError(formatted("{}: rank {} is not in a group of {}", call, ranks[i], parent.size()));
    }
    if (!seen.insert(ranks[i]).second)
      throw UsageError(formatted("{}: rank {} is listed twice", call, ranks[i]));
    if (ranks[i] == parent.rank()) place = static_cast<int>(i);
  }
  return place;
}

}  // namespace

Group Group::include(std::span<const int> ranks) const {
  check_agreement([&] {
    Fingerprint list;
    for (int rank : ranks) list.add(rank);
    return CollectiveCall{"Group::include", list.value(), formatted(" of ranks {}", joined(ranks, ", "))};
  });
  const int place = place_in(ranks, state(), "include");
  return split(place < 0 ? no_color : 0, place);
}

Group Group::form(std::span<const int> ranks, int tag) const {
  const GroupState& parent = state();
  if (place_in(ranks, parent, "form") < 0) {
    throw UsageError(
        formatted("form: rank {} is not in the list (only the members of the new group call)", parent.rank()));
  }
  if (tag < 0 || tag > max_tag) throw UsageError(formatted("form: tag {} is not from 0 to {}", tag, max_tag));
  detail::RuntimeState& runtime = parent.runtime();
  auto group = GroupState::create(runtime, detail::mpi::create_group(parent.beside(), ranks, max_tag + 1 + tag),
                                  &GroupState::of(runtime.world()));
  runtime.formed_groups().add(group);
  return Group(handle_of(std::move(group)));
}

void Group::close() {
  GroupState& group = state();
  detail::RuntimeState& runtime = group.runtime();
  if (&group == &GroupState::of(runtime.world()))
    throw UsageError("the world cannot be closed; it ends with its Runtime");
  if (group.is_node_part())
    throw UsageError("the node's part of a group cannot be closed alone; close the group");
  check_agreement("Group::close", 0);
  group.quiesce_all();
  group.meet();
  group.drop();
  group.release();
  runtime.formed_groups().remove(group);
}

std::vector<int> Group::ranks_on_node(int node) const {
  const GroupState& group = state();
  if (node < 0 || node >= group.node_count())
    throw UsageError(formatted("node {} is not among the {} of a group", node, group.node_count()));
  std::vector<int> ranks;
  for (int r = 0; r < group.size(); ++r) {
    if (group.node_of(r) == node) ranks.push_back(r);
  }
  return ranks;
}

Distance Group::distance(int rank) const {
  if (!on_node(rank)) return Distance::network;
  return rank == state().rank() ? Distance::self : Distance::node;
}

int Group::world_rank(int rank) const {
  const GroupState& group = state();
  if (rank < 0 || rank >= group.size())
    throw UsageError(formatted("rank {} is not in a group of {}", rank, group.size()));
  return group.world_rank(rank);
}

int Group::rank_of_world(int world_rank) const {
  const auto& ranks = state().world_ranks();
  const auto found = std::find(ranks.begin(), ranks.end(), world_rank);
  return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

std::vector<int> Group::translate(std::span<const int> ranks, const Group& to) const {
  const GroupState &from = state(), &target = to.state();
  std::map<int, int> there;
  for (int r = 0; r < target.size(); ++r) there.emplace(target.world_rank(r), r);
  std::vector<int> result;
  for (int rank : ranks) {
    if (rank < 0 || rank >= from.size())
      throw UsageError(formatted("rank {} is not in a group of {}", rank, from.size()));
    const auto found = there.find(from.world_rank(rank));
    result.push_back(found == there.end() ? -1 : found->second);
  }
  return result;
}

void Group::barrier() const {
  const Phase phase(*this, "barrier");
  check_agreement("Group::barrier", 0);
  std::int64_t nothing = 0;
  state().reduce_min(&nothing, 1);
}

void Group::flush() const {
  const GroupState& group = state();
  group.runtime().complete_all(&group);
}

void Group::sync() const { static_cast<void>(sync_and_agree({})); }

std::string Group::sync_and_agree(std::string_view problem) const {
  const Phase phase(*this, "sync");
  check_agreement("Group::sync", 0);
  GroupState& group = state();
  if (group.runtime().reaches_out()) group.quiesce_all();
  auto& recorder = detail::conflicts::Recorder::instance();
  if (group.runtime().keeps_clock()) {
    recorder.flush_all(group.number());
    recorder.suspend_all(group.number());
  }
  const std::int64_t first = group.meet(problem.empty() ? group.size() : group.rank());
  if (group.runtime().keeps_clock()) recorder.resume_all(group.number());
  return group.tell(static_cast<int>(first), std::string(problem));
}

namespace {

void require_root(std::string_view call, int root, const GroupState& group) {
  if (root >= 0 && root < group.size()) return;
  throw UsageError(formatted("{}: root {} is not in a group of {}", call, root, group.size()));
}

}  // namespace

void Group::broadcast_bytes(void* data, index_t bytes, int root) const {
  GroupState& group = state();
  check_agreement([&] {
    return CollectiveCall{"Group::broadcast", Fingerprint().add(bytes).add(root).value(),
                          formatted(" of {} bytes from rank {}", bytes, root)};
  });
  require_root("broadcast", root, group);
  detail::broadcast(group, data, bytes, root);
}

namespace {

void require_defined(std::string_view call, ElementKind kind, Reduce operation) {
  if (detail::fold(kind, operation) != nullptr) return;
  throw UsageError(formatted("{}: {} is not defined for {}", call, to_string(operation), to_string(kind)));
}

Fingerprint fingerprint_of(index_t count, ElementKind kind, Reduce operation) {
  return Fingerprint().add(count).add(static_cast<int>(kind)).add(static_cast<int>(operation));
}

}  // namespace

void Group::all_reduce_elements(void* data, index_t count, ElementKind kind, Reduce operation) const {
  require_defined("all_reduce", kind, operation);
  check_agreement([&] {
    return CollectiveCall{"Group::all_reduce", fingerprint_of(count, kind, operation).value(),
                          formatted(" of {} {}, {}", count, to_string(kind), to_string(operation))};
  });
  detail::all_reduce(state(), data, count, kind, operation);
}

void Group::reduce_elements(void* data, index_t count, ElementKind kind, Reduce operation, int root) const {
  require_defined("reduce", kind, operation);
  GroupState& group = state();
  check_agreement([&] {
    return CollectiveCall{
        "Group::reduce", fingerprint_of(count, kind, operation).add(root).value(),
        formatted(" of {} {}, {}, to rank {}", count, to_string(kind), to_string(operation), root)};
  });
  require_root("reduce", root, group);
  detail::reduce(group, data, count, kind, operation, root);
}

void Group::all_gather_bytes(const void* value, void* all, index_t bytes) const {
  check_agreement([&] {
    return CollectiveCall{"Group::all_gather", Fingerprint().add(bytes).value(),
                          formatted(" of {} bytes", bytes)};
  });
  detail::all_gather(state(), value, all, detail::Portions(bytes));
}

std::size_t Group::total(std::span<const index_t> counts, index_t mine) const {
  const GroupState& group = state();
  std::string problem;
  if (static_cast<int>(counts.size()) != group.size()) {
    problem = formatted("{} counts were given for {} ranks", counts.size(), group.size());
  } else if (counts[static_cast<std::size_t>(group.rank())] != mine) {
    problem = formatted("the count of rank {} is {}, and its range has {} elements", group.rank(),
                        counts[static_cast<std::size_t>(group.rank())], mine);
  } else if (std::any_of(counts.begin(), counts.end(), [](index_t count) { return count < 0; })) {
    problem = "a count is negative";
  }
  check_agreement([&] {
    Fingerprint list;
    for (const index_t count : counts) list.add(count);
    return CollectiveCall{"Group::all_gather", list.add(problem).value(),
                          problem.empty() ? formatted(" of {} elements", mine) : ": " + problem};
  });
  if (!problem.empty()) throw UsageError("all_gather: " + problem);
  return static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), index_t{0}));
}

void Group::all_gather_ranges(const void* range, void* all, std::span<const index_t> counts,
                              index_t size) const {
  std::vector<index_t> bounds{0};
  for (const index_t count : counts) bounds.push_back(bounds.back() + count * size);
  detail::all_gather(state(), range, all, detail::Portions(bounds));
}

std::string Group::agree(std::string_view problem) const { return state().agree(std::string(problem)); }

void Group::check_call(const CollectiveCall& call) const {
  GroupState& group = state();
  if (detail::activity::is_asked())
    detail::activity::called(formatted("{}{} on {} ranks", call.name, call.arguments, group.size()));
#ifdef TESSERA_CHECKS
  const auto hash =
      static_cast<std::int64_t>(Fingerprint().add(std::string_view(call.name)).add(call.fingerprint).value());
  std::int64_t least[2] = {hash, ~hash};  // the complement of the least complement is the largest
  group.compare_min(least, 2);
  if (least[0] == ~least[1]) return;
  constexpr std::size_t width = 160;
  std::string mine = call.name + call.arguments;
  mine.resize(width);
  std::string all(width * static_cast<std::size_t>(group.size()), '\0');
  detail::all_gather(group, mine.data(), all.data(), detail::Portions(width));
  std::string list;
  bool are_alike = true;
  for (std::size_t r = 0; r < static_cast<std::size_t>(group.size()); ++r) {
    const std::string_view text(all.data() + r * width, width);
    are_alike = are_alike && text == std::string_view(all).substr(0, width);
    if (r < 8) list += formatted("{}rank {}: {}", r == 0 ? "" : ", ", r, text.substr(0, text.find('\0')));
  }
  throw UsageError(
      formatted("collective calls do not match ({}{}): all members of a group must make the same call with the "
                "same arguments",
                list, are_alike ? ", with arguments that differ" : ""));
#endif
}

}  // namespace tessera
