// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Atomic updates of one value, of arrays and of scalars, against single instructions.
#include <atomic>
#include <memory>

#include <tessera/elementwise.hpp>
#include <tessera/matrix.hpp>
#include <tessera/reductions.hpp>
#include <tessera/runtime/scalars.hpp>

#include "armci_peer.hpp"
#include "sections.hpp"

namespace tessera::benchmark::onesided {
namespace {

using Integer64 = std::int64_t;
constexpr const char* section = "single values";

// Checks all updates in turn, by rank 0 on the last rank's element, which holds 0.
void check_updates(Array<Integer64, 1>& array, armci_peer::Memory* armci) {
  const Group& world = array.group();
  const int rank = world.size() - 1;
  tessera::fill(array, 0);
  if (armci != nullptr) {
    *armci->own() = 0.0;  // all bits are 0
    armci_peer::sync();
  }
  if (world.rank() == 0) {
    const Index<1> at{rank};
    Integer64 expected = 3;
    require(array.fetch_add(at, 5) == 0 && array.fetch_op(at, Update::max, 4) == 5, "fetch_add and max");
    require(array.exchange(at, 7) == 5 && array.fetch_op(at, Update::max, 8) == 7, "exchange and max");
    require(!array.compare_exchange(at, expected, 1) && expected == 8, "compare_exchange of another value");
    require(array.compare_exchange(at, expected, 1) && array.load(at) == 1, "compare_exchange");
    if (armci != nullptr) {
      require(armci->fetch_add(rank, 0, 5) == 0 && armci->exchange(rank, 0, 7) == 5 &&
                  armci->fetch_add(rank, 0, 0) == 7,
              "ARMCI_Rmw");
    }
  }
  world.barrier();
}

// All ranks add at once, each a known number of times: no addition may be lost.
template <class FetchAdd>
void check_fetch_add(const Group& world, const std::string& who, FetchAdd fetch_add) {
  constexpr int times = 1000;
  const Integer64 start = fetch_add(0);
  world.barrier();
  for (int i = 0; i < times; ++i) fetch_add(1);
  world.barrier();
  require(fetch_add(0) == start + times * world.size(), who);
  world.barrier();
}

void measure_updates(Session& session) {
  const Group& world = session.world();
  Array<Integer64, 1> array(world, Extents<1>(world.size()), {.name = "updates"});
  const auto armci = armci_peer::allocate(world, sizeof(Integer64));
  check_updates(array, armci.get());
  for (const auto& [rank, whose] : sides(world)) {
    const Index<1> at{rank};
    Integer64* word = array.address(at);
    const std::atomic_ref<Integer64> atomic(*word);
    Integer64 value = 0;
    const auto row = [&, &whose = whose](const char* name, const Routine& routine, const Routine& by_hand,
                                         std::optional<Target> target, const Routine& by_armci) {
      session.compare({section, std::string(name) + ", " + whose + " element", routine},
                      {{"an atomic instruction", by_hand, target}, {"ARMCI_Rmw", by_armci, no_slower}});
    };
    Routine armci_add, armci_exchange;
    if (armci) {
      armci_add = repeat([&armci, rank = rank] { armci->fetch_add(rank, 0, 1); });
      armci_exchange = repeat([&armci, rank = rank] { armci->exchange(rank, 0, 1); });
    }
    row("fetch_add", repeat([&] { array.fetch_add(at, 1); }), repeat([atomic] { atomic.fetch_add(1); }),
        Target{Goal::at_most, 30e-9}, armci_add);
    row("exchange", repeat([&] { array.exchange(at, 1); }), repeat([atomic] { atomic.exchange(1); }), {},
        armci_exchange);
    row("fetch_op max", repeat([&] { array.fetch_op(at, Update::max, ++value); }), repeat([atomic, &value] {
          Integer64 old = atomic.load();
          ++value;
          while (old < value && !atomic.compare_exchange_weak(old, value)) {
          }
        }),
        {}, {});
    // each call but the first of a sample succeeds: it expects the value that the call before left
    row("compare_exchange", repeat([&, expected = Integer64{0}]() mutable {
          if (array.compare_exchange(at, expected, expected + 1)) ++expected;
        }),
        repeat([atomic, expected = Integer64{0}]() mutable {
          if (atomic.compare_exchange_strong(expected, expected + 1)) ++expected;
        }),
        {}, {});
  }
  if (world.size() == 1) return;
  const int rank = world.size() - 1;
  const Index<1> at{rank};
  check_fetch_add(world, "fetch_add by all", [&](int value) { return array.fetch_add(at, value); });
  Routine by_armci;
  if (armci) {
    check_fetch_add(world, "ARMCI_Rmw by all", [&](int value) { return armci->fetch_add(rank, 0, value); });
    by_armci = repeat([&armci, rank] { armci->fetch_add(rank, 0, 1); });
  }
  session.compare({.section = section,
                   .name = "fetch_add, all ranks at one element",
                   .routine = repeat([&array, at] { array.fetch_add(at, 1); }),
                   .clock = Clock::joint},
                  {{"ARMCI_Rmw", by_armci, no_slower}});
}

void measure_scalars(Session& session) {
  const Group& world = session.world();
  Scalars<Integer64> scalars(world, 1);
  const int last = world.size() - 1;
  check_fetch_add(world, "Scalars::fetch_add", [&](int value) { return scalars.fetch_add(last, 0, value); });
  const auto row = [&](const std::string& name, int rank, Clock clock, double ratio) {
    const std::atomic_ref<Integer64> atomic(*scalars.address(rank, 0));
    session.compare(
        {.section = section,
         .name = "Scalars::fetch_add, " + name,
         .routine = repeat([&scalars, rank] { scalars.fetch_add(rank, 0, 1); }),
         .clock = clock},
        {{"an atomic instruction", repeat([atomic] { atomic.fetch_add(1); }), Target{Goal::at_least, ratio}}});
  };
  for (const auto& [rank, whose] : sides(world)) row(whose, rank, Clock::origin, 1.0 / 3.0);
  if (world.size() > 1) row("all ranks at one", last, Clock::joint, 0.5);
  scalars.close();
}

}  // namespace

void single_updates(Session& session) {
  if (!session.wants(section)) return;
  measure_updates(session);
  measure_scalars(session);
}

}  // namespace tessera::benchmark::onesided
