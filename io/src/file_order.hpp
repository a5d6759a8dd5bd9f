// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>

#include <tessera/detail/operations.hpp>

namespace tessera::io::detail {

/// An array as files hold it: each rank one dense row-major box in index order. The array itself where it is
/// blocked and row-major, else a copy to be filled from it (save) or copied back (load).
class FileOrder {
 public:
  /// @collective
  explicit FileOrder(tessera::detail::ArrayCore& array);
  tessera::detail::ArrayCore& array() noexcept { return copy_ ? *copy_ : original_; }
  bool is_copy() const noexcept { return copy_.has_value(); }
  /// This rank's part. @local
  tessera::detail::Box box() const;

 private:
  tessera::detail::ArrayCore& original_;
  std::optional<tessera::detail::ArrayCore> copy_;
};

}  // namespace tessera::io::detail
