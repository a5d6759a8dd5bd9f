// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tessera::detail {

class GroupState;

/// Groups that no parent knows of (Group::form). They end with the Runtime.
class FormedGroups {
 public:
  /// @collective over the new group
  void add(std::shared_ptr<GroupState> group);
  /// @local
  void remove(const GroupState& group) noexcept;
  /// Releases all groups, in an order that is the same on all members of each. @collective
  void release_all() noexcept;

 private:
  struct Formed {
    // First a number, the same on all members and greater than the number of any group that a member formed
    // before; then the first member.
    std::pair<std::int64_t, int> key;
    std::shared_ptr<GroupState> group;
  };
  std::vector<Formed> all_;
  std::int64_t last_ = 0;
};

}  // namespace tessera::detail
