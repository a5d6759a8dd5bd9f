// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/unseen.hpp"

#include <cstring>

namespace tessera::detail::conflicts {
namespace {

bool is_known(const order::VectorClock& clock, int process, std::uint64_t stamp) noexcept {
  return clock[static_cast<std::size_t>(process)] >= stamp;
}

// Accesses and uses stand for several: what is true for one pair of these counts.
bool may_follow(const Access& access, const UnseenUse& use) noexcept {
  if (access.completed == 0) return false;
  return use.process == access.author ? use.last > access.first_completed
                                      : is_known(*use.seen, access.author, access.completed);
}
bool may_precede(const UnseenUse& use, const Access& access) noexcept {
  return use.process == access.author ? use.first < access.last_begun
                                      : is_known(*access.seen, use.process, use.stamp);
}
bool may_follow(const UnseenUse& first, const UnseenUse& second) noexcept {
  if (first.process == second.process) return second.last > first.first;
  if (is_known(*second.seen, first.process, first.stamp)) return true;
  return first.means == second.means && !is_known(*first.seen, second.process, second.stamp);
}

}  // namespace

std::string packed(const std::vector<UnseenUse>& uses) {
  std::string text;
  const auto add = [&](const void* data, std::size_t bytes) {
    text.append(static_cast<const char*>(data), bytes);
  };
  for (const UnseenUse& use : uses) {
    const std::size_t length = use.means.size(), components = use.seen->size();
    add(&length, sizeof length);
    text += use.means;
    add(&use.process, sizeof use.process);
    add(&use.stamp, sizeof use.stamp);
    add(&use.first, sizeof use.first);
    add(&use.last, sizeof use.last);
    add(&use.elements_of, sizeof use.elements_of);
    add(&use.is_any, sizeof use.is_any);
    add(&components, sizeof components);
    add(use.seen->data(), components * sizeof(std::uint64_t));
  }
  return text;
}

std::vector<UnseenUse> unpacked_uses(std::string_view text) {
  const auto take = [&](void* data, std::size_t bytes) {
    std::memcpy(data, text.data(), bytes);
    text.remove_prefix(bytes);
  };
  std::vector<UnseenUse> uses;
  while (!text.empty()) {
    UnseenUse use;
    std::size_t length = 0, components = 0;
    take(&length, sizeof length);
    use.means = text.substr(0, length);
    text.remove_prefix(length);
    take(&use.process, sizeof use.process);
    take(&use.stamp, sizeof use.stamp);
    take(&use.first, sizeof use.first);
    take(&use.last, sizeof use.last);
    take(&use.elements_of, sizeof use.elements_of);
    take(&use.is_any, sizeof use.is_any);
    take(&components, sizeof components);
    order::VectorClock seen(components);
    take(seen.data(), components * sizeof(std::uint64_t));
    use.seen = std::make_shared<const order::VectorClock>(std::move(seen));
    uses.push_back(std::move(use));
  }
  return uses;
}

void join_elements(std::vector<UnseenUse>& uses) {
  std::map<std::uint64_t, std::string> joined;
  for (const UnseenUse& use : uses) {
    if (use.is_any) joined[use.elements_of] = use.means;
  }
  for (UnseenUse& use : uses) {
    const auto found = joined.find(use.elements_of);
    if (found != joined.end()) use.means = found->second;
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
    if (from.process != first.author && may_precede(from, second)) return from.means;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (is_reached[i] || !may_follow(from, uses[i])) continue;
      is_reached[i] = true;
      reached.push_back(&uses[i]);
    }
  }
  return {};
}

}  // namespace tessera::detail::conflicts
