// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Arrays copied with their dimensions in another order, against a copy in the same order that moves as many
// elements between the ranks, and against memcpy.
#include <algorithm>
#include <cstring>
#include <numeric>

#include <tessera/array.hpp>
#include <tessera/elementwise.hpp>
#include <tessera/matrix.hpp>

#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

constexpr const char* section = "transposition: dimensions in another order";

template <std::size_t N>
using Order = std::array<int, N>;

// Cut into slabs along one dimension.
template <std::size_t N>
Layout<N> slabs(const Extents<N>& dims, int ranks, std::size_t along) {
  Extents<N> grid;
  for (std::size_t d = 0; d < N; ++d) grid[d] = d == along ? ranks : 1;
  return Layout<N>::blocked(dims, ranks, {.grid = grid});
}

template <std::size_t N>
double value_at(const Extents<N>& dims, const Index<N>& at) {
  index_t number = 0;
  for (std::size_t d = 0; d < N; ++d) number = number * dims[d] + at[d];
  return static_cast<double>(number);
}

template <std::size_t N>
bool holds(Array<double, N>& array, const Order<N>& order, const Extents<N>& dims) {
  bool right = true;
  for_each_local(array, [&](const Index<N>& at, const double& x) {
    Index<N> source;
    for (std::size_t d = 0; d < N; ++d) source[static_cast<std::size_t>(order[d])] = at[d];
    right = right && x == value_at(dims, source);
  });
  return right;
}

template <std::size_t N>
std::span<double> own_part(Array<double, N>& array) {
  const auto local = array.local();
  return {local.data(), static_cast<std::size_t>(local.size())};
}

// Measures `name` of an array that is cut along its first dimension, as the result is.
template <std::size_t N, class F>
void measure(Session& session, const std::string& name, const Extents<N>& dims, const Order<N>& order,
             const F& call) {
  const Group& world = session.world();
  const int ranks = world.size();
  Extents<N> permuted;
  Order<N> same;
  std::iota(same.begin(), same.end(), 0);
  for (std::size_t d = 0; d < N; ++d) permuted[d] = dims[static_cast<std::size_t>(order[d])];
  Array<double, N> from(world, slabs<N>(dims, ranks, 0), {.name = "from"});
  Array<double, N> to(world, slabs<N>(permuted, ranks, 0), {.name = "permuted"});
  // Cut along the dimension that is the first one of the result, so that as many elements change their rank.
  Array<double, N> plain(world, slabs<N>(dims, ranks, static_cast<std::size_t>(order[0])), {.name = "copy"});
  for_each_local(from, [&](const Index<N>& at, double& x) { x = value_at(dims, at); });
  call(from, to);
  copy(from, plain);
  const std::string title = name + ", " + format_bytes(dims.size() * element);
  require_everywhere(world, holds(to, order, dims) && holds(plain, same, dims), title);

  const Others others = waiting(world);
  const std::span<double> source = own_part(from), target = own_part(to);
  const std::size_t least = std::min(source.size(), target.size());
  Routine by_hand;  // not comparable between nodes
  if (world.node_count() == 1)
    by_hand = repeat([=] {
      std::memcpy(target.data(), source.data(), least * sizeof(double));
      keep(target.data());
    });
  session.compare({.section = section,
                   .name = title,
                   .routine = repeat([&] { call(from, to); }),
                   .bytes = static_cast<double>(dims.size() * element),
                   .clock = Clock::joint,
                   .others = others},
                  {{.name = "copy in the same order",
                    .routine = repeat([&] { copy(from, plain); }),
                    .target = Target{Goal::at_least, 0.75},
                    .others = others},
                   {.name = "memcpy of each rank's part", .routine = by_hand}});
  plain.close();
  to.close();
  from.close();
}

template <std::size_t N>
void permutation(Session& session, const Extents<N>& dims, const Order<N>& order) {
  std::string name = "permute";
  for (const int d : order) name.append(" ").append(std::to_string(d));
  measure(session, name, dims, order, [&](const auto& from, auto& to) { permute(from, order, to); });
}

}  // namespace

void transposition(Session& session, const Place&) {
  if (!session.wants(section)) return;
  const bool quick = session.is_quick();
  std::vector<index_t> edges{1024, 4096};
  if (quick) edges = {256};
  for (const index_t n : edges) {
    measure(session, "transpose", Extents<2>(n, n), Order<2>{1, 0},
            [](const auto& from, auto& to) { transpose(from, to); });
  }
  measure(session, "transpose, wide", quick ? Extents<2>(100, 300) : Extents<2>(1500, 4500), Order<2>{1, 0},
          [](const auto& from, auto& to) { transpose(from, to); });
  const Extents<3> cube = quick ? Extents<3>(32, 32, 32) : Extents<3>(256, 256, 256);
  for (const Order<3>& order : {Order<3>{2, 1, 0}, Order<3>{1, 0, 2}, Order<3>{0, 2, 1}, Order<3>{1, 2, 0}})
    permutation(session, cube, order);
  const Extents<4> four = quick ? Extents<4>(12, 12, 12, 12) : Extents<4>(64, 64, 64, 64);
  for (const Order<4>& order : {Order<4>{3, 2, 1, 0}, Order<4>{2, 3, 0, 1}, Order<4>{0, 2, 1, 3}})
    permutation(session, four, order);
}

}  // namespace tessera::benchmark::arrays
