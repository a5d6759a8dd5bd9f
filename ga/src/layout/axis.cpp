// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/core/axis.hpp>

namespace tessera::detail {

Axis Axis::blocked(index_t extent, int parts) {
  Axis axis;
  axis.extent_ = extent;
  axis.parts_ = parts;
  axis.block_ = extent / parts;
  axis.larger_ = static_cast<int>(extent % parts);
  const index_t larger = axis.block_ + (axis.larger_ > 0 ? 1 : 0);  // there is none if parts are equal
  axis.least_ = axis.larger_ * larger;
  axis.by_block_ = Divisor(std::max<index_t>(axis.block_, 1));
  axis.by_larger_ = Divisor(std::max<index_t>(larger, 1));
  axis.single_ = parts == 1;
  return axis;
}

Axis Axis::irregular(index_t extent, std::vector<index_t> starts) {
  Axis axis;
  axis.kind_ = Kind::irregular;
  axis.extent_ = extent;
  axis.parts_ = static_cast<int>(starts.size());
  axis.single_ = axis.parts_ == 1;
  axis.table_ = std::make_shared<const Table>(Table{std::move(starts), {}, {}});
  return axis;
}

Axis Axis::of_starts(index_t extent, std::vector<index_t> starts) {
  Axis even = blocked(extent, static_cast<int>(starts.size()));
  for (int part = 0; part < even.parts(); ++part) {
    if (even.start(part) != starts[static_cast<std::size_t>(part)]) return irregular(extent, std::move(starts));
  }
  return even;
}

Axis Axis::cyclic(index_t extent, index_t block, int parts) {
  Axis axis;
  axis.kind_ = Kind::cyclic;
  axis.extent_ = extent;
  axis.block_ = block;
  axis.parts_ = parts;
  axis.larger_ = static_cast<int>(extent / block % parts);
  axis.least_ = extent / block / parts * block;
  axis.by_block_ = Divisor(block);
  axis.by_parts_ = Divisor(parts);
  axis.single_ = parts == 1;
  return axis;
}

Axis Axis::dealt(index_t extent, std::vector<index_t> starts, int parts) {
  Axis axis;
  axis.kind_ = Kind::dealt;
  axis.extent_ = extent;
  axis.parts_ = parts;
  axis.single_ = parts == 1;
  Table table{std::move(starts), {}, std::vector<index_t>(static_cast<std::size_t>(parts), 0)};
  table.before.reserve(table.starts.size());
  for (std::size_t b = 0; b < table.starts.size(); ++b) {
    index_t& count = table.counts[b % table.counts.size()];
    table.before.push_back(count);
    count += (b + 1 < table.starts.size() ? table.starts[b + 1] : extent) - table.starts[b];
  }
  axis.table_ = std::make_shared<const Table>(std::move(table));
  return axis;
}

Axis Axis::with_tiles() const {
  Axis axis = *this;
  axis.tiles_ = true;
  axis.single_ = parts_ == 1 && blocks_dealt() <= 1;
  return axis;
}

index_t Axis::blocks() const noexcept { return single_ ? index_t{extent_ > 0} : blocks_dealt(); }

index_t Axis::blocks_dealt() const noexcept {
  if (kind_ == Kind::cyclic) return extent_ / block_ + static_cast<index_t>(extent_ % block_ != 0);
  if (kind_ == Kind::dealt && extent_ == 0) return 0;
  return table_ ? static_cast<index_t>(table_->starts.size()) : parts_;
}

index_t Axis::intervals(int part) const noexcept {
  const bool dealt = kind_ == Kind::cyclic || kind_ == Kind::dealt;
  if (!dealt || single_) return count(part) > 0 ? 1 : 0;
  if (kind_ == Kind::cyclic) return count(part) / block_ + static_cast<index_t>(count(part) % block_ != 0);
  return (blocks_dealt() - part + parts_ - 1) / parts_;
}

Interval Axis::interval(int part, index_t b) const noexcept {
  if (single_) return {0, 0, extent_, 0};  // one interval, whatever its blocks
  if (kind_ == Kind::dealt) {
    const index_t number = b * parts_ + part;
    return {part, begin_of(number), begin_of(number + 1), table_->before[static_cast<std::size_t>(number)]};
  }
  if (kind_ != Kind::cyclic) return {part, start(part), start(part + 1), 0};
  const index_t begin = (b * parts_ + part) * block_;
  return {part, begin, begin + std::min(block_, extent_ - begin), b * block_};
}

bool operator==(const Axis& a, const Axis& b) noexcept {
  return a.kind_ == b.kind_ && a.tiles_ == b.tiles_ && a.extent_ == b.extent_ && a.block_ == b.block_ &&
         a.parts_ == b.parts_ && (a.table_ == b.table_ || a.table_->starts == b.table_->starts);
}

}  // namespace tessera::detail
