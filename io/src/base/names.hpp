// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string_view>

namespace tessera::io::detail {

/// Checks the name of a dataset in a checkpoint, which consists of parts between slashes. A name is refused if
/// HDF5, the manifest or people could take it for another name.
/// @local @throws UsageError that begins with `call`
void check_dataset_name(std::string_view call, std::string_view name);

/// Whether one of two names, which check_dataset_name accepts, is a dataset and, for the other, a group. HDF5
/// has no such names in one file. @local
bool is_dataset_and_group(std::string_view one, std::string_view other) noexcept;

/// Checks the name of a dataset, group or attribute in a file. Names of other programs may have any characters;
/// a name is refused if HDF5 would take it for another one.
/// @local @throws UsageError that begins with `call`
void check_name_in_file(std::string_view call, std::string_view name);

/// Checks the path that a checkpoint's files begin with. @local @throws UsageError as above
void check_prefix(std::string_view call, std::string_view prefix);

}  // namespace tessera::io::detail
