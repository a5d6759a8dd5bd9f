// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <vector>

#include "conflicts/footprint.hpp"

namespace tessera::detail::conflicts {

/// Many small ranges in any order: a hash table of blocks of 256 bytes, with a bit for every 4 of them. An
/// element that is accessed again takes no more memory.
class Granules {
 public:
  /// Adds a range. False if it cannot: it is longer than a block, or does not begin and end on a multiple of 4.
  bool add(const ByteRange& range);
  void add(const Granules& other);
  bool is_empty() const noexcept { return used_ == 0; }
  /// The ranges, in ascending order; neighbours are joined. Then there are none.
  std::vector<ByteRange> take();
  index_t bytes_of_memory() const noexcept { return static_cast<index_t>(blocks_.capacity() * sizeof(Block)); }

 private:
  static constexpr int granule_bits = 2, block_bits = 6 + granule_bits;
  static constexpr index_t granule = 1 << granule_bits, block = 1 << block_bits;
  struct Block {
    index_t number = 0;
    std::uint64_t bits = 0;  // 0: there is none
  };
  void set(index_t number, std::uint64_t bits);
  Block& place_of(index_t number) noexcept;
  void grow();

  std::vector<Block> blocks_;
  std::size_t used_ = 0;
  int shift_ = 0;  // from a hash to a place
};

}  // namespace tessera::detail::conflicts
