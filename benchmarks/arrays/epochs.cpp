// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Epochs against the same operations without them. In an epoch, a node keeps what it reads from other nodes, or
// what it adds to them.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/elementwise.hpp>
#include <tessera/epochs.hpp>

#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

constexpr const char* section = "epochs: all ranks work on elements of another node";
constexpr index_t slice = 32 * kib;  // elements of each rank

// Patches of `count` elements each, of ranks of the next node: the same for all ranks of this one.
std::vector<Patch<1>> patches_elsewhere(const Group& world, index_t patches, index_t count) {
  const int node = world.node_of(world.rank());
  const std::vector<int> owners = world.ranks_on_node((node + 1) % world.node_count());
  std::mt19937_64 random(static_cast<std::uint64_t>(1999 + node));
  std::uniform_int_distribution<std::size_t> owner(0, owners.size() - 1);
  std::uniform_int_distribution<index_t> place(0, slice - count);
  std::vector<Patch<1>> all;
  for (index_t i = 0; i < patches; ++i) {
    const index_t first = owners[owner(random)] * slice;
    all.push_back(Patch<1>::at({first + place(random)}, {count}));
  }
  return all;
}

double value_at(index_t i) { return static_cast<double>(i % 4093); }

// The same work on two arrays: one in epochs, the other without.
struct Pair {
  Array<double, 1> in_epochs, plain;
  explicit Pair(const Group& world)
      : in_epochs(world, Extents<1>(world.size() * slice), {.name = "in epochs"}),
        plain(in_epochs.duplicate("plain")) {}
  void close() {
    plain.close();
    in_epochs.close();
  }
};

bool holds(const std::vector<double>& elements, const Patch<1>& patch) {
  for (index_t i = 0; i < patch.size(); ++i) {
    if (elements[static_cast<std::size_t>(i)] != value_at(patch.lo[0] + i)) return false;
  }
  return true;
}

void measure_reads(Session& session, Pair& arrays, index_t count) {
  const Group& world = session.world();
  const std::vector<Patch<1>> patches = patches_elsewhere(world, 64, count);
  std::vector<double> elements(static_cast<std::size_t>(count));
  const View<double, 1> into(elements.data(), {count});
  const Others others = waiting(world);
  const auto get_all = [&](const auto& from) {
    for (const Patch<1>& patch : patches) from.get(patch, into);
  };
  const std::string size = format_bytes(count * element);
  const double bytes = static_cast<double>(count * element * 64 * world.size());
  {
    auto epoch = read_only(arrays.in_epochs);
    bool right = true;
    for (int turn = 0; turn < 2; ++turn) {
      for (const Patch<1>& patch : patches) {
        epoch.get(patch, into);
        right = right && holds(elements, patch);
        arrays.plain.get(patch, into);
        right = right && holds(elements, patch);
      }
    }
    require_everywhere(world, right, "read_only");
    session.compare({.section = section,
                     .name = "read_only, 64 x " + size + ", read before",
                     .routine = repeat([&] { get_all(epoch); }),
                     .bytes = bytes,
                     .clock = Clock::joint,
                     .others = others},
                    {{.name = "get",
                      .routine = repeat([&] { get_all(arrays.plain); }),
                      .target = no_slower,
                      .others = others}});
    epoch.end();
  }
  for (const int turns : {1, 10}) {
    const Routine whole = repeat([&, turns] {
      auto epoch = read_only(arrays.in_epochs);
      for (int turn = 0; turn < turns; ++turn) get_all(epoch);
      epoch.end();
    });
    const Routine plain = repeat([&, turns] {
      for (int turn = 0; turn < turns; ++turn) get_all(arrays.plain);
      arrays.plain.sync();
    });
    session.compare({.section = section,
                     .name = "read_only, begin to end, 64 x " + size + (turns == 1 ? ", once" : ", ten times"),
                     .routine = whole,
                     .bytes = turns * bytes,
                     .clock = Clock::joint,
                     .others = others},
                    {{.name = "get",
                      .routine = plain,
                      .target = turns == 1 ? std::optional<Target>() : no_slower,
                      .others = others}});
  }
}

void measure_sums(Session& session, Pair& arrays, index_t count) {
  const Group& world = session.world();
  const index_t number = session.is_quick() ? 100 : 1000;
  const std::vector<Patch<1>> patches = patches_elsewhere(world, number, count);
  const std::vector<double> elements(static_cast<std::size_t>(count), 1.0);
  const View<const double, 1> from(elements.data(), {count});
  const auto whole = [&] {
    auto epoch = accumulate_only(arrays.in_epochs);
    for (const Patch<1>& patch : patches) epoch.acc(patch, from);
    epoch.end();
  };
  const auto plain = [&] {
    for (const Patch<1>& patch : patches) arrays.plain.acc(patch, from);
    arrays.plain.sync();
  };
  const std::string name = "accumulate_only, " + std::to_string(number) + " x " + format_bytes(count * element);
  fill(arrays.in_epochs, 0.5);
  fill(arrays.plain, 0.5);
  whole();
  plain();
  {
    const Array<double, 1>&a = arrays.in_epochs, &b = arrays.plain;
    const auto x = a.local(), y = b.local();
    const bool right = std::equal(x.data(), x.data() + x.size(), y.data()) &&
                       std::any_of(x.data(), x.data() + x.size(), [](double value) { return value > 1.0; });
    require_everywhere(world, right, name);
  }
  const Others others = waiting(world);
  session.compare({.section = section,
                   .name = name,
                   .routine = repeat(whole),
                   .bytes = static_cast<double>(count * element * number * world.size()),
                   .clock = Clock::joint,
                   .others = others},
                  {{.name = "acc and sync", .routine = repeat(plain), .target = no_slower, .others = others}});
}

}  // namespace

void epochs(Session& session, const Place&) {
  if (!session.wants(section)) return;
  Pair arrays(session.world());
  for (Array<double, 1>* array : {&arrays.in_epochs, &arrays.plain})
    for_each_local(*array, [](const Index<1>& at, double& x) { x = value_at(at[0]); });
  arrays.in_epochs.sync();
  arrays.plain.sync();
  for (const index_t count : {1, 128, 2048}) measure_reads(session, arrays, count);
  for (const index_t count : {1, 16, 128}) measure_sums(session, arrays, count);
  arrays.close();
}

}  // namespace tessera::benchmark::arrays
