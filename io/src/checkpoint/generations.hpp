// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

// The files of one checkpoint: prefix.000001.h5, prefix.000002.h5, ... All @local.
namespace tessera::io::detail {

struct Generation {
  std::int64_t number;
  std::filesystem::path file;
};

std::filesystem::path generation_path(const std::filesystem::path& prefix, std::int64_t number);
/// Newest first. @throws IoError if the directory cannot be read
std::vector<Generation> list_generations(const std::filesystem::path& prefix);
/// The number of the next file. @throws IoError as above, or if there is a file with the last possible number
std::int64_t next_generation(const std::filesystem::path& prefix);
/// Removes all generations older than the newest `keep`, not counting damaged ones. Links and other kinds of
/// files with such a name are not touched and do not count. @throws IoError
void remove_older(const std::filesystem::path& prefix, int keep,
                  const std::vector<std::filesystem::path>& damaged);
/// Removes what killed writers left behind. The caller must hold the lock of the path.
void remove_leftovers(const std::filesystem::path& prefix) noexcept;

}  // namespace tessera::io::detail
