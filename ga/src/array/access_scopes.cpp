// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "array/access_scopes.hpp"

#include <algorithm>

#include <tessera/core/array_core.hpp>

#include "format.hpp"

namespace tessera::detail {

void AccessScopes::begin_write(index_t block, std::string_view array) {
  constexpr auto all = ArrayCore::all_blocks;
  const std::lock_guard lock(mutex_);
  for (index_t other : written_) {
    if (other != block && other != all && block != all) continue;
    throw UsageError(
        formatted("local elements of array \"{}\" are accessed for writing while an earlier such access is "
                  "not released",
                  array));
  }
  written_.push_back(block);
}

void AccessScopes::end_write(index_t block) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = std::find(written_.begin(), written_.end(), block);
  if (found != written_.end()) written_.erase(found);
}

}  // namespace tessera::detail
