// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <set>
#include <tuple>

#include "generator_lines.hpp"

// Lines of operations on whole arrays and slices.
namespace tessera::stress {

bool Generator::add_part(Line& line, const std::string& prefix, const Sketch& array, const Numbers& wanted) {
  Numbers extents = array.extents;
  if (array.is_record()) extents.pop_back();
  if (extents.size() == wanted.size() + 1) {
    const auto d = static_cast<std::size_t>(pick(0, static_cast<index_t>(extents.size()) - 1));
    if (extents[d] == 0) return false;
    line.set(prefix + "fix", Numbers{static_cast<index_t>(d), pick(0, extents[d] - 1)});
    extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(d));
  }
  if (extents.size() != wanted.size()) return false;
  if (extents == wanted && chance(40)) return true;
  Numbers order(wanted.size()), lo(order), hi(order), step(order);
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = static_cast<index_t>(d);
  bool is_plain = true;
  for (int tries = 0; tries < 4; ++tries) {
    Numbers other = order;
    if (tries < 3 && chance(60)) shuffle(other);
    bool fits = true;
    for (std::size_t k = 0; k < wanted.size(); ++k)
      fits &= wanted[k] <= extents[static_cast<std::size_t>(other[k])];
    if (!fits) {
      if (tries == 3) return false;
      continue;
    }
    is_plain = other == order;
    order = other;
    break;
  }
  bool in_steps = false;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const auto d = static_cast<std::size_t>(order[k]);
    step[d] = wanted[k] > 0 && extents[d] / wanted[k] > 1 && chance(50) ? pick(1, extents[d] / wanted[k]) : 1;
    const index_t length = wanted[k] == 0 ? 0 : (wanted[k] - 1) * step[d] + 1;
    lo[d] = pick(0, extents[d] - length);
    hi[d] = lo[d] + length;
    in_steps |= step[d] > 1;
  }
  if (array.is_record()) {  // with all their members
    lo.push_back(0);
    hi.push_back(record_members);
    step.push_back(1);
    order.push_back(static_cast<index_t>(order.size()));
  }
  line.set(prefix + "lo", lo).set(prefix + "hi", hi);
  if (in_steps) line.set(prefix + "step", step);
  if (!is_plain) line.set(prefix + "order", order);
  return true;
}

namespace {

bool needs_vectors(const std::string& verb) {
  static const std::set<std::string> all{"scan",    "sort", "segmented_scan", "spread", "pack", "unpack",
                                         "sort_by", "bin",  "enumerate"};
  return all.count(verb) != 0;
}
bool needs_matrices(const std::string& verb) {
  return verb == "transpose" || verb == "symmetrise" || verb == "scale_rows" || verb == "scale_columns" ||
         verb.find("diagonal") != std::string::npos;
}

}  // namespace

// Derived from the extents of the last operand.
bool Generator::add_extents(const std::string& verb, std::vector<Numbers>& wanted) {
  const Numbers last = wanted.back();
  if (needs_vectors(verb)) return last.size() == 1;
  if (!needs_matrices(verb)) return true;
  if (last.size() != 2) return false;
  const Numbers diagonal{std::min(last[0], last[1])};
  if (verb == "transpose") wanted[0] = {last[1], last[0]};
  if (verb == "symmetrise") wanted[0] = {diagonal[0], diagonal[0]};
  if (verb == "get_diagonal") wanted[1] = diagonal;
  if (verb == "set_diagonal" || verb == "add_diagonal") wanted[0] = diagonal;
  if (verb == "scale_rows") wanted[0] = {last[0]};
  if (verb == "scale_columns") wanted[0] = {last[1]};
  return true;
}

void Generator::add_whole() {
  static const std::vector<std::pair<std::string, std::size_t>> all(whole_operations().begin(),
                                                                    whole_operations().end());
  const Sketch last = one_of(arrays_);
  auto [verb, operands] = one_of(all);
  for (int tries = 0; last.is_record() && !suits_records(verb) && tries < 30; ++tries)
    std::tie(verb, operands) = one_of(all);
  if (verb == "bin" && last.type != "int64") return;
  Line line{verb, {}, {}};
  Numbers extents = last.extents;
  if (last.is_record()) extents.pop_back();
  const std::size_t most = needs_vectors(verb) ? 1 : needs_matrices(verb) ? 2 : extents.size();
  if (extents.size() > 1 && (chance(20) || extents.size() == most + 1))
    extents.erase(extents.begin() + pick(0, static_cast<index_t>(extents.size()) - 1));
  if (chance(50))
    for (index_t& extent : extents) extent = chance(60) ? extent : pick(0, extent);
  std::vector<Numbers> wanted(operands, extents);
  if (!add_extents(verb, wanted)) return;
  static const char* const prefixes[] = {"x.", "y.", "z.", "w."};
  for (std::size_t k = 0; k < operands; ++k) {
    for (int tries = 0;; ++tries) {
      const Sketch& array = k + 1 == operands && tries < 4 ? last : one_of(arrays_);
      Line with = line;
      with.names.push_back(array.name);
      if (array.type == last.type && array.group == last.group &&
          add_part(with, prefixes[k], array, wanted[k])) {
        line = with;
        break;
      }
      if (tries > 12 && !add_operand(line, last, wanted[k])) return;
      if (tries > 12) break;
    }
  }
  add_settings(line, last.is_integer());
  if (verb == "divide" || verb == "reciprocal") {  // make the divisors not 0
    const std::string by = verb == "divide" ? "y." : "x.";
    Line filling{"fill", {line.names[verb == "divide" ? 1 : 0]}, {}};
    for (const char* const key : {"lo", "hi", "step", "order", "fix"})
      if (line.has(by + key)) filling.set(std::string("x.") + key, line.word(by + key));
    script_.push_back(filling.set("alpha", chance(50) ? 1 : last.is_integer() ? pick(2, 5) : -1));
  }
  script_.push_back(line);
}

// Makes a new array that fits, for verbs whose operands differ in their extents: few existing arrays fit those.
// Returns whether it has made one.
bool Generator::add_operand(Line& line, const Sketch& like, const Numbers& extents) {
  constexpr std::size_t max_arrays = 8;
  if (!(needs_vectors(line.verb) || needs_matrices(line.verb)) || arrays_.size() >= max_arrays) return false;
  Sketch array{"a" + std::to_string(++named_), like.type, like.group, extents};
  describe(array);
  if (array.is_record()) array.extents.push_back(record_members);
  arrays_.push_back(array);
  line.names.push_back(array.name);
  return true;
}

// Adds the settings that the verb takes beside its operands.
void Generator::add_settings(Line& line, bool is_integer) {
  static const std::set<std::string> with_alpha{"fill",           "scale",          "add_constant",
                                                "clamp",          "enumerate",      "axpby",
                                                "axpby_in_place", "shift_diagonal", "fill_diagonal"};
  static const std::set<std::string> with_seed{"segmented_scan", "spread", "pack",     "unpack",
                                               "sort_by",        "bin",    "randomize"};
  const std::string verb = line.verb;
  if (verb == "reduce")
    line.set("op", is_integer ? word({"sum", "min", "max", "bit_and", "bit_or", "bit_xor", "logical_and",
                                      "logical_or"})
                              : word({"sum", "min", "max"}));
  if (verb == "scan" || verb == "segmented_scan")
    line.set("kind", pick(0, 1)).set("op", word({"sum", "sum", "sum", "min", "max", "product"}));
  if (with_alpha.count(verb) != 0) line.set("alpha", verb == "clamp" ? pick(-8, 0) : pick(-3, 3));
  if (verb == "clamp" || verb == "enumerate" || verb.find("axpby") == 0)
    line.set("beta", verb == "clamp" ? pick(0, 8) : pick(-2, 2));
  if (with_seed.count(verb) != 0) line.set("seed", seed());
  if (verb == "bin") line.set("count", pick(0, 300));
}

void Generator::add_multiply_sparse() {
  for (int tries = 0; tries < 6; ++tries) {
    const Sketch &x = one_of(arrays_), &y = one_of(arrays_);
    const std::size_t rank = x.extents.size();
    if (x.is_record() || x.type != y.type || x.group != y.group || rank > 2 || y.extents.size() != rank ||
        (rank == 2 && x.extents[1] != y.extents[1]))
      continue;
    say("multiply_sparse", {x.name, y.name}).set("seed", seed()).set("count", pick(0, 60));
    return;
  }
}

}  // namespace tessera::stress
