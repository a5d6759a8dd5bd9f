// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>

#include <tessera/runtime/runtime.hpp>

// Small pieces of work with results that are known in closed form. A wrong one ends the job by an exception.
namespace tessera::test {

/// @throws std::logic_error "WRONG RESULT ..." unless the condition holds. @local
void require(bool is_right, const char* what);

/// Segments, requests, batches, scalars, flags, mutexes, groups and reductions. @collective
void work_with_segments(const Group& world);
/// Patches, lists, epochs, ghost cells, tasks, whole-array operations and a product. @collective
void work_with_arrays(const Group& world);
/// A checkpoint and a saved array, written and read. @collective
void work_with_files(const Group& world, const std::filesystem::path& directory);

}  // namespace tessera::test
