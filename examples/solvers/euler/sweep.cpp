// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "sweep.hpp"

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "flux.hpp"

namespace euler {
namespace {

using States = tessera::OffsetView<const State, 2>;

// Primitive variables of four rows at a time, beyond whose ends are `reach` cells more.
class Rows {
 public:
  Rows(const States& states, index_t begin, index_t end) : states_(states), begin_(begin), end_(end) {
    for (auto& row : rows_) row.resize(static_cast<std::size_t>(end - begin));
  }
  // Replaces row j - 4.
  void load(index_t j) {
    for (index_t i = begin_; i < end_; ++i)
      rows_[number(j)][static_cast<std::size_t>(i - begin_)] = primitive_of(states_(j, i));
  }
  const Primitive& operator()(index_t j, index_t i) const {
    return rows_[number(j)][static_cast<std::size_t>(i - begin_)];
  }

 private:
  static std::size_t number(index_t j) { return static_cast<std::size_t>(j & 3); }

  States states_;
  index_t begin_, end_;
  std::array<std::vector<Primitive>, 4> rows_;
};

}  // namespace

void sweep(const States& from, const States& earlier, const tessera::OffsetView<State, 2>& to,
           const tessera::Patch<2>& cells, const Stage& stage) {
  if (cells.empty()) return;
  const index_t begin = cells.lo[1], end = cells.hi[1];
  Rows w(from, begin - reach, end + reach);
  std::vector<State> below(static_cast<std::size_t>(end - begin)), above(below.size());
  // Fluxes through the lower faces of row j.
  const auto cross = [&](index_t j, std::vector<State>& fluxes) {
    for (index_t i = begin; i < end; ++i) {
      fluxes[static_cast<std::size_t>(i - begin)] =
          turned(face_flux(turned(w(j - 2, i)), turned(w(j - 1, i)), turned(w(j, i)), turned(w(j + 1, i))));
    }
  };
  for (index_t j = cells.lo[0] - 2; j < cells.lo[0] + 2; ++j) w.load(j);
  cross(cells.lo[0], below);
  for (index_t j = cells.lo[0]; j < cells.hi[0]; ++j) {
    w.load(j + 2);
    cross(j + 1, above);
    State left = face_flux(w(j, begin - 2), w(j, begin - 1), w(j, begin), w(j, begin + 1));
    for (index_t i = begin; i < end; ++i) {
      const auto k = static_cast<std::size_t>(i - begin);
      const State right = face_flux(w(j, i - 1), w(j, i), w(j, i + 1), w(j, i + 2));
      const State rate = (1 / stage.dx) * (left - right) + (1 / stage.dy) * (below[k] - above[k]);
      to(j, i) = stage.share * earlier(j, i) + (1 - stage.share) * (from(j, i) + stage.dt * rate);
      left = right;
    }
    std::swap(below, above);
  }
}

double crossing_rate(const States& states, const tessera::Patch<2>& cells, double dx, double dy) {
  double largest = 0;
  tessera::for_each_point(cells, [&](index_t j, index_t i) {
    const Primitive w = primitive_of(states(j, i));
    const double sound = speed_of_sound(w);
    const double rate = (std::abs(w.u) + sound) / dx + (std::abs(w.v) + sound) / dy;
    const bool is_valid = w.density > 0 && w.pressure > 0 && std::isfinite(rate);
    largest = std::max(largest, is_valid ? rate : std::numeric_limits<double>::infinity());
  });
  return largest;
}

}  // namespace euler
