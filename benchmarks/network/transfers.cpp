// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "transfers.hpp"

namespace tessera::benchmark::network {
namespace {

constexpr int target = Ends::target;

std::span<double> own_part(const Segment& segment) {
  return {reinterpret_cast<double*>(segment.address(segment.group().rank())),
          static_cast<std::size_t>(segment.slice_bytes() / element)};
}

}  // namespace

Strided shape_of(const Rows& rows) noexcept {
  Strided shape = Strided::contiguous(rows.bytes);
  if (rows.count == 1) return shape;
  shape.levels = 1;
  shape.count[0] = rows.count;
  shape.remote_stride[0] = rows.to_stride;
  shape.local_stride[0] = rows.from_stride;
  return shape;
}

std::vector<index_t> places_of(const Rows& rows) {
  return places_of_rows(rows.count, rows.bytes / element, rows.to_stride / element, 0);
}

Mover by_segment(const Ends&, Segment& segment, const Rows& rows, double* buffer, const Others& others,
                 double factor) {
  const Strided shape = shape_of(rows);
  const auto put = [&segment, shape, buffer] {
    segment.put(target, 0, shape, buffer);
    segment.flush(target);
  };
  const auto get = [&segment, shape, buffer] { segment.get(target, 0, shape, buffer); };
  const auto accumulate = [&segment, shape, buffer, factor] {
    segment.accumulate(target, 0, shape, ElementKind::float64, &factor, buffer);
    segment.flush(target);
  };
  return {.put = {.name = "put and flush", .routine = repeat(put), .others = others},
          .get = {.name = "get", .routine = repeat(get), .others = others},
          .accumulate = {.name = "accumulate and flush", .routine = repeat(accumulate), .others = others},
          .memory = own_part(segment),
          .sync = [&segment] { segment.sync(); },
          .factor = factor};
}

Mover by_window(mpi_peer::Window& window, index_t bytes, double* buffer) {
  const int count = static_cast<int>(bytes / element);
  return {.put = {"MPI_Put and flush", repeat([=, &window] { window.put(target, buffer, count); })},
          .get = {"MPI_Get and flush", repeat([=, &window] { window.get(target, buffer, count); })},
          .accumulate = {"MPI_Accumulate and flush",
                         repeat([=, &window] { window.accumulate(target, buffer, count); })},
          .memory = {window.own(), static_cast<std::size_t>(count)},
          .sync = [&window] { window.sync(); }};
}

Mover by_messages(const Ends& ends, index_t bytes, double* buffer, std::span<double> memory) {
  const Group& world = ends.world();
  const mpi_peer::Message data{ends.is_origin() ? buffer : memory.data(), bytes};
  const auto note = std::make_shared<std::int64_t>();
  const Routine put = repeat([&world, data, note] {
    mpi_peer::exchange(world, target, data, {note.get(), sizeof *note});
  });
  const Routine get = repeat([&world, data, note] {
    mpi_peer::exchange(world, target, {note.get(), sizeof *note}, data);
  });
  const std::string name = "MPI_Send, 8 B back", asked = "MPI_Send of 8 B, data back";
  return {.put = {.name = name, .routine = put, .others = Ends::answering(put)},
          .get = {.name = asked, .routine = get, .others = Ends::answering(get)},
          .memory = memory,
          .sync = [&world] { world.barrier(); }};
}

Peer::Peer(const Ends& ends, index_t most) : ends_(ends) {
  if (ends.has_windows()) {
    window_.emplace(ends.world(), most, mpi_peer::Memory::given);
  } else {
    memory_.resize(static_cast<std::size_t>(most / element));
  }
}

Mover Peer::of(index_t bytes, double* buffer) {
  return window_ ? by_window(*window_, bytes, buffer) : by_messages(ends_, bytes, buffer, memory_);
}

}  // namespace tessera::benchmark::network
