// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

namespace tessera::info {

/// Ascending numbers as text: "0-3, 8". @local
std::string ranges(const std::vector<int>& numbers);

/// Bytes as text: "1.5 GiB". @local
std::string bytes_text(long long bytes);

}  // namespace tessera::info
