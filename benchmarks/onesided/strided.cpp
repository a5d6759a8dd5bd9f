// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Patches: short rows of the sizes and counts that are usual in papers on ARMCI, and squares of double.
#include <cstring>
#include <memory>

#include "by_hand.hpp"
#include "ga_peer.hpp"
#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::onesided {
namespace {

// Runs of a size that the compiler knows.
template <index_t Bytes>
void copy_runs(void* to, const void* from, const Rows& rows) {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  for (index_t i = 0; i < rows.count; ++i)
    std::memcpy(target + i * rows.to_stride, source + i * rows.from_stride, Bytes);
  keep(to);
}

template <index_t Bytes>
void add_runs(double* to, const double* from, const Rows& rows) {
  for (index_t i = 0; i < rows.count; ++i) {
    double* y = to + i * (rows.to_stride / element);
    const double* x = from + i * (rows.from_stride / element);
    for (index_t j = 0; j < Bytes / element; ++j) y[j] += x[j];
  }
  keep(to);
}

constexpr index_t shortest = 16;

Mover runs_by_hand(const Mover& same_memory, double* remote, double* buffer, const Rows& rows) {
  void (*copy_all)(void*, const void*, const Rows&) = copy_rows;
  void (*add_all)(double*, const double*, const Rows&) = add_rows;
  if (rows.bytes == shortest) copy_all = copy_runs<shortest>, add_all = add_runs<shortest>;
  const index_t bytes = rows.count * rows.bytes;
  return {.put = {"memcpy of the runs", repeat([=] { copy_all(remote, buffer, rows); }),
                  close_to_hand(Operation::put, bytes)},
          .get = {"memcpy of the runs", repeat([=] { copy_all(buffer, remote, rows.reversed()); }),
                  close_to_hand(Operation::get, bytes)},
          .accumulate = {"a loop without locks", repeat([=] { add_all(remote, buffer, rows); }),
                         close_to_hand(Operation::accumulate, bytes)},
          .memory = same_memory.memory,
          .sync = same_memory.sync};
}

Layout<2> blocks_below_one_another(const Group& world, index_t rows, index_t columns) {
  return Layout<2>::blocked({world.size() * rows, columns}, world.size(),
                            {.grid = Extents<2>(world.size(), 1)});
}

Mover by_global_arrays(ga_peer::Matrix* matrix, index_t block, const Patch<2>& patch, double* buffer) {
  if (matrix == nullptr) return {};
  const ga_peer::Patch theirs{patch.lo[0], patch.lo[1], patch.extents()[0], patch.extents()[1]};
  const std::string name = ga_peer::Library::name();
  return {.put = {name, repeat([=] { matrix->put(theirs, buffer); }), no_slower},
          .get = {name, repeat([=] { matrix->get(theirs, buffer); }), no_slower},
          .accumulate = {name, repeat([=] { matrix->accumulate(theirs, buffer, 1.0); }), no_slower},
          .memory = {matrix->own(), static_cast<std::size_t>(block * block)},
          .sync = ga_peer::sync};
}

}  // namespace

void strided_runs(Session& session) {
  const std::string section = "strided: runs inside rows of twice the run and 64 B";
  const Group& world = session.world();
  const int rank = world.size() - 1;
  if (!session.wants(section) || rank == 0) return;
  constexpr index_t most = 1024;
  for (const index_t run : {shortest, index_t{1024}}) {
    const index_t columns = (2 * run + 64) / element, width = run / element, margin = (columns - width) / 2;
    Array<double, 2> array(world, blocks_below_one_another(world, most, columns), {.name = "runs"});
    const index_t block_bytes = most * columns * element;
    const auto armci = armci_peer::allocate(world, block_bytes);
    LineAligned memory(most * width);
    const std::span<double> buffer = memory.span();
    for (const index_t count : {1, 4, 16, 64, 256, 1024}) {
      const Patch<2> patch = Patch<2>::at({rank * most, margin}, {count, width});
      const Rows rows{count, run, columns * element, run};
      const Mover own = by_tessera(array, patch, buffer.data());
      measure(session,
              {section, std::to_string(count) + " x " + format_bytes(run),
               places_of_rows(count, width, columns, margin)},
              buffer, own,
              {runs_by_hand(own, array.address(patch.lo), buffer.data(), rows),
               by_armci(session, armci.get(), block_bytes, margin * element, buffer.data(), rows)});
    }
  }
}

void patches(Session& session) {
  const std::string section = "strided: patches of double inside a block of 2112 x 2112";
  const Group& world = session.world();
  const int rank = world.size() - 1;
  if (!session.wants(section) || rank == 0) return;
  constexpr index_t edge = 2112, widest = 2048;
  Array<double, 2> array(world, blocks_below_one_another(world, edge, edge), {.name = "patches"});
  std::unique_ptr<ga_peer::Matrix> matrix;
  if (ga_peer::available()) matrix = std::make_unique<ga_peer::Matrix>(world.size(), edge, edge);
  LineAligned memory(widest * widest);
  const std::span<double> buffer = memory.span();
  for (const index_t side : {32, 128, 512, 1024, 2048}) {
    const index_t margin = (edge - side) / 2;
    const Patch<2> patch = Patch<2>::at({rank * edge + margin, margin}, {side, side});
    const Rows rows{side, side * element, edge * element, side * element};
    const Mover own = by_tessera(array, patch, buffer.data());
    measure(session,
            {section, std::to_string(side) + " x " + std::to_string(side),
             places_of_rows(side, side, edge, margin * edge + margin)},
            buffer, own,
            {by_hand(session, own, array.address(patch.lo), buffer.data(), rows),
             by_global_arrays(matrix.get(), edge, patch, buffer.data())});
  }
}

}  // namespace tessera::benchmark::onesided
