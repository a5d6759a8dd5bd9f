// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <tessera/io/error.hpp>
#include <tessera/slice.hpp>

namespace tessera::io {

/// How numbers become colours. viridis is perceptually uniform and readable without colour vision. cool_warm
/// goes from blue over light grey to red, for numbers on both sides of a middle.
enum class ColourMap : std::uint8_t { viridis, cool_warm, grey };

/// Where row 0 of a picture is.
enum class FirstRow : std::uint8_t { top, bottom };

/// A colour of the screen (sRGB).
struct Colour {
  std::uint8_t red, green, blue;
  friend bool operator==(const Colour&, const Colour&) = default;
};

/// The numbers at the two ends of a colour map.
struct ColourRange {
  double low, high;
};

struct PictureOptions {
  /// Numbers outside have the colour of the nearer end. By default it is from the least to the greatest finite
  /// element.
  std::optional<ColourRange> range = {};
  ColourMap map = ColourMap::viridis;
  FirstRow first_row = FirstRow::top;
  /// A line above the picture, and one above the scale bar. ASCII, and a few more characters of units.
  std::string title = {}, unit = {};
  /// Whether there is a scale bar. Without scale bar, title and unit there is no margin either.
  bool scale_bar = true;
  /// The pixels of an element along each side. By default small pictures are enlarged to 400 pixels or a little
  /// more, and large ones are reduced to `most_pixels`.
  int pixels = 0;
  /// The most pixels along a side of the field, 32 to 16384.
  int most_pixels = 2048;
  /// The colours of elements without a place in the range.
  Colour nan = {255, 0, 255}, infinity = {255, 128, 0}, minus_infinity = {0, 255, 255};
};

namespace detail {
void write_picture(const tessera::detail::SliceCore& field, const std::filesystem::path& file,
                   const PictureOptions& options);
}

/// Whether this Tessera was built with libpng, without which write_picture() throws. @local
bool has_pictures() noexcept;

/// Draws a matrix as a PNG picture: one colour for each element, and a scale bar. The first index counts rows.
///
/// A large matrix is reduced: a pixel shows the mean of a block of elements, each of which counts as its place
/// in the range. A pixel whose block has a NaN shows a NaN, else an infinity if there is one. A side that would
/// be shorter than 16 pixels is stretched.
///
/// Each rank reduces its own elements, in bands of the picture of about 1 MiB. Only rank 0 holds the whole
/// picture. The file is the same on any number of ranks. It replaces an existing file when it is complete and
/// on disk, as save() does. @collective
/// @throws UsageError for a matrix without elements, or options that cannot be; IoError on every rank
/// @completion the file is complete and on disk
template <Operand A>
requires(rank_v<A> == 2 && RealElement<value_t<A>>) void write_picture(const A& field,
                                                                       const std::filesystem::path& file,
                                                                       const PictureOptions& options = {}) {
  detail::write_picture(slice_of(field).core(), file, options);
}

}  // namespace tessera::io
