// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/call_sites.hpp"

#include <cstring>

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
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (*slots[i] != places[i + 1]) return false;
  }
  return true;
}

__attribute__((noinline)) Site CallSites::here() {
  const void* const frame = __builtin_frame_address(0);
  std::vector<Stack>& known = by_frame_[frame];
  for (const Stack& one : known) {
    if (one.is_in_memory()) return one.site;
  }
  Stack found;
  Walk walk{&found.places, &found.slots, most_frames};
  _Unwind_Backtrace(take_frame, &walk);
  found.site = number_of(found.places);
  const Site site = found.site;
  constexpr std::size_t most_of_a_frame = 64;
  if (walk.has_slots && !found.slots.empty()) {
    if (known.size() >= most_of_a_frame) known.erase(known.begin());
    known.push_back(std::move(found));
  }
  return site;
}

Site CallSites::number_of(const std::vector<void*>& places) {
  // Without the place in here() itself.
  const auto first = static_cast<std::size_t>(places.empty() ? 0 : 1);
  const std::string key(reinterpret_cast<const char*>(places.data() + first),
                        (places.size() - first) * sizeof(void*));
  const auto [found, is_new] = numbers_.emplace(key, static_cast<Site>(sites_.size()));
  if (is_new) sites_.emplace_back(places.begin() + static_cast<std::ptrdiff_t>(first), places.end());
  return found->second;
}

const std::string& CallSites::text(Site site) {
  const auto [found, is_new] = texts_.try_emplace(site);
  if (is_new) found->second = describe_caller(sites_[site]);
  return found->second;
}

}  // namespace tessera::detail::conflicts
