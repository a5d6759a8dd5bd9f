// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <mpi.h>

#include <tessera/runtime/detail/collective_call.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera {

namespace detail {
class GroupState;
class RuntimeState;
class SegmentState;
}  // namespace detail

/// The associative operations of reductions. sum and product are for every arithmetic kind, min and max for the
/// real kinds, the logical and bit operations for integers. absmax and absmin, the largest and smallest
/// magnitude, are for every kind: that of a complex number is its result's real part. Integers wrap, so the
/// magnitude of the most negative one is itself, and the largest. A NaN wins in min, max, absmax and absmin.
enum class Reduce { sum, product, min, max, absmax, absmin, logical_and, logical_or, bit_and, bit_or, bit_xor };

/// How far away a process is, from near to far.
enum class Distance { self, node, network };

/// The name of a reduction, such as "sum". @local
const char* to_string(Reduce operation) noexcept;

/// An ordered set of processes: a cheap value that shares one communicator of Tessera's own. It is empty on
/// processes that are not members. Destroying the last copy frees nothing at once, so a destructor never
/// communicates. The communicator is freed by the parent group's next collective operation that makes, frees or
/// synchronises: sync, split, include, a new or closed segment.
class Group {
 public:
  /// An empty group. @local
  Group() = default;

  /// False for an empty group. @local
  explicit operator bool() const noexcept { return state_ != nullptr; }
  /// This process's rank in the group. @local
  int rank() const;
  /// The number of processes. @local
  int size() const;
  /// The communicator behind the group, owned by Tessera: use it, do not free it. Tessera sends no messages
  /// there, so a receive of any message from anyone gets what the program sent. @local
  MPI_Comm mpi_comm() const;

  /// The members of this group on this process's node (processes that share memory). It is the group itself if
  /// all members are there. @local
  Group node() const;
  /// The number of nodes the group spans. @local
  int node_count() const;
  /// The node of a member: 0 to node_count() - 1, in order of the lowest rank on it. @local
  int node_of(int rank) const;
  /// Whether a member shares memory with this process. @local
  bool on_node(int rank) const;
  /// The members on a node, in order of rank. @local @throws UsageError if there is no such node
  std::vector<int> ranks_on_node(int node) const;
  /// How far away a member is, which decides how one-sided operations reach it. @local
  Distance distance(int rank) const;
  /// The rank of a member in the Runtime's world. @local
  int world_rank(int rank) const;
  /// The rank in this group of the process with a given rank in the world; -1 if it is not a member. @local
  int rank_of_world(int world_rank) const;
  /// The host name of this process's node. @local
  std::string host() const;

  /// The color for processes that take no part in a split.
  static constexpr int no_color = -1;
  /// Groups of the members with equal color, ordered by (key, rank); an empty group for no_color. @collective
  /// @throws UsageError on every rank if a color is negative and not no_color; MemoryError on every rank if one
  /// has no memory for its group
  Group split(int color, int key = 0) const;
  /// The group of the listed members in the listed order; empty for the others. The list must be the same on
  /// every rank.
  /// @collective @throws UsageError if a rank is out of range or listed twice.
  Group include(std::span<const int> ranks) const;
  /// The same as include, but only the listed members call it. Groups with members in common may be formed at
  /// the same time under different tags, 0 to max_tag. Freed by close(), or with the Runtime.
  /// @collective over the listed members
  /// @throws UsageError if a rank is out of range or listed twice, this process is not listed, or there is no
  /// such tag.
  Group form(std::span<const int> ranks, int tag = 0) const;
  static constexpr int max_tag = 16383;
  /// Frees everything that belongs to the group now: its segments and arrays are closed, and no copy of the
  /// group can be used any more. @collective
  /// @throws UsageError for the world, and for the node's part of a larger group
  void close();
  /// The ranks in `to` of the given members of this group; -1 for members that are not in `to`. @local
  std::vector<int> translate(std::span<const int> ranks, const Group& to) const;

  /// Returns when every member has called it. Completes no transfers: see sync. @collective
  void barrier() const;
  /// Returns when all of this process's operations on segments and arrays of this group are done at their
  /// owners. No other member takes part, so it is no barrier. Groups made from this one do not count. @onesided
  void flush() const;
  /// Completes every one-sided operation on segments and arrays of this group and makes it visible to all
  /// members. Also frees objects that all members have dropped. @collective
  void sync() const;

  /// Copies `data` of the root to every member; same length everywhere. @collective
  template <Element T, std::size_t Extent>
  void broadcast(std::span<T, Extent> data, int root) const {
    broadcast_bytes(data.data(), static_cast<index_t>(data.size_bytes()), root);
  }
  /// The root's value. @collective
  template <Element T>
  T broadcast(T value, int root) const {
    broadcast_bytes(&value, sizeof(T), root);
    return value;
  }
  /// Replaces `data`, element by element, by the reduction over all members; same length everywhere. All
  /// members get the same bits, also in another run on as many ranks and nodes. @collective
  /// @throws UsageError for an operation that the element type does not have.
  template <Arithmetic T, std::size_t Extent>
  void all_reduce(std::span<T, Extent> data, Reduce operation) const {
    all_reduce_elements(data.data(), static_cast<index_t>(data.size()), element_kind<T>(), operation);
  }
  /// The reduction of one value per member. @collective
  template <Arithmetic T>
  T all_reduce(T value, Reduce operation) const {
    all_reduce_elements(&value, 1, element_kind<T>(), operation);
    return value;
  }
  /// Replaces the root's `data` by the reduction over all members, with the same bits as all_reduce. The others
  /// keep their data, and may return before the root has called. @collective
  /// @throws UsageError for an operation that the element type does not have, or if there is no such root.
  template <Arithmetic T, std::size_t Extent>
  void reduce(std::span<T, Extent> data, Reduce operation, int root) const {
    reduce_elements(data.data(), static_cast<index_t>(data.size()), element_kind<T>(), operation, root);
  }
  /// The reduction of one value per member on the root, and the given value on the others. @collective
  template <Arithmetic T>
  T reduce(T value, Reduce operation, int root) const {
    reduce_elements(&value, 1, element_kind<T>(), operation, root);
    return value;
  }
  /// The values of all members, by rank. @collective
  template <Element T>
  std::vector<T> all_gather(const T& value) const {
    std::vector<T> values(static_cast<std::size_t>(size()));
    all_gather_bytes(&value, values.data(), sizeof(T));
    return values;
  }
  /// The ranges of all members, one after the other by rank. Their lengths may differ. @collective
  template <ReadableElement T, std::size_t Extent>
  std::vector<std::remove_const_t<T>> all_gather(std::span<T, Extent> range) const {
    return all_gather(range, all_gather(static_cast<index_t>(range.size())));
  }
  /// The same where all members know how many elements each member gives: `counts`, by rank. Saves one
  /// synchronisation. @collective @throws UsageError on each member whose counts do not fit
  template <ReadableElement T, std::size_t Extent>
  std::vector<std::remove_const_t<T>> all_gather(std::span<T, Extent> range,
                                                 std::span<const index_t> counts) const {
    std::vector<std::remove_const_t<T>> all(total(counts, static_cast<index_t>(range.size())));
    all_gather_ranges(range.data(), all.data(), counts, sizeof(T));
    return all;
  }

  /// Lets every member fail if one does. Returns the problem of the lowest rank that passes one; empty if no
  /// member has a problem. @collective
  std::string agree(std::string_view problem) const;
  /// sync() and agree(), with one synchronisation of the members. @collective
  std::string sync_and_agree(std::string_view problem) const;

  /// In builds with TESSERA_CHECKS (the dev preset): throws UsageError on every rank unless all members make
  /// the same collective call with the same fingerprint of arguments. Otherwise it only tells the watchdog, if
  /// one runs. `describe` returns the call as a detail::CollectiveCall. @collective
  template <class Describe>
  requires std::is_invocable_r_v<detail::CollectiveCall, const Describe&>
  void check_agreement(const Describe& describe) const {
    if (detail::call_watchers.load(std::memory_order_relaxed) > 0) check_call(describe());
  }
  void check_agreement(std::string_view call, std::uint64_t fingerprint) const {
    check_agreement([&] { return detail::CollectiveCall{std::string(call), fingerprint}; });
  }

  /// Whether two values are the same group (not merely the same processes). @local
  friend bool operator==(const Group& a, const Group& b) noexcept { return a.state_ == b.state_; }

 private:
  void check_call(const detail::CollectiveCall& call) const;
  friend class Runtime;
  friend class Segment;
  friend class detail::RuntimeState;
  friend class detail::GroupState;
  friend class detail::SegmentState;
  explicit Group(std::shared_ptr<detail::GroupState> state) : state_(std::move(state)) {}
  detail::GroupState& state() const;

  void broadcast_bytes(void* data, index_t bytes, int root) const;
  void all_reduce_elements(void* data, index_t count, ElementKind kind, Reduce operation) const;
  void reduce_elements(void* data, index_t count, ElementKind kind, Reduce operation, int root) const;
  void all_gather_bytes(const void* value, void* all, index_t bytes) const;
  void all_gather_ranges(const void* range, void* all, std::span<const index_t> counts, index_t size) const;
  std::size_t total(std::span<const index_t> counts, index_t mine) const;

  std::shared_ptr<detail::GroupState> state_;
};

}  // namespace tessera
