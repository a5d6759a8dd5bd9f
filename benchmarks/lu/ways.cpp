// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "ways.hpp"

#include <memory>

#include "matrix.hpp"
#include "scalapack_peer.hpp"

namespace tessera::benchmark::lu {
namespace {

Way way_of(std::string name, std::shared_ptr<Matrix> matrix, Prefetch prefetch) {
  const auto visit = [matrix](const std::function<void(const Block&)>& visitor) {
    visitor(matrix->open());
    matrix->close();
  };
  return {std::move(name), visit, [matrix, prefetch] { return factor(*matrix, prefetch); }};
}

// A matrix of ScaLAPACK with all that it needs.
struct Pdgetrf {
  Pdgetrf(const Group& world, const Extents<2>& grid_shape, int n, int block)
      : system(world),
        grid(system, static_cast<int>(grid_shape[0]), static_cast<int>(grid_shape[1])),
        matrix(grid, n, n, {block, block}) {}

  scalapack_peer::System system;
  scalapack_peer::Grid grid;
  scalapack_peer::Matrix matrix;
};

}  // namespace

Way by_gets(const Group& world, const Ownership& own, Prefetch prefetch) {
  return way_of(prefetch == Prefetch::yes ? "get, prefetched" : "get", one_sided(world, own), prefetch);
}

Way by_broadcasts(const Group& world, const Ownership& own, Prefetch prefetch) {
  return way_of(prefetch == Prefetch::yes ? "MPI_Ibcast" : "MPI_Bcast", broadcast(world, own), prefetch);
}

Way by_pdgetrf(const Group& world, const Ownership& own) {
  const auto peer = std::make_shared<Pdgetrf>(world, own.layout().grid(), static_cast<int>(own.size()),
                                              static_cast<int>(own.block()));
  const auto visit = [peer, rows = own.rows().count(),
                      columns = own.columns().count()](const std::function<void(const Block&)>& visitor) {
    visitor({peer->matrix.local().data(), {rows, columns}, {1, rows}});
  };
  const auto factor = [peer] {
    scalapack_peer::factor(peer->matrix);
    return 0.0;
  };
  return {"PDGETRF, pivots", visit, factor};
}

}  // namespace tessera::benchmark::lu
