// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>

#include "interpreter.hpp"

// Batches. They reach elements without the array, in the segment that the array was made in, or in which the
// runtime finds it.
namespace tessera::stress::detail {

// All ranks of the world learn where the elements of an array lie.
bool Run::has_cells(Entry& entry) {
  if (entry.model.is_record() || entry.model.values.empty()) return false;
  if (!entry.stored.empty()) return true;
  const int first = entry.ranks[0];
  if (world_.broadcast(static_cast<int>(entry.array != nullptr), first) == 0) return false;
  const std::size_t size = entry.model.values.size(), members = entry.ranks.size();
  Numbers table(2 * size + members);
  if (entry.array) {
    attempt([&] {
      for (const Stored& one : entry.array->stored(*options_.runtime)) {
        const std::size_t place = *entry.model.place(one.at);
        table[2 * place] = one.rank;
        table[2 * place + 1] = one.number;
      }
      if (entry.array->memory(*options_.runtime) != nullptr)
        table[2 * size + static_cast<std::size_t>(my_number(entry))] = 1;
    });
    groups_.at(entry.group).group.all_reduce(std::span(table), Reduce::sum);
  }
  world_.broadcast(std::span(table), first);
  for (std::size_t place = 0; place < size; ++place)
    entry.stored.push_back({table[2 * place], table[2 * place + 1], place});
  std::sort(entry.stored.begin(), entry.stored.end());
  entry.reaches.assign(table.begin() + static_cast<std::ptrdiff_t>(2 * size), table.end());
  return true;
}

namespace {

using Kind = BatchStep::Kind;

// A step of a batch, the places it works on, and what those hold before it.
struct Planned {
  Entry* entry;
  BatchStep step;
  Places at;
  Values before;
  bool reads() const { return step.kind != Kind::put && step.kind != Kind::acc; }
};

// Up to `most` contiguous cells, from a random one on.
Places random_run(const Entry& entry, index_t seed, index_t most, BatchStep& step) {
  const auto& cells = entry.stored;
  auto k = static_cast<std::size_t>(random_below(seed, 0, static_cast<index_t>(cells.size())));
  step.rank = static_cast<int>(cells[k].rank);
  step.first = cells[k].number;
  Places at{cells[k].place};
  for (; k + 1 < cells.size() && static_cast<index_t>(at.size()) < most; ++k) {
    if (cells[k + 1].rank != cells[k].rank || cells[k + 1].number != cells[k].number + 1) break;
    at.push_back(cells[k + 1].place);
  }
  return at;
}

// The step that a seed stands for. Changes `model` to the values after it.
Planned plan(Entry& entry, index_t seed, bool only_adds, Values& model) {
  static constexpr Kind kinds[] = {Kind::acc, Kind::fetch_op, Kind::put, Kind::get};
  static constexpr Update updates[] = {Update::sum,     Update::replace, Update::min,    Update::max,
                                       Update::bit_and, Update::bit_or,  Update::bit_xor};
  Planned planned{&entry, {kinds[random_below(seed, 1, only_adds ? 2 : 4)], 0, 0, {}}, {}, {}};
  BatchStep& step = planned.step;
  const Update update = updates[random_below(seed, 5, only_adds ? 1 : 7)];
  step.update = has_update(entry.model, update) ? update : Update::sum;
  const bool is_single = step.kind == Kind::fetch_op;
  const index_t most = is_single ? 1 : random_below(seed, 2, random_below(seed, 3, 8) == 0 ? 300 : 6) + 1;
  planned.at = random_run(entry, seed, most, step);
  step.values = random_values(seed, planned.at.size(), entry.model.is_complex());
  if (step.kind == Kind::acc) step.alpha = random_below(seed, 4, 5) - 2;
  for (std::size_t k = 0; k < planned.at.size(); ++k) {
    Number& here = model[planned.at[k]];
    planned.before.push_back(here);
    if (step.kind == Kind::put) here = step.values[k];
    if (step.kind == Kind::acc) here += static_cast<double>(step.alpha) * step.values[k];
    if (step.kind == Kind::fetch_op) here = updated(step.update, here, step.values[k]);
  }
  return planned;
}

index_t seed_of(const Line& line, int member, index_t k) {
  return line.number("seed") * 1000 + member * 100 + k;
}

// Carries out the steps in one batch, which is sometimes also sent between them.
void carry_out(const std::vector<Planned>& plans, const std::string& how, index_t seed,
               const Runtime& runtime) {
  for (const Planned& one : plans) one.entry->array->flush(-1);
  {
    Batch batch;
    for (std::size_t k = 0; k < plans.size(); ++k) {
      plans[k].entry->array->memory(runtime)->add(batch, plans[k].step);
      if (random_below(seed, k, 12) == 0) batch.send();
    }
    if (how == "send") batch.send();
    if (how == "async") batch.send_async().wait();
  }  // how == "drop": the destructor sends here
  for (const Planned& one : plans) one.entry->array->memory(runtime)->flush();
}

}  // namespace

// All kinds of operations by one member, on two arrays or twice the same.
bool Run::batch(const Line& line) {
  Entry* const entries[] = {find(line.names[0]), find(line.names[1])};
  for (Entry* entry : entries)
    if (entry == nullptr || entry->group != entries[0]->group || !has_cells(*entry)) return false;
  const int member = author(*entries[0], line);
  for (const Entry* entry : entries)
    if (entry->reaches[static_cast<std::size_t>(member)] == 0) return false;
  const index_t seed = line.number("seed");
  std::map<Entry*, Values> after;
  for (Entry* entry : entries) after[entry] = entry->model.values;
  std::vector<Planned> plans;
  for (index_t k = 0; k < line.number("count", 1); ++k) {
    Entry& entry = *entries[random_below(seed, static_cast<std::size_t>(k), 2)];
    plans.push_back(plan(entry, seed_of(line, 0, k), false, after[&entry]));
  }
  for (const auto& [entry, values] : after)
    if (!is_exact(values)) return false;
  for (Entry* entry : entries) {
    Places at;  // all at once: a synchronisation forgets what was noted before it
    for (const Planned& one : plans)
      if (one.entry == entry) at.insert(at.end(), one.at.begin(), one.at.end());
    prepare(*entry, at, member, writes);
  }
  for (auto& [entry, values] : after) entry->model.values = values;
  if (!is_me(*entries[0], member)) return true;
  attempt([&] {
    carry_out(plans, line.word("how", "send"), seed, *options_.runtime);
    std::map<Entry*, std::vector<Values>> found;
    std::map<Entry*, std::size_t> compared;
    for (auto& [entry, values] : after) found[entry] = entry->array->memory(*options_.runtime)->results();
    for (const Planned& one : plans)
      if (one.reads())
        compare(*one.entry, one.at, found[one.entry].at(compared[one.entry]++), one.before, "batch");
  });
  return true;
}

// Every member adds to runs of elements that overlap those of others.
bool Run::batch_all(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr || !has_cells(*entry) || std::count(entry->reaches.begin(), entry->reaches.end(), 0) > 0)
    return false;
  Values after = entry->model.values;
  std::vector<Planned> mine;
  for (int member = 0; member < entry->members(); ++member) {
    for (index_t k = 0; k < line.number("count", 1); ++k) {
      const Planned one = plan(*entry, seed_of(line, member, k), true, after);
      if (is_me(*entry, member)) mine.push_back(one);
    }
  }
  if (!is_exact(after)) return false;
  settle(*entry);
  if (entry->array)
    attempt([&] {
      carry_out(mine, "send", line.number("seed"), *options_.runtime);
      entry->array->memory(*options_.runtime)->results();  // not compared: they depend on the order of members
    });
  entry->model.values = after;
  settle(*entry);
  return true;
}

}  // namespace tessera::stress::detail
