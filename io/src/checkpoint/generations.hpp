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
/// That of the next file. @throws IoError as above, or if there is a file with the last number
std::int64_t next_generation(const std::filesystem::path& prefix);
/// Removes all that are older than the newest `keep`, not counting damaged ones. A file of another kind, or a
/// link, that has such a name is not touched and does not count. @throws IoError
void remove_older(const std::filesystem::path& prefix, int keep,
                  const std::vector<std::filesystem::path>& damaged);
/// Removes what writers left behind that were killed. Only for who has the path to himself.
void remove_leftovers(const std::filesystem::path& prefix) noexcept;

}  // namespace tessera::io::detail
