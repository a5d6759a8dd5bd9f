// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

// A dimension or a place as std::size_t. It must not be negative.
constexpr std::size_t at(index_t i) noexcept { return static_cast<std::size_t>(i); }

}  // namespace tessera::detail
