// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/picture.hpp>

#include <bit>
#include <cmath>

#include <tessera/core/operand_walk.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>

#include "base/collectively.hpp"
#include "format.hpp"
#include "pictures/figure.hpp"
#include "pictures/png_file.hpp"
#include "pictures/tally.hpp"
#include "posix/atomic_file.hpp"

namespace tessera::io::detail {
namespace {

using tessera::detail::SliceCore;

constexpr index_t cells_in_band = index_t{1} << 17;

std::uint64_t fingerprint_of(const std::filesystem::path& file, const PictureOptions& options) {
  tessera::detail::Fingerprint print;
  const ColourRange range = options.range.value_or(ColourRange{0, 0});
  print.add(std::string_view(file.native())).add(options.title).add(options.unit);
  print.add(static_cast<int>(options.range.has_value()));
  print.add(std::bit_cast<std::uint64_t>(range.low)).add(std::bit_cast<std::uint64_t>(range.high));
  print.add(static_cast<int>(options.map)).add(static_cast<int>(options.first_row));
  print.add(static_cast<int>(options.scale_bar)).add(options.pixels).add(options.most_pixels);
  return print.value();
}

void check_range(const PictureOptions& options) {
  if (!options.range) return;
  const auto [low, high] = *options.range;
  if (!std::isfinite(low) || !std::isfinite(high) || low > high)
    throw UsageError(
        formatted("the range from {} to {} cannot be; it needs two finite numbers in order", low, high));
}

Numbers numbers_of(const SliceCore& field, const ColourScale& scale) {
  const auto kind = field.type().kind;
  const bool is_integer = kind == ElementKind::int32 || kind == ElementKind::int64;
  return is_integer && std::holds_alternative<IntegerScale>(scale) ? Numbers::whole : Numbers::real;
}

// Reduces the field in bands, and draws them on rank 0. @collective
void draw_field(const SliceCore& field, const PictureShape& shape, const FieldSummary& summary, Tally& tally,
                index_t rows_in_band, Figure* figure) {
  for (index_t begin = 0; begin < shape.rows().cells(); begin += rows_in_band) {
    const index_t end = std::min(begin + rows_in_band, shape.rows().cells());
    tally.count(field, summary.scale, begin, end);
    tally.collect(field.array().group(), summary.odd != 0);
    for (index_t row = begin; figure != nullptr && row < end; ++row) {
      for (index_t column = 0; column < shape.columns().cells(); ++column)
        figure->draw_cell(row, column, tally.colour(row, column));
    }
  }
}

}  // namespace

void write_picture(const SliceCore& field, const std::filesystem::path& file, const PictureOptions& options) {
  const Group& group = field.array().group();
  const std::string context = formatted("picture in {}", file.string());
  group.check_agreement("io::write_picture", fingerprint_of(file, options));
  tessera::detail::begin_operation("write_picture", {field});
  PictureShape shape;
  try {
    check_range(options);
    shape = shape_of_picture(field.extents()[0], field.extents()[1], options);
  } catch (const UsageError& error) {
    throw UsageError(formatted("{}: {}", context, error.what()));
  }
  FieldSummary summary = summary_of(field);
  if (options.range) {
    summary.scale = RealScale(*options.range);
    summary.has_finite = true;
  }
  const index_t rows_in_band =
      std::clamp<index_t>(cells_in_band / shape.columns().cells(), 1, shape.rows().cells());
  std::optional<Tally> tally;
  std::optional<Figure> figure;
  // Everything that can fail before the elements are read, such as a directory that is not there.
  collectively(group, context, [&] {
    require_png();
    tally.emplace(shape, rows_in_band);
    if (group.rank() != 0) return;
    figure.emplace(shape, summary, numbers_of(field, summary.scale), options);
    AtomicFile output(file);  // tries whether there can be a file
    output.begin();
    output.discard();
  });
  draw_field(field, shape, summary, *tally, rows_in_band, figure ? &*figure : nullptr);
  collectively(group, context, [&] {
    if (group.rank() == 0) replace_file(file, png_of(figure->canvas(), palette_of(options)));
  });
}

}  // namespace tessera::io::detail
