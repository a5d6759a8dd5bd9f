// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <optional>

#include "conflicts/footprint.hpp"

namespace tessera::detail::conflicts {

struct OwnMemory {
  std::optional<std::uint64_t> contents;  // a hash; none if it could not be read
  bool is_gone = false;                   // a part of it is not mapped
};

/// Reads memory of this process that may have been freed. Addresses serve as offsets. Of much memory or many
/// runs, only the first are read: 256 KiB in 1,024 runs. @local
/// Uses process_vm_readv, which fails where a load would end the process.
OwnMemory read_own_memory(const Footprint& where);

}  // namespace tessera::detail::conflicts
