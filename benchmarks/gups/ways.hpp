// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
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

/// A table, and one way to update it.
struct Way {
  std::string name;
  bool is_exact = true;  // else updates of several ranks may be lost
  /// Updates the words of some random numbers: word ^= number. All ranks call it at once, with equally many
  /// numbers.
  std::function<void(std::span<const Word>)> update;
  /// Fills this rank's words, and reads them. @local
  std::function<void(std::span<const Word>)> set;
  std::function<std::vector<Word>()> words;
  /// Completes the updates of all ranks. @collective
  std::function<void()> sync;
};

/// By Tessera. @collective
Way by_fetch_op(const Group& world, const Shape& shape);
Way by_batch(const Group& world, const Shape& shape);
Way by_get_and_put(const Group& world, const Shape& shape);
/// By MPI's windows. @collective
Way by_mpi_fetch_and_op(const Group& world, const Shape& shape);
Way by_mpi_accumulate(const Group& world, const Shape& shape);
Way by_mpi_get_and_put(const Group& world, const Shape& shape);
/// By messages: every rank sends each other rank its updates, after each look_ahead of them. @collective
Way by_mpi_exchange(const Group& world, const Shape& shape);
/// By Global Arrays, while a ga_peer::Library lives. @collective
Way by_ga_get_and_put(const Group& world, const Shape& shape);

}  // namespace tessera::benchmark::gups
