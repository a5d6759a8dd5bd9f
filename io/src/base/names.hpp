// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string_view>

namespace tessera::io::detail {

/// The name of a dataset in a checkpoint: parts between slashes. What HDF5, the manifest or people would take
/// for another name, or for the same as another, is none.
/// @local @throws UsageError that begins with `call`
void check_dataset_name(std::string_view call, std::string_view name);

/// The path that a checkpoint's files begin with. @local @throws UsageError as above
void check_prefix(std::string_view call, std::string_view prefix);

}  // namespace tessera::io::detail
