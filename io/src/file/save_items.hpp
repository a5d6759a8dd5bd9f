// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>
#include <string>

#include <tessera/io/save.hpp>

namespace tessera::io::detail {

/// Checks what save() checks before it touches a file. @local @throws UsageError alike on every rank
void check_items(const std::string& context, std::span<const Item> items);

}  // namespace tessera::io::detail
