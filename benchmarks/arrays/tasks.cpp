// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Drawing tasks, against the counters that programs use for it.
#include <memory>
#include <numeric>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/elementwise.hpp>
#include <tessera/tasks.hpp>

#include "ga_peer.hpp"
#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

constexpr const char* section = "tasks: drawing one";

// Checks that every number below `count` is drawn once, and by each rank in increasing order.
template <class Draw>
void check(const Group& world, const std::string& who, index_t count, Draw draw) {
  index_t sum = 0, number = 0, last = -1;
  bool right = true;
  world.barrier();
  for (index_t task = draw(); task < count; task = draw()) {
    right = right && task > last;
    last = task;
    sum += task;
    ++number;
  }
  sum = world.all_reduce(sum, Reduce::sum);
  number = world.all_reduce(number, Reduce::sum);
  require_everywhere(world, right && number == count && sum == count * (count - 1) / 2, who);
}

// A whole phase of a program, from the first task to the last, including the smaller shares at the end.
void measure_all(Session& session, const Place& place, TaskCounter& tasks, Array<std::int64_t, 1>& counter) {
  const index_t count = session.is_quick() ? 1000 : place.one_node ? 100000 : 10000;
  const Others others = waiting(session.world());
  session.compare({.section = section,
                   .name = "all of " + std::to_string(count) + " tasks, all ranks draw",
                   .routine = repeat([&tasks, count] {
                     tasks.reset(count);
                     while (tasks.next()) {
                     }
                   }),
                   .clock = Clock::joint,
                   .others = others},
                  {{.name = "fetch_add of an element",
                    .routine = repeat([&counter, count] {
                      fill(counter, 0);
                      while (counter.fetch_add({0}, 1) < count) {
                      }
                    }),
                    .target = no_slower,
                    .others = others}});
}

}  // namespace

void tasks(Session& session, const Place& place) {
  if (!session.wants(section)) return;
  // In reverse order, so that the memory of the group's first rank is far from the rank that draws alone.
  const Group& world = session.world();
  std::vector<int> reverse(static_cast<std::size_t>(world.size()));
  std::iota(reverse.rbegin(), reverse.rend(), 0);
  const Group group = world.include(reverse);
  const index_t few = session.is_quick() ? 1000 : 10000, many = index_t{1} << 50;

  TaskCounter by_node(group, few, {.name = "by node"}),
      one_by_one(group, few, {.by_node = false, .name = "one by one"});
  Array<std::int64_t, 1> counter(group, Extents<1>(group.size()), {.name = "counter"});
  fill(counter, 0);
  std::unique_ptr<ga_peer::Counters> theirs;
  if (place.global_arrays) theirs = std::make_unique<ga_peer::Counters>(world.size());
  const int last = world.size() - 1;

  const auto next_of = [few](TaskCounter& tasks) { return tasks.next().value_or(few); };
  check(world, "TaskCounter", few, [&] { return next_of(by_node); });
  check(world, "TaskCounter that is not by node", few, [&] { return next_of(one_by_one); });
  check(world, "fetch_add", few, [&] { return counter.fetch_add({0}, 1); });
  Routine by_read_inc;
  if (theirs) {
    check(world, "NGA_Read_inc", few, [&] { return theirs->read_increment(last, 1); });
    by_read_inc = repeat([&theirs, last] { theirs->read_increment(last, 1); });
  }
  by_node.reset(many);
  one_by_one.reset(many);

  const Others others = waiting(world);
  std::vector<std::pair<std::string, Clock>> who{{", one rank draws", Clock::origin}};
  if (world.size() > 1) who.push_back({", all ranks draw", Clock::joint});
  for (const auto& [name, clock] : who) {
    const auto row = [&, &name = name, clock = clock](const char* what, TaskCounter& tasks) {
      session.compare({.section = section,
                       .name = what + name,
                       .routine = repeat([&tasks] { static_cast<void>(tasks.next()); }),
                       .clock = clock,
                       .others = others},
                      {{"NGA_Read_inc", by_read_inc, no_slower, Counts::where_reference_is_fastest},
                       {.name = "fetch_add of an element",
                        .routine = repeat([&counter] { counter.fetch_add({0}, 1); }),
                        .others = others}});
    };
    row("TaskCounter", by_node);
    row("not by node", one_by_one);
  }
  measure_all(session, place, by_node, counter);
  world.sync();
  theirs.reset();
  counter.close();
  one_by_one.close();
  by_node.close();
}

}  // namespace tessera::benchmark::arrays
