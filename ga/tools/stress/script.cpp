// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "script.hpp"

#include <istream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace tessera::stress {

namespace {

const std::string part_settings =
    " x.lo x.hi x.step x.order x.fix y.lo y.hi y.step y.order y.fix"
    " z.lo z.hi z.step z.order z.fix w.lo w.hi w.step w.order w.fix alpha beta op kind seed count ";

std::map<std::string, std::string> make_verbs() {
  const std::string patch = " by lo hi step order seed how ";
  const std::string layout =
      " layout grid min_block block starts0 starts1 starts2 starts3 starts4 starts5 starts6 starts7 cuts "
      "owners on"
      " storage column ";
  std::map<std::string, std::string> all{
      {"group", " ranks by tag "},
      {"close", " "},
      {"drop", " "},
      {"array", layout + "type extents group ghosts periodic domain fill memory "},
      {"duplicate", " "},
      {"redistribute", layout},
      {"put", patch},
      {"get", patch},
      {"acc", patch + "alpha op "},
      {"put_periodic", patch},
      {"get_periodic", patch},
      {"acc_periodic", patch + "alpha "},
      {"gather", " by seed count method batch "},
      {"scatter", " by seed count method batch "},
      {"scatter_acc", " by seed count alpha method batch "},
      {"store", " by at seed "},
      {"load", " by at seed "},
      {"fetch_add", " by at seed "},
      {"exchange", " by at seed "},
      {"fetch_op", " by at seed op "},
      {"compare_exchange", " by at seed same "},
      {"outside", " by dimension "},
      {"wait", " how "},
      {"move", " "},
      {"flush", " by rank "},
      {"batch", " by seed count how "},
      {"sync", " check "},
      {"write_local", " seed how "},
      {"update_ghosts", " corners method dimension side how seed "},
      {"read_epoch", " seed count cache end "},
      {"acc_epoch", " seed count cache end "},
      {"write_epoch", " seed end "},
      {"acc_all", " seed count threads "},
      {"put_all", " seed notify "},
      {"fetch_add_all", " at value count threads "},
      {"locked_add_all", " at count "},
      {"batch_all", " seed count "},
      {"multiply_sparse", " seed count "},
      {"replicated", " type extents seed op node "},
      {"heap", " seed count "},
      {"segment", " seed count "},
      {"scalars", " seed "},
      {"flags", " seed "},
      {"mutexes", " seed count "},
      {"collectives", " seed count "},
      {"tasks", " count chunk by_node "},
  };
  for (const auto& [verb, operands] : whole_operations()) all[verb] = part_settings;
  return all;
}

index_t to_number(const std::string& word, const std::string& key) {
  std::size_t used = 0;
  index_t value = 0;
  try {
    value = std::stoll(word, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != word.size())
    throw std::invalid_argument("\"" + word + "\" is no number, for " + key);
  return value;
}

}  // namespace

const std::map<std::string, std::size_t>& whole_operations() {
  static const std::map<std::string, std::size_t> operations{{"fill", 1},
                                                             {"scale", 1},
                                                             {"add_constant", 1},
                                                             {"clamp", 1},
                                                             {"enumerate", 1},
                                                             {"sort", 1},
                                                             {"transform", 1},
                                                             {"abs", 2},
                                                             {"copy", 2},
                                                             {"permute", 2},
                                                             {"reshape", 2},
                                                             {"scan", 2},
                                                             {"transform2", 2},
                                                             {"axpby", 3},
                                                             {"multiply", 3},
                                                             {"minimum", 3},
                                                             {"maximum", 3},
                                                             {"transform3", 3},
                                                             {"dot", 2},
                                                             {"dot_unconjugated", 2},
                                                             {"norm1", 1},
                                                             {"norm2", 1},
                                                             {"norm_inf", 1},
                                                             {"reduce", 1},
                                                             {"transform_reduce", 2},
                                                             {"min_element", 1},
                                                             {"max_element", 1},
                                                             {"axpby_in_place", 2},
                                                             {"divide", 3},
                                                             {"reciprocal", 2},
                                                             {"transform4", 4},
                                                             {"reduce_by", 1},
                                                             {"transform_reduce1", 1},
                                                             {"transform_reduce3", 3},
                                                             {"randomize", 1},
                                                             {"segmented_scan", 2},
                                                             {"spread", 2},
                                                             {"pack", 2},
                                                             {"unpack", 2},
                                                             {"sort_by", 1},
                                                             {"bin", 1},
                                                             {"transpose", 2},
                                                             {"symmetrise", 1},
                                                             {"scale_rows", 2},
                                                             {"scale_columns", 2},
                                                             {"get_diagonal", 2},
                                                             {"set_diagonal", 2},
                                                             {"add_diagonal", 2},
                                                             {"shift_diagonal", 1},
                                                             {"fill_diagonal", 1}};
  return operations;
}

const std::map<std::string, std::string>& verbs() {
  static const auto all = make_verbs();
  return all;
}

std::string Line::word(const std::string& key, const std::string& otherwise) const {
  const auto found = settings.find(key);
  return found == settings.end() ? otherwise : found->second;
}

index_t Line::number(const std::string& key, index_t otherwise) const {
  const auto found = settings.find(key);
  return found == settings.end() ? otherwise : to_number(found->second, key);
}

Numbers Line::numbers(const std::string& key) const {
  Numbers all;
  std::istringstream words(word(key));
  for (std::string one; std::getline(words, one, ',');) all.push_back(to_number(one, key));
  return all;
}

Line& Line::set(const std::string& key, const std::string& value) {
  settings[key] = value;
  return *this;
}

Line& Line::set(const std::string& key, index_t value) { return set(key, std::to_string(value)); }

Line& Line::set(const std::string& key, const Numbers& values) {
  std::string all;
  for (const index_t value : values) all += (all.empty() ? "" : ",") + std::to_string(value);
  return set(key, all);
}

std::string text(const Line& line) {
  std::string all = line.verb;
  for (const auto& name : line.names) all += " " + name;
  for (const auto& [key, value] : line.settings) all.append(" ").append(key).append("=").append(value);
  return all;
}

Line parse(const std::string& text) {
  Line line;
  std::istringstream words(text);
  words >> line.verb;
  const auto known = verbs().find(line.verb);
  if (known == verbs().end()) throw std::invalid_argument("there is no operation \"" + line.verb + "\"");
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) {
      line.names.push_back(word);
      continue;
    }
    const std::string key = word.substr(0, equals);
    if (known->second.find(" " + key + " ") == std::string::npos)
      throw std::invalid_argument("\"" + line.verb + "\" has no setting \"" + key + "\"");
    line.settings[key] = word.substr(equals + 1);
  }
  static const std::set<std::string> takes_two{"duplicate", "batch", "multiply_sparse"};
  const auto whole = whole_operations().find(line.verb);
  const std::size_t names = whole != whole_operations().end() ? whole->second
                            : takes_two.count(line.verb) != 0 ? 2
                                                              : 1;
  if (line.names.size() != names)
    throw std::invalid_argument("\"" + line.verb + "\" takes " + std::to_string(names) + " names, not " +
                                std::to_string(line.names.size()));
  return line;
}

Script read(std::istream& in) {
  Script script;
  index_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    try {
      script.push_back(parse(line));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("line " + std::to_string(number) + ": " + error.what());
    }
  }
  return script;
}

}  // namespace tessera::stress
