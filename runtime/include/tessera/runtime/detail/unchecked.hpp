// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <vector>

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

/// While it lives, notifications of this thread tell the check what this process has done, and what it knew
/// when the object was made. They do not tell what it learns meanwhile, which may depend on time. For
/// Tessera's own modules. @local
class KnownAtEntry {
 public:
  KnownAtEntry();
  KnownAtEntry(const KnownAtEntry&) = delete;
  KnownAtEntry& operator=(const KnownAtEntry&) = delete;
  ~KnownAtEntry();

 private:
  std::vector<std::uint64_t> clock_;
  const std::vector<std::uint64_t>* before_ = nullptr;
};

}  // namespace tessera::detail
