// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// A place in the memory of another node, as its agent knows it.
struct RemoteAddress {
  int agent = 0;  // the process it runs in
  std::uint64_t region = 0;
  index_t position = 0;
};

}  // namespace tessera::detail
