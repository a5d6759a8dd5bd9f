// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>

#include <tessera/runtime/error.hpp>

#include "interpreter.hpp"

// Lines that one member of a group runs.
namespace tessera::stress::detail {

namespace {

// The elements that a line moves, if the array has such a part. In an array of records, a patch may have only
// some of the members. Other parts have whole records.
auto selected(const Entry* entry, const Part& part) {
  using Selected = decltype(entry->model.select(part));
  const bool is_patch = part.step.empty() && part.order.empty();
  if (entry == nullptr || !part.fix.empty()) return Selected();
  if (!entry->model.is_record() || is_patch) return entry->model.select(part);
  const auto last = static_cast<index_t>(entry->model.extents.size()) - 1;
  const bool has_all =
      (part.lo.empty() || part.lo.back() == 0) && (part.hi.empty() || part.hi.back() == record_members) &&
      (part.step.empty() || part.step.back() == 1) && (part.order.empty() || part.order.back() == last);
  return has_all ? entry->model.select(part) : Selected();
}

}  // namespace

bool Run::put(const Line& line) {
  Entry* entry = find(line.names[0]);
  const Part part = part_of(line, "");
  const auto chosen = selected(entry, part);
  if (!chosen) return false;
  const std::string how = line.word("how", "dense");
  const bool stays_away = how == "async" || how == "detached";
  const int member = author(*entry, line);
  prepare(*entry, chosen->at, member, stays_away ? writes | travels : writes);
  const Values values = random_values(line.number("seed"), chosen->at.size(), entry->model.is_complex());
  for (std::size_t k = 0; k < values.size(); ++k) entry->model.values[chosen->at[k]] = values[k];
  if (is_me(*entry, member)) entry->array->put(part, values, how);
  entry->has_detached |= how == "detached";
  return true;
}

bool Run::get(const Line& line) {
  Entry* entry = find(line.names[0]);
  const Part part = part_of(line, "");
  const auto chosen = selected(entry, part);
  if (!chosen) return false;
  const std::string how = line.word("how", "dense");
  const int member = author(*entry, line);
  prepare(*entry, chosen->at, member, how == "async" ? reads | travels : reads);
  if (!is_me(*entry, member)) return true;
  Values expected;
  for (const std::size_t k : chosen->at) expected.push_back(entry->model.values[k]);
  const Values found = entry->array->get(part, how);
  if (how == "async")
    entry->awaited.emplace_back(chosen->at, expected);
  else
    compare(*entry, chosen->at, found, expected, "get");
  return true;
}

bool Run::accumulate(const Line& line) {
  Entry* entry = find(line.names[0]);
  const Part part = part_of(line, "");
  const auto chosen = selected(entry, part);
  if (!chosen) return false;
  const std::string how = line.word("how", "dense"), op = line.word("op", "sum");
  if (entry->model.is_record() && !(part.step.empty() && part.order.empty())) return false;
  if (op != "sum" && (entry->model.is_complex() || entry->model.is_record() || part.lo.empty() ||
                      !part.step.empty() || !part.order.empty()))
    return false;
  const bool stays_away = op == "sum" && (how == "async" || how == "detached");
  const auto alpha = static_cast<double>(line.number("alpha", 1));
  const Values values = random_values(line.number("seed"), chosen->at.size(), entry->model.is_complex());
  Values after = entry->model.values;
  for (std::size_t k = 0; k < values.size(); ++k) {
    Number& here = after[chosen->at[k]];
    if (op == "min") here = std::min(here.real(), values[k].real());
    if (op == "max") here = std::max(here.real(), values[k].real());
    if (op == "sum") here += alpha * values[k];
  }
  if (!is_exact(after)) return false;
  const int member = author(*entry, line);
  const int use = op == "min" ? lessens : op == "max" ? raises : stays_away ? adds | travels : adds;
  prepare(*entry, chosen->at, member, static_cast<std::uint8_t>(use));
  entry->model.values = after;
  if (is_me(*entry, member)) entry->array->accumulate(part, values, line);
  entry->has_detached |= stays_away && how == "detached";
  return true;
}

bool Run::periodic(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  const Part part = part_of(line, "");
  const auto chosen = entry->model.select_periodic(part);
  if (!chosen) return false;
  const bool puts = line.verb == "put_periodic", gets = line.verb == "get_periodic";
  if (entry->model.is_record() && (part.lo.back() != 0 || part.hi.back() != record_members)) return false;
  for (std::size_t d = 0; d < part.lo.size() && puts; ++d)
    if (part.hi[d] - part.lo[d] > entry->model.extents[d]) return false;
  const Values values = random_values(line.number("seed"), chosen->at.size(), entry->model.is_complex());
  const index_t alpha = line.number("alpha", 1);
  Values after = entry->model.values, expected;
  for (std::size_t k = 0; k < values.size(); ++k) {
    Number& here = after[chosen->at[k]];
    expected.push_back(here);
    if (!gets) here = puts ? values[k] : here + static_cast<double>(alpha) * values[k];
  }
  if (!is_exact(after)) return false;
  const int member = author(*entry, line);
  prepare(*entry, chosen->at, member, gets ? reads : puts ? writes : adds);
  entry->model.values = after;
  if (!is_me(*entry, member)) return true;
  if (puts) entry->array->put_periodic(part, values);
  if (gets) compare(*entry, chosen->at, entry->array->get_periodic(part), expected, "get_periodic");
  if (!puts && !gets) entry->array->acc_periodic(part, values, alpha);
  return true;
}

bool Run::list(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr || entry->model.values.empty()) return false;
  const index_t seed = line.number("seed");
  const VectorOptions options(static_cast<VectorMethod>(std::abs(line.number("method")) % 4),
                              std::abs(line.number("batch", 0)));
  const bool puts_records = line.verb == "scatter" && entry->model.is_record();  // whole records
  const std::size_t members = puts_records ? record_members : 1;
  Places at;
  for (std::size_t k = 0; k < static_cast<std::size_t>(line.number("count", 1)); ++k) {
    const auto place =
        static_cast<std::size_t>(random_below(seed, k, static_cast<index_t>(entry->model.values.size())));
    const std::size_t first = place - place % members;
    if (line.verb == "scatter" && std::find(at.begin(), at.end(), first) != at.end()) continue;
    for (std::size_t f = 0; f < members; ++f) at.push_back(first + f);
  }
  std::vector<Numbers> where;
  for (const std::size_t place : at) where.push_back(entry->model.position(place));
  const Values values = random_values(seed + 1, at.size(), entry->model.is_complex());
  const index_t alpha = line.number("alpha", 1);
  Values after = entry->model.values, expected;
  for (std::size_t k = 0; k < at.size(); ++k) {
    expected.push_back(entry->model.values[at[k]]);
    if (line.verb == "scatter") after[at[k]] = values[k];
    if (line.verb == "scatter_acc") after[at[k]] += static_cast<double>(alpha) * values[k];
  }
  if (!is_exact(after)) return false;
  const int member = author(*entry, line);
  prepare(*entry, at, member, line.verb == "gather" ? reads : line.verb == "scatter" ? writes : adds);
  entry->model.values = after;
  if (!is_me(*entry, member)) return true;
  if (line.verb == "gather") compare(*entry, at, entry->array->gather(where, options), expected, "gather");
  if (line.verb == "scatter") entry->array->scatter(where, values, options);
  if (line.verb == "scatter_acc") entry->array->scatter_acc(where, values, alpha, options);
  return true;
}

bool Run::one_element(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  const Numbers at = line.numbers("at");
  const auto place = entry->model.place(at);
  if (!place) return false;
  const std::string& verb = line.verb;
  const bool compares = verb == "compare_exchange";
  if (compares && (!entry->model.is_integer() || entry->is_atomic_by_mpi)) return false;
  const Number value = random_values(line.number("seed"), 1, entry->model.is_complex())[0];
  const Number before = entry->model.values[*place];
  const bool is_same = line.number("same", 1) != 0;
  Update update = verb == "fetch_add" ? Update::sum : Update::replace;
  for (const Update one : {Update::min, Update::max, Update::bit_and, Update::bit_or, Update::bit_xor})
    if (verb == "fetch_op" && line.word("op") == to_string(one)) update = one;
  if (!has_update(entry->model, update)) return false;
  Number after = verb == "load" ? before : updated(update, before, value);
  if (compares && !is_same) after = before;
  if (!is_exact({after})) return false;
  const int member = author(*entry, line);
  prepare(*entry, {*place}, member, verb == "load" ? reads : verb == "store" ? writes : writes | adds);
  entry->model.values[*place] = after;
  if (!is_me(*entry, member)) return true;
  Number found = before;
  if (verb == "store") entry->array->store(at, value);
  if (verb == "load") found = entry->array->load(at);
  if (verb == "fetch_add" || verb == "exchange" || verb == "fetch_op")
    found = entry->array->fetch_op(at, update, value);
  if (compares) found = entry->array->compare_exchange(at, is_same ? before : before + Number(1), value);
  if (verb != "store") compare(*entry, {*place}, {found}, {before}, verb);
  return true;
}

bool Run::outside(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  Numbers at(entry->model.extents.size(), 0);
  const std::size_t dimensions = at.size() - (entry->model.is_record() ? 1 : 0);
  const std::size_t d = static_cast<std::size_t>(std::abs(line.number("dimension"))) % dimensions;
  at[d] = entry->model.extents[d];
  if (!is_me(*entry, author(*entry, line))) return true;
  try {
    entry->array->load(at);
    fail("load of " + entry->name + " outside the array throws no error");
  } catch (const UsageError&) {
  }
  return true;
}

bool Run::wait(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry != nullptr) collect(*entry, line.word("how"));
  return entry != nullptr;
}

bool Run::flush(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  const int rank = line.has("rank") ? static_cast<int>(line.number("rank") % entry->members()) : -1;
  if (is_me(*entry, author(*entry, line))) entry->array->flush(rank);
  return true;
}

}  // namespace tessera::stress::detail
