// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/slab.hpp"

namespace tessera::detail {

Slabs::SlabPlace Slabs::take(GroupState& group, WindowNeed need, bool must_have_window, index_t size,
                             const std::string& what) {
  auto& slabs = slabs_[static_cast<std::size_t>(need)];
  for (const auto& slab : slabs) {
    if (must_have_window && !slab->region().has_window()) continue;  // MPI could make no window for this slab
    if (const index_t offset = slab->take(size); offset >= 0) return {slab.get(), offset};
  }
  auto region = Region::create(group, Slab::bytes, Slab::bytes, need, must_have_window,
                               what + " (in a slab of small segments)");
  Slab& slab = *slabs.emplace_back(std::make_unique<Slab>(std::move(region)));
  return {&slab, slab.take(size)};
}

void Slabs::clear() noexcept {
  for (auto& of_reach : slabs_) of_reach.clear();
}

}  // namespace tessera::detail
