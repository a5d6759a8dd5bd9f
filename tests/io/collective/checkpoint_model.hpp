// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <string>

#include <tessera/io/checkpoint.hpp>
#include <tessera/io/checkpoint_info.hpp>

#include "expect_words.hpp"
#include "file_bytes.hpp"
#include "numbered_array.hpp"

namespace tessera::test {

/// The file of a generation. @local
inline std::filesystem::path generation(const std::filesystem::path& prefix, int number) {
  const std::string digits = std::to_string(number);
  return prefix.string() + "." + std::string(6 - digits.size(), '0') + digits + ".h5";
}

}  // namespace tessera::test
