// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>

#include "interpreter.hpp"

// Operations on whole arrays and slices.
namespace tessera::stress::detail {

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
