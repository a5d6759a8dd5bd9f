// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/runtime/segment.hpp>

#include "comparison.hpp"
#include "mpi_test.hpp"
#include "random_transfer.hpp"

namespace tessera::test {

using Bytes = std::vector<std::byte>;
using namespace std::string_view_literals;  // GoogleTest prints a plain literal with its address

inline Bytes random_bytes(Random& random, index_t count) {
  Bytes bytes(at(count));
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    const std::uint64_t word = random();
    std::memcpy(&bytes[i], &word, std::min<std::size_t>(8, bytes.size() - i));
  }
  return bytes;
}

/// Compares two runs of bytes as one value. A failure gives `where` and the first byte that differs. @local
template <class Where>
void compare_bytes(Comparison& compared, const Where& where, std::span<const std::byte> expected,
                   std::span<const std::byte> found) {
  if (expected.size() != found.size()) return compared(where, expected.size(), found.size());
  const std::size_t size = expected.size();
  if (size == 0 || std::memcmp(expected.data(), found.data(), size) == 0) return compared(where, 0, 0);
  std::size_t byte = 0;
  while (expected[byte] == found[byte]) ++byte;
  compared(std::pair(where, byte), std::to_integer<int>(expected[byte]), std::to_integer<int>(found[byte]));
}
/// The same for a single comparison. @local
inline testing::AssertionResult same_bytes(std::span<const std::byte> expected,
                                           std::span<const std::byte> found) {
  Comparison compared;
  compare_bytes(compared, "byte"sv, expected, found);
  return compared.equal();
}

/// A whole number as any element type; the imaginary part is for the complex ones. @local
template <class T>
T number(index_t re, index_t im) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(re);
  else
    return {static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im)};
}

/// Replaces every element of the remote side of a transfer by f(it, its local partner). @local
template <class T, class F>
void for_each_pair(const Strided& shape, std::byte* remote, const std::byte* local, F&& f) {
  for_each_run(shape, [&](index_t there, index_t here) {
    for (index_t byte = 0; byte < shape.run; byte += index_t{sizeof(T)}) {
      T old, value;
      std::memcpy(&old, remote + there + byte, sizeof(T));
      std::memcpy(&value, local + here + byte, sizeof(T));
      old = f(old, value);
      std::memcpy(remote + there + byte, &old, sizeof(T));
    }
  });
}

/// The contents that every slice should have. Every rank keeps all of them.
struct SliceModel {
  std::vector<Bytes> slices;
  SliceModel(int ranks, index_t bytes) : slices(at(ranks), Bytes(at(bytes))) {}

  std::byte* place(int rank, index_t offset) { return slices[at(rank)].data() + offset; }
  const std::byte* place(int rank, index_t offset) const { return slices[at(rank)].data() + offset; }

  void put(int rank, index_t offset, const Strided& shape, const std::byte* from) {
    for_each_run(shape, [&](index_t remote, index_t local) {
      std::memcpy(place(rank, offset + remote), from + local, at(shape.run));
    });
  }
  void get(int rank, index_t offset, const Strided& shape, std::byte* into) const {
    for_each_run(shape, [&](index_t remote, index_t local) {
      std::memcpy(into + local, place(rank, offset + remote), at(shape.run));
    });
  }
};

/// Sets every slice to zero without an operation that is counted. @collective
inline void zero(Segment& segment, index_t bytes) {
  if (bytes > 0) std::memset(segment.address(segment.group().rank()), 0, at(bytes));
  segment.sync();
}

/// A copy of this process's slice as it lies in memory, after a sync. @local
inline Bytes own_slice(const Segment& segment, index_t bytes) {
  segment.order_local_access();
  const std::byte* here = segment.address(segment.group().rank());
  return {here, here + bytes};
}

/// A segment's domain of atomicity, or the Runtime's choice.
using Domain = std::optional<AtomicDomain>;
/// The domains that are available here. @collective
inline std::vector<Domain> domains() {
  if (world().node_count() == 1 || !has_windows()) return {std::nullopt};
  return {std::nullopt, AtomicDomain::mpi};
}

/// The path that an operation should take. @local
inline Path path_to(const Segment& segment, int rank, bool reads_or_writes) {
  const bool near = segment.group().on_node(rank), cpu = segment.domain() == AtomicDomain::cpu;
  if (near && (cpu || reads_or_writes)) return Path::node;
  const char* method = std::getenv("TESSERA_METHOD");
  const bool forced =
      method != nullptr && (method == std::string("batched") || method == std::string("direct"));
  return !cpu || (reads_or_writes && forced && has_windows()) ? Path::window : Path::agent;
}

/// Open MPI's compare-and-swap is not atomic against its other operations. @local
inline bool has_compare_exchange([[maybe_unused]] const Segment& segment) {
#ifdef OPEN_MPI
  return segment.domain() == AtomicDomain::cpu;
#else
  return true;
#endif
}

/// The result that an update should have. @local
template <class T>
T updated(Update update, T old, T value) {
  if (update == Update::sum) return static_cast<T>(old + value);
  if constexpr (RealElement<T>) {
    if (update == Update::min) return value < old ? value : old;
    if (update == Update::max) return old < value ? value : old;
  }
  if constexpr (IntegerElement<T>) {
    if (update == Update::bit_and) return old & value;
    if (update == Update::bit_or) return old | value;
    if (update == Update::bit_xor) return old ^ value;
  }
  return value;
}

inline constexpr Update all_updates[] = {Update::sum,    Update::min,     Update::max,    Update::bit_and,
                                         Update::bit_or, Update::bit_xor, Update::replace};

}  // namespace tessera::test
