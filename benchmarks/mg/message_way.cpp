// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <numeric>

#include "mpi_peer.hpp"
#include "ways.hpp"

namespace tessera::benchmark::mg {
namespace {

using mpi_peer::check;

int rank_in(MPI_Comm comm) {
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

}  // namespace

MessageField::MessageField(const Layout<3>& layout, MPI_Comm comm) : comm_(comm), rank_(rank_in(comm)) {
  const Patch<3> block = layout.block(rank_);
  const Extents<3> extents = with_ghosts(block.extents());
  memory_ = PlainMemory(static_cast<std::size_t>(extents.size()));
  cells_ = Grid(memory_.data(), extents);
  for (std::size_t d = 0; d < 3; ++d) {
    Index<3> low = block.lo, high = block.lo;
    const index_t n = layout.dims()[d];
    low[d] = (block.lo[d] + n - 1) % n;
    high[d] = block.hi[d] % n;
    neighbours_[d] = {layout.owner(low), layout.owner(high)};
  }
}

void MessageField::update_ghosts() {
  for (std::size_t d = 3; d-- > 0;) neighbours_[d][0] == rank_ ? wrap(cells_, d) : exchange(d);
}

// The memory that a layer is sent from or received into: its own if it is contiguous, as across dimension 0.
double* MessageField::memory_of(const Grid& layer, std::size_t d, std::size_t place) {
  if (d == 0) return layer.data_handle();
  packed_[place].resize(static_cast<std::size_t>(layer.size()));
  return packed_[place].data();
}

void MessageField::exchange(std::size_t d) {
  const Grid cells = cells_;
  const index_t n = cells.extent(d) - 2;
  const std::array<Grid, 2> in{layer(cells, d, 0), layer(cells, d, n + 1)};
  const std::array<Grid, 2> out{layer(cells, d, 1), layer(cells, d, n)};
  const int count = static_cast<int>(in[0].size());
  std::array<MPI_Request, 4> requests;
  // Both neighbours may be one rank: the tag says in which direction a message goes.
  for (std::size_t side = 0; side < 2; ++side)
    check(MPI_Irecv(memory_of(in[side], d, side), count, MPI_DOUBLE, neighbours_[d][side],
                    static_cast<int>(1 - side), comm_, &requests[side]),
          "MPI_Irecv");
  for (std::size_t side = 0; side < 2; ++side) {
    double* memory = memory_of(out[side], d, 2 + side);
    if (d > 0) copy(out[side], Grid(memory, out[side].extents()));
    check(MPI_Isend(memory, count, MPI_DOUBLE, neighbours_[d][side], static_cast<int>(side), comm_,
                    &requests[2 + side]),
          "MPI_Isend");
  }
  check(MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  for (std::size_t side = 0; side < 2 && d > 0; ++side)
    copy(ConstGrid(packed_[side].data(), in[side].extents()), in[side]);
}

MessageWay::MessageWay(const Group& world, const Cut& cut)
    : comm_(world.mpi_comm()), cut_(cut), blocks_(cut.layout(cut.whole())) {
  for (int rank = 0; rank < world.size(); ++rank) counts_.push_back(static_cast<int>(blocks_.local_size(rank)));
  begins_.resize(counts_.size());
  std::exclusive_scan(counts_.begin(), counts_.end(), begins_.begin(), 0);
  all_.resize(static_cast<std::size_t>(blocks_.dims().size()));
}

void MessageWay::share(const LocalArray<double, 3>& block, const Grid& whole) {
  check(MPI_Allgatherv(block.data(), static_cast<int>(block.size()), MPI_DOUBLE, all_.data(), counts_.data(),
                       begins_.data(), MPI_DOUBLE, comm_),
        "MPI_Allgatherv");
  for (int rank = 0; rank < blocks_.ranks(); ++rank) {
    const Patch<3> patch = blocks_.block(rank);
    const double* begin = all_.data() + begins_[static_cast<std::size_t>(rank)];
    copy(ConstGrid(begin, patch.extents()), whole.subview(patch));
  }
}

double MessageWay::sum(double value) const {
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm_), "MPI_Allreduce");
  return value;
}

}  // namespace tessera::benchmark::mg
