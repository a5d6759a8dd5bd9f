// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <tessera/runtime/group.hpp>

// Tables of 64-bit words, distributed over all ranks, and the ways to update random words of them.
namespace tessera::benchmark::gups {

using Word = std::uint64_t;

/// HPC Challenge lets a rank keep so many updates back.
inline constexpr index_t look_ahead = 1024;

/// Which rank has which words: the same number on each rank, fewer on the last one.
struct Shape {
  index_t words;  // a power of two
  int ranks;
  index_t per_rank = (words + ranks - 1) / ranks;

  /// The word that a random number updates.
  index_t place(Word number) const noexcept { return static_cast<index_t>(number) & (words - 1); }
  int owner(index_t place) const noexcept { return static_cast<int>(place / per_rank); }
  index_t offset(index_t place) const noexcept { return place % per_rank; }
};

/// A table, and what updates it.
struct Table {
  /// Updates the words of some random numbers: word ^= number. All ranks call it at once, with equally many
  /// numbers.
  std::function<void(std::span<const Word>)> update;
  /// Fills this rank's words, and reads them. @local
  std::function<void(std::span<const Word>)> set;
  std::function<std::vector<Word>()> words;
  /// Completes the updates of all ranks. @collective
  std::function<void()> sync;
};

/// A way to update a table.
struct Way {
  const char* name;
  enum class Of : std::uint8_t { tessera, windows, messages, global_arrays } library;
  bool is_exact;  // else updates of several ranks may be lost
  /// Makes a table that is updated so. @collective
  Table (*make)(const Group& world, const Shape& shape);
};

extern const Way fetch_op, batch, get_and_put;
extern const Way mpi_fetch_and_op, mpi_accumulate, mpi_get_and_put;
/// Every rank sends each other rank its updates, after each look_ahead of them.
extern const Way mpi_exchange;
/// While a ga_peer::Library lives.
extern const Way ga_get_and_put;

}  // namespace tessera::benchmark::gups
