// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <numeric>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/mutexes.hpp>
#include <tessera/tasks.hpp>

#include "interpreter.hpp"

// Lines that all members of a group run together.
namespace tessera::stress::detail {

bool Run::make_group(const Line& line) {
  const std::string& name = line.names[0];
  std::vector<int> ranks;
  for (const index_t rank : line.numbers("ranks"))
    if (rank >= 0 && rank < world_.size() && std::find(ranks.begin(), ranks.end(), rank) == ranks.end())
      ranks.push_back(static_cast<int>(rank));
  if (ranks.empty() || groups_.count(name) != 0) return false;
  const bool is_member = std::find(ranks.begin(), ranks.end(), world_.rank()) != ranks.end();
  const std::string by = line.word("by", "include");
  Members& members = groups_[name];
  if (by == "split") std::sort(ranks.begin(), ranks.end());
  members.ranks = ranks;
  if (by == "form") {
    if (is_member) members.group = world_.form(ranks, static_cast<int>(line.number("tag")));
  } else if (by == "split") {
    members.group = world_.split(is_member ? 0 : Group::no_color);
  } else {
    members.group = world_.include(ranks);
  }
  return true;
}

void Run::remove(const std::string& name, bool closes) {
  Entry& entry = arrays_.at(name);
  collect(entry);
  if (entry.array)
    attempt([&] {
      if (closes)
        entry.array->close();
      else
        entry.array->sync();  // a detached transfer needs its memory till then
    });
  arrays_.erase(name);
}

// Of an array, or of a group with all its arrays; or the destructor alone.
bool Run::close(const Line& line) {
  const std::string& name = line.names[0];
  if (find(name) != nullptr) {
    remove(name, line.verb == "close");
    return true;
  }
  const auto group = groups_.find(name);
  if (group == groups_.end() || name == "world") return false;
  for (auto& [other, entry] : arrays_)
    if (entry.group == name) collect(entry);
  if (group->second.group) attempt([&] { group->second.group.close(); });
  std::erase_if(arrays_, [&](const auto& array) { return array.second.group == name; });
  groups_.erase(group);
  return true;
}

void Run::fill(Entry& entry, index_t value) {
  const Line filling = Line{"fill", {entry.name}, {}}.set("alpha", value);
  if (entry.array) compute(entry.model.type, entry.model.extents.size(), filling, {{entry.array.get(), {}}});
  std::fill(entry.model.values.begin(), entry.model.values.end(), static_cast<double>(value));
  entry.model.settle();
}

bool Run::make_array(const Line& line) {
  const std::string& name = line.names[0];
  const std::string group = line.word("group", "world");
  const Numbers extents = line.numbers("extents");
  if (find(name) != nullptr || groups_.count(group) == 0 || extents.empty() || extents.size() > most_dimensions)
    return false;
  const Members& members = groups_.at(group);
  Entry entry;
  entry.name = name;
  entry.group = group;
  entry.ranks = members.ranks;
  entry.is_atomic_by_mpi = line.word("domain") == "mpi";
  entry.model.type = line.word("type", "double");
  entry.model.extents = extents;
  entry.model.ghosts = line.numbers("ghosts");
  entry.model.ghosts.resize(extents.size());
  for (const index_t is : line.numbers("periodic")) entry.model.periodic.push_back(is != 0);
  entry.model.periodic.resize(extents.size());
  entry.model.values.resize(count(extents));
  if (members.group)
    attempt([&] {
      try {
        entry.array = stress::make_array(members.group, name, line);
      } catch (const WindowError&) {
        if (!entry.is_atomic_by_mpi) throw;  // else there is no such domain here
      }
    });
  fill(arrays_[name] = std::move(entry), line.number("fill"));
  return true;
}

bool Run::duplicate(const Line& line) {
  Entry* from = find(line.names[0]);
  if (from == nullptr || find(line.names[1]) != nullptr) return false;
  Entry entry;
  entry.name = line.names[1];
  entry.group = from->group;
  entry.model = from->model;
  entry.ranks = from->ranks;
  entry.is_atomic_by_mpi = from->is_atomic_by_mpi;
  if (from->array) entry.array = from->array->duplicate(entry.name);
  fill(arrays_[line.names[1]] = std::move(entry), 0);
  return true;
}

bool Run::redistribute(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  const std::string layout = line.word("layout", "blocked");
  const bool has_ghosts = std::any_of(entry->model.ghosts.begin(), entry->model.ghosts.end(),
                                      [](index_t width) { return width != 0; });
  if (has_ghosts && layout != "blocked" && layout != "irregular") return false;
  collect(*entry);
  if (entry->array) entry->array->redistribute(line);
  entry->has_detached = false;
  entry->model.settle();
  return true;
}

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
    for (std::size_t k = 0; k < drawn.size(); ++k)
      if (drawn[k] != 1)
        fail("task " + std::to_string(k) + " was given out " + std::to_string(drawn[k]) + " times");
    counter.close();
  });
  return true;
}

namespace {

// Whether the boxes around two parts have elements in common: the library refuses parts in steps whose elements
// lie between each other's, too.
bool meet(const Model& model, const Places& a, const Places& b) {
  if (a.empty() || b.empty()) return false;
  for (std::size_t d = 0; d < model.extents.size(); ++d) {
    const auto bounds = [&](const Places& all) {
      std::pair<index_t, index_t> ends{model.extents[d], -1};
      for (const std::size_t place : all) {
        const index_t at = model.position(place)[d];
        ends = {std::min(ends.first, at), std::max(ends.second, at)};
      }
      return ends;
    };
    const auto one = bounds(a), other = bounds(b);
    if (one.second < other.first || other.second < one.first) return false;
  }
  return true;
}

}  // namespace

bool Run::whole(const Line& line) {
  static const char* const prefixes[] = {"x.", "y.", "z."};
  std::vector<Entry*> entries;
  std::vector<Selection> chosen;
  std::vector<Operand> operands;
  std::vector<Values> values;
  for (std::size_t k = 0; k < line.names.size(); ++k) {
    Entry* entry = find(line.names[k]);
    if (entry == nullptr) return false;
    const Part part = part_of(line, prefixes[k]);
    const auto selection = entry->model.select(part);
    if (!selection || entry->group != (k == 0 ? entry : entries[0])->group ||
        entry->model.type != (k == 0 ? entry : entries[0])->model.type)
      return false;
    const bool fits =
        k == 0 || (line.verb == "reshape" ? selection->at.size() == chosen[0].at.size() &&
                                                selection->extents.size() == chosen[0].extents.size()
                                          : selection->extents == chosen[0].extents);
    if (!fits) return false;
    Values here;
    for (const std::size_t place : selection->at) here.push_back(entry->model.values[place]);
    entries.push_back(entry);
    chosen.push_back(*selection);
    operands.push_back({entry->array.get(), part});
    values.push_back(here);
  }
  const auto expected = effect(line, entries[0]->model, values, chosen[0].extents);
  if (!expected) return false;
  // What is written shares elements with another operand at the same positions only.
  for (std::size_t k = 0; k + 1 < entries.size() && expected->written; ++k) {
    if (entries[k] != entries.back()) continue;
    const Part &part = operands[k].part, &last = operands.back().part;
    if (chosen[k].at == chosen.back().at && part.order == last.order && part.fix == last.fix) continue;
    if (line.verb != "copy" && line.verb != "permute" &&
        meet(entries[k]->model, chosen[k].at, chosen.back().at))
      return false;
  }
  // Where MPI has no atomic domain, members lack those arrays that should have it.
  const auto present =
      std::count_if(operands.begin(), operands.end(), [](const Operand& one) { return one.array != nullptr; });
  const bool is_member = present == static_cast<std::ptrdiff_t>(operands.size());
  if (present > 0 && !is_member) return false;
  for (Entry* entry : entries) collect(*entry);
  if (is_member)
    attempt([&] {
      const Values result = compute(entries[0]->model.type, chosen[0].extents.size(), line, operands);
      if (expected->written) return;
      Values right = expected->result;
      if (line.verb == options_.broken && !right.empty()) right[0] += 1;
      for (std::size_t k = 0; k < right.size(); ++k) {
        const double error = std::abs(result.at(k) - right[k]);
        if (expected->is_rounded ? error <= 1e-5 * std::abs(right[k]) : error == 0) continue;
        fail(line.verb + " gives " + std::to_string(result[k].real()) + " " + std::to_string(result[k].imag()) +
             ", expected " + std::to_string(right[k].real()) + " " + std::to_string(right[k].imag()));
      }
    });
  if (expected->written)
    for (std::size_t k = 0; k < chosen.back().at.size(); ++k)
      entries.back()->model.values[chosen.back().at[k]] = (*expected->written)[k];
  for (Entry* entry : entries)
    if (!entry->has_detached) entry->model.settle();
  return true;
}

}  // namespace tessera::stress::detail
