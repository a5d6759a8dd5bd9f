// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <tessera/core/divisor.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// A range [begin, end) of one dimension that lies together in one part, stored there from local_begin on.
struct Interval {
  int part;
  index_t begin, end, local_begin;
};

/// How one dimension of `extent` elements is divided over `parts` process coordinates. An immutable value.
class Axis {
 public:
  enum class Kind : std::uint8_t { blocked, irregular, cyclic, dealt };

  Axis() = default;
  /// Even blocks that differ by one element at most, the larger ones first.
  static Axis blocked(index_t extent, int parts);
  /// Block k begins at starts[k]; starts[0] is 0, starts do not decrease, blocks may be empty.
  static Axis irregular(index_t extent, std::vector<index_t> starts);
  /// Such blocks, which are found faster if they are even.
  static Axis of_starts(index_t extent, std::vector<index_t> starts);
  /// Blocks of `block` elements dealt out in turn, as ScaLAPACK does.
  static Axis cyclic(index_t extent, index_t block, int parts);
  /// The blocks of an irregular axis, dealt out in turn.
  static Axis dealt(index_t extent, std::vector<index_t> starts, int parts);
  /// The same with tiles: neighbouring blocks of one part stay apart. @local
  Axis with_tiles() const;

  Kind kind() const noexcept { return kind_; }
  index_t extent() const noexcept { return extent_; }
  index_t block() const noexcept { return block_; }
  int parts() const noexcept { return parts_; }
  /// The number of blocks in all. Neighbouring blocks of one part count as one, unless they are tiles. @local
  index_t blocks() const noexcept;
  /// The interval that holds element i. @local
  Interval find(index_t i) const noexcept {
    Interval found;
    find(i, found);
    return found;
  }
  /// The same, but fills `found` in place: copying a struct just after its members are stored stalls on store
  /// forwarding.
  void find(index_t i, Interval& found) const noexcept;
  /// Elements stored by a part. @local
  index_t count(int part) const noexcept;
  /// The same for the part of an interval. @local
  index_t count(const Interval& of) const noexcept {
    return kind_ == Kind::cyclic || kind_ == Kind::dealt ? count(of.part) : of.end - of.begin;
  }
  /// Number of intervals of a part: 0 or 1 unless blocks are dealt out. @local
  index_t intervals(int part) const noexcept;
  /// Interval b of a part. @local
  Interval interval(int part, index_t b) const noexcept;
  friend bool operator==(const Axis& a, const Axis& b) noexcept;

 private:
  // The values that cannot be computed: where irregular blocks begin. For blocks that are dealt out, also how
  // many elements of its part precede each block, and how many elements each part has.
  struct Table {
    std::vector<index_t> starts, before, counts;
  };
  void find_in_table(index_t i, Interval& found) const noexcept;
  index_t start(int part) const noexcept;
  index_t blocks_dealt() const noexcept;
  index_t begin_of(index_t block) const noexcept {
    return block < static_cast<index_t>(table_->starts.size()) ? table_->starts[static_cast<std::size_t>(block)]
                                                               : extent_;
  }

  Kind kind_ = Kind::blocked;
  bool tiles_ = false;
  bool single_ = true;  // there is only one interval
  index_t extent_ = 0;
  index_t block_ = 0;  // blocked: the smaller size; cyclic: the block
  int parts_ = 1;
  int larger_ = 0;     // blocked: how many blocks are larger; cyclic: how many parts have a whole block more
  index_t least_ = 0;  // cyclic: elements in whole blocks of every part; blocked: in the larger blocks
  Divisor by_block_, by_larger_, by_parts_;
  std::shared_ptr<const Table> table_;  // irregular and dealt
};

inline index_t Axis::start(int part) const noexcept {
  if (part >= parts_) return extent_;
  if (kind_ == Kind::irregular) return table_->starts[static_cast<std::size_t>(part)];
  return part * block_ + std::min(part, larger_);
}

inline void Axis::find(index_t i, Interval& found) const noexcept {
  found.local_begin = 0;
  if (single_) {
    found.part = 0;
    found.begin = 0;
    found.end = extent_;
  } else if (kind_ == Kind::blocked) {
    const index_t part = i < least_ ? by_larger_(i) : larger_ + by_block_(i - least_);
    found.part = static_cast<int>(part);
    found.begin = part * block_ + std::min<index_t>(part, larger_);
    found.end = found.begin + block_ + static_cast<index_t>(part < larger_);
  } else if (kind_ == Kind::cyclic) {
    const index_t number = by_block_(i), turn = by_parts_(number);
    found.part = static_cast<int>(number - turn * parts_);
    found.begin = number * block_;
    found.end = found.begin + std::min(block_, extent_ - found.begin);  // may be near 2^63
    found.local_begin = turn * block_;
  } else {
    find_in_table(i, found);
  }
}

// Finds the last block that does not begin behind i. It has no branches on i, which the processor could not
// predict.
inline void Axis::find_in_table(index_t i, Interval& found) const noexcept {
  const index_t* first = table_->starts.data();
  for (auto rest = static_cast<index_t>(table_->starts.size()); rest > 1;) {
    const index_t half = rest / 2;
    first += half * static_cast<index_t>(first[half] <= i);
    rest -= half;
  }
  const index_t number = first - table_->starts.data();
  const bool dealt = kind_ == Kind::dealt;
  found.part = static_cast<int>(dealt ? number % parts_ : number);
  found.begin = *first;
  found.end = begin_of(number + 1);
  found.local_begin = dealt ? table_->before[static_cast<std::size_t>(number)] : 0;
}

inline index_t Axis::count(int part) const noexcept {
  if (kind_ == Kind::dealt) return table_->counts[static_cast<std::size_t>(part)];
  if (kind_ != Kind::cyclic) return start(part + 1) - start(part);
  if (part != larger_) return least_ + (part < larger_ ? block_ : 0);
  return least_ +
         (extent_ - least_ * parts_ - larger_ * block_);  // plus the rest in the last, incomplete block
}

}  // namespace tessera::detail
