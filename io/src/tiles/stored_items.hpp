// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tessera/core/core_owner.hpp>
#include <tessera/core/slice_core.hpp>
#include <tessera/io/detail/stored_value.hpp>

#include "tiles/tiles.hpp"

namespace tessera::io::detail {

/// What a program wants in a file: an array, a part of one, or a value.
struct StoredItem {
  std::string name;
  tessera::detail::CoreOwner* array = nullptr;  // the array that it owns at the time
  std::optional<tessera::detail::SliceCore> part;
  std::optional<StoredValue> value;

  /// Describes the item as it is now. Arrays can be given other extents, and values another length. @local
  Entry entry() const;
  tessera::detail::SliceCore elements() const { return part ? *part : tessera::detail::SliceCore(**array); }
  const tessera::detail::ArrayCore& core() const { return part ? part->array() : **array; }
};

/// The address of a tile's elements, if they are contiguous in the memory of this node; else null. @local
std::byte* place_of(const StoredItem& item, const Entry& entry, const Tile& tile);
/// Copies the elements of a tile to or from dense memory. @onesided
void fetch(const StoredItem& item, const Entry& entry, const Tile& tile, std::byte* into);
void store(const StoredItem& item, const Entry& entry, const Tile& tile, const std::byte* from);

/// Finds the item of each entry by name; null if there is none. @local
std::vector<const StoredItem*> items_of(const std::vector<Entry>& entries,
                                        const std::vector<StoredItem>& items);

/// Ends epochs and makes all changes of the arrays visible to all ranks. @collective
void settle(const Group& group, const std::vector<StoredItem>& items);

}  // namespace tessera::io::detail
