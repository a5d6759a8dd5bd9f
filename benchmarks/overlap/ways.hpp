// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tessera/array.hpp>

#include "library_movers.hpp"
#include "overlap.hpp"

/// Transfers that several libraries make in two calls: rows of the last rank's memory, dense in a buffer of
/// rank 0.
namespace tessera::benchmark::overlap {

/// One of these ways.
struct Way {
  std::string name;
  std::function<Halves(Operation)> halves;
  /// This rank's part of the memory.
  std::span<double> memory;
  /// Makes changes of the memory visible to all ranks. @collective
  std::function<void()> sync;
};

/// The library's way: an array of which each rank has a block, and the rows as a patch. @collective to make
class ByArray {
 public:
  ByArray(const Group& world, const Rows& rows, double* buffer);
  void close() { array_.close(); }

  /// `meanwhile` says in the name what the other ranks do. @local
  Way way(const std::string& meanwhile, const Others& others);

 private:
  Array<double, 2> array_;
  int target_;
  Patch<2> patch_;
  double* buffer_;
};

/// Requests and replies by messages of MPI. The target answers: it acknowledges a put, sends what a get asks
/// for, and adds what is to be accumulated. `memory` is the target's. @local
Way by_messages(const Group& world, const Rows& rows, double* buffer, std::span<double> memory);

/// MPI_Rput, MPI_Rget and MPI_Raccumulate; then MPI_Wait and MPI_Win_flush. @local
Way by_requests(const Group& world, mpi_peer::Window& window, const Rows& rows, double* buffer);

/// Checks a transfer. @collective @throws Error on every rank for a wrong value
void check(const Group& world, const std::string& section, const Rows& rows, std::span<double> buffer,
           const Way& way, Operation operation);

}  // namespace tessera::benchmark::overlap
