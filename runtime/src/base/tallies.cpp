// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/tallies.hpp"

#include "base/memory_check.hpp"
#include "format.hpp"

namespace tessera {
namespace detail {

constinit thread_local TallyCache tally_cache;

void TracedOperation::record(std::chrono::nanoseconds begin, std::int64_t duration) const noexcept {
  trace::recorder().operation(*segment, rank, path, operation, static_cast<std::uint64_t>(bytes), begin.count(),
                              duration);
}

TargetTally& Tallies::of(std::uint64_t segment, int rank) {
  TallyCache::Entry& cached = tally_cache.at(segment, rank);
  if (cached.segment == segment && cached.rank == rank) return *cached.tally;
  const std::lock_guard lock(mutex_);
  TargetTally& tally = tallies_[{rank, std::this_thread::get_id()}];
  cached = {segment, rank, &tally};
  return tally;
}

Statistics Tallies::statistics() const {
  Statistics sum;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, tally] : tallies_) {
    auto& target = sum.targets[key.first];
    for (std::size_t path = 0; path < path_count; ++path) {
      for (std::size_t operation = 0; operation < operation_count; ++operation) {
        const Traffic traffic = tally.of[path][operation].traffic();
        sum.total[path][operation] += traffic;
        target[path][operation] += traffic;
      }
    }
  }
  return sum;
}

}  // namespace detail

const char* to_string(Operation operation) noexcept {
  constexpr const char* names[] = {"put", "get", "accumulate", "atomic"};
  return names[static_cast<std::size_t>(operation)];
}

const char* to_string(Path path) noexcept {
  constexpr const char* names[] = {"node", "window", "agent", "message"};
  return names[static_cast<std::size_t>(path)];
}

Traffic& Traffic::operator+=(const Traffic& other) noexcept {
  operations += other.operations;
  bytes += other.bytes;
  seconds += other.seconds;
  return *this;
}

Statistics& Statistics::operator+=(const Statistics& other) noexcept {
  flushes += other.flushes;
  for (std::size_t path = 0; path < path_count; ++path) {
    for (std::size_t operation = 0; operation < operation_count; ++operation)
      total[path][operation] += other.total[path][operation];
  }
  return *this;
}

std::string Statistics::text() const {
  std::string lines = formatted("{:<8}{:<12}{:>14}{:>14}{:>14}{:>14}\n", "path", "operation", "operations",
                                "bytes", "seconds", "rate");
  for (std::size_t path = 0; path < path_count; ++path) {
    for (std::size_t operation = 0; operation < operation_count; ++operation) {
      const Traffic& traffic = total[path][operation];
      if (traffic.operations == 0) continue;
      const auto bytes = static_cast<index_t>(traffic.bytes);
      const double rate = traffic.seconds > 0.0 ? static_cast<double>(bytes) / traffic.seconds : 0.0;
      lines += formatted("{:<8}{:<12}{:>14}{:>14}{:>14.3e}{:>12}/s\n", to_string(static_cast<Path>(path)),
                         to_string(static_cast<Operation>(operation)), traffic.operations,
                         detail::format_bytes(bytes), traffic.seconds,
                         detail::format_bytes(static_cast<index_t>(rate)));
    }
  }
  return lines;
}

}  // namespace tessera
