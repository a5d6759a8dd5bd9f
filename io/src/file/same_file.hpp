// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <string>

#include <tessera/runtime/group.hpp>

#include "file/open_checks.hpp"
#include "posix/descriptor.hpp"

namespace tessera::io::detail {

/// Whether nodes may number a file differently, as they do on some network file systems.
enum class Numbers { must_agree, may_differ };

/// Says that the ranks have opened different files under one path; empty if all have the same one. Ranks of a
/// node must see the same device and number. If nodes may number the file differently, it is proved otherwise
/// that they share it. A file to be written must have a directory that they share: a new file there shows it. A
/// file to be read must be alike on all nodes, and nothing is written. @collective: all ranks get the same text
std::string difference(const Group& group, const std::filesystem::path& path, const Descriptor& file,
                       Access access, Numbers numbers);

}  // namespace tessera::io::detail
