// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tensors/block_map.hpp"

#include <numeric>
#include <utility>

#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/detail/product.hpp>
#include <tessera/runtime/error.hpp>

#include "format.hpp"

namespace tessera::linalg::detail {

BlockMap::BlockMap(std::string name, std::vector<std::vector<index_t>> lengths,
                   std::vector<IndexSymmetry> symmetries,
                   const std::function<bool(const Coordinates&)>& is_stored, int ranks)
    : name_(std::move(name)), lengths_(std::move(lengths)), symmetries_(std::move(symmetries)) {
  for (std::size_t d = 0; d < rank(); ++d) {
    auto& starts = starts_.emplace_back(1, 0);
    for (const index_t length : lengths_[d]) {
      if (length < 1)
        throw UsageError(
            formatted("block tensor \"{}\": a block of length {} along dimension {}", name_, length, d));
      index_t next = 0;
      if (__builtin_add_overflow(starts.back(), length, &next)) throw_too_large();
      starts.push_back(next);
    }
  }
  check();
  Coordinates at{};
  for (bool more =
           std::none_of(lengths_.begin(), lengths_.end(), [](const auto& list) { return list.empty(); });
       more;) {
    Coordinates stored{};
    stored_image(at, stored);
    if (stored == at && !vanishes(at) && (!is_stored || is_stored(at))) {
      const auto extents = this->extents(at);
      blocks_.push_back({at, 0, 0,
                         std::accumulate(extents.begin(), extents.begin() + std::ssize(lengths_), index_t{1},
                                         std::multiplies<>())});
      numbers_.emplace(number(at), blocks_.size() - 1);
    }
    more = false;
    for (std::size_t d = rank(); !more && d-- > 0;) {
      more = ++at[d] < std::ssize(lengths_[d]);
      if (!more) at[d] = 0;
    }
  }
  share_out(ranks);
}

void BlockMap::throw_too_large() const {
  throw UsageError(formatted("block tensor \"{}\": 64 bits cannot count its blocks or elements", name_));
}

void BlockMap::check() const {
  std::vector<index_t> counts, extents;
  for (std::size_t d = 0; d < rank(); ++d) {
    counts.push_back(std::ssize(lengths_[d]));
    extents.push_back(starts_[d].back());
  }
  if (!tessera::detail::checked_product(counts) || !tessera::detail::checked_product(extents))
    throw_too_large();
  std::vector<bool> is_listed(rank());
  for (const auto& [dimensions, sign] : symmetries_) {
    if (sign != 1 && sign != -1)
      throw UsageError(
          formatted("block tensor \"{}\": the sign of a symmetry is {}, not 1 or -1", name_, sign));
    for (const int d : dimensions) {
      if (d < 0 || static_cast<std::size_t>(d) >= rank() || is_listed[static_cast<std::size_t>(d)]) {
        throw UsageError(formatted(
            "block tensor \"{}\": its symmetries list dimension {}, which does not exist or is listed twice",
            name_, d));
      }
      is_listed[static_cast<std::size_t>(d)] = true;
      if (lengths(static_cast<std::size_t>(d)) != lengths(static_cast<std::size_t>(dimensions.front()))) {
        throw UsageError(
            formatted("block tensor \"{}\": dimensions {} and {} are exchanged, but cut into different blocks",
                      name_, dimensions.front(), d));
      }
    }
  }
}

// Whether antisymmetry makes all elements zero: blocks of length 1 on a diagonal.
bool BlockMap::vanishes(const Coordinates& at) const {
  for (const auto& [dimensions, sign] : symmetries_) {
    if (sign > 0) continue;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      for (std::size_t j = i + 1; j < dimensions.size(); ++j) {
        const auto d = static_cast<std::size_t>(dimensions[i]), e = static_cast<std::size_t>(dimensions[j]);
        if (at[d] == at[e] && length(d, at[d]) == 1) return true;
      }
    }
  }
  return false;
}

index_t BlockMap::number(const Coordinates& at) const noexcept {
  index_t number = 0;
  for (std::size_t d = 0; d < rank(); ++d) number = number * std::ssize(lengths_[d]) + at[d];
  return number;
}

Coordinates BlockMap::strides(const Coordinates& at) const noexcept {
  Coordinates strides{};
  index_t stride = 1;
  for (std::size_t d = rank(); d-- > 0; stride *= length(d, at[d])) strides[d] = stride;
  return strides;
}

Coordinates BlockMap::extents(const Coordinates& at) const noexcept {
  Coordinates extents{};
  for (std::size_t d = 0; d < rank(); ++d) extents[d] = length(d, at[d]);
  return extents;
}

// Sorts the coordinates of each symmetry so that they fall. Each exchange of two gives its sign.
BlockMap::Image BlockMap::stored_image(const Coordinates& at, Coordinates& stored) const {
  Image image{nullptr, {}, 1};
  std::iota(image.along.begin(), image.along.end(), std::size_t{0});
  stored = at;
  for (const auto& [dimensions, sign] : symmetries_) {
    for (std::size_t i = 1; i < dimensions.size(); ++i) {
      for (std::size_t j = i; j > 0; --j) {
        const auto d = static_cast<std::size_t>(dimensions[j - 1]), e = static_cast<std::size_t>(dimensions[j]);
        if (stored[d] >= stored[e]) break;
        std::swap(stored[d], stored[e]);
        std::swap(image.along[d], image.along[e]);
        image.sign *= sign;
      }
    }
  }
  return image;
}

std::optional<BlockMap::Image> BlockMap::find(const Coordinates& at) const {
  Coordinates stored{};
  Image image = stored_image(at, stored);
  const auto place = numbers_.find(number(stored));
  if (place == numbers_.end()) return std::nullopt;
  image.block = &blocks_[place->second];
  return image;
}

std::uint64_t BlockMap::fingerprint() const noexcept {
  tessera::detail::Fingerprint print;
  for (const auto& list : lengths_) {
    print.add(std::ssize(list));
    for (const index_t length : list) print.add(length);
  }
  for (const auto& [dimensions, sign] : symmetries_) {
    print.add(sign).add(std::ssize(dimensions));
    for (const int d : dimensions) print.add(d);
  }
  for (const Block& block : blocks_) print.add(number(block.at));
  return print.value();
}

Strided BlockMap::shape_of(const Image& image, const index_t* strides, index_t size) const {
  const Coordinates stored = this->strides(image.block->at);
  Strided shape;
  shape.run = size;
  shape.levels = static_cast<int>(rank());
  for (std::size_t level = 0, d = rank(); d-- > 0; ++level) {
    shape.count[level] = length(d, image.block->at[d]);
    shape.remote_stride[level] = stored[d] * size;
    shape.local_stride[level] = strides[image.along[d]] * size;
  }
  return shape;
}

void BlockMap::share_out(int ranks) {
  sizes_.assign(static_cast<std::size_t>(ranks), 0);
  const index_t all = std::accumulate(blocks_.begin(), blocks_.end(), index_t{0},
                                      [](index_t sum, const Block& block) { return sum + block.size; });
  double before = 0;
  for (Block& block : blocks_) {
    const double middle = (before + 0.5 * static_cast<double>(block.size)) / static_cast<double>(all);
    block.rank = std::min(ranks - 1, static_cast<int>(middle * ranks));
    index_t& size = sizes_[static_cast<std::size_t>(block.rank)];
    block.offset = size;
    size += block.size;
    before += static_cast<double>(block.size);
  }
}

}  // namespace tessera::linalg::detail
