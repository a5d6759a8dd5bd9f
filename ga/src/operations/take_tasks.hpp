// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string_view>

#include <tessera/runtime/scalars.hpp>
#include <tessera/tasks.hpp>

namespace tessera::detail {

/// Advances counter 0 of a member by `wanted` tasks, of which `end` is the end. Returns those that there were,
/// maybe none. Each of `processes` may ask once after the end. @onesided
TaskRange take_tasks(Scalars<std::int64_t>& counter, int rank, index_t end, index_t wanted, int processes);

/// The number itself. @local @throws UsageError if so many tasks cannot be drawn at once
index_t checked_chunk(index_t chunk, std::string_view name);

}  // namespace tessera::detail
