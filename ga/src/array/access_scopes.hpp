// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <mutex>
#include <string_view>
#include <vector>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// The blocks of this rank that are accessed directly for writing. Several threads may call it.
class AccessScopes {
 public:
  /// A block, or ArrayCore::all_blocks. @local
  /// @throws UsageError, naming the array, if another access for writing has the same elements
  void begin_write(index_t block, std::string_view array);
  void end_write(index_t block) noexcept;

 private:
  std::mutex mutex_;
  std::vector<index_t> written_;
};

}  // namespace tessera::detail
