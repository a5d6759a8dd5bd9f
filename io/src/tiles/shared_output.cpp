// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tiles/shared_output.hpp"

#include <utility>

#include "format.hpp"
#include "tiles/tiled_file.hpp"

namespace tessera::io::detail {
namespace {

Descriptor open_shared(const std::filesystem::path& path) {
  try {
    return open_regular(path, Use::write, Links::refuse);
  } catch (const IoError& error) {
    throw IoError(formatted("{}; is the directory the same on all nodes?", error.what()));
  }
}

}  // namespace

SharedOutput::SharedOutput(const Group& group, std::string context, std::string consequence)
    : group_(group), context_(std::move(context)), consequence_(std::move(consequence)) {}

SharedOutput::~SharedOutput() {
  if (atomic_file_) atomic_file_->discard();
}

index_t SharedOutput::create(std::vector<Entry>& entries, const std::function<AtomicFile()>& choose,
                             const std::function<void(const AtomicFile&)>& make) {
  step([&] {
    if (is_root()) {
      atomic_file_.emplace(choose()).begin();
      return make(*atomic_file_);
    }
    atomic_file_.emplace(std::filesystem::path(), AtomicFile::Part::uses);
    atomic_file_->reserve(largest_size(entries));  // checks this process's file size limit
  });
  atomic_file_->share_name(group_);
  const index_t tiles = share_places(group_, entries);
  step([&] { file_ = open_shared(atomic_file_->temporary()); });
  return tiles;
}

void SharedOutput::flush(const Group& node) const {
  if (node.rank() == 0) atomic_file_->flush();
}

}  // namespace tessera::io::detail
