// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "scratch.hpp"

#include <span>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <tessera/runtime/error.hpp>

#include "report.hpp"

namespace tessera::benchmark::io {

Scratch::Scratch(const Group& group, const std::filesystem::path& parent, index_t bytes) : group_(group) {
  std::string name = (parent / "benchmark_io-XXXXXX").string();
  const bool made = group.rank() != 0 || mkdtemp(name.data()) != nullptr;
  if (group.all_reduce(made ? 1 : 0, Reduce::min) == 0)
    throw Error("no directory can be made in " + parent.string() + " (see --directory)");
  group_.broadcast(std::span<char>(name), 0);
  path_ = name;
  const index_t available = group.broadcast(static_cast<index_t>(std::filesystem::space(parent).available), 0);
  if (available >= bytes) return;
  group.barrier();
  if (group.rank() == 0) std::filesystem::remove(path_);
  throw Error(parent.string() + " has " + format_bytes(available) + " of free space, but up to " +
              format_bytes(bytes) + " are needed (see --directory and --bytes)");
}

Scratch::~Scratch() {
  std::error_code ignored;
  if (group_.rank() == 0) std::filesystem::remove_all(path_, ignored);
}

void Scratch::make_cold() const {
  group_.barrier();
  if (group_.node().rank() == 0) {
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      const int file = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
      if (file < 0) continue;
      fsync(file);  // what is not on disk stays in memory
      posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
      ::close(file);
    }
  }
  group_.barrier();
}

void Scratch::clear() const {
  group_.barrier();
  if (group_.rank() == 0) {
    for (const auto& entry : std::filesystem::directory_iterator(path_)) std::filesystem::remove(entry.path());
  }
  group_.barrier();
}

}  // namespace tessera::benchmark::io
