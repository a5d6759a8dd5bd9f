// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include <tessera/runtime/runtime_report.hpp>

#include "json.hpp"

namespace tessera::info {

/// This process's variables TESSERA_..., as an object of names and values. @local
Json environment();

/// The known name that a mistyped one is nearest to; empty if none is near. @local
std::string nearest(const std::string& name, const std::vector<Setting>& settings);

/// Variables that no part of Tessera reads, one for each name, with the name that was probably meant.
/// `environments` has what environment() returned on each rank. @local
Json unknown_variables(const std::vector<Json>& environments, const std::vector<Setting>& settings);

/// Sentences on values that do not apply, because rank 0's value applies to all ranks. @local
Json ignored_variables(const std::vector<Json>& environments, const std::vector<Setting>& settings);

}  // namespace tessera::info
