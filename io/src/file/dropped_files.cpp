// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "file/dropped_files.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <tessera/io/error.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>

#include "base/collectively.hpp"
#include "posix/disk_space.hpp"

namespace tessera::io::detail {
namespace {

// Never destroyed: HDF5 itself closes the remaining files when MPI ends, and must not be called later.
std::vector<GroupFile>& dropped() {
  static auto& list = *new std::vector<GroupFile>;
  return list;
}

index_t last_number = 0;  // the greatest of any file

}  // namespace

void GroupFile::close(const std::string& context) {
  const Descriptor bytes = std::move(file.bytes);
  const OnlyWriter writer = std::move(file.writer);
  collectively(group, context, [&] { hdf5::close(std::move(file.hdf5)); });
  collectively(group, context, [&] {
    if (took_space && bytes) release_space(bytes);
  });
}

index_t next_file_number(const Group& group) {
  return last_number = group.all_reduce(last_number + 1, Reduce::max);
}

void leave_dropped(GroupFile&& file) { dropped().push_back(std::move(file)); }

void close_dropped(const Group& group) {
  auto& list = dropped();
  const auto end = std::stable_partition(list.begin(), list.end(),
                                         [&](const GroupFile& open) { return !(open.group == group); });
  std::sort(end, list.end(), [](const GroupFile& a, const GroupFile& b) { return a.number < b.number; });
  tessera::detail::Fingerprint print;
  for (auto it = end; it != list.end(); ++it) print.add(it->number);
  const auto mine = static_cast<index_t>(print.value());
  const bool agreed = group.all_reduce(mine, Reduce::min) == group.all_reduce(mine, Reduce::max);
  if (!agreed || end == list.end()) return;
  std::vector<GroupFile> files(std::make_move_iterator(end), std::make_move_iterator(list.end()));
  list.erase(end, list.end());
  for (GroupFile& file : files) {
    try {
      file.close("closing of a file that was dropped");
    } catch (const IoError&) {  // the owner dropped the file and does not want to know
    }
  }
}

}  // namespace tessera::io::detail
