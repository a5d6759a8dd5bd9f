// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/formed_groups.hpp"

#include <algorithm>

#include "state/group_state.hpp"

namespace tessera::detail {

void FormedGroups::add(std::shared_ptr<GroupState> group) {
  std::int64_t least = -last_;
  group->reduce_min(&least, 1);
  last_ = 1 - least;
  const int first = group->world_rank(0);
  all_.push_back({{last_, first}, std::move(group)});
}

void FormedGroups::remove(const GroupState& group) noexcept {
  std::erase_if(all_, [&](const Formed& one) { return one.group.get() == &group; });
}

void FormedGroups::release_all() noexcept {
  std::sort(all_.begin(), all_.end(), [](const Formed& a, const Formed& b) { return a.key > b.key; });
  for (const Formed& one : all_) one.group->release();
  all_.clear();
}

}  // namespace tessera::detail
