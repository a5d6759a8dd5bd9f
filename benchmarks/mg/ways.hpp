// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>

#include <mpi.h>

#include <tessera/array.hpp>

#include "cut.hpp"
#include "kernels.hpp"
#include "plain_memory.hpp"

namespace tessera::benchmark::mg {

/// Arrays of Tessera: update_ghosts, and put_notify for the level that every rank needs whole.
class TesseraWay {
 public:
  static constexpr const char* name = "update_ghosts and put_notify";
  using Field = Array<double, 3>;

  /// @collective
  TesseraWay(const Group& world, const Cut& cut);
  /// A field of a level. @collective
  Field make(int level) const;
  /// Every rank gets the blocks of all ranks of level cut.whole(). There is no barrier. @collective
  void share(const LocalArray<double, 3>& block, const Grid& whole);
  /// The sum of one value of each rank. @collective
  double sum(double value) const { return world_.all_reduce(value, Reduce::sum); }

 private:
  Group world_;
  Cut cut_;
  Patch<3> block_;           // of this rank, of level cut_.whole()
  Array<double, 4> copies_;  // two for each rank, which take turns: a rank may be one cycle ahead
  Flags came_;               // for each copy: the block of a rank has come
  int turn_ = 0;
};

/// A block and its ghost cells in plain memory, exchanged by messages.
class MessageField {
 public:
  /// @local
  MessageField(const Layout<3>& layout, MPI_Comm comm);
  Grid local_with_ghosts() { return cells_; }
  ConstGrid local_with_ghosts() const { return cells_; }
  /// MPI_Irecv, MPI_Isend and MPI_Waitall, one dimension after the other, so that corners go along. @collective
  void update_ghosts();

 private:
  void exchange(std::size_t d);
  double* memory_of(const Grid& layer, std::size_t d, std::size_t place);

  MPI_Comm comm_;
  int rank_;
  PlainMemory memory_;
  Grid cells_;
  std::array<std::array<int, 2>, 3> neighbours_;  // in each dimension the lower and the higher one
  std::array<std::vector<double>, 4> packed_;     // two that come, two that go
};

/// The same by hand with messages of MPI.
class MessageWay {
 public:
  static constexpr const char* name = "MPI messages";
  using Field = MessageField;

  /// @local
  MessageWay(const Group& world, const Cut& cut);
  /// A field of a level. @local
  Field make(int level) const { return {cut_.layout(level), comm_}; }
  /// MPI_Allgatherv. @collective
  void share(const LocalArray<double, 3>& block, const Grid& whole);
  /// MPI_Allreduce. @collective
  double sum(double value) const;

 private:
  MPI_Comm comm_;
  Cut cut_;
  Layout<3> blocks_;  // of level cut_.whole()
  std::vector<int> counts_, begins_;
  std::vector<double> all_;
};

}  // namespace tessera::benchmark::mg
