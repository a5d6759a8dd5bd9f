// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <vector>

#include <tessera/core/slice_core.hpp>

#include "pictures/colour_scale.hpp"
#include "pictures/picture_shape.hpp"

namespace tessera::io::detail {

/// Elements that are not finite, as bits.
struct Odd {
  static constexpr std::int32_t nan = 1, infinity = 2, minus_infinity = 4;
};

/// The elements of a field, on all ranks.
struct FieldSummary {
  bool has_finite = false;
  ColourScale scale;  // from the least to the greatest finite element
  std::int32_t odd = 0;
};
/// @collective
FieldSummary summary_of(const tessera::detail::SliceCore& field);

/// The cells of some rows of a picture.
class Tally {
 public:
  Tally(const PictureShape& shape, index_t most_rows)
      : shape_(shape),
        places_(static_cast<std::size_t>(most_rows * shape.columns().cells())),
        odd_(places_.size()) {}
  /// Adds up this rank's elements in rows `begin` to `end` of cells. @local
  void count(const tessera::detail::SliceCore& field, const ColourScale& scale, index_t begin, index_t end);
  /// Gives rank 0 the sums over all ranks. @collective
  void collect(const Group& group, bool has_odd);
  /// The colour of a cell in a row of the whole picture. @local
  std::uint8_t colour(index_t row, index_t column) const;

 private:
  template <class T, class Scale>
  void count_elements(const tessera::detail::SliceCore& part, const Scale& scale);

  PictureShape shape_;
  std::vector<std::int64_t> places_;  // their sums
  std::vector<std::int32_t> odd_;
  index_t begin_ = 0, end_ = 0;
};

}  // namespace tessera::io::detail
