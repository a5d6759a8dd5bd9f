// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "report.hpp"

#include <cmath>

#include "reference/ghia.hpp"

namespace cavity {
namespace {

using reference::Deviation, reference::Profile;

// A component of the velocity along the line through the centre in dimension d, in speeds of the lid.
template <std::size_t N>
Profile centre_line(const tessera::Array<double, N>& velocity, std::size_t d, const Options& options,
                    double last_wall) {
  auto line = tessera::Patch<N>::whole(velocity.dims());
  for (std::size_t e = 0; e < N; ++e) {
    const index_t n = line.hi[e];
    if (e != d) line.lo[e] = (n - 1) / 2, line.hi[e] = n / 2 + 1;  // one cell or two
  }
  const auto cells = velocity.get(line);
  Profile profile{std::vector<double>(static_cast<std::size_t>(velocity.dims()[d])), 0, last_wall};
  const double share = static_cast<double>(velocity.dims()[d]) / static_cast<double>(line.size()) / options.lid;
  tessera::for_each_point(tessera::Patch<N>::whole(cells.extents()), [&](auto... at) {
    const tessera::Index<N> place(at...);
    profile.values[static_cast<std::size_t>(place[d])] += share * cells[place];
  });
  return profile;
}

void print_line(const char* name, const Profile& profile, const std::optional<Deviation>& deviation) {
  fmt::print("{}: least {:.5f}, greatest {:.5f}", name, profile.least(), profile.greatest());
  if (deviation)
    fmt::print("; largest deviation from Ghia, Ghia and Shin {:.5f} at {:.4f}", deviation->difference,
               deviation->position);
  fmt::print("\n");
}

// The largest difference between the velocities at both halves of the span.
template <class Lattice>
double asymmetry(const typename Flow<Lattice>::Field& velocity, double sign) {
  const auto patch = velocity.local_patch();
  double largest = 0;
  if (!patch.empty()) {
    auto mirrored = patch;
    mirrored.lo[0] = velocity.dims()[0] - patch.hi[0];
    mirrored.hi[0] = velocity.dims()[0] - patch.lo[0];
    const auto there = velocity.get(mirrored);
    const auto here = velocity.local();
    tessera::for_each_point(tessera::Patch<3>::whole(here.extents()), [&](index_t k, index_t j, index_t i) {
      largest = std::max(largest, std::abs(here(k, j, i) - sign * there(here.extent(0) - 1 - k, j, i)));
    });
  }
  return velocity.group().all_reduce(largest, tessera::Reduce::max);
}

template <class Lattice>
void write_picture(const typename Flow<Lattice>::Field& u, const typename Flow<Lattice>::Field& v,
                   const Options& options) {
  auto speed = u.duplicate("speed");
  tessera::transform(u, v, speed, [&](double a, double b) { return std::hypot(a, b) / options.lid; });
  const tessera::io::PictureOptions how{.range = {{0, 1}},
                                        .first_row = tessera::io::FirstRow::bottom,
                                        .title = fmt::format("speed in the plane, Re {}", options.reynolds)};
  if constexpr (Lattice::dimensions == 2)
    tessera::io::write_picture(speed, options.picture, how);
  else
    tessera::io::write_picture(speed.slice().fix(0, speed.dims()[0] / 2), options.picture, how);
}

}  // namespace

template <class Lattice>
void report(const Flow<Lattice>& flow, const Options& options) {
  constexpr std::size_t x = Lattice::dimensions - 1, y = x - 1;
  const bool speaks = flow.world().rank() == 0;
  auto u = flow.make_field("u"), v = flow.make_field("v");
  flow.get_velocity(x, u);
  flow.get_velocity(y, v);
  const Profile along_y = centre_line(u, y, options, 1), along_x = centre_line(v, x, options, 0);
  const bool is_plane = Lattice::dimensions == 2 || options.is_span_periodic();
  const double reynolds = is_plane ? options.reynolds : 0;  // 0: there are no tables
  if (speaks) {
    print_line("u along the vertical centre line", along_y,
               largest_deviation(along_y, reynolds, reference::ghia_y, reference::ghia_u));
    print_line("v along the horizontal centre line", along_x,
               largest_deviation(along_x, reynolds, reference::ghia_x, reference::ghia_v));
    for (const reference::Extremes& known : reference::botella_extremes) {
      if (known.reynolds == reynolds)
        fmt::print("Botella and Peyret: u at least {:.5f}; v from {:.5f} to {:.5f}\n", known.least_u,
                   known.least_v, known.greatest_v);
    }
  }
  if constexpr (Lattice::dimensions == 3) {
    auto w = flow.make_field("w");
    flow.get_velocity(0, w);
    const double largest =
        std::max({asymmetry<Lattice>(u, 1), asymmetry<Lattice>(v, 1), asymmetry<Lattice>(w, -1)});
    if (speaks) fmt::print("Largest asymmetry of the span: {:.1e}\n", largest / options.lid);
  }
  const double excess = flow.excess_mass();
  if (speaks) {
    const auto cells = static_cast<double>(u.size());
    fmt::print("Mass {:.15g}; drift {:.1e} of it\n", cells + excess, excess / cells);
  }
  if (!options.picture.empty()) write_picture<Lattice>(u, v, options);
}

template void report<D2Q9>(const Flow<D2Q9>&, const Options&);
template void report<D3Q19>(const Flow<D3Q19>&, const Options&);

}  // namespace cavity
