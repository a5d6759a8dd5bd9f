// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tiles/shared_output.hpp"

#include <span>
#include <utility>

#include "format.hpp"
#include "posix/disk_space.hpp"
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

// The text of rank 0.
std::string shared_text(const Group& group, std::string text) {
  text.resize(static_cast<std::size_t>(group.broadcast(static_cast<index_t>(text.size()), 0)));
  group.broadcast(std::span<char>(text), 0);
  return text;
}

}  // namespace

SharedOutput::SharedOutput(const Group& group, std::string context, std::string consequence)
    : group_(group), context_(std::move(context)), consequence_(std::move(consequence)) {}

SharedOutput::~SharedOutput() {
  if (made_) made_->discard();
}

index_t SharedOutput::create(std::vector<Entry>& entries, const std::function<AtomicFile()>& choose,
                             const std::function<void(const AtomicFile&)>& make) {
  step([&] {
    if (!is_root()) return check_file_size(largest_size(entries));  // the limit of this process
    made_.emplace(choose()).begin();
    make(*made_);
  });
  const std::string name = shared_text(group_, made_ ? made_->temporary().string() : std::string());
  const index_t tiles = share_places(group_, entries);
  step([&] { file_ = open_shared(name); });
  return tiles;
}

void SharedOutput::flush(const Group& node) const {
  if (node.rank() == 0) flush_data(file_);
}

}  // namespace tessera::io::detail
