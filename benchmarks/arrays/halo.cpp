// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "halo.hpp"

#include <algorithm>
#include <exception>
#include <string>

#include "mpi_peer.hpp"

namespace tessera::benchmark::arrays {
namespace {

using mpi_peer::check;

// A direction as a number in base 3, so that both ends of a message use the same tag.
int number_of(const std::vector<int>& direction, int sign) {
  int number = 0;
  for (const int step : direction) number = 3 * number + sign * step + 1;
  return number;
}

int dimensions_of(const std::vector<int>& direction) {
  return static_cast<int>(
      std::count_if(direction.begin(), direction.end(), [](int step) { return step != 0; }));
}

}  // namespace

std::vector<int> Halo::grid_of(int ranks, int dimensions) {
  std::vector<int> grid(static_cast<std::size_t>(dimensions));
  check(MPI_Dims_create(ranks, dimensions, grid.data()), "MPI_Dims_create");
  return grid;
}

Halo::Halo(const Group& group, const std::vector<int>& grid, const std::vector<int>& block,
           const HaloOptions& options)
    : block_(block), options_(options), coordinates_(grid.size()) {
  const int dimensions = static_cast<int>(grid.size());
  const std::vector<int> periodic(grid.size(), 1);
  check(MPI_Cart_create(group.mpi_comm(), dimensions, grid.data(), periodic.data(), 0, &comm_),
        "MPI_Cart_create");
  check(MPI_Cart_coords(comm_, group.rank(), dimensions, coordinates_.data()), "MPI_Cart_coords");
  std::size_t size = 1;
  for (const int extent : block) size *= static_cast<std::size_t>(extent + 2 * options.width);
  memory_.resize(size, -1.0);

  std::vector<int> direction(grid.size());
  if (options.by_dimension) {
    for (std::size_t d = 0; d < grid.size(); ++d) {
      rounds_.emplace_back();
      for (const int step : {-1, 1}) {
        std::fill(direction.begin(), direction.end(), 0);
        direction[d] = step;
        add_message(rounds_.back(), direction, options.corners ? static_cast<int>(d) : 0);
      }
    }
  } else {
    rounds_.emplace_back();
    std::fill(direction.begin(), direction.end(), -1);
    for (bool more = true; more;) {
      const int count = dimensions_of(direction);
      if (count == 1 || (count > 1 && options.corners)) add_message(rounds_.back(), direction, 0);
      std::size_t d = 0;
      while (d < grid.size() && ++direction[d] == 2) direction[d++] = -1;
      more = d < grid.size();
    }
  }
  std::size_t most = 0;
  for (const auto& round : rounds_) most = std::max(most, round.size());
  requests_.resize(2 * most);
}

Halo::~Halo() {
  // Collective, so it is skipped while a rank unwinds: the others would not take part.
  if (std::uncaught_exceptions() > 0) return;
  for (auto& round : rounds_) {
    for (Message& message : round) MPI_Type_free(&message.out), MPI_Type_free(&message.in);
  }
  MPI_Comm_free(&comm_);
}

// Dimensions below `wide_below` have their ghost cells already; these are sent along.
void Halo::add_message(std::vector<Message>& round, const std::vector<int>& direction, int wide_below) {
  const int w = options_.width;
  Region out, in;
  std::vector<int> at(coordinates_);
  for (std::size_t d = 0; d < direction.size(); ++d) {
    const int n = block_[d], step = direction[d];
    const bool wide = static_cast<int>(d) < wide_below;
    const int across = wide ? 0 : w, length = wide ? n + 2 * w : n;
    out.start.push_back(step == 0 ? across : step < 0 ? w : n);
    in.start.push_back(step == 0 ? across : step < 0 ? 0 : w + n);
    for (Region* region : {&out, &in}) region->extents.push_back(step == 0 ? length : w);
    at[d] += step;
  }
  Message message{0, number_of(direction, 1), number_of(direction, -1), type_of(out), type_of(in)};
  check(MPI_Cart_rank(comm_, at.data(), &message.rank), "MPI_Cart_rank");
  round.push_back(message);
}

MPI_Datatype Halo::type_of(const Region& region) const {
  std::vector<int> sizes;
  for (const int extent : block_) sizes.push_back(extent + 2 * options_.width);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_create_subarray(static_cast<int>(sizes.size()), sizes.data(), region.extents.data(),
                                 region.start.data(), MPI_ORDER_C, MPI_DOUBLE, &type),
        "MPI_Type_create_subarray");
  check(MPI_Type_commit(&type), "MPI_Type_commit");
  return type;
}

void Halo::exchange() {
  double* memory = memory_.data();
  for (const auto& round : rounds_) {
    MPI_Request* next = requests_.data();
    for (const Message& m : round)
      check(MPI_Irecv(memory, 1, m.in, m.rank, m.tag_in, comm_, next++), "MPI_Irecv");
    for (const Message& m : round)
      check(MPI_Isend(memory, 1, m.out, m.rank, m.tag_out, comm_, next++), "MPI_Isend");
    check(MPI_Waitall(static_cast<int>(2 * round.size()), requests_.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
  }
}

}  // namespace tessera::benchmark::arrays
