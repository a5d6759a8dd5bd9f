// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <tessera/runtime/strided.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera::detail::conflicts {

/// Bytes from `low` up to, but without, `high`.
struct ByteRange {
  index_t low = 0, high = 0;
  friend auto operator<=>(const ByteRange&, const ByteRange&) = default;
};

/// The bytes of an access: nested loops over a run, the loop of the smallest stride first. Strides are
/// positive, and no loop has one iteration.
struct Footprint {
  using Loops = std::array<index_t, static_cast<std::size_t>(max_rank)>;
  index_t low = 0;  // of the first run
  index_t run = 0;  // bytes
  int levels = 0;
  Loops count{}, stride{};

  /// From the first to the last byte of the `inner` innermost loops.
  index_t extent(int inner) const noexcept {
    index_t bytes = run;
    for (std::size_t l = 0; l < static_cast<std::size_t>(inner); ++l) bytes += (count[l] - 1) * stride[l];
    return bytes;
  }
  ByteRange bounds() const noexcept { return {low, low + extent(levels)}; }
  index_t runs() const noexcept;
  friend auto operator<=>(const Footprint&, const Footprint&) = default;
};

/// The bytes that a transfer touches on one side, whose strides are given. The counts are positive. @local
Footprint footprint_of(const Strided& shape, const Footprint::Loops& strides, index_t offset) noexcept;

Footprint footprint_of(const ByteRange& range) noexcept;

/// Calls f for each run, until it returns false. @local
void for_each_run(const Footprint& shape, const std::function<bool(const ByteRange&)>& f);
/// A number that almost surely differs if the contents differ. @local
std::uint64_t hash_of(const Footprint& where, const std::byte* slice) noexcept;
/// Whether two shapes share a byte. @local
bool intersect(const Footprint& a, const Footprint& b);
/// Leaves sorted ranges that are apart, with the same bytes. @local
void unite(std::vector<ByteRange>& ranges);

/// What an access touches. The ranges are sorted and apart.
struct Places {
  std::span<const ByteRange> ranges;
  std::span<const Footprint> shapes;
};
/// The runs in a range that both touch, in ascending order and apart; at most `most` of them. The time does not
/// grow with the number of pairs of shapes. @local
std::vector<ByteRange> common_runs(const Places& a, const Places& b, const ByteRange& in, std::size_t most);

}  // namespace tessera::detail::conflicts
