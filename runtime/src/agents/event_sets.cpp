// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "agents/event_sets.hpp"

#include <charconv>
#include <filesystem>
#include <system_error>

namespace tessera::detail {

// Errors leave a set out: descriptors come and go in other threads meanwhile.
EventSets::EventSets() {
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry->path(), gone) != "anon_inode:[eventpoll]") continue;
    const std::string name = entry->path().filename();
    int descriptor = -1;
    if (std::from_chars(name.data(), name.data() + name.size(), descriptor).ec == std::errc())
      descriptors_.push_back(descriptor);
  }
}

}  // namespace tessera::detail
