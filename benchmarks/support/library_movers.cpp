// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "library_movers.hpp"

#include <memory>

#include "sizes.hpp"

namespace tessera::benchmark {
namespace {

// Rows as a transfer of a segment, dense on the local side.
Strided shape_of(const Rows& rows) noexcept {
  Strided shape = Strided::contiguous(rows.bytes);
  if (rows.count == 1) return shape;
  shape.levels = 1;
  shape.count[0] = rows.count;
  shape.remote_stride[0] = rows.to_stride;
  shape.local_stride[0] = rows.from_stride;
  return shape;
}

std::span<double> memory_of(double* own, const Rows& rows) {
  return {own, static_cast<std::size_t>(extent_of(rows) / element)};
}

std::span<double> own_part(const Segment& segment) {
  return {reinterpret_cast<double*>(segment.address(segment.group().rank())),
          static_cast<std::size_t>(segment.slice_bytes() / element)};
}

}  // namespace

std::vector<index_t> places_of(const Rows& rows) {
  return places_of_rows(rows.count, rows.bytes / element, rows.to_stride / element, 0);
}

index_t extent_of(const Rows& rows) noexcept { return (rows.count - 1) * rows.to_stride + rows.bytes; }

mpi_peer::Memory fastest_memory(const Group& world) {
  return world.node_count() == 1 ? mpi_peer::Memory::allocated : mpi_peer::Memory::given;
}

Mover by_segment(Segment& segment, int rank, const Rows& rows, double* buffer, const Others& others,
                 double factor) {
  const Strided shape = shape_of(rows);
  const auto put = [&segment, rank, shape, buffer] {
    segment.put(rank, 0, shape, buffer);
    segment.flush(rank);
  };
  const auto get = [&segment, rank, shape, buffer] { segment.get(rank, 0, shape, buffer); };
  const auto accumulate = [&segment, rank, shape, buffer, factor] {
    segment.accumulate(rank, 0, shape, ElementKind::float64, &factor, buffer);
    segment.flush(rank);
  };
  return {.put = {.name = "put and flush", .routine = repeat(put), .others = others},
          .get = {.name = "get", .routine = repeat(get), .others = others},
          .accumulate = {.name = "accumulate and flush", .routine = repeat(accumulate), .others = others},
          .memory = own_part(segment),
          .sync = [&segment] { segment.sync(); },
          .factor = factor};
}

Mover by_window(mpi_peer::Window& window, int rank, const Rows& rows, double* buffer) {
  const auto type = std::make_shared<const mpi_peer::RowsType>(rows);
  const auto put = [=, &window] { window.put(rank, buffer, *type); };
  const auto get = [=, &window] { window.get(rank, buffer, *type); };
  const auto accumulate = [=, &window] { window.accumulate(rank, buffer, *type); };
  return {.put = {"MPI_Put and flush", repeat(put)},
          .get = {"MPI_Get and flush", repeat(get)},
          .accumulate = {"MPI_Accumulate and flush", repeat(accumulate)},
          .memory = memory_of(window.own(), rows),
          .sync = [&window] { window.sync(); }};
}

Mover by_messages(const Group& world, int rank, index_t bytes, double* buffer, std::span<double> memory) {
  const mpi_peer::Message data{world.rank() == 0 ? buffer : memory.data(), bytes};
  const auto note = std::make_shared<std::int64_t>();
  const Routine put = repeat([&world, rank, data, note] {
    mpi_peer::exchange(world, rank, data, {note.get(), sizeof *note});
  });
  const Routine get = repeat([&world, rank, data, note] {
    mpi_peer::exchange(world, rank, {note.get(), sizeof *note}, data);
  });
  const std::string name = "MPI_Send, 8 B back", asked = "MPI_Send of 8 B, data back";
  return {.put = {.name = name, .routine = put, .others = {.work = put}},
          .get = {.name = asked, .routine = get, .others = {.work = get}},
          .memory = memory,
          .sync = [&world] { world.barrier(); }};
}

Mover by_armci(armci_peer::Memory& memory, int rank, const Rows& rows, double* buffer) {
  const auto put = [=, &memory] { memory.put(rank, 0, buffer, rows), memory.fence(rank); };
  const auto get = [=, &memory] { memory.get(rank, 0, buffer, rows.reversed()); };
  const auto accumulate = [=, &memory] { memory.accumulate(rank, 0, buffer, rows), memory.fence(rank); };
  const std::string strided = rows.count > 1 ? "S" : "";
  return {.put = {"ARMCI_Put" + strided + " and Fence", repeat(put), no_slower},
          .get = {"ARMCI_Get" + strided, repeat(get), no_slower},
          .accumulate = {"ARMCI_Acc" + strided + " and Fence", repeat(accumulate), no_slower},
          .memory = memory_of(memory.own(), rows),
          .sync = armci_peer::sync};
}

MpiMovers::MpiMovers(const Group& world, bool windows, index_t most) : world_(world) {
  if (windows) {
    window_.emplace(world, most, fastest_memory(world));
  } else {
    memory_.resize(static_cast<std::size_t>(most / element));
  }
}

Mover MpiMovers::of(int rank, index_t bytes, double* buffer) {
  if (window_) return by_window(*window_, rank, Rows::contiguous(bytes), buffer);
  if (rank == 0) return {};
  return by_messages(world_, rank, bytes, buffer, memory_);
}

}  // namespace tessera::benchmark
