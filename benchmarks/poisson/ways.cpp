// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "ways.hpp"

#include <vector>

#include <mpi.h>

#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/segment.hpp>

#include "mpi_peer.hpp"
#include "sizes.hpp"

namespace tessera::benchmark::poisson {
namespace {

using mpi_peer::check;

// A neighbour, the row that goes to it, and the row of its strip that this becomes.
struct Neighbour {
  int rank;
  index_t own_row, border_row, its_row;
  int side;  // 0: above this rank, 1: below

  // Where the points of a colour belong in its memory. A row of its has the parity of the same row here.
  index_t its_place(const Strip& own, int colour) const noexcept {
    return own.at(its_row, own.parity(colour, own_row));
  }
};

std::vector<Neighbour> neighbours_of(const Group& world, index_t n) {
  const int me = world.rank();
  const index_t rows = Strip::of(n, world.size(), me).rows;
  std::vector<Neighbour> all;
  if (me > 0) all.push_back({me - 1, 1, 0, Strip::of(n, world.size(), me - 1).rows + 1, 0});
  if (me + 1 < world.size()) all.push_back({me + 1, rows, rows + 1, 0, 1});
  return all;
}

}  // namespace

Way by_put_notify(const Group& world, index_t n) {
  const Strip strip = Strip::of(n, world.size(), world.rank());
  const auto memory = std::make_shared<Segment>(world, strip.points() * element, "strip");
  const auto flags = std::make_shared<Flags>(world, 2, "rows that have come");
  const auto grid = std::make_shared<Grid>(strip, reinterpret_cast<double*>(memory->address(world.rank())));
  world.sync();
  const auto neighbours = neighbours_of(world, n);
  const auto start = [memory, flags, grid, neighbours](int colour) {
    const Strided shape = Strided::contiguous(grid->strip().half() * element);
    for (const Neighbour& one : neighbours)
      put_notify(*memory, one.rank, one.its_place(grid->strip(), colour) * element, shape,
                 grid->row(one.own_row, colour), flags->at(one.rank, 1 - one.side));
  };
  const auto finish = [flags, neighbours] {
    for (const Neighbour& one : neighbours) flags->wait(one.side);
  };
  return {"put_notify", grid, start, finish};
}

Way by_messages(const Group& world, index_t n) {
  const Strip strip = Strip::of(n, world.size(), world.rank());
  const auto memory = std::make_shared<std::vector<double>>(static_cast<std::size_t>(strip.points()));
  const auto grid = std::make_shared<Grid>(strip, memory->data());
  const auto requests = std::make_shared<std::vector<MPI_Request>>();
  const auto start = [memory, grid, requests, comm = world.mpi_comm(),
                      neighbours = neighbours_of(world, n)](int colour) {
    constexpr int tag = 1;
    const int count = static_cast<int>(grid->strip().half());
    requests->assign(2 * neighbours.size(), MPI_REQUEST_NULL);
    MPI_Request* next = requests->data();
    for (const Neighbour& one : neighbours)
      check(MPI_Irecv(grid->row(one.border_row, colour), count, MPI_DOUBLE, one.rank, tag, comm, next++),
            "MPI_Irecv");
    for (const Neighbour& one : neighbours)
      check(MPI_Isend(grid->row(one.own_row, colour), count, MPI_DOUBLE, one.rank, tag, comm, next++),
            "MPI_Isend");
  };
  const auto finish = [requests] {
    check(MPI_Waitall(static_cast<int>(requests->size()), requests->data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
  };
  return {"MPI_Isend and Irecv", grid, start, finish};
}

namespace {

// A window over a strip, and the group of the neighbours.
struct StripWindow {
  StripWindow(const Group& world, index_t points, const std::vector<Neighbour>& neighbours) {
    void* base = nullptr;
    win = mpi_peer::allocate(world.mpi_comm(), points * element, base);
    memory = static_cast<double*>(base);
    MPI_Group all;
    check(MPI_Comm_group(world.mpi_comm(), &all), "MPI_Comm_group");
    std::vector<int> ranks;
    for (const Neighbour& one : neighbours) ranks.push_back(one.rank);
    check(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group), "MPI_Group_incl");
    MPI_Group_free(&all);
  }
  ~StripWindow() {
    MPI_Group_free(&group);
    MPI_Win_free(&win);
  }
  StripWindow(const StripWindow&) = delete;
  StripWindow& operator=(const StripWindow&) = delete;

  double* memory = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Group group = MPI_GROUP_NULL;
};

}  // namespace

Way by_window(const Group& world, index_t n) {
  const Strip strip = Strip::of(n, world.size(), world.rank());
  const auto neighbours = neighbours_of(world, n);
  const auto window = std::make_shared<StripWindow>(world, strip.points(), neighbours);
  const auto grid = std::make_shared<Grid>(strip, window->memory);
  world.barrier();
  const auto start = [window, grid, neighbours](int colour) {
    const int count = static_cast<int>(grid->strip().half());
    check(MPI_Win_post(window->group, 0, window->win), "MPI_Win_post");
    check(MPI_Win_start(window->group, 0, window->win), "MPI_Win_start");
    for (const Neighbour& one : neighbours)
      check(MPI_Put(grid->row(one.own_row, colour), count, MPI_DOUBLE, one.rank,
                    one.its_place(grid->strip(), colour), count, MPI_DOUBLE, window->win),
            "MPI_Put");
  };
  const auto finish = [window] {
    check(MPI_Win_complete(window->win), "MPI_Win_complete");
    check(MPI_Win_wait(window->win), "MPI_Win_wait");
  };
  return {"MPI_Put", grid, start, finish};
}

}  // namespace tessera::benchmark::poisson
