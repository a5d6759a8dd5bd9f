// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include <tessera/runtime/runtime.hpp>

#include "json.hpp"
#include "self_test.hpp"

namespace tessera::info {

/// All that is known of the runtime and its machine, as the program prints it. `own` names the variables that
/// the program itself has set; they are reported as not set. @collective
Json facts(const Runtime& runtime, const std::vector<std::string>& own);

/// The trials as an array of objects. @local
Json trials_json(const std::vector<Trial>& trials);

}  // namespace tessera::info
