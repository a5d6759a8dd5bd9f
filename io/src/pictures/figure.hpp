// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include "pictures/canvas.hpp"
#include "pictures/tally.hpp"
#include "pictures/ticks.hpp"

namespace tessera::io::detail {

/// A picture with what is around it: title, unit, scale bar with ticks, and a legend of the elements that are
/// not finite. @local
class Figure {
 public:
  Figure(const PictureShape& shape, const FieldSummary& summary, Numbers numbers,
         const PictureOptions& options);
  void draw_cell(index_t row, index_t column, std::uint8_t colour);
  const Canvas& canvas() const noexcept { return canvas_; }

 private:
  struct LegendEntry {
    std::uint8_t colour;
    std::string text;
  };
  // Where everything is, in pixels.
  struct Plan {
    Plan(const PictureShape& shape, const FieldSummary& summary, Numbers numbers,
         const PictureOptions& options);
    index_t width, height;
    index_t field_x = 0, field_y = 0;
    index_t bar_x = 0, bar_height = 0;  // no bar if 0
    std::vector<Tick> ticks = {};
    bool is_one_number = false;  // the range is
    std::vector<LegendEntry> legend = {};
  };
  Figure(const PictureShape& shape, const PictureOptions& options, const Plan& plan);
  void draw_frame(index_t x, index_t y, index_t width, index_t height);
  void draw_bar(const Plan& plan);

  PictureShape shape_;
  FirstRow first_row_;
  index_t field_x_, field_y_;
  Canvas canvas_;
};

}  // namespace tessera::io::detail
