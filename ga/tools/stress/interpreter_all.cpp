// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>

#include <tessera/runtime/mutexes.hpp>
#include <tessera/tasks.hpp>

#include "interpreter.hpp"

// Lines that all members of a group run together.
namespace tessera::stress::detail {

bool Run::sync(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  settle(*entry);
  if (line.number("check", 5) >= 0) check(*entry, line.number("check", 5));
  return true;
}

bool Run::write_local(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  settle(*entry);
  Model& model = entry->model;
  model.values = random_values(line.number("seed"), model.values.size(), model.is_complex());
  if (entry->array)
    attempt(
        [&] { entry->array->write_local([&](const Numbers& at) { return model.values[*model.place(at)]; }); });
  settle(*entry);
  return true;
}

bool Run::update_ghosts(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  const Model& model = entry->model;
  const std::size_t rank = model.extents.size();
  if (std::all_of(model.ghosts.begin(), model.ghosts.end(), [](index_t width) { return width == 0; }))
    return false;
  const index_t only = line.number("dimension", -1), side = line.number("side", 2);
  if (only >= static_cast<index_t>(rank)) return false;
  settle(*entry);
  if (entry->array)
    attempt([&] {
      entry->array->update_ghosts(line);
      Part block;
      const Found cells = entry->array->with_ghosts(block);
      Found filled;
      for (std::size_t k = 0; k < cells.at.size(); ++k) {
        Numbers at = cells.at[k];
        int sides = 0;
        bool is_filled = true;
        for (std::size_t d = 0; d < rank; ++d) {
          const bool below = at[d] < block.lo[d], above = at[d] >= block.hi[d];
          sides += below || above ? 1 : 0;
          if (only == static_cast<index_t>(d)) is_filled &= (below && side != 1) || (above && side != 0);
          if (at[d] >= 0 && at[d] < model.extents[d]) continue;
          is_filled &= model.periodic[d];
          at[d] = (at[d] % model.extents[d] + model.extents[d]) % model.extents[d];
        }
        if (line.number("corners", 1) == 0 && sides > 1) is_filled = false;
        if (!is_filled && sides > 0) continue;
        filled.at.push_back(at);
        filled.values.push_back(cells.values[k]);
      }
      compare_found(*entry, filled, "local_with_ghosts");
    });
  barrier(*entry);
  return true;
}

namespace {

// What one of the members does in a line of them all.
index_t seed_of(const Line& line, int member, std::size_t k) {
  return line.number("seed") * 1000 + member * 50 + static_cast<index_t>(k);
}
std::vector<Part> patches_of(const Line& line, const Model& model, int member) {
  std::vector<Part> patches;
  for (std::size_t k = 0; k < static_cast<std::size_t>(line.number("count", 1)); ++k)
    patches.push_back(random_patch(seed_of(line, member, k), model.extents));
  return patches;
}
constexpr index_t default_cache = 1 << 20;

}  // namespace

bool Run::read_epoch(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  settle(*entry);
  if (!entry->array) return true;
  const auto patches = patches_of(line, entry->model, my_number(*entry));
  Places at;
  Values expected;
  for (const Part& patch : patches) {
    const auto chosen = entry->model.select(patch);
    at.insert(at.end(), chosen->at.begin(), chosen->at.end());
  }
  for (const std::size_t place : at) expected.push_back(entry->model.values[place]);
  attempt([&] {
    compare(*entry, at, entry->array->get_read_only(patches, line.number("cache", default_cache)), expected,
            "read_only");
  });
  return true;
}

// acc_all and acc_epoch: every member adds to patches of its own, which overlap those of others.
bool Run::accumulate_all(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  const bool is_epoch = line.verb == "acc_epoch";
  if (is_epoch) settle(*entry);
  Values after = entry->model.values;
  for (int member = 0; member < entry->members(); ++member) {
    const auto patches = patches_of(line, entry->model, member);
    std::vector<Values> all;
    for (std::size_t k = 0; k < patches.size(); ++k) {
      const auto chosen = entry->model.select(patches[k]);
      all.push_back(random_values(seed_of(line, member, k), chosen->at.size(), entry->model.is_complex()));
      for (std::size_t i = 0; i < chosen->at.size(); ++i) after[chosen->at[i]] += all.back()[i];
    }
  }
  if (!is_exact(after)) return false;
  for (int member = 0; member < entry->members(); ++member) {
    const auto patches = patches_of(line, entry->model, member);
    std::vector<Values> all;
    for (std::size_t k = 0; k < patches.size(); ++k) {
      const auto chosen = entry->model.select(patches[k]);
      if (!is_epoch) prepare(*entry, chosen->at, member, adds);
      all.push_back(random_values(seed_of(line, member, k), chosen->at.size(), entry->model.is_complex()));
      if (!is_epoch && is_me(*entry, member))
        entry->array->accumulate(patches[k], all.back(), Line{"acc", {}, {}});
    }
    if (is_epoch && is_me(*entry, member))
      entry->array->accumulate_only(patches, all, line.number("cache", default_cache));
  }
  entry->model.values = after;
  return true;
}

// put_all and write_epoch: every member puts its even share; with notify it tells the next, which reads it.
bool Run::put_all(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  settle(*entry);
  Model& model = entry->model;
  const int members = entry->members();
  std::vector<Selection> parts;
  std::vector<Values> values;
  for (int member = 0; member < members; ++member) {
    parts.push_back(*model.select(slab(model.extents, member, members)));
    values.push_back(random_values(seed_of(line, member, 0), parts.back().at.size(), model.is_complex()));
    for (std::size_t k = 0; k < values.back().size(); ++k) model.values[parts.back().at[k]] = values.back()[k];
  }
  if (entry->array)
    attempt([&] {
      const int me = my_number(*entry), before = (me + members - 1) % members;
      const auto mine = static_cast<std::size_t>(me), other = static_cast<std::size_t>(before);
      const Part slice = slab(model.extents, me, members);
      if (line.verb == "write_epoch") return entry->array->write_disjoint(slice, values[mine]);
      if (line.number("notify") == 0) return entry->array->put(slice, values[mine], "dense");
      Flags flags(groups_.at(entry->group).group, 1);
      entry->array->put_notify(slice, values[mine], flags.at((me + 1) % members, 0));
      flags.wait(0);
      compare(*entry, parts[other].at, entry->array->get(slab(model.extents, before, members), "dense"),
              values[other], "get after put_notify");
      flags.close();
    });
  settle(*entry);
  return true;
}

bool Run::fetch_add_all(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  const auto place = entry->model.place(line.numbers("at"));
  const index_t value = line.number("value", 1), times = line.number("count", 1),
                all = times * entry->members();
  if (!place || value < 1) return false;
  Number& here = entry->model.values[*place];
  const auto after = here + static_cast<double>(all * value);
  if (!is_exact({after})) return false;
  settle(*entry);
  if (entry->array)
    attempt([&] {
      double sum = 0, last = -1e300;
      for (index_t k = 0; k < times; ++k) {
        const double old = entry->array->fetch_add(line.numbers("at"), static_cast<double>(value)).real();
        if (old <= last) fail("fetch_add gives " + std::to_string(old) + " after " + std::to_string(last));
        sum += last = old;
      }
      sum = groups_.at(entry->group).group.all_reduce(sum, Reduce::sum);
      const double n = static_cast<double>(all), step = static_cast<double>(value);
      const double expected = n * here.real() + step * n * (n - 1) / 2;
      if (sum != expected)
        fail("all results of fetch_add on " + entry->name + " add up to " + std::to_string(sum) +
             ", expected " + std::to_string(expected));
    });
  here = after;
  settle(*entry);
  return true;
}

bool Run::locked_add_all(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  const Numbers at = line.numbers("at");
  const auto place = entry->model.place(at);
  if (!place) return false;
  const index_t times = line.number("count", 1);
  const Number after = entry->model.values[*place] + static_cast<double>(times * entry->members());
  if (!is_exact({after})) return false;
  settle(*entry);
  if (entry->array)
    attempt([&] {
      Mutexes mutexes(groups_.at(entry->group).group, 1);
      for (index_t k = 0; k < times; ++k) {
        mutexes.lock(0);
        entry->array->store(at, entry->array->load(at) + Number(1));
        mutexes.unlock(0);
      }
      mutexes.close();
    });
  entry->model.values[*place] = after;
  settle(*entry);
  return true;
}

bool Run::tasks(const Line& line) {
  const auto found = groups_.find(line.names[0]);
  if (found == groups_.end()) return false;
  if (!found->second.group) return true;
  attempt([&] {
    const Group& group = found->second.group;
    const index_t all = line.number("count");
    TaskCounter counter(group, all,
                        {.chunk = line.number("chunk", 1), .by_node = line.number("by_node", 1) != 0});
    std::vector<index_t> drawn(static_cast<std::size_t>(all));
    index_t last = -1;
    for_each_task(counter, [&](index_t task) {
      if (task <= last || task >= all)
        return fail("task " + std::to_string(task) + " after " + std::to_string(last));
      last = task;
      ++drawn[static_cast<std::size_t>(task)];
    });
    group.all_reduce(std::span(drawn), Reduce::sum);
    compare_values(Values(drawn.begin(), drawn.end()), Values(drawn.size(), 1),
                   "how often tasks were given out");
    counter.close();
  });
  return true;
}

}  // namespace tessera::stress::detail
