// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/unseen.hpp"

#include <cstring>

namespace tessera::detail::conflicts {
namespace {

bool is_known(const order::VectorClock& clock, int process, std::uint64_t stamp) noexcept {
  return clock[static_cast<std::size_t>(process)] >= stamp;
}

// Accesses and uses stand for several: what is true for one pair of these counts. A call may order whatever is
// not known to be in the opposite order.
bool may_follow(const Access& access, const UnseenUse& use) noexcept {
  const bool is_complete = access.completed != 0;
  if (use.process == access.author) return is_complete && use.last.moment > access.first_completed;
  return use.is_call
             ? (is_complete || access.notice != 0) && !is_known(*access.seen, use.process, use.last.stamp)
             : is_complete_for(access, *use.last.seen);
}
bool may_precede(const UnseenUse& use, const Access& access) noexcept {
  if (use.process == access.author) return use.first.moment < access.last_begun;
  return use.is_call ? !is_known(*use.first.seen, access.author, access.begun)
                     : is_known(*access.seen, use.process, use.first.stamp);
}
bool may_follow(const UnseenUse& first, const UnseenUse& second) noexcept {
  if (first.process == second.process) return second.last.moment > first.first.moment;
  if (is_known(*second.last.seen, first.process, first.first.stamp)) return true;
  const bool is_linked = first.is_call || second.is_call || first.means == second.means;
  return is_linked && !is_known(*first.first.seen, second.process, second.last.stamp);
}

}  // namespace

std::string packed(const std::vector<UnseenUse>& uses) {
  std::string text;
  const auto add = [&](const auto& value) { text.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (const UnseenUse& use : uses) {
    add(use.means.size());
    text += use.means;
    add(use.process);
    add(use.things_of);
    add(use.is_any);
    add(use.is_call);
    for (const UseTime& time : {use.first, use.last}) {
      add(time.moment);
      add(time.stamp);
      add(time.seen->size());
      for (const std::uint64_t component : *time.seen) add(component);
    }
  }
  return text;
}

std::vector<UnseenUse> unpacked_uses(std::string_view text) {
  const auto take = [&](auto& value) {
    std::memcpy(&value, text.data(), sizeof value);
    text.remove_prefix(sizeof value);
  };
  std::vector<UnseenUse> uses;
  while (!text.empty()) {
    UnseenUse use;
    std::size_t length = 0;
    take(length);
    use.means = text.substr(0, length);
    text.remove_prefix(length);
    take(use.process);
    take(use.things_of);
    take(use.is_any);
    take(use.is_call);
    for (UseTime* time : {&use.first, &use.last}) {
      take(time->moment);
      take(time->stamp);
      std::size_t components = 0;
      take(components);
      order::VectorClock seen(components);
      for (std::uint64_t& component : seen) take(component);
      time->seen = std::make_shared<const order::VectorClock>(std::move(seen));
    }
    uses.push_back(std::move(use));
  }
  return uses;
}

void join_things(std::vector<UnseenUse>& uses) {
  std::map<std::uint64_t, std::string> joined;
  for (const UnseenUse& use : uses) {
    if (use.is_any) joined[use.things_of] = use.means;
  }
  for (UnseenUse& use : uses) {
    const auto found = joined.find(use.things_of);
    if (found != joined.end() && !use.is_call) use.means = found->second;
  }
}

std::string means_between(const Access& first, const Access& second, const std::vector<UnseenUse>& uses) {
  // The uses that may come after the first access. Each is looked at once.
  std::vector<const UnseenUse*> reached;
  std::vector<bool> is_reached(uses.size(), false);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (!may_follow(first, uses[i])) continue;
    is_reached[i] = true;
    reached.push_back(&uses[i]);
  }
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const UnseenUse& from = *reached[next];
    if ((from.is_call || from.process != first.author) && may_precede(from, second)) return from.means;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (is_reached[i] || !may_follow(from, uses[i])) continue;
      is_reached[i] = true;
      reached.push_back(&uses[i]);
    }
  }
  return {};
}

}  // namespace tessera::detail::conflicts
