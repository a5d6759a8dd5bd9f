// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Patches of k columns of a block of 1024 x 1024, whose runs are k elements: against as many bytes in k whole
// rows, which are contiguous, a transfer of its own for each run, MPI's datatypes and ARMCI's strided calls.
#include <memory>

#include <tessera/array.hpp>
#include <tessera/runtime/local_buffer.hpp>

#include "rivals.hpp"

namespace tessera::benchmark::sweeps {
namespace {

constexpr const char* section = "shape: k columns of 1024 elements, inside rows of 1024";
constexpr index_t edge = 1024;

class Patches {
 public:
  Patches(const Group& world, double* buffer)
      : array_(world,
               Layout<2>::blocked({world.size() * edge, edge}, world.size(),
                                  {.grid = Extents<2>(world.size(), 1)}),
               {.name = "block"}),
        origin_{(world.size() - 1) * edge, 0},
        buffer_(buffer) {}
  void close() { array_.close(); }

  // A patch at the beginning of the last rank's block, in one transfer.
  Mover whole(const Extents<2>& extents) {
    const auto call = [this, extents](Operation operation) {
      const Patch<2> patch = Patch<2>::at(origin_, extents);
      const View<double, 2> view(buffer_, extents);
      return repeat([this, operation, patch, view] {
        if (operation == Operation::put) array_.put(patch, view);
        if (operation == Operation::get) return array_.get(patch, view);
        if (operation == Operation::accumulate) array_.acc(patch, view);
        array_.flush();
      });
    };
    return mover("", call);
  }
  // The same in a transfer for each row, all at once.
  Mover row_by_row(const Extents<2>& extents) {
    const auto call = [this, extents](Operation operation) {
      return repeat([this, extents, operation, requests = std::make_shared<std::vector<Request>>()] {
        requests->clear();
        for (index_t i = 0; i < extents[0]; ++i) requests->push_back(row(operation, extents, i));
        wait_all(*requests);
        if (operation != Operation::get) array_.flush();
      });
    };
    return mover("a call for each run", call);
  }

 private:
  using Calls = std::function<Routine(Operation)>;

  Request row(Operation operation, const Extents<2>& extents, index_t i) {
    const Patch<2> patch = Patch<2>::at({origin_[0] + i, origin_[1]}, {1, extents[1]});
    const View<double, 2> view(buffer_ + i * extents[1], {1, extents[1]});
    if (operation == Operation::put) return array_.put_async(patch, view);
    if (operation == Operation::get) return array_.get_async(patch, view);
    return array_.acc_async(patch, view);
  }
  Mover mover(const std::string& name, const Calls& calls) {
    const auto reference = [&](Operation operation) {
      return Reference{.name = name, .routine = calls(operation), .others = waiting(array_.group())};
    };
    const Patch<2> own = array_.local_patch();
    return {.put = reference(Operation::put),
            .get = reference(Operation::get),
            .accumulate = reference(Operation::accumulate),
            .memory = {array_.address(own.lo), static_cast<std::size_t>(own.size())},
            .sync = [this] { array_.sync(); }};
  }

  Array<double, 2> array_;
  Index<2> origin_;
  double* buffer_;
};

}  // namespace

void shapes(Session& session, const Place& place) {
  if (!session.wants(section)) return;
  const Group& world = session.world();
  constexpr index_t row_bytes = edge * element;
  const std::vector<index_t> widths =
      session.is_quick() ? std::vector<index_t>{1, 32} : std::vector<index_t>{1, 2, 8, 32, 128, 512};
  const LocalBuffer<double> buffer(edge * widths.back());
  Patches patches(world, buffer.data());
  Rivals rivals(world, place, edge * row_bytes);
  for (const index_t width : widths) {
    const Rows columns{edge, width * element, row_bytes, width * element};
    const Mover own = patches.whole({edge, width}), rows = patches.whole({width, edge});
    const std::string name = format_bytes(columns.count * columns.bytes) + ", k = " + std::to_string(width);
    std::vector<Mover> others = rivals.of(columns, buffer.data());
    others.push_back(patches.row_by_row({edge, width}));
    measure(session, {section, name, places_of(columns)}, span_of(buffer), own, others);
    const Transfer in_rows{section, name + ", in rows", places_of(Rows::contiguous(width * row_bytes))};
    for (const Operation operation : {Operation::put, Operation::get, Operation::accumulate}) {
      check(world, in_rows, span_of(buffer), rows, operation);
      Reference contiguous = rows.of(operation);
      contiguous.name = "as many bytes in k rows";
      session.compare({.section = section,
                       .name = std::string(to_string(operation)) + ", " + name,
                       .routine = own.of(operation).routine,
                       .bytes = static_cast<double>(columns.count * columns.bytes),
                       .others = own.of(operation).others},
                      {contiguous});
    }
  }
  patches.close();
}

}  // namespace tessera::benchmark::sweeps
