// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

namespace tessera::detail {

/// While it lives, operations of this thread are not checked for conflicts (TESSERA_DEBUG=conflicts): their
/// order is kept by means that the check does not see, or another access was noted in their place. For
/// Tessera's own modules. @local
class Unchecked {
 public:
  Unchecked() noexcept;
  Unchecked(const Unchecked&) = delete;
  Unchecked& operator=(const Unchecked&) = delete;
  ~Unchecked();
};

}  // namespace tessera::detail
