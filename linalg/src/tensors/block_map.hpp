// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <tessera/core/box.hpp>
#include <tessera/linalg/index_symmetry.hpp>
#include <tessera/runtime/strided.hpp>

namespace tessera::linalg::detail {

using tessera::detail::Coordinates;

/// Which blocks of a tensor are stored, and where. Of blocks that are images of each other by symmetry, the one
/// is stored whose block coordinates fall along symmetric dimensions. The same on every rank. @local
class BlockMap {
 public:
  struct Block {
    Coordinates at;  // its place among the blocks
    int rank;
    index_t offset, size;  // in elements, in the storage of its rank
  };
  /// A block as an image of a stored one: dimension d of the stored block is dimension along[d] of the image,
  /// whose elements are `sign` times the stored ones.
  struct Image {
    const Block* block;
    std::array<std::size_t, static_cast<std::size_t>(max_rank)> along;
    int sign;
  };

  /// `lengths` are those of the blocks along each dimension. Stored blocks for which is_stored(place) is true
  /// are shared out in their order, so that each rank has about as many elements. @throws UsageError if lengths
  /// are not positive, symmetric dimensions are cut differently or listed twice, a sign is neither 1 nor -1, or
  /// 64 bits cannot count the blocks or elements
  BlockMap(std::string name, std::vector<std::vector<index_t>> lengths, std::vector<IndexSymmetry> symmetries,
           const std::function<bool(const Coordinates&)>& is_stored, int ranks);

  const std::string& name() const noexcept { return name_; }
  std::size_t rank() const noexcept { return lengths_.size(); }
  const std::vector<index_t>& lengths(std::size_t d) const noexcept { return lengths_[d]; }
  index_t extent(std::size_t d) const noexcept { return starts_[d].back(); }
  /// Where the blocks along a dimension begin, and where the last one ends.
  const std::vector<index_t>& starts(std::size_t d) const noexcept { return starts_[d]; }
  index_t length(std::size_t d, index_t block) const noexcept {
    return lengths_[d][static_cast<std::size_t>(block)];
  }
  index_t start(std::size_t d, index_t block) const noexcept {
    return starts_[d][static_cast<std::size_t>(block)];
  }
  const std::vector<IndexSymmetry>& symmetries() const noexcept { return symmetries_; }

  /// All stored blocks in row-major order of their places; those of a rank follow one another.
  const std::vector<Block>& blocks() const noexcept { return blocks_; }
  /// The numbers of elements of each rank.
  const std::vector<index_t>& sizes() const noexcept { return sizes_; }
  /// The strides, in elements, of the block at a place in row-major order, as blocks are stored.
  Coordinates strides(const Coordinates& at) const noexcept;
  /// The extents of the block at a place.
  Coordinates extents(const Coordinates& at) const noexcept;
  /// The stored block of which the block at a place is an image; nothing if it is absent. The place is inside.
  std::optional<Image> find(const Coordinates& at) const;
  /// A number that maps with other blocks or symmetries do not have, but by a rare chance.
  std::uint64_t fingerprint() const noexcept;
  /// The transfer between a stored block and local memory that holds an image of it. Strides are in elements,
  /// of `size` bytes.
  Strided shape_of(const Image& image, const index_t* strides, index_t size) const;
  /// Calls f(place) for all places whose blocks are images of a stored block, each once.
  template <class F>
  void for_each_place(const Block& block, F&& f) const {
    Coordinates at = block.at;
    place_from(0, at, f);
  }

 private:
  template <class F>
  void place_from(std::size_t symmetry, Coordinates& at, F& f) const {
    if (symmetry == symmetries_.size()) return f(static_cast<const Coordinates&>(at));
    const std::vector<int>& dimensions = symmetries_[symmetry].dimensions;
    std::vector<index_t> values;
    for (const int d : dimensions) values.push_back(at[static_cast<std::size_t>(d)]);
    std::sort(values.begin(), values.end());
    const Coordinates before = at;
    do {
      for (std::size_t i = 0; i < dimensions.size(); ++i)
        at[static_cast<std::size_t>(dimensions[i])] = values[i];
      place_from(symmetry + 1, at, f);
    } while (std::next_permutation(values.begin(), values.end()));
    at = before;
  }
  [[noreturn]] void throw_too_large() const;
  void check() const;
  bool vanishes(const Coordinates& at) const;
  index_t number(const Coordinates& at) const noexcept;
  Image stored_image(const Coordinates& at, Coordinates& stored) const;
  void share_out(int ranks);

  std::string name_;
  std::vector<std::vector<index_t>> lengths_, starts_;
  std::vector<IndexSymmetry> symmetries_;
  std::vector<Block> blocks_;
  std::vector<index_t> sizes_;
  std::unordered_map<index_t, std::size_t> numbers_;  // of places among blocks_
};

}  // namespace tessera::linalg::detail
