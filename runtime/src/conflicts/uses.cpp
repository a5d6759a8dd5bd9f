// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/uses.hpp"

#include <algorithm>
#include <limits>

namespace tessera::detail::conflicts {
namespace {

constexpr std::size_t most_elements = 256, most_uses = 1024;
constexpr std::uint64_t for_ever = std::numeric_limits<std::uint64_t>::max();

bool is_call(const Means& means) noexcept { return means.is == Means::Is::call; }

// Any scalar, mutex or element of a segment.
Means any_of(Means means) noexcept {
  if (!is_call(means)) means.rank = -1, means.place = -1;
  return means;
}

}  // namespace

// One use of each means stands for all.
void Uses::join_all() {
  std::map<Key, UnseenUse> all;
  for (const auto& [key, use] : uses_) {
    const auto [found, is_new] = all.try_emplace({any_of(key.first), 0}, use);
    UnseenUse& joined = found->second;
    joined.is_any = !use.is_call;
    if (is_new) continue;
    if (use.first.moment < joined.first.moment) joined.first = use.first;
    if (use.last.moment > joined.last.moment) joined.last = use.last;
  }
  uses_ = std::move(all);
  recent_ = uses_.end();
  are_joined_ = true;
}

UnseenUse& Uses::add_to(Means means, int process, const UseTime& now) {
  if (!are_joined_ && uses_.size() >= most_uses) join_all();
  if (are_joined_) means = any_of(means);
  const Key key{means, are_joined_ ? 0 : now.stamp};
  if (recent_ == uses_.end() || recent_->first != key) {
    const auto [found, is_new] = uses_.try_emplace(key);
    recent_ = found;
    if (is_new) {
      UnseenUse& use = found->second;
      use.process = process;
      use.first = now;
      use.is_call = is_call(means);
      use.things_of = means.segment;
      use.is_any = means.place < 0;
    }
  }
  UnseenUse& use = recent_->second;
  if (use.last.moment < now.moment) use.last = now;
  return use;
}

void Uses::add(Means means, int process, const UseTime& now) {
  if (means.is == Means::Is::element && uses_.size() >= most_elements) means = any_of(means);
  add_to(means, process, now);
}

void Uses::add_call(const std::string& call, bool lasts, int process, const UseTime& now) {
  auto name = std::find(calls_.begin(), calls_.end(), call);
  if (name == calls_.end()) name = calls_.insert(name, call);
  UnseenUse& use = add_to({Means::Is::call, 0, 0, name - calls_.begin()}, process, now);
  if (lasts) use.last.moment = use.last.stamp = for_ever;
}

std::vector<UnseenUse> Uses::all(const std::function<std::string(const Means&)>& text_of) const {
  std::vector<UnseenUse> all;
  for (const auto& [key, use] : uses_) {
    all.push_back(use);
    all.back().means = use.is_call ? calls_[static_cast<std::size_t>(key.first.place)] : text_of(key.first);
  }
  return all;
}

void Uses::forget() {
  std::erase_if(uses_, [](const auto& one) { return one.second.last.moment != for_ever; });
  recent_ = uses_.end();
  are_joined_ = false;
}

void Uses::clear() {
  uses_.clear();
  recent_ = uses_.end();
  are_joined_ = false;
}

}  // namespace tessera::detail::conflicts
