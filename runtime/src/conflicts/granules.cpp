// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/granules.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tessera::detail::conflicts {

bool Granules::add(const ByteRange& range) {
  if (range.high - range.low > block || ((range.low | range.high) & (granule - 1)) != 0) return false;
  const index_t first = range.low >> block_bits, last = (range.high - 1) >> block_bits;
  const auto below = [](index_t granules) {
    return granules == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << granules) - 1;
  };
  const index_t begin = (range.low & (block - 1)) >> granule_bits,
                end = (range.high - (last << block_bits)) >> granule_bits;
  if (first == last) {
    set(first, below(end) & ~below(begin));
  } else {
    set(first, ~below(begin));
    set(last, below(end));
  }
  return true;
}

Granules::Block& Granules::place_of(index_t number) noexcept {
  std::size_t place = (static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15) >> shift_;
  while (blocks_[place].bits != 0 && blocks_[place].number != number)
    place = (place + 1) & (blocks_.size() - 1);
  return blocks_[place];
}

void Granules::set(index_t number, std::uint64_t bits) {
  if (2 * used_ >= blocks_.size()) grow();
  Block& one = place_of(number);
  if (one.bits == 0) {
    one.number = number;
    ++used_;
  }
  one.bits |= bits;
}

void Granules::add(const Granules& other) {
  for (const Block& one : other.blocks_) {
    if (one.bits != 0) set(one.number, one.bits);
  }
}

void Granules::grow() {
  constexpr int first_shift = 58;  // 64 places
  const std::vector<Block> old = std::exchange(blocks_, {});
  shift_ = old.empty() ? first_shift : shift_ - 1;
  blocks_.resize(std::size_t{1} << (64 - shift_));
  for (const Block& one : old) {
    if (one.bits != 0) place_of(one.number) = one;
  }
}

std::vector<ByteRange> Granules::take() {
  std::vector<Block> all = std::exchange(blocks_, {});
  std::erase_if(all, [](const Block& one) { return one.bits == 0; });
  std::sort(all.begin(), all.end(), [](const Block& a, const Block& b) { return a.number < b.number; });
  used_ = 0;
  std::vector<ByteRange> ranges;
  for (const Block& one : all) {
    index_t at = one.number * block;
    for (std::uint64_t bits = one.bits; bits != 0;) {
      const int gap = std::countr_zero(bits);
      bits >>= gap;
      const int length = std::countr_one(bits);
      bits = length == 64 ? 0 : bits >> length;
      const ByteRange run{at + gap * granule, at + (gap + length) * granule};
      at = run.high;
      if (!ranges.empty() && ranges.back().high == run.low)
        ranges.back().high = run.high;
      else
        ranges.push_back(run);
    }
  }
  return ranges;
}

}  // namespace tessera::detail::conflicts
