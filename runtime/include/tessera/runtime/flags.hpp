// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <tessera/runtime/scalars.hpp>

namespace tessera {

class Flags;

/// A flag of a member: the target of a notification.
struct Flag {
  Flags* flags;
  int rank;
  index_t index;
};

namespace detail {
void notify(const Flag& flag, std::uint64_t notice);
}  // namespace detail

/// Notifications between pairs of processes: `count` flags on every member. A flag counts notifications: any
/// member adds to it, and only its owner waits for it. With put_notify, data arrives before its flag, so
/// neighbours can exchange halos without a barrier of all.
class Flags {
 public:
  /// @collective @throws as Scalars
  Flags(const Group& group, index_t count, std::string_view name = "flags");
  /// Frees the memory now. @collective
  void close() { scalars_.close(); }

  const Group& group() const noexcept { return scalars_.group(); }
  /// Flags on each member. @local
  index_t count() const noexcept { return static_cast<index_t>(waited_for_.size()); }
  /// Flag `index` of `rank`, for put_notify. @local
  Flag at(int rank, index_t index) noexcept { return {this, rank, index}; }

  /// Adds a notification to flag `index` of `rank`. It takes effect after this process's earlier operations
  /// that were flushed, or made on the node. @onesided @throws UsageError if there is no such flag
  void notify(int rank, index_t index);
  /// Returns when `notifications` more have arrived at this process's flag `index` than earlier waits took.
  /// Data put before them can then be read, also directly. Returns at once for 0. Only one thread may wait for
  /// a flag.
  /// @onesided @throws UsageError if there is no such flag, or the number is negative
  void wait(index_t index, std::int64_t notifications = 1);
  /// Waits until one of the given flags has a notification, takes the notification and returns the flag. If
  /// several have one, the choice is unspecified. @onesided @throws UsageError if there is no such flag, or if
  /// none is given
  index_t wait_any(std::span<const index_t> indices);
  /// Whether wait would return at once. If so, it also takes the notifications as wait does. @onesided
  bool test(index_t index, std::int64_t notifications = 1);

  /// Throws UsageError unless there is such a flag. @local
  void check(int rank, index_t index) const;

 private:
  friend void put_notify(Segment& segment, int rank, index_t offset, const Strided& shape, const void* source,
                         const Flag& flag);
  friend void detail::notify(const Flag& flag, std::uint64_t notice);
  void notify_of(std::uint64_t notice, int rank, index_t index);
  std::int64_t raised(index_t index) const;
  bool take(index_t index, std::int64_t notifications);
  void take_clocks(index_t index, std::int64_t notifications);
  template <class Try>
  void wait_until(Try&& came);
  // On each member: a counter of notifications for each flag, then two more scalars. One is the number of
  // threads that sleep until a notification arrives; the other is changed to wake them.
  Scalars<std::int64_t> scalars_;
  std::vector<std::int64_t> waited_for_;
  std::uint64_t number_ = 0;  // of these flags in their group; only while conflicts are looked for
};

/// Puts, then notifies a flag of any member of the flag's group: when the flag shows the notification, the data
/// is there. Notifications of one process for one flag come in the order of its calls.
/// @onesided
/// @throws as Segment::put and Flags::notify. @completion `source` may be reused on return.
void put_notify(Segment& segment, int rank, index_t offset, const Strided& shape, const void* source,
                const Flag& flag);

namespace detail {
/// A put_notify() of data in several parts, for the checker of conflicts: first the number of a notice, then
/// the puts, then the notification. The puts are complete on return, but to the checker only for those that
/// hear of the notice.
/// @local
std::uint64_t new_notice() noexcept;
/// @onesided @throws as Segment::put
void put_before_notice(Segment& segment, int rank, index_t offset, const Strided& shape, const void* source,
                       std::uint64_t notice);
/// @onesided @throws as Flags::notify
void notify(const Flag& flag, std::uint64_t notice);
}  // namespace detail

}  // namespace tessera
