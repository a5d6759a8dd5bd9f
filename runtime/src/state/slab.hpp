// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "node/free_list.hpp"
#include "state/region.hpp"

namespace tessera::detail {

/// A region that small segments are cut from. Offsets are the same on every member, as every member makes the
/// same calls.
class Slab {
 public:
  static constexpr index_t bytes = index_t{1} << 20;
  static constexpr index_t largest = bytes / 16;  // of the segments in it
  Slab(RuntimeState& runtime, std::unique_ptr<Region> region);
  ~Slab();
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;
  Region& region() const noexcept { return *region_; }
  /// An offset; -1 if there is no room. @local
  index_t take(index_t size) { return free_.take(size); }
  void give_back(index_t offset, index_t size) { free_.give_back(offset, size); }

 private:
  RuntimeState& runtime_;
  std::unique_ptr<Region> region_;
  FreeList free_{bytes};
};

/// The slabs of a group.
class Slabs {
 public:
  struct SlabPlace {
    Slab* slab;
    index_t offset;
  };
  /// Takes room in one of the slabs, or in a new one. @collective @throws as Region::create
  SlabPlace take(GroupState& group, WindowNeed need, bool must_have_window, index_t size,
                 const std::string& what);
  /// @collective
  void clear() noexcept;

 private:
  std::vector<std::unique_ptr<Slab>> slabs_[2];  // by WindowNeed
};

}  // namespace tessera::detail
