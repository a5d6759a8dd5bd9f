// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>

#include <tessera/runtime/group.hpp>

namespace tessera::test {

/// A round of mixed work on arrays, epochs, groups, flags, mutexes, tasks and ghosts. Some arrays are closed,
/// some are dropped, some requests are not waited for. @collective @throws std::runtime_error if a value is
/// wrong
void work(const Group& world, int round);
/// A round of files: saved, loaded, appended to, checkpoints with and without a background thread, arrays on
/// disk, probes.
/// @collective @throws as work
void work_on_files(const Group& world, const std::filesystem::path& directory, int round);
/// A round of linear algebra. @collective @throws as work
void multiply(const Group& world, int round);

}  // namespace tessera::test
