// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// The process grid that blocked layouts use. It has the most processes of all grids that leave none without
/// elements. Of these, it separates the fewest pairs of neighbouring elements. `periodic`: for each dimension,
/// whether its ends are neighbours. @local
std::vector<int> choose_grid(const std::vector<index_t>& dims, int ranks, const std::vector<index_t>& min_block,
                             const std::vector<char>& periodic);

}  // namespace tessera::detail
