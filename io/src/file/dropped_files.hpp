// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

#include <tessera/runtime/group.hpp>

#include "file/open_checks.hpp"

// Files that were dropped without close(), because a destructor cannot make collective calls. They are closed
// when their group opens another file, or when MPI ends.
namespace tessera::io::detail {

/// A file that a group has open, and what is left to do when it is closed.
struct GroupFile {
  Group group;
  OpenFile file;
  index_t number = 0;       // next_file_number()
  bool took_space = false;  // reserved more than HDF5 may have used; on rank 0

  /// @collective @throws IoError on every rank
  void close(const std::string& context);
};

/// A number that is the same on all ranks and differs from that of the group's other files. @collective
index_t next_file_number(const Group& group);
/// Leaves a file to close_dropped. @local
void leave_dropped(GroupFile&& file);
/// Closes the dropped files of a group if all its members have dropped the same ones. @collective
void close_dropped(const Group& group);

}  // namespace tessera::io::detail
