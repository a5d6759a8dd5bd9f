// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// One element at a time, put and got, against a store and a load.
#include <tessera/array.hpp>

#include "sections.hpp"

namespace tessera::benchmark::onesided {

void single_elements(Session& session) {
  const std::string section = "single values";
  if (!session.wants(section)) return;
  const Group& world = session.world();
  constexpr index_t edge = 64;
  Array<double, 2> array(
      world,
      Layout<2>::blocked({world.size() * edge, edge}, world.size(), {.grid = Extents<2>(world.size(), 1)}),
      {.name = "elements"});
  for (const auto& [rank, whose] : sides(world)) {
    const Index<2> at(rank * edge + edge / 2, edge / 2);
    const Patch<2> patch = Patch<2>::at(at, {1, 1});
    double x = 1.0, *element = array.address(at);
    if (world.rank() == 0) {
      array.put(patch, View<const double, 2>(&x, {1, 1}));
      require(*element == 1.0, "put of an element");
      array.store(at, 2.0);
      array.get(patch, View<double, 2>(&x, {1, 1}));
      require(*element == 2.0 && x == 2.0 && array.load(at) == 2.0, "an element");
    }
    const Reference store{"a store", repeat([&x, element] { keep(&x), *element = x, keep(element); }),
                          Target{Goal::at_most_more, 25e-9}};
    const Reference load{"a load", repeat([&x, element] { keep(element), x = *element, keep(&x); }),
                         store.target};
    const auto row = [&, &whose = whose](const char* name, const Routine& routine, const Reference& reference) {
      session.compare({section, std::string(name) + ", " + whose + " block", routine}, {reference});
    };
    row("put", repeat([&] { keep(&x), array.put(patch, View<const double, 2>(&x, {1, 1})); }), store);
    row("get", repeat([&] { array.get(patch, View<double, 2>(&x, {1, 1})), keep(&x); }), load);
    row("store", repeat([&] { keep(&x), array.store(at, x); }), store);
    row("load", repeat([&] { x = array.load(at), keep(&x); }), load);
  }
  array.sync();
}

}  // namespace tessera::benchmark::onesided
