// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <string_view>

#include <tessera/detail/layout_core.hpp>

// How patches, positions and extents read in messages.
namespace tessera::detail {

/// "[0:10, 5:25)". @local
std::string patch_text(const Box& patch, int rank);
/// "10 x 20". @local
std::string extents_text(const index_t* extents, int rank);
/// Throws the UsageError that says what is wrong with a patch of an array (or layout, if `array` is empty).
/// @local
[[noreturn]] void throw_bad_patch(const LayoutCore& layout, const Box& patch, std::string_view array);

}  // namespace tessera::detail
