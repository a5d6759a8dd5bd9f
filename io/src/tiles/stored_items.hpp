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
  tessera::detail::CoreOwner* array = nullptr;  // whatever it owns at the time
  std::optional<tessera::detail::SliceCore> part;
  std::optional<StoredValue> value;

  /// As it is now: arrays may be given other extents, and values another length. @local
  Entry entry() const;
  tessera::detail::SliceCore elements() const { return part ? *part : tessera::detail::SliceCore(**array); }
  const tessera::detail::ArrayCore& core() const { return part ? part->array() : **array; }
};

/// Where the elements of a tile lie one after another in the memory of this node; null if they do not. @local
std::byte* place_of(const StoredItem& item, const Entry& entry, const Tile& tile);
/// The elements of a tile to or from dense memory. @onesided
void fetch(const StoredItem& item, const Entry& entry, const Tile& tile, std::byte* into);
void store(const StoredItem& item, const Entry& entry, const Tile& tile, const std::byte* from);

/// Those that entries are of, by name; null where there is none. @local
std::vector<const StoredItem*> items_of(const std::vector<Entry>& entries,
                                        const std::vector<StoredItem>& items);

/// What was done to the arrays is visible to all; epochs end. @collective
void settle(const Group& group, const std::vector<StoredItem>& items);

}  // namespace tessera::io::detail
