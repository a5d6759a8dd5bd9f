// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// The memory of a region as an agent sees it: the slices of all processes of the node.
struct Exposed {
  std::byte* base = nullptr;
  index_t bytes = 0;
  std::uint64_t salt = 0;
};

/// The regions that an agent may access, by number.
class ExposedRegions {
 public:
  void add(std::uint64_t region, const Exposed& memory);
  void remove(std::uint64_t region);
  std::optional<Exposed> find(std::uint64_t region) const;
  /// @throws LogicError unless [low, high) is in the region.
  Exposed at(std::uint64_t region, index_t low, index_t high) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, Exposed> memory_;
};

}  // namespace tessera::detail
