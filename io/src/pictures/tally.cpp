// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "pictures/tally.hpp"

#include <limits>
#include <span>
#include <type_traits>

#include <tessera/core/operand_walk.hpp>

#include "pictures/palette.hpp"

namespace tessera::io::detail {
namespace {

using tessera::detail::PlacedRun;
using tessera::detail::SliceCore;

// The bit of an element that is not finite; else 0.
template <class T>
std::int32_t oddness(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x)) return Odd::nan;
    if (std::isinf(x)) return x > 0 ? Odd::infinity : Odd::minus_infinity;
  }
  return 0;
}

// Calls f with a value of the type of the elements.
template <class F>
void with_type(const SliceCore& field, F&& f) {
  switch (field.type().kind) {
    case ElementKind::int32:
      return f(std::int32_t{});
    case ElementKind::int64:
      return f(std::int64_t{});
    case ElementKind::float32:
      return f(float{});
    default:
      return f(double{});
  }
}

template <class T>
FieldSummary summary_of_elements(const SliceCore& field) {
  using Wide = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
  // The greatest is kept with its sign (or all its bits) changed, so that one reduction finds both.
  const auto turned = [](Wide x) {
    if constexpr (std::is_integral_v<T>)
      return ~x;
    else
      return -x;
  };
  std::array<Wide, 2> least{std::numeric_limits<Wide>::max(), std::numeric_limits<Wide>::max()};
  std::array<std::int32_t, 2> bits{};
  tessera::detail::for_each_placed_run(field, [&](const PlacedRun& run) {
    const T* const first = static_cast<const T*>(run.data[0]);
    for (index_t i = 0; i < run.count; ++i) {
      const T x = first[i * run.strides[0]];
      const std::int32_t odd = oddness(x);
      bits[odd == 0 ? 1 : 0] |= odd == 0 ? 1 : odd;
      if (odd != 0) continue;
      least[0] = std::min(least[0], static_cast<Wide>(x));
      least[1] = std::min(least[1], turned(static_cast<Wide>(x)));
    }
  });
  const Group& group = field.array().group();
  group.all_reduce(std::span<Wide>(least), Reduce::min);
  group.all_reduce(std::span<std::int32_t>(bits), Reduce::bit_or);
  FieldSummary found{.has_finite = bits[1] != 0, .scale = RealScale({0, 0}), .odd = bits[0]};
  if (!found.has_finite) return found;
  if constexpr (std::is_integral_v<T>)
    found.scale = IntegerScale(least[0], turned(least[1]));
  else
    found.scale = RealScale({least[0] + 0.0, turned(least[1]) + 0.0});  // not -0, which may depend on ranks
  return found;
}

}  // namespace

FieldSummary summary_of(const SliceCore& field) {
  FieldSummary found{.scale = RealScale({0, 0})};
  with_type(field, [&](auto x) { found = summary_of_elements<decltype(x)>(field); });
  return found;
}

void Tally::count(const SliceCore& field, const ColourScale& scale, index_t begin, index_t end) {
  begin_ = begin;
  end_ = end;
  const auto cells = static_cast<std::ptrdiff_t>((end - begin) * shape_.columns().cells());
  std::fill_n(places_.begin(), cells, 0);
  std::fill_n(odd_.begin(), cells, 0);
  tessera::detail::Box rows{};
  rows.lo[0] = begin * shape_.rows().block;
  rows.hi[0] = std::min(end * shape_.rows().block, shape_.rows().extent);
  rows.hi[1] = shape_.columns().extent;
  const SliceCore part = field.patch(rows);
  with_type(field, [&](auto x) {
    std::visit([&](const auto& each) { count_elements<decltype(x)>(part, each); }, scale);
  });
}

template <class T, class Scale>
void Tally::count_elements(const SliceCore& part, const Scale& scale) {
  using Number = std::conditional_t<std::is_same_v<Scale, RealScale>, double, std::int64_t>;
  const index_t row_step = shape_.columns().cells();
  tessera::detail::for_each_placed_run(part, [&](const PlacedRun& run) {
    const T* const first = static_cast<const T*>(run.data[0]);
    const auto along = static_cast<std::size_t>(run.along), across = 1 - along;
    const index_t block = shape_.sides[along].block, step = along == 0 ? row_step : 1;
    const index_t fixed = run.at[across] / shape_.sides[across].block * (along == 0 ? 1 : row_step);
    for (index_t i = 0; i < run.count;) {
      const index_t cell = (run.at[along] + i) / block;
      const index_t end = std::min(run.count, (cell + 1) * block - run.at[along]);
      std::int64_t places = 0;
      std::int32_t bits = 0;
      for (; i < end; ++i) {
        const T x = first[i * run.strides[0]];
        const std::int32_t odd = oddness(x);
        bits |= odd;
        if (odd == 0) places += scale.place(static_cast<Number>(x));
      }
      const auto at = static_cast<std::size_t>(fixed + cell * step);
      places_[at] += places;
      odd_[at] |= bits;
    }
  });
}

void Tally::collect(const Group& group, bool has_odd) {
  const auto cells = static_cast<std::size_t>((end_ - begin_) * shape_.columns().cells());
  group.reduce(std::span(places_).first(cells), Reduce::sum, 0);
  if (has_odd) group.reduce(std::span(odd_).first(cells), Reduce::bit_or, 0);
}

std::uint8_t Tally::colour(index_t row, index_t column) const {
  const auto at = static_cast<std::size_t>((row - begin_) * shape_.columns().cells() + column);
  if ((odd_[at] & Odd::nan) != 0) return Ink::nan;
  if (odd_[at] != 0) return (odd_[at] & Odd::infinity) != 0 ? Ink::infinity : Ink::minus_infinity;
  const auto count = static_cast<double>(shape_.rows().elements_in(row) * shape_.columns().elements_in(column));
  return level_at(static_cast<double>(places_[at]) / (count * static_cast<double>(whole_range)));
}

}  // namespace tessera::io::detail
