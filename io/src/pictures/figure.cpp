// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "pictures/figure.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "pictures/palette.hpp"

namespace tessera::io::detail {
namespace {

constexpr index_t margin_pixels = 10, line_pixels = Canvas::text_height + 6;
constexpr index_t bar_gap = 16, bar_width = 20, tick_length = 5;
constexpr index_t least_bar = 100, most_text = 2400;
constexpr index_t swatch = 12, swatch_gap = 6;

int most_ticks(index_t bar_height) { return std::clamp(static_cast<int>(bar_height / 40), 4, 10); }

}  // namespace

Figure::Plan::Plan(const PictureShape& shape, const FieldSummary& summary, Numbers numbers,
                   const PictureOptions& options)
    : width(shape.columns().pixels()), height(shape.rows().pixels()) {
  if (!options.scale_bar && options.title.empty() && options.unit.empty()) return;
  const index_t lines =
      static_cast<index_t>(!options.title.empty()) + static_cast<index_t>(!options.unit.empty());
  field_x = margin_pixels;
  field_y = margin_pixels + lines * line_pixels;
  bar_x = field_x + width + bar_gap;
  index_t right = field_x + width, bottom = field_y + height;
  if (options.scale_bar) {
    for (const auto& [bit, colour, text] : {std::tuple{Odd::nan, Ink::nan, "NaN"},
                                            {Odd::infinity, Ink::infinity, "inf"},
                                            {Odd::minus_infinity, Ink::minus_infinity, "-inf"}}) {
      if ((summary.odd & bit) != 0) legend.push_back({colour, text});
    }
    const index_t legend_height = static_cast<index_t>(legend.size()) * line_pixels;
    bar_height = std::max(least_bar, height - legend_height);
    if (summary.has_finite) {
      std::visit(
          [&](const auto& scale) {
            is_one_number = scale.low() == scale.high();
            ticks = ticks_of(scale.low(), scale.high(), most_ticks(bar_height), numbers);
          },
          summary.scale);
    }
    index_t label_width = 0;
    for (const Tick& tick : ticks) label_width = std::max(label_width, Canvas::text_width(tick.label));
    for (const LegendEntry& entry : legend) label_width = std::max(label_width, Canvas::text_width(entry.text));
    right = bar_x + bar_width + tick_length + swatch_gap + label_width;
    bottom = std::max(bottom, field_y + bar_height + legend_height);
  }
  right = std::max(right, field_x + std::min(most_text, Canvas::text_width(options.title)));
  if (!options.unit.empty())
    right = std::max(right, bar_x + std::min(most_text, Canvas::text_width(options.unit)));
  width = right + margin_pixels;
  height = bottom + margin_pixels;
}

Figure::Figure(const PictureShape& shape, const FieldSummary& summary, Numbers numbers,
               const PictureOptions& options)
    : Figure(shape, options, Plan(shape, summary, numbers, options)) {}

Figure::Figure(const PictureShape& shape, const PictureOptions& options, const Plan& plan)
    : shape_(shape),
      first_row_(options.first_row),
      field_x_(plan.field_x),
      field_y_(plan.field_y),
      canvas_(plan.width, plan.height, Ink::white) {
  if (plan.field_x > 0) draw_frame(field_x_, field_y_, shape.columns().pixels(), shape.rows().pixels());
  canvas_.write(field_x_, margin_pixels, options.title, Ink::black);
  if (!options.unit.empty()) canvas_.write(plan.bar_x, plan.field_y - line_pixels, options.unit, Ink::black);
  if (plan.bar_height > 0) draw_bar(plan);
}

void Figure::draw_cell(index_t row, index_t column, std::uint8_t colour) {
  const PictureSide &rows = shape_.rows(), &columns = shape_.columns();
  const index_t from_top = first_row_ == FirstRow::top ? row : rows.cells() - 1 - row;
  canvas_.fill(field_x_ + column * columns.zoom, field_y_ + from_top * rows.zoom, columns.zoom, rows.zoom,
               colour);
}

// Without it, the white parts of a field could not be told from what is around it.
void Figure::draw_frame(index_t x, index_t y, index_t width, index_t height) {
  canvas_.fill(x - 1, y - 1, width + 2, height + 2, Ink::black);
  canvas_.fill(x, y, width, height, Ink::white);
}

void Figure::draw_bar(const Plan& plan) {
  const index_t last = plan.bar_height - 1, right = plan.bar_x + bar_width;
  // If all numbers are equal, the bar has one colour. Without numbers it stays white.
  draw_frame(plan.bar_x, field_y_, bar_width, plan.bar_height);
  for (index_t y = 0; y <= last && !plan.ticks.empty(); ++y) {
    const double part = plan.is_one_number ? 0.5 : static_cast<double>(last - y) / static_cast<double>(last);
    canvas_.fill(plan.bar_x, field_y_ + y, bar_width, 1, level_at(part));
  }
  for (const Tick& tick : plan.ticks) {
    const index_t y =
        field_y_ + last - static_cast<index_t>(std::lround(tick.part * static_cast<double>(last)));
    canvas_.fill(right + 1, y, tick_length, 1, Ink::black);
    const index_t text_y = std::clamp(y - Canvas::text_height / 2 + 1, field_y_ - 2,
                                      std::max(field_y_ - 2, field_y_ + last - Canvas::text_height + 3));
    canvas_.write(right + tick_length + swatch_gap, text_y, tick.label, Ink::black);
  }
  index_t y = field_y_ + plan.bar_height + line_pixels - Canvas::text_height;
  for (const LegendEntry& entry : plan.legend) {
    canvas_.fill(plan.bar_x, y + 1, swatch, swatch, entry.colour);
    canvas_.write(plan.bar_x + swatch + swatch_gap, y, entry.text, Ink::black);
    y += line_pixels;
  }
}

}  // namespace tessera::io::detail
