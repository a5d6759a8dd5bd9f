// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <mpi.h>
#include <tessera/layout.hpp>

#include "block.hpp"

namespace tessera::benchmark::multigrid {

/// A message whose memory stays.
struct Message {
  int rank, tag;
  Patch<3> patch;  // the cells in it
  std::vector<double> values;
};

/// A message for the cells of a patch. @local
Message message_for(int rank, int tag, const Patch<3>& patch);
/// Copies its cells from a block, or to one. @local
void pack(Message& message, const ConstValues& from);
void unpack(Message& message, const Values& to);
/// MPI_Irecv for all of `in`, then MPI_Isend of all of `out`. @local
void start(MPI_Comm comm, std::vector<Message>& in, std::vector<Message>& out,
           std::vector<MPI_Request>& requests);
/// MPI_Waitall. @local
void finish(std::vector<MPI_Request>& requests);

/// Exchanges one layer of ghost cells by packed messages to all neighbours at once. Cells beyond the ends get
/// the mirrored values with the other sign, so that 0 holds at the face.
class GhostMessages {
 public:
  /// For the blocks of a layout; `corners` also brings cells beside edges and corners of a block. @local
  GhostMessages(MPI_Comm comm, int rank, const Layout<3>& layout, bool corners);
  /// @collective
  void update(Block& cells);

 private:
  void mirror(Block& cells) const;

  MPI_Comm comm_;
  Patch<3> block_;
  Extents<3> dims_;
  bool corners_;
  std::vector<Message> in_, out_;
  std::vector<MPI_Request> requests_;
};

}  // namespace tessera::benchmark::multigrid
