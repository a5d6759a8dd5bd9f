// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Reductions, broadcasts and gathers of a group against MPI's, from one element to more than any cache holds.
#include "collectives.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <tessera/runtime/group.hpp>

#include "mpi_peer.hpp"

namespace tessera::benchmark {
namespace {

constexpr const char* section = "collectives";

// The reductions are in place, so the numbers are zeros: sums of others would soon be infinite.
void measure(Session& session, index_t bytes) {
  const Group& world = session.world();
  const std::string of = " of " + format_bytes(bytes);
  std::vector<double> ours(static_cast<std::size_t>(bytes) / sizeof(double), world.rank() + 1.0), theirs = ours;
  const double sum = world.size() * (world.size() + 1) / 2.0;
  world.all_reduce(std::span<double>(ours), Reduce::sum);
  mpi_peer::all_reduce(world, theirs.data(), bytes);
  require(ours.back() == sum && theirs.back() == sum, "all_reduce" + of);
  std::fill(ours.begin(), ours.end(), 0.0);
  std::fill(theirs.begin(), theirs.end(), 0.0);
  session.compare(
      {.section = section,
       .name = "Group::all_reduce" + of,
       .routine = repeat([&world, &ours] { world.all_reduce(std::span<double>(ours), Reduce::sum); }),
       .bytes = static_cast<double>(bytes),
       .clock = Clock::joint},
      {{"MPI_Allreduce",
        repeat([&world, &theirs, bytes] { mpi_peer::all_reduce(world, theirs.data(), bytes); }), no_slower}});

  const int root = world.size() - 1;
  session.compare(
      {.section = section,
       .name = "Group::reduce" + of,
       .routine = repeat([&world, &ours, root] { world.reduce(std::span<double>(ours), Reduce::sum, root); }),
       .bytes = static_cast<double>(bytes),
       .clock = Clock::joint},
      {{"MPI_Reduce",
        repeat([&world, &theirs, bytes, root] { mpi_peer::reduce(world, theirs.data(), bytes, root); }),
        no_slower}});

  std::fill(ours.begin(), ours.end(), world.rank());
  std::fill(theirs.begin(), theirs.end(), world.rank());
  // The data is written just before it is sent, as in programs: here one number in each cache line. Data that
  // was not written since the last broadcast is still in the receiver's cache.
  const auto write = [&world, root](std::vector<double>& data) {
    constexpr std::size_t line = 64 / sizeof(double);
    for (std::size_t i = 0; world.rank() == root && i < data.size(); i += line) data[i] += 1;
  };
  world.broadcast(std::span<double>(ours), root);
  mpi_peer::broadcast(world, theirs.data(), bytes, root);
  require(ours.back() == root && theirs.back() == root, "broadcast" + of);
  session.compare({.section = section,
                   .name = "Group::broadcast" + of,
                   .routine = repeat([&world, &ours, root, write] {
                     write(ours);
                     world.broadcast(std::span<double>(ours), root);
                   }),
                   .bytes = static_cast<double>(bytes),
                   .clock = Clock::joint},
                  {{"MPI_Bcast", repeat([&world, &theirs, bytes, root, write] {
                      write(theirs);
                      mpi_peer::broadcast(world, theirs.data(), bytes, root);
                    }),
                    no_slower}});
}

// Both make the vector that they fill.
template <std::size_t Bytes>
void measure_gather(Session& session) {
  using Value = std::array<std::byte, Bytes>;
  constexpr auto bytes = static_cast<index_t>(Bytes);
  const Group& world = session.world();
  Value value{};
  value.back() = static_cast<std::byte>(world.rank());
  const auto by_mpi = [&world, &value] {
    std::vector<Value> all(static_cast<std::size_t>(world.size()));
    mpi_peer::all_gather(world, &value, all.data(), bytes);
    return all;
  };
  require(world.all_gather(value) == by_mpi(), "all_gather");
  session.compare({.section = section,
                   .name = "Group::all_gather of " + format_bytes(bytes) + " from each",
                   .routine = repeat([&world, &value] { keep(world.all_gather(value).data()); }),
                   .bytes = static_cast<double>(bytes) * world.size(),
                   .clock = Clock::joint},
                  {{"MPI_Allgather", repeat([by_mpi] { keep(by_mpi().data()); }), no_slower}});
}

}  // namespace

void measure_collectives(Session& session) {
  if (!session.wants(section) || session.world().size() == 1) return;
  for (index_t bytes = 8; bytes <= index_t{16} << 20; bytes *= bytes == 8 ? 8 : 4) measure(session, bytes);
  measure_gather<8>(session);
  measure_gather<1024>(session);
  measure_gather<65536>(session);
  measure_gather<1048576>(session);
}

}  // namespace tessera::benchmark
