// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/core/slice_core.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

#include <tessera/detail/epoch_transfers.hpp>
#include <tessera/detail/field_transfers.hpp>
#include <tessera/detail/list_transfers.hpp>
#include <tessera/detail/patch_transfers.hpp>
#include <tessera/indexed.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>

#include "base/at.hpp"
#include "base/patch_text.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

// How far position `lo` of `extent` is from the origin. The end position lies directly behind the last element.
// A whole step behind it may be outside the array, where not even an empty patch may begin.
index_t distance(index_t lo, index_t extent, index_t step) {
  return lo == extent && lo > 0 ? (lo - 1) * step + 1 : lo * step;
}

}  // namespace

SliceCore::SliceCore(const ArrayCore& array)
    : array_(const_cast<ArrayCore*>(&array)), type_(array.type()), rank_(array.rank()) {
  for (int d = 0; d < rank_; ++d) {
    axis_[at(d)] = d;
    step_[at(d)] = 1;
    extents_[at(d)] = array.layout().dims()[at(d)];
  }
}

index_t SliceCore::size() const noexcept {
  index_t product = 1;
  for (int k = 0; k < rank_; ++k) product *= extents_[at(k)];
  return product;
}

bool SliceCore::is_whole() const noexcept {
  if (rank_ != array_->rank() || is_of_members()) return false;
  for (int k = 0; k < rank_; ++k) {
    if (axis_[at(k)] != k || step_[at(k)] != 1 || extents_[at(k)] != array_->layout().dims()[at(k)])
      return false;
  }
  return true;
}

std::optional<Box> SliceCore::as_patch() const noexcept {
  if (rank_ != array_->rank()) return {};
  Box box{};
  for (int k = 0; k < rank_; ++k) {
    if (axis_[at(k)] != k || step_[at(k)] != 1) return {};
    box.lo[at(k)] = origin_[at(k)];
    box.hi[at(k)] = origin_[at(k)] + extents_[at(k)];
  }
  return box;
}

SliceCore SliceCore::patch(const Box& box) const {
  SliceCore part = *this;
  for (int k = 0; k < rank_; ++k) {
    const index_t lo = box.lo[at(k)], hi = box.hi[at(k)];
    if (lo < 0 || lo > hi || hi > extents_[at(k)]) throw_bad_patch(extents_.data(), rank_, box, description());
    part.origin_[at(axis_[at(k)])] += distance(lo, extents_[at(k)], step_[at(k)]);
    part.extents_[at(k)] = hi - lo;
    if (hi - lo <= 1) part.step_[at(k)] = 1;  // as if there had never been a step, for slices are compared
  }
  return part;
}

SliceCore SliceCore::every(const index_t* steps) const {
  SliceCore part = *this;
  for (int k = 0; k < rank_; ++k) {
    if (steps[k] < 1) {
      throw UsageError(
          formatted("a step of {} in dimension {} of {}: steps are 1 or more", steps[k], k, description()));
    }
    // A step beyond the end leaves one element. The step is limited so that nothing overflows.
    const index_t step = std::min(steps[k], std::max<index_t>(1, extents_[at(k)]));
    part.extents_[at(k)] = extents_[at(k)] / step + static_cast<index_t>(extents_[at(k)] % step != 0);
    part.step_[at(k)] = part.extents_[at(k)] <= 1 ? 1 : step_[at(k)] * step;
  }
  return part;
}

SliceCore SliceCore::permuted(const int* order) const {
  SliceCore part = *this;
  std::array<bool, static_cast<std::size_t>(max_rank)> seen{};
  for (int k = 0; k < rank_; ++k) {
    const int from = order[k];
    if (from < 0 || from >= rank_ || seen[at(from)]) {
      throw UsageError(formatted(
          "the order of the dimensions of {} names dimension {} {}", description(), from,
          from < 0 || from >= rank_ ? formatted("that it does not have: they are {}", dimensions()) : "twice"));
    }
    seen[at(from)] = true;
    part.axis_[at(k)] = axis_[at(from)];
    part.step_[at(k)] = step_[at(from)];
    part.extents_[at(k)] = extents_[at(from)];
  }
  return part;
}

SliceCore SliceCore::fixed(int d, index_t where) const {
  if (rank_ == 1) {
    throw UsageError(formatted("the only dimension of {} cannot be held at a position; load gives one element",
                               description()));
  }
  if (d < 0 || d >= rank_) {
    throw UsageError(formatted("{} of extents {} has no dimension {} that could be held: they are {}",
                               description(), extents_text(extents_.data(), rank_), d, dimensions()));
  }
  if (where < 0 || where >= extents_[at(d)]) {
    throw UsageError(formatted("position {} is outside dimension {} of {} of extents {}", where, d,
                               description(), extents_text(extents_.data(), rank_)));
  }
  SliceCore part = *this;
  part.origin_[at(axis_[at(d)])] += where * step_[at(d)];
  for (int k = d; k + 1 < rank_; ++k) {
    part.axis_[at(k)] = axis_[at(k + 1)];
    part.step_[at(k)] = step_[at(k + 1)];
    part.extents_[at(k)] = extents_[at(k + 1)];
  }
  --part.rank_;
  part.axis_[at(part.rank_)] = 0;
  part.step_[at(part.rank_)] = part.extents_[at(part.rank_)] = 0;
  return part;
}

SliceCore SliceCore::member(const Field& field, ElementKind kind) const {
  if (array_->type().size % field.size != 0) {
    throw UsageError(formatted(
        "a member of {} bytes of the elements of {}, which have {} bytes: the elements' size is no multiple "
        "of it; pad the structure (alignas)",
        field.size, description(), array_->type().size));
  }
  SliceCore part = *this;
  part.member_ += field.offset;
  part.type_ = {kind, field.size};
  return part;
}

Lattice SliceCore::lattice(const Box& box) const {
  Lattice lattice;
  for (int d = 0; d < array_->rank(); ++d) {
    lattice.lo[at(d)] = origin_[at(d)];
    lattice.hi[at(d)] = origin_[at(d)] + 1;
    lattice.step[at(d)] = 1;
  }
  for (int k = 0; k < rank_; ++k) {
    const std::size_t d = at(axis_[at(k)]);
    const index_t count = box.hi[at(k)] - box.lo[at(k)];
    lattice.lo[d] = origin_[d] + distance(box.lo[at(k)], extents_[at(k)], step_[at(k)]);
    lattice.hi[d] = count == 0 ? lattice.lo[d] : lattice.lo[d] + (count - 1) * step_[at(k)] + 1;
    lattice.step[d] = step_[at(k)];
    lattice.stepped = lattice.stepped || step_[at(k)] > 1;
  }
  return lattice;
}

SliceCore::Place SliceCore::place(const Box& box, const index_t* extents, const index_t* strides) const {
  const SliceCore part = patch(box);  // throws for a box that is outside
  for (int k = 0; k < rank_; ++k) {
    if (extents[k] == part.extents_[at(k)]) continue;
    throw UsageError(formatted(
        "a view of extents {} does not fit patch {} of {} (dimension {} has {} elements)",
        extents_text(extents, rank_), patch_text(box, rank_), description(), k, part.extents_[at(k)]));
  }
  Place place{part.lattice({{}, part.extents_}), {}, {}};
  for (int d = 0; d < array_->rank(); ++d) place.extents[at(d)] = 1;
  for (int k = 0; k < rank_; ++k) {
    place.extents[at(axis_[at(k)])] = extents[k];
    place.strides[at(axis_[at(k)])] = strides[k];
  }
  return place;
}

SliceCore::Place SliceCore::place_in_epoch(const index_t* extents, const index_t* strides) const {
  if (is_of_members())
    throw UsageError(formatted("{}: members of elements cannot be accessed in an epoch", description()));
  return place({{}, extents_}, extents, strides);
}

void SliceCore::get_in_epoch(const Buffer<void*>& into) const {
  const Place there = place_in_epoch(into.extents, into.strides);
  get_cached(*array_, there.lattice, {into.data, there.extents.data(), there.strides.data()});
}
void SliceCore::accumulate_in_epoch(const Buffer<const void*>& from, const void* alpha) const {
  const Place there = place_in_epoch(from.extents, from.strides);
  accumulate_cached(*array_, there.lattice, {from.data, there.extents.data(), there.strides.data()}, alpha);
}
void SliceCore::put_in_epoch(const Buffer<const void*>& from) const {
  const Place there = place_in_epoch(from.extents, from.strides);
  put_disjoint(*array_, there.lattice, {from.data, there.extents.data(), there.strides.data()});
}

void SliceCore::put(const Box& box, const Buffer<const void*>& from) const {
  const Place there = place(box, from.extents, from.strides);
  const Buffer<const void*> buffer{from.data, there.extents.data(), there.strides.data()};
  is_of_members() ? put_field(*array_, there.lattice, field(), buffer)
                  : detail::put(*array_, there.lattice, buffer);
}

void SliceCore::get(const Box& box, const Buffer<void*>& into) const {
  const Place there = place(box, into.extents, into.strides);
  const Buffer<void*> buffer{into.data, there.extents.data(), there.strides.data()};
  is_of_members() ? get_field(*array_, there.lattice, field(), buffer)
                  : detail::get(*array_, there.lattice, buffer);
}

void SliceCore::accumulate(const Box& box, const Buffer<const void*>& from, const void* alpha) const {
  const Place there = place(box, from.extents, from.strides);
  const Buffer<const void*> buffer{from.data, there.extents.data(), there.strides.data()};
  is_of_members() ? accumulate_field(*array_, there.lattice, field(), type_.kind, buffer, alpha)
                  : detail::accumulate(*array_, there.lattice, buffer, alpha);
}

Request SliceCore::put_async(const Box& box, const Buffer<const void*>& from) const {
  const Place there = place(box, from.extents, from.strides);
  const Buffer<const void*> buffer{from.data, there.extents.data(), there.strides.data()};
  return is_of_members() ? put_field_async(*array_, there.lattice, field(), buffer)
                         : detail::put_async(*array_, there.lattice, buffer);
}

Request SliceCore::get_async(const Box& box, const Buffer<void*>& into) const {
  const Place there = place(box, into.extents, into.strides);
  const Buffer<void*> buffer{into.data, there.extents.data(), there.strides.data()};
  return is_of_members() ? get_field_async(*array_, there.lattice, field(), buffer)
                         : detail::get_async(*array_, there.lattice, buffer);
}

Request SliceCore::accumulate_async(const Box& box, const Buffer<const void*>& from, const void* alpha) const {
  const Place there = place(box, from.extents, from.strides);
  const Buffer<const void*> buffer{from.data, there.extents.data(), there.strides.data()};
  if (!is_of_members()) return detail::accumulate_async(*array_, there.lattice, buffer, alpha);
  // Done at once: the parts of complex members may have to be multiplied in memory of their own.
  accumulate_field(*array_, there.lattice, field(), type_.kind, buffer, alpha);
  return {};
}

void SliceCore::gather(std::span<const index_t> positions, void* into) const {
  const auto n = at(array_->rank()), moving = at(axis_[0]);
  std::vector<index_t> places;
  places.reserve(positions.size() * n);
  for (index_t position : positions) {
    places.insert(places.end(), origin_.begin(), origin_.begin() + static_cast<std::ptrdiff_t>(n));
    places[places.size() - n + moving] += position * step_[0];
  }
  const auto count = static_cast<index_t>(positions.size());
  if (!is_of_members()) return detail::gather(*array_, places.data(), into, count, VectorMethod::automatic);
  const auto whole = at(array_->type().size), part = at(type_.size);
  std::vector<std::byte> elements(positions.size() * whole);
  detail::gather(*array_, places.data(), elements.data(), count, VectorMethod::automatic);
  for (std::size_t i = 0; i < positions.size(); ++i)
    std::memcpy(static_cast<std::byte*>(into) + i * part, elements.data() + i * whole + at(member_), part);
}

// The elements of the slice inside a piece of the array; false if there are none.
bool SliceCore::locate(const Piece& piece, LocalPiece& local) const {
  for (int d = 0; d < array_->rank(); ++d) {
    if (piece.box.lo[at(d)] >= piece.box.hi[at(d)]) return false;
  }
  const index_t per_element = array_->type().size / type_.size;
  index_t offset = piece.offset;
  for (int d = 0; d < array_->rank(); ++d) offset -= piece.box.lo[at(d)] * piece.strides[at(d)];
  std::array<bool, static_cast<std::size_t>(max_rank)> runs{};
  for (int k = 0; k < rank_; ++k) {
    const std::size_t d = at(axis_[at(k)]);
    runs[d] = true;
    const index_t step = step_[at(k)], lo = piece.box.lo[d] - origin_[d], hi = piece.box.hi[d] - origin_[d];
    const index_t first = lo <= 0 ? 0 : (lo + step - 1) / step;
    const index_t last = hi <= 0 ? 0 : std::min(extents_[at(k)], (hi + step - 1) / step);
    if (first >= last) return false;
    local.box.lo[at(k)] = first;
    local.box.hi[at(k)] = last;
    local.strides[at(k)] = step * piece.strides[d] * per_element;
    offset += (origin_[d] + first * step) * piece.strides[d];
  }
  for (int d = 0; d < array_->rank(); ++d) {
    if (runs[at(d)]) continue;
    if (origin_[at(d)] < piece.box.lo[at(d)] || origin_[at(d)] >= piece.box.hi[at(d)]) return false;
    offset += origin_[at(d)] * piece.strides[at(d)];
  }
  auto* storage = static_cast<std::byte*>(array_->storage(piece.rank));
  local.data = storage == nullptr ? nullptr : storage + offset * array_->type().size + member_;
  return true;
}

bool SliceCore::is_aligned_with(const SliceCore& other) const noexcept {
  return origin_ == other.origin_ && axis_ == other.axis_ && step_ == other.step_ && rank_ == other.rank_ &&
         (array_ == other.array_ || array_->layout() == other.array_->layout());
}

bool SliceCore::has_elements_in_the_places_of(const SliceCore& other) const noexcept {
  if (!is_aligned_with(other)) return false;
  const ArrayCore &mine = *array_, &theirs = *other.array_;
  return &mine == &theirs ||
         (mine.segment().begins_with(theirs.segment()) && mine.type().size == theirs.type().size);
}

bool SliceCore::may_overlap(const SliceCore& other) const noexcept {
  if (array_ != other.array_) return array_->segment().overlaps(other.array_->segment());
  if (std::max(member_, other.member_) >= std::min(member_ + type_.size, other.member_ + other.type_.size))
    return false;
  const Lattice mine = lattice({{}, extents_}), theirs = other.lattice({{}, other.extents_});
  for (int d = 0; d < array_->rank(); ++d) {
    if (std::max(mine.lo[at(d)], theirs.lo[at(d)]) >= std::min(mine.hi[at(d)], theirs.hi[at(d)])) return false;
    // Two lattices of the same step k never meet if their first elements are not a multiple of k apart.
    const bool alternate =
        mine.step[at(d)] == theirs.step[at(d)] && (mine.lo[at(d)] - theirs.lo[at(d)]) % mine.step[at(d)] != 0;
    if (alternate) return false;
  }
  return true;
}

std::uint64_t SliceCore::fingerprint() const noexcept {
  Fingerprint print;
  print.add(array_->name()).add(array_->layout().fingerprint()).add(rank_).add(member_).add(type_.size);
  for (int d = 0; d < array_->rank(); ++d) print.add(origin_[at(d)]);
  for (int k = 0; k < rank_; ++k) print.add(axis_[at(k)]).add(step_[at(k)]).add(extents_[at(k)]);
  return print.value();
}

std::string SliceCore::dimensions() const { return rank_ == 1 ? "0" : formatted("0 to {}", rank_ - 1); }

std::string SliceCore::description() const {
  std::string name = formatted("array \"{}\"", array_->name());
  if (is_whole()) return name;
  const Lattice all = lattice({{}, extents_});
  std::string text, order;
  for (int d = 0; d < array_->rank(); ++d) {
    const bool runs = std::find(axis_.begin(), axis_.begin() + rank_, d) != axis_.begin() + rank_;
    text += d == 0 ? "" : ", ";
    text += runs ? formatted("{}:{}", all.lo[at(d)], all.hi[at(d)]) : formatted("{}", all.lo[at(d)]);
    if (all.step[at(d)] > 1) text += formatted(":{}", all.step[at(d)]);
  }
  if (!std::is_sorted(axis_.begin(), axis_.begin() + rank_)) {
    for (int k = 0; k < rank_; ++k) order += formatted("{}{}", k == 0 ? ", dimensions " : " ", axis_[at(k)]);
  }
  const std::string member = is_of_members() ? formatted("the member at byte {} of ", member_) : "";
  return formatted("{}slice [{}]{} of {}", member, text, order, name);
}

void require_names(const SliceCore& slice, std::string_view names) {
  if (static_cast<std::size_t>(slice.rank()) == names.size()) return;
  throw UsageError(
      formatted("{} has {} dimensions, but \"{}\" has {} letters; give one letter for each dimension",
                slice.description(), slice.rank(), names, names.size()));
}

}  // namespace tessera::detail
