// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <tessera/runtime/scalars.hpp>

namespace tessera {

class Flags;

/// A flag of a member: what a notification goes to.
struct Flag {
  Flags* flags;
  int rank;
  index_t index;
};

/// Notifications between pairs of processes: `count` flags on every member, each a number of notifications that
/// any member adds to and only its owner waits for. With put_notify, data arrives before its flag, so
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

  /// Adds a notification to flag `index` of `rank`, after all of this process's earlier operations on memory of
  /// that rank that were flushed, or made on the node. @onesided @throws UsageError for a flag that is not
  /// there
  void notify(int rank, index_t index);
  /// Returns when `notifications` more have come to this process's flag `index` than were waited for before;
  /// then what was put before them can be read, directly too. At once for 0. Only one thread may wait for a
  /// flag.
  /// @onesided @throws UsageError for a flag that is not there, or a negative number
  void wait(index_t index, std::int64_t notifications = 1);
  /// Returns one of the given flags to which a notification has come, having waited for it; which, if for
  /// several, is not said. @onesided @throws UsageError for a flag that is not there, or if none is given
  index_t wait_any(std::span<const index_t> indices);
  /// Whether wait would return at once; if so, it has. @onesided
  bool test(index_t index, std::int64_t notifications = 1);

 private:
  friend void put_notify(Segment& segment, int rank, index_t offset, const Strided& shape, const void* source,
                         const Flag& flag);
  void check(int rank, index_t index) const;
  template <class Try>
  void wait_until(Try&& came);
  // The notifications that came to each flag; then, of the member, how many threads sleep until one comes, and
  // what is changed to wake them.
  Scalars<std::int64_t> scalars_;
  std::vector<std::int64_t> waited_for_;
};

/// Puts, and then notifies a flag of any member of its group: when the flag shows it, the data is there.
/// @onesided
/// @throws as Segment::put and Flags::notify. @completion `source` may be reused on return.
void put_notify(Segment& segment, int rank, index_t offset, const Strided& shape, const void* source,
                const Flag& flag);

}  // namespace tessera
