// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Operations on operands whose dimensions are in another order, against permute into a temporary array and the
// operation on that.
#include <cmath>
#include <string>

#include <tessera/array.hpp>
#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>

#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

constexpr const char* section = "permuted: operands with dimensions in another order";

template <std::size_t N>
void measure(Session& session, index_t edge, const std::array<int, N>& order) {
  const Group& world = session.world();
  Extents<N> dims, grid;
  for (std::size_t d = 0; d < N; ++d) dims[d] = edge, grid[d] = d == 0 ? world.size() : 1;
  const auto slabs = Layout<N>::blocked(dims, world.size(), {.grid = grid});
  Array<double, N> a(world, slabs, {.name = "a"}), x(world, slabs, {.name = "x"});
  Array<double, N> temporary(world, slabs, {.name = "temporary"}), other(world, slabs, {.name = "other"});
  const auto turned = std::as_const(a).slice().permuted(order);
  randomize(a, 1);
  randomize(x, 2);
  std::string name;
  for (const int d : order) name.append(" ").append(std::to_string(d));
  name += ", " + format_bytes(dims.size() * element);
  const double bytes = static_cast<double>(2 * dims.size() * element);
  const Others others = waiting(world);

  // Both ways must give the same elements.
  copy(x, other);
  axpby(0.5, turned, 0.5, x);
  permute(a, order, temporary);
  axpby(0.5, temporary, 0.5, other);
  axpby(1, x, -1, other);
  const double one = dot(turned, x), two = dot(temporary, x);
  require_everywhere(world, norm_inf(other) == 0 && std::abs(one - two) <= 1e-10 * std::abs(two), name);

  session.compare({.section = section,
                   .name = "axpby" + name,
                   .routine = repeat([&] { axpby(0.5, turned, 0.5, x); }),
                   .bytes = bytes,
                   .clock = Clock::joint,
                   .others = others},
                  {{.name = "permute, then axpby",
                    .routine = repeat([&] {
                      permute(a, order, temporary);
                      axpby(0.5, temporary, 0.5, x);
                    }),
                    .target = Target{Goal::at_least, 1.0},
                    .others = others}});
  double result = 0;
  session.compare({.section = section,
                   .name = "dot" + name,
                   .routine = repeat([&] { result = dot(turned, x), keep(&result); }),
                   .bytes = bytes,
                   .clock = Clock::joint,
                   .others = others},
                  {{.name = "permute, then dot",
                    .routine = repeat([&] {
                      permute(a, order, temporary);
                      result = dot(temporary, x), keep(&result);
                    }),
                    .target = Target{Goal::at_least, 1.0},
                    .others = others}});
  for (Array<double, N>* array : {&other, &temporary, &x, &a}) array->close();
}

}  // namespace

void permuted(Session& session, const Place&) {
  if (!session.wants(section)) return;
  const bool quick = session.is_quick();
  using Order4 = std::array<int, 4>;
  for (const index_t edge : quick ? std::vector<index_t>{12} : std::vector<index_t>{40, 60}) {
    for (const Order4& order : {Order4{1, 0, 3, 2}, Order4{1, 0, 2, 3}, Order4{3, 2, 1, 0}, Order4{0, 1, 3, 2}})
      measure<4>(session, edge, order);
  }
  measure<3>(session, quick ? 32 : 256, {1, 2, 0});
  measure<2>(session, quick ? 256 : 4096, {1, 0});
}

}  // namespace tessera::benchmark::arrays
