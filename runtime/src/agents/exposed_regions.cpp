// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "agents/exposed_regions.hpp"

#include <tessera/runtime/error.hpp>

#include "format.hpp"

namespace tessera::detail {

void ExposedRegions::add(std::uint64_t region, const Exposed& memory) {
  const std::lock_guard lock(mutex_);
  memory_[region] = memory;
}

void ExposedRegions::remove(std::uint64_t region) {
  const std::lock_guard lock(mutex_);
  memory_.erase(region);
}

std::optional<Exposed> ExposedRegions::find(std::uint64_t region) const {
  const std::lock_guard lock(mutex_);
  const auto found = memory_.find(region);
  return found == memory_.end() ? std::nullopt : std::optional(found->second);
}

Exposed ExposedRegions::at(std::uint64_t region, index_t low, index_t high) const {
  const auto found = find(region);
  if (found && low >= 0 && high <= found->bytes) return *found;
  throw LogicError(formatted("an agent was asked for bytes [{}, {}) of region {}, which {}", low, high, region,
                             found ? formatted("has {}", found->bytes) : "it does not know"));
}

}  // namespace tessera::detail
