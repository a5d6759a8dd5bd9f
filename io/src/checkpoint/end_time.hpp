// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace tessera::io::detail {

/// The end of a job as Slurm writes it: whole seconds since 1970. Nothing for any other text. @local
std::optional<std::chrono::system_clock::time_point> parse_end_time(std::string_view text);

}  // namespace tessera::io::detail
