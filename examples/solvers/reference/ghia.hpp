// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Velocities in the square cavity from U. Ghia, K. N. Ghia and C. T. Shin, High-Re solutions for incompressible
// flow using the Navier-Stokes equations and a multigrid method, J. Comput. Phys. 48 (1982) 387-411, tables I
// and II. Lengths are in sides of the square, velocities in speeds of the lid.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace reference {

/// A velocity at points along a line.
struct Reference {
  double reynolds;
  std::array<double, 15> values;
};

/// u along the vertical centre line, without the walls.
inline constexpr std::array<double, 15> ghia_y{0.9766, 0.9688, 0.9609, 0.9531, 0.8516, 0.7344, 0.6172, 0.5000,
                                               0.4531, 0.2813, 0.1719, 0.1016, 0.0703, 0.0625, 0.0547};
inline constexpr std::array<Reference, 3> ghia_u{
    {{100,
      {0.84123, 0.78871, 0.73722, 0.68717, 0.23151, 0.00332, -0.13641, -0.20581, -0.21090, -0.15662, -0.10150,
       -0.06434, -0.04775, -0.04192, -0.03717}},
     {400,
      {0.75837, 0.68439, 0.61756, 0.55892, 0.29093, 0.16256, 0.02135, -0.11477, -0.17119, -0.32726, -0.24299,
       -0.14612, -0.10338, -0.09266, -0.08186}},
     {1000,
      {0.65928, 0.57492, 0.51117, 0.46604, 0.33304, 0.18719, 0.05702, -0.06080, -0.10648, -0.27805, -0.38289,
       -0.29730, -0.22220, -0.20196, -0.18109}}}};

/// v along the horizontal centre line, without the walls.
inline constexpr std::array<double, 15> ghia_x{0.9688, 0.9609, 0.9531, 0.9453, 0.9063, 0.8594, 0.8047, 0.5000,
                                               0.2344, 0.2266, 0.1563, 0.0938, 0.0781, 0.0703, 0.0625};
inline constexpr std::array<Reference, 3> ghia_v{
    {{100,
      {-0.05906, -0.07391, -0.08864, -0.10313, -0.16914, -0.22445, -0.24533, 0.05454, 0.17527, 0.17507, 0.16077,
       0.12317, 0.10890, 0.10091, 0.09233}},
     // The paper prints -0.23827 at x = 0.9063, which cannot be: its neighbours have -0.22847 and -0.44993.
     {400,
      {-0.12146, -0.15663, -0.19254, -0.22847, std::numeric_limits<double>::quiet_NaN(), -0.44993, -0.38598,
       0.05186, 0.30174, 0.30203, 0.28124, 0.22965, 0.20920, 0.19713, 0.18360}},
     {1000,
      {-0.21388, -0.27669, -0.33714, -0.39188, -0.51550, -0.42665, -0.31966, 0.02526, 0.32235, 0.33075, 0.37095,
       0.32627, 0.30353, 0.29012, 0.27485}}}};

/// The extremes of both lines by a spectral method: O. Botella and R. Peyret, Benchmark spectral results on the
/// lid-driven cavity flow, Comput. Fluids 27 (1998) 421-433.
struct Extremes {
  double reynolds, least_u, greatest_v, least_v;
};
inline constexpr std::array<Extremes, 2> botella_extremes{
    {{100, -0.2140424, 0.1795728, -0.2538030}, {1000, -0.3885698, 0.3769447, -0.5270771}}};

/// A velocity in the middles of equal cells between two walls.
struct Profile {
  std::vector<double> values;
  double first_wall, last_wall;

  /// By the cubic through four points. Walls are points too.
  double at(double position) const;
  /// The extremes of the cubics, away from the walls.
  double least() const;
  double greatest() const;
};

/// The point where a profile differs most from a table.
struct Deviation {
  double difference, position;
};

/// Nothing if the tables are for other Reynolds numbers.
std::optional<Deviation> largest_deviation(const Profile& profile, double reynolds,
                                           std::span<const double> positions,
                                           std::span<const Reference> references);

}  // namespace reference
