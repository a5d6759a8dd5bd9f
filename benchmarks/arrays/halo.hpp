// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>
#include <vector>

#include <mpi.h>

#include <tessera/runtime/group.hpp>

namespace tessera::benchmark::arrays {

/// What is exchanged, and how: with all neighbours at once, or one dimension after the other. The latter sends
/// the corners along.
struct HaloOptions {
  int width;
  bool corners;
  bool by_dimension;
};

/// Ghost cells around a block, exchanged as in programs without arrays: MPI_Isend and MPI_Irecv of subarray
/// types on a periodic Cartesian grid. Types and neighbours are found once. @collective to make and destroy
class Halo {
 public:
  /// A block of these extents on each rank, row-major, with its ghost cells around it.
  Halo(const Group& group, const std::vector<int>& grid, const std::vector<int>& block,
       const HaloOptions& options);
  ~Halo();
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  /// The grid that MPI_Dims_create chooses. @local
  static std::vector<int> grid_of(int ranks, int dimensions);

  /// Where this rank is in the grid. @local
  const std::vector<int>& coordinates() const noexcept { return coordinates_; }
  std::span<double> memory() noexcept { return memory_; }
  /// @collective
  void exchange();

 private:
  // A message from the neighbour in a direction, and one to it.
  struct Message {
    int rank, tag_out, tag_in;
    MPI_Datatype out, in;
  };
  // A box in the memory. Along each dimension it holds either the exchanged cells, or all cells that go with
  // them.
  struct Region {
    std::vector<int> start, extents;
  };
  void add_message(std::vector<Message>& round, const std::vector<int>& direction, int wide_below);
  MPI_Datatype type_of(const Region& region) const;

  std::vector<int> block_;
  HaloOptions options_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<int> coordinates_;
  std::vector<double> memory_;
  std::vector<std::vector<Message>> rounds_;
  std::vector<MPI_Request> requests_;
};

}  // namespace tessera::benchmark::arrays
