// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "operations/take_tasks.hpp"

#include <algorithm>
#include <limits>

#include <tessera/runtime/error.hpp>

#include "format.hpp"

namespace tessera::detail {
namespace {

index_t advance(Scalars<std::int64_t>& counter, int rank, index_t end, index_t wanted, int processes) {
  if (wanted <= (std::numeric_limits<index_t>::max() - end) / processes)
    return counter.fetch_add(rank, 0, wanted);
  index_t now = counter.load(rank, 0);
  while (now < end && !counter.compare_exchange(rank, 0, now, now + std::min(wanted, end - now))) {
  }
  return now;
}

}  // namespace

TaskRange take_tasks(Scalars<std::int64_t>& counter, int rank, index_t end, index_t wanted, int processes) {
  const index_t begin = std::min(end, advance(counter, rank, end, wanted, processes));
  return {begin, begin + std::min(wanted, end - begin)};
}

index_t checked_chunk(index_t chunk, std::string_view name) {
  if (chunk > 0) return chunk;
  throw UsageError(formatted("\"{}\" cannot be drawn in chunks of {} tasks", name, chunk));
}

}  // namespace tessera::detail
