// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/call_sites.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <unwind.h>

#include "base/backtrace.hpp"

namespace tessera::detail::conflicts {
namespace {

struct Walk {
  std::vector<void*>* places;
  std::vector<void* const*>* slots;
  std::size_t most;
  bool has_slots = true;
};

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* walk) {
  Walk& all = *static_cast<Walk*>(walk);
  void* const place = reinterpret_cast<void*>(_Unwind_GetIP(context));
  if (place == nullptr) return _URC_END_OF_STACK;
#if defined(__x86_64__)
  // The return address lies below the frame that it leads to.
  const auto* slot = reinterpret_cast<void* const*>(_Unwind_GetCFA(context)) - 1;
  if (!all.places->empty()) {
    all.has_slots = all.has_slots && *slot == place;
    all.slots->push_back(slot);
  }
#else
  all.has_slots = false;
#endif
  all.places->push_back(place);
  return all.places->size() < all.most ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

// The slots are checked from the innermost on: each frame that is the same shows where the next one lies.
bool CallSites::Stack::is_in_memory() const noexcept {
  return std::all_of(frames.begin(), frames.end(), [](const Frame& one) { return *one.slot == one.place; });
}

CallSites::Stacks& CallSites::stacks_of(const void* frame) {
  RecentFrame& recent = recent_[reinterpret_cast<std::uintptr_t>(frame) / 16 % recent_.size()];
  if (recent.frame != frame) recent = {frame, &by_frame_[frame]};
  return *recent.stacks;
}

__attribute__((noinline)) Site CallSites::here() {
  Stacks& known = stacks_of(__builtin_frame_address(0));
  const auto found =
      std::find_if(known.begin(), known.end(), [](const Stack& one) { return one.is_in_memory(); });
  return found != known.end() ? found->site : new_stack(known, __builtin_return_address(0));
}

// The stack begins with `caller`, the return address of here().
__attribute__((noinline)) Site CallSites::new_stack(Stacks& known, const void* caller) {
  std::vector<void*> places;
  std::vector<void* const*> slots;
  Walk walk{&places, &slots, most_frames};
  _Unwind_Backtrace(take_frame, &walk);
  const auto first = std::find(places.begin(), places.end(), caller) - places.begin();
  const auto own = first == static_cast<std::ptrdiff_t>(places.size()) ? 0 : static_cast<std::size_t>(first);
  Stack found;
  for (std::size_t i = own; own > 0 && walk.has_slots && i < places.size(); ++i)
    found.frames.push_back({slots[i - 1], places[i]});
  places.erase(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(own));
  const Site site = found.site = number_of(places);
  constexpr std::size_t most_of_a_frame = 64;
  if (!found.frames.empty()) {
    if (known.size() >= most_of_a_frame) known.erase(known.begin());
    known.push_back(std::move(found));
  }
  return site;
}

Site CallSites::number_of(const std::vector<void*>& places) {
  const std::string key(reinterpret_cast<const char*>(places.data()), places.size() * sizeof(void*));
  const auto [found, is_new] = numbers_.emplace(key, static_cast<Site>(sites_.size()));
  if (is_new) sites_.push_back(places);
  return found->second;
}

const std::string& CallSites::text(Site site) {
  const auto [found, is_new] = texts_.try_emplace(site);
  if (is_new) found->second = describe_caller(sites_[site]);
  return found->second;
}

}  // namespace tessera::detail::conflicts
