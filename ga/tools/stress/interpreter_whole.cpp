// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>

#include "interpreter.hpp"

// Operations on whole arrays and slices.
namespace tessera::stress::detail {

namespace {

// Whether the bounding boxes of two parts overlap. The library also refuses parts in steps whose elements only
// lie between each other's.
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

// The elements of a part, if an operation can take it. Of records it takes only whole ones.
std::optional<Selection> select_operand(const Model& model, const Part& part) {
  if (!model.is_record()) return model.select(part);
  const std::size_t dimensions = model.extents.size() - 1;
  if (!part.fix.empty() && (dimensions < 2 || part.fix[0] >= static_cast<index_t>(dimensions))) return {};
  const auto last = static_cast<index_t>(dimensions) - (part.fix.empty() ? 0 : 1);
  const bool has_all =
      (part.lo.empty() || (part.lo.back() == 0 && !part.hi.empty() && part.hi.back() == record_members)) &&
      (part.step.empty() || part.step.back() == 1) && (part.order.empty() || part.order.back() == last);
  return has_all ? model.select(part) : std::nullopt;
}

// Whether the last operand fits the first.
bool fits(const Line& line, const std::vector<Selection>& chosen, std::size_t members) {
  const std::string& verb = line.verb;
  const Numbers &first = chosen[0].extents, &other = chosen.back().extents;
  const std::size_t dimensions = other.size() - members;
  if (verb == "reshape")
    return chosen[0].at.size() == chosen.back().at.size() && (other.size() == first.size() || dimensions == 1);
  if (verb == "transpose")
    return first.size() == other.size() && dimensions == 2 && first[0] == other[1] && first[1] == other[0];
  const bool gets = verb == "get_diagonal";
  const Numbers &matrix = gets ? first : other, &vector = gets ? other : first;
  const bool is_pair = matrix.size() == 2 && vector.size() == 1;
  if (verb == "scale_rows") return is_pair && vector[0] == matrix[0];
  if (verb == "scale_columns") return is_pair && vector[0] == matrix[1];
  if (gets || verb == "set_diagonal" || verb == "add_diagonal")
    return is_pair && vector[0] == std::min(matrix[0], matrix[1]);
  return first == other;
}

}  // namespace

// Checks random elements, which the model cannot predict: whole numbers within bounds, the same on all ranks.
// Returns them.
Values Run::drawn(const Entry& entry, Values found, std::size_t size) {
  found.resize(size);
  const Values own = found;
  world_.broadcast(std::span(found), entry.ranks[0]);
  if (entry.array && own != found) fail("randomize gives the ranks different elements");
  const bool is_within = std::all_of(found.begin(), found.end(), [&](const Number& value) {
    return std::abs(value.real()) <= 9 && std::abs(value.imag()) <= 4 &&
           value.imag() == std::floor(value.imag()) && (entry.model.is_complex() || value.imag() == 0);
  });
  if (!is_within || !is_exact(found)) fail("randomize gives elements that are out of bounds");
  return found;
}

bool Run::whole(const Line& line) {
  static const char* const prefixes[] = {"x.", "y.", "z.", "w."};
  std::vector<Entry*> entries;
  std::vector<Selection> chosen;
  std::vector<Operand> operands;
  std::vector<Values> values;
  std::vector<Numbers> extents;
  std::size_t most = 0;
  for (std::size_t k = 0; k < line.names.size(); ++k) {
    Entry* entry = find(line.names[k]);
    if (entry == nullptr) return false;
    const Part part = part_of(line, prefixes[k]);
    const auto selection = select_operand(entry->model, part);
    if (!selection || entry->group != (k == 0 ? entry : entries[0])->group ||
        entry->model.type != (k == 0 ? entry : entries[0])->model.type)
      return false;
    const std::size_t members = entry->model.is_record() ? 1 : 0;
    chosen.push_back(*selection);
    if (k > 0 && !fits(line, chosen, members)) return false;
    Values here;
    for (const std::size_t place : selection->at) here.push_back(entry->model.values[place]);
    entries.push_back(entry);
    operands.push_back({entry->array.get(), part, selection->extents.size() - members});
    values.push_back(here);
    extents.push_back(selection->extents);
    most = std::max(most, operands.back().dimensions);
  }
  auto expected = line.verb == "randomize" ? std::optional(Effect{values[0], {}, false})
                                           : effect(line, entries[0]->model, values, extents);
  if (!expected) return false;
  // The written operand may share elements with another operand only at the same positions.
  for (std::size_t k = 0; k + 1 < entries.size() && expected->written; ++k) {
    if (entries[k] != entries.back()) continue;
    const Part &part = operands[k].part, &last = operands.back().part;
    if (chosen[k].at == chosen.back().at && part.order == last.order && part.fix == last.fix) continue;
    if (line.verb != "copy" && line.verb != "permute" &&
        meet(entries[k]->model, chosen[k].at, chosen.back().at))
      return false;
  }
  // If MPI has no atomic domain, arrays that ask for it are null on their members too.
  const auto present =
      std::count_if(operands.begin(), operands.end(), [](const Operand& one) { return one.array != nullptr; });
  const bool is_member = present == static_cast<std::ptrdiff_t>(operands.size());
  if (present > 0 && !is_member) return false;
  for (Entry* entry : entries) collect(*entry);
  Values result;
  if (is_member)
    attempt([&] {
      result = compute(entries[0]->model.type, most, line, operands);
      if (line.verb == "randomize") return;
      Values right = expected->result;
      if (line.verb == options_.broken && !right.empty()) right[0] += 1;
      for (std::size_t k = 0; k < right.size(); ++k) {
        const double error = std::abs(result.at(k) - right[k]);
        if (expected->is_rounded ? error <= 1e-5 * std::abs(right[k]) : error == 0) continue;
        fail(line.verb + " gives " + std::to_string(result[k].real()) + " " + std::to_string(result[k].imag()) +
             ", expected " + std::to_string(right[k].real()) + " " + std::to_string(right[k].imag()));
      }
    });
  if (line.verb == "randomize") expected->written = drawn(*entries[0], result, chosen[0].at.size());
  if (expected->written)
    for (std::size_t k = 0; k < chosen.back().at.size(); ++k)
      entries.back()->model.values[chosen.back().at[k]] = (*expected->written)[k];
  for (Entry* entry : entries)
    if (!entry->has_detached) entry->model.settle();
  return true;
}

}  // namespace tessera::stress::detail
