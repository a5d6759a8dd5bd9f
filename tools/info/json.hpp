// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <nlohmann/json.hpp>

namespace tessera::info {

/// Keeps the order in which values are added.
using Json = nlohmann::ordered_json;

}  // namespace tessera::info
