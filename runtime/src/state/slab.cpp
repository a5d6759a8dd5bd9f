// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/slab.hpp"

#include <utility>

#include "state/group_state.hpp"
#include "state/runtime_state.hpp"

namespace tessera::detail {

Slab::Slab(RuntimeState& runtime, std::unique_ptr<Region> region)
    : runtime_(runtime), region_(std::move(region)) {
  runtime_.reserve(bytes);
}

Slab::~Slab() { runtime_.reserve(-bytes); }

Slabs::SlabPlace Slabs::take(GroupState& group, WindowNeed need, bool must_have_window, index_t size,
                             const std::string& what) {
  auto& slabs = slabs_[static_cast<std::size_t>(need)];
  for (const auto& slab : slabs) {
    if (must_have_window && !slab->region().has_window()) continue;  // MPI could make no window for this slab
    if (const index_t offset = slab->take(size); offset >= 0) return {slab.get(), offset};
  }
  auto region = Region::create(group, Slab::bytes, Slab::bytes, need, must_have_window,
                               what + " (in a slab of small segments)");
  Slab& slab = *slabs.emplace_back(std::make_unique<Slab>(group.runtime(), std::move(region)));
  return {&slab, slab.take(size)};
}

void Slabs::clear() noexcept {
  for (auto& of_reach : slabs_) of_reach.clear();
}

}  // namespace tessera::detail
