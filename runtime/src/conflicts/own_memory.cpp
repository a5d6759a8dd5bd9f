// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/own_memory.hpp"

#include <cerrno>
#include <cstddef>
#include <vector>

#include <sys/uio.h>
#include <unistd.h>

namespace tessera::detail::conflicts {

OwnMemory read_own_memory(const Footprint& where) {
  constexpr std::size_t most_bytes = std::size_t{256} << 10, most_runs = 1024;  // the latter is IOV_MAX
  std::vector<iovec> runs;
  std::size_t bytes = 0;
  for_each_run(where, [&](const ByteRange& run) {
    const std::size_t taken = std::min(static_cast<std::size_t>(run.high - run.low), most_bytes - bytes);
    runs.push_back({reinterpret_cast<void*>(run.low), taken});
    bytes += taken;
    return bytes < most_bytes && runs.size() < most_runs;
  });
  if (bytes == 0) return {};
  std::vector<std::byte> copy(bytes);
  const iovec into{copy.data(), bytes};
  const ssize_t copied = process_vm_readv(getpid(), &into, 1, runs.data(), runs.size(), 0);
  if (copied == static_cast<ssize_t>(bytes)) {
    const Footprint all = footprint_of(ByteRange{0, static_cast<index_t>(bytes)});
    return {hash_of(all, copy.data()), false};
  }
  return {{}, copied >= 0 || errno == EFAULT};
}

}  // namespace tessera::detail::conflicts
