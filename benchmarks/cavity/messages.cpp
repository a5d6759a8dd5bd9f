// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "messages.hpp"

#include <algorithm>

#include "mpi_peer.hpp"
#include "session.hpp"

namespace tessera::benchmark::lattice {
namespace {

using mpi_peer::check;

// Calls f(q, first, count) for each row of each of these populations.
template <std::size_t N, class F>
void for_each_row(const Patch<N>& cells, const std::vector<std::size_t>& populations, F&& f) {
  Patch<N> firsts = cells;
  firsts.hi[N - 1] = firsts.lo[N - 1] + 1;
  for (const std::size_t q : populations) {
    for_each_point(firsts, [&](auto... at) {
      f(Index<N + 1>(static_cast<index_t>(q), at...), cells.hi[N - 1] - cells.lo[N - 1]);
    });
  }
}

// The number of a direction, whose components are -1, 0 or 1.
template <std::size_t N>
int tag_of(const std::array<int, N>& direction, int sign) {
  int tag = 0;
  for (const int s : direction) tag = 3 * tag + 1 + sign * s;
  return tag;
}

// The populations that cross a side or corner.
template <class Lattice>
std::vector<std::size_t> crossing(const std::array<int, Lattice::dimensions>& direction, int sign) {
  std::vector<std::size_t> all;
  for (std::size_t q = 1; q < Lattice::populations; ++q) {
    const auto e = ::cavity::velocity<Lattice>(q);
    bool crosses = true;
    for (std::size_t d = 0; d < e.size(); ++d) crosses &= direction[d] == 0 || e[d] == sign * direction[d];
    if (crosses) all.push_back(q);
  }
  return all;
}

}  // namespace

template <class Lattice>
MessageFlow<Lattice>::MessageFlow(const Group& world, const ::cavity::FlowOptions<Lattice>& options)
    : comm_(world.mpi_comm()),
      options_(options),
      relaxation_(::cavity::Relaxation::of_viscosity(options.viscosity)) {
  const auto layout = Layout<Lattice::dimensions>::blocked(options.grid, world.size());
  block_ = layout.block(world.rank());
  require_everywhere(world, !block_.empty(), "a rank without cells");
  Extents<Lattice::dimensions> low, high;
  index_t places = static_cast<index_t>(Lattice::populations);
  for (std::size_t d = 0; d < Lattice::dimensions; ++d) {
    const index_t width = d + 1 == Lattice::dimensions ? ::cavity::lanes : 1;
    low[d] = block_.lo[d] > 0 ? width : 0;
    high[d] = block_.hi[d] < options.grid[d] ? width : 0;
    places *= block_.hi[d] - block_.lo[d] + 2;
  }
  parts_ = split_block(block_, low, high);
  now_ = PlainMemory(static_cast<std::size_t>(places));
  next_ = PlainMemory(static_cast<std::size_t>(places));
  add_neighbours(world, layout);
  ::cavity::reflect<Lattice>(view(now_), block_, options_.grid, options_.walls);
}

template <class Lattice>
void MessageFlow<Lattice>::add_neighbours(const Group& world, const Layout<Lattice::dimensions>& layout) {
  constexpr std::size_t dimensions = Lattice::dimensions;
  const Index<dimensions> here = *layout.coordinates(world.rank());
  Patch<dimensions> directions;
  for (std::size_t d = 0; d < dimensions; ++d) directions.lo[d] = -1, directions.hi[d] = 2;
  for_each_point(directions, [&](auto... components) {
    const std::array<int, dimensions> direction{static_cast<int>(components)...};
    const auto leaving = crossing<Lattice>(direction, 1);
    Index<dimensions> there = here;
    Region edge = block_, ghosts = block_;
    bool exists = leaving.size() + 1 < Lattice::populations && !leaving.empty();
    for (std::size_t d = 0; d < dimensions; ++d) {
      there[d] += direction[d];
      exists &= there[d] >= 0 && there[d] < layout.grid()[d];
      if (direction[d] == 1) edge.lo[d] = block_.hi[d] - 1, ghosts.lo[d] = block_.hi[d], ++ghosts.hi[d];
      if (direction[d] == -1) edge.hi[d] = block_.lo[d] + 1, ghosts.hi[d] = block_.lo[d], --ghosts.lo[d];
    }
    if (!exists) return;
    const auto count = leaving.size() * static_cast<std::size_t>(edge.size());
    neighbours_.push_back({layout.rank_at(there), tag_of(direction, 1), tag_of(direction, -1), leaving,
                           crossing<Lattice>(direction, -1), edge, ghosts, std::vector<double>(count),
                           std::vector<double>(count)});
  });
  requests_.resize(2 * neighbours_.size());
}

template <class Lattice>
::cavity::Cells<double, Lattice> MessageFlow<Lattice>::view(PlainMemory& populations) const {
  Extents<Lattice::dimensions + 1> extents;
  Index<Lattice::dimensions + 1> first;
  extents[0] = static_cast<index_t>(Lattice::populations);
  for (std::size_t d = 0; d < Lattice::dimensions; ++d) {
    extents[d + 1] = block_.hi[d] - block_.lo[d] + 2;
    first[d + 1] = block_.lo[d] - 1;
  }
  return {View<double, Lattice::dimensions + 1>(populations.data(), extents), first};
}

template <class Lattice>
void MessageFlow<Lattice>::step() {
  const auto from = view(now_), to = view(next_);
  MPI_Request* request = requests_.data();
  for (Neighbour& one : neighbours_)
    check(MPI_Irecv(one.in.data(), static_cast<int>(one.in.size()), MPI_DOUBLE, one.rank, one.receive_tag,
                    comm_, request++),
          "MPI_Irecv");
  for (Neighbour& one : neighbours_) {
    double* next = one.out.data();
    for_each_row(one.edge, one.leaving,
                 [&](const auto& at, index_t count) { next = std::copy_n(&from[at], count, next); });
    check(MPI_Isend(one.out.data(), static_cast<int>(one.out.size()), MPI_DOUBLE, one.rank, one.send_tag, comm_,
                    request++),
          "MPI_Isend");
  }
  ::cavity::advance<Lattice>(from, to, parts_.interior, relaxation_);
  check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  for (const Neighbour& one : neighbours_) {
    const double* next = one.in.data();
    for_each_row(one.ghosts, one.entering, [&](const auto& at, index_t count) {
      std::copy_n(next, count, &from[at]);
      next += count;
    });
  }
  for (const Region& slab : parts_.boundary) ::cavity::advance<Lattice>(from, to, slab, relaxation_);
  ::cavity::reflect<Lattice>(to, block_, options_.grid, options_.walls);
  std::swap(now_, next_);
}

template <class Lattice>
std::vector<double> MessageFlow<Lattice>::cells() {
  std::vector<double> all;
  std::vector<std::size_t> populations(Lattice::populations);
  for (std::size_t q = 0; q < populations.size(); ++q) populations[q] = q;
  const auto from = view(now_);
  for_each_row(block_, populations,
               [&](const auto& at, index_t count) { all.insert(all.end(), &from[at], &from[at] + count); });
  return all;
}

template class MessageFlow<::cavity::D2Q9>;
template class MessageFlow<::cavity::D3Q19>;

}  // namespace tessera::benchmark::lattice
