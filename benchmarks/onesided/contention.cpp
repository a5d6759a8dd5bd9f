// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// All ranks accumulate into the same memory.
#include <algorithm>
#include <vector>

#include <tessera/elementwise.hpp>
#include <tessera/matrix.hpp>
#include <tessera/reductions.hpp>

#include "armci_peer.hpp"
#include "by_hand.hpp"
#include "sections.hpp"

namespace tessera::benchmark::onesided {
namespace {

constexpr index_t bytes = 32 * 1024 * 1024, count = bytes / static_cast<index_t>(sizeof(double));

// Every rank adds its number plus one, once; the last rank checks the sum.
template <class Accumulate, class Sync>
void check(const Group& world, const std::string& who, std::span<double> sum, std::span<double> summand,
           Accumulate accumulate, Sync sync) {
  std::ranges::fill(sum, 0.0);
  std::ranges::fill(summand, world.rank() + 1.0);
  sync();
  accumulate();
  sync();
  const double expected = 0.5 * world.size() * (world.size() + 1);
  const bool right =
      world.rank() != world.size() - 1 || std::ranges::all_of(sum, [&](double x) { return x == expected; });
  require(world.all_reduce(right ? 1 : 0, Reduce::min) == 1, who);
}

}  // namespace

void contention(Session& session) {
  const std::string section = "contention";
  const Group& world = session.world();
  const int rank = world.size() - 1;
  if (!session.wants(section) || rank == 0) return;
  Array<double, 1> array(world, Extents<1>(world.size() * count), {.name = "sums"});
  const auto armci = armci_peer::allocate(world, bytes);
  std::vector<double> summand(count);
  const Patch<1> patch = Patch<1>::at({rank * count}, {count});
  const View<const double, 1> view(summand.data(), {count});
  const auto accumulate = [&] { array.acc(patch, view); };
  check(world, "accumulate by all", {array.address(array.local_patch().lo), count}, summand, accumulate,
        [&] { array.sync(); });
  Routine by_armci;
  if (armci) {
    const auto their_accumulate = [&] { armci->accumulate(rank, 0, summand.data(), Rows::contiguous(bytes)); };
    check(world, "ARMCI_Acc by all", {armci->own(), count}, summand, their_accumulate, armci_peer::sync);
    by_armci = repeat(their_accumulate);
  }
  double* sum = array.address(patch.lo);
  session.compare(
      {section, "all ranks add to the same 32 MiB", repeat(accumulate), static_cast<double>(bytes),
       Clock::joint},
      {{"a loop without locks", repeat([&] { add(sum, summand.data(), count); }), Target{Goal::at_least, 1.5}},
       {"ARMCI", by_armci, no_slower}});
}

}  // namespace tessera::benchmark::onesided
