// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <mpi.h>

#include "cavity/flow.hpp"
#include "plain_memory.hpp"

namespace tessera::benchmark::lattice {

/// The solver of examples/solvers/cavity, with packed messages of MPI by hand in the place of arrays and a
/// halo: MPI_Irecv, MPI_Isend, the interior, MPI_Waitall, the border.
template <class Lattice>
class MessageFlow {
 public:
  static constexpr const char* name = "packed messages of MPI";

  /// @collective
  MessageFlow(const Group& world, const ::cavity::FlowOptions<Lattice>& options);
  /// A time step. @collective
  void step();
  /// The populations of this rank's cells. @local
  std::vector<double> cells();

 private:
  using Region = ::cavity::Region<Lattice>;
  /// What goes to a neighbour and comes from it.
  struct Neighbour {
    int rank, send_tag, receive_tag;
    std::vector<std::size_t> leaving, entering;  // populations
    Region edge, ghosts;                         // what leaves is in `edge`, what enters goes to `ghosts`
    std::vector<double> out, in;
  };

  void add_neighbours(const Group& world, const Layout<Lattice::dimensions>& layout);
  ::cavity::Cells<double, Lattice> view(PlainMemory& populations) const;

  MPI_Comm comm_;
  ::cavity::FlowOptions<Lattice> options_;
  ::cavity::Relaxation relaxation_;
  Region block_;
  BlockParts<Lattice::dimensions> parts_;
  PlainMemory now_, next_;
  std::vector<Neighbour> neighbours_;
  std::vector<MPI_Request> requests_;
};

}  // namespace tessera::benchmark::lattice
