// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ghost_messages.hpp"
#include "multigrid/multigrid.hpp"

namespace tessera::benchmark::multigrid {

/// Moves coarse values between the blocks that lie below fine ones and the larger blocks of an agglomerated
/// level, by a message from and to each rank.
class Gathering {
 public:
  /// Each block of `near` lies within a block of `coarse`. @local
  Gathering(MPI_Comm comm, int rank, const Layout<3>& near, const Layout<3>& coarse);
  /// The cells below the fine block of this rank, with a layer of ghost cells. @local
  Block& near() noexcept { return near_; }
  /// Fills f of the coarse level from the cells of near() on all ranks. @collective
  void gather(const Values& coarse);
  /// Fills near() with its ghost cells from the coarse level and its ghost cells. @collective
  void scatter(const ConstValues& coarse);

 private:
  MPI_Comm comm_;
  int rank_, owner_;
  Patch<3> block_;
  Block near_;
  std::vector<Message> down_out_, down_in_, up_out_, up_in_;
  std::vector<MPI_Request> requests_;
};

/// The multigrid of examples/solvers/multigrid with the value 0 at all ends, in plain memory with messages of
/// MPI by hand in the place of arrays. The relaxation, the residual and the coarsest solver are the same loops;
/// the levels are the same, too.
class MessageMultigrid {
 public:
  static constexpr const char* name = "packed messages of MPI";

  /// @local
  MessageMultigrid(const Group& world, const Layout<3>& cells, const solvers::Domain<3>& domain,
                   const solvers::MultigridOptions& options = {});
  /// x = one cycle for f from 0, of the cells of this rank's block. @collective
  void operator()(const Block& f, Block& x);
  /// Improves x, and returns the largest residuals relative to the largest f: at the start and after each
  /// cycle. @collective
  std::vector<double> solve(const Block& f, Block& x, const solvers::Tolerance& tolerance);

 private:
  struct Level {
    Level(MPI_Comm comm, int rank, const Layout<3>& layout, const solvers::Domain<3>& domain);
    Patch<3> block;
    solvers::Laplacian<3> laplacian;
    Block x, f, r;
    GhostMessages star, box;
    bool restriction_reaches;            // ghost cells of r
    std::optional<Gathering> gathering;  // if the next level is agglomerated
  };
  void relax(Level& level, const ConstValues& f);
  void find_residual(Level& level, const ConstValues& f);
  void correct(std::size_t level);
  void cycle(std::size_t level, const ConstValues& f);
  double largest(const ConstValues& values, const Patch<3>& patch) const;

  MPI_Comm comm_;
  solvers::MultigridOptions options_;
  std::vector<std::unique_ptr<Level>> levels_;  // the finest first; the coarsest is at rank 0
  std::optional<solvers::Waves<3>> direct_;
};

}  // namespace tessera::benchmark::multigrid
