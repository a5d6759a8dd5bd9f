// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>

#include <tessera/runtime/mutexes.hpp>

#include "interpreter.hpp"
#include "on_threads.hpp"

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
    attempt([&] {
      entry->array->write_local([&](const Numbers& at) { return model.values[*model.place(at)]; },
                                line.word("how", "each"));
    });
  settle(*entry);
  return true;
}

namespace {

// What one member does in a line that all members run.
index_t seed_of(const Line& line, int member, std::size_t k) {
  return line.number("seed") * 1000 + member * 50 + static_cast<index_t>(k);
}
std::vector<Part> patches_of(const Line& line, const Model& model, int member) {
  std::vector<Part> patches;
  for (std::size_t k = 0; k < static_cast<std::size_t>(line.number("count", 1)); ++k)
    patches.push_back(random_patch(seed_of(line, member, k), model.extents));
  return patches;
}

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
  attempt([&] { compare(*entry, at, entry->array->get_read_only(patches, line), expected, "read_only"); });
  return true;
}

index_t Run::threads_of(const Line& line) const {
  return std::clamp<index_t>(line.number("threads", 1), 1, options_.threads);
}

// acc_all and acc_epoch: every member adds to patches of its own, which overlap those of others. In acc_all its
// threads share the patches.
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
    }
    if (!is_me(*entry, member)) continue;
    if (is_epoch) {
      entry->array->accumulate_only(patches, all, line);
      continue;
    }
    const index_t threads = threads_of(line);
    attempt([&] {
      on_threads(threads, [&](index_t thread) {
        for (auto k = static_cast<std::size_t>(thread); k < patches.size();
             k += static_cast<std::size_t>(threads))
          entry->array->accumulate(patches[k], all[k], Line{"acc", {}, {}});
      });
    });
  }
  entry->model.values = after;
  return true;
}

// put_all and write_epoch: every member puts its even share. With notify, it also notifies the next member,
// which then reads the share.
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
      if (line.verb == "write_epoch") return entry->array->write_disjoint(slice, values[mine], line);
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
  const index_t value = line.number("value", 1), times = line.number("count", 1), threads = threads_of(line),
                all = times * threads * entry->members();
  if (!place || value < 1) return false;
  Number& here = entry->model.values[*place];
  const auto after = here + static_cast<double>(all * value);
  if (!is_exact({after})) return false;
  settle(*entry);
  if (entry->array)
    attempt([&] {
      std::vector<Values> found(static_cast<std::size_t>(threads));
      on_threads(threads, [&](index_t thread) {
        for (index_t k = 0; k < times; ++k)
          found[static_cast<std::size_t>(thread)].push_back(
              entry->array->fetch_op(line.numbers("at"), Update::sum, static_cast<double>(value)));
      });
      double sum = 0;
      for (const Values& old : found) {
        for (std::size_t k = 0; k < old.size(); ++k) {
          sum += old[k].real();
          if (k > 0 && old[k].real() <= old[k - 1].real())
            fail("fetch_add gives " + std::to_string(old[k].real()) + " after " +
                 std::to_string(old[k - 1].real()));
        }
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

}  // namespace tessera::stress::detail
