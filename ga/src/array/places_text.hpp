// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include <tessera/core/layout_core.hpp>
#include <tessera/runtime/segment.hpp>

namespace tessera::detail {

/// The text of bytes that a rank stores, in the indices of the array: "patch [0:5, 2:4) of rank 1". If they are
/// no patch, it is the smallest that has them all. @local
std::string text_of_places(const LayoutCore& layout, index_t element, int rank,
                           const std::vector<Segment::PartRange>& places);

}  // namespace tessera::detail
