// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "variables.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "ranges.hpp"

namespace tessera::info {
namespace {

constexpr std::string_view prefix = "TESSERA_";

// The fewest letters to add, leave out or replace (Levenshtein's distance).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

bool is_known(const std::string& name, const std::vector<Setting>& settings) {
  return std::ranges::any_of(settings, [&](const Setting& setting) { return setting.name == name; });
}

}  // namespace

Json environment() {
  Json found = Json::object();
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto equals = text.find('=');
    if (text.starts_with(prefix) && equals != std::string_view::npos)
      found[std::string(text.substr(0, equals))] = std::string(text.substr(equals + 1));
  }
  return found;
}

std::string nearest(const std::string& name, const std::vector<Setting>& settings) {
  std::string best;
  std::size_t least = 4;  // names that differ in more letters are no typing errors
  for (const Setting& setting : settings) {
    const std::size_t letters = distance(name, setting.name);
    if (letters < least) least = letters, best = setting.name;
  }
  return best;
}

Json unknown_variables(const std::vector<Json>& environments, const std::vector<Setting>& settings) {
  Json unknown = Json::array();
  std::vector<std::string> seen;
  for (const Json& environment : environments) {
    for (const auto& [name, value] : environment.items()) {
      if (is_known(name, settings) || std::ranges::find(seen, name) != seen.end()) continue;
      seen.push_back(name);
      unknown.push_back({{"name", name}, {"value", value}, {"probably", nearest(name, settings)}});
    }
  }
  return unknown;
}

Json ignored_variables(const std::vector<Json>& environments, const std::vector<Setting>& settings) {
  Json ignored = Json::array();
  for (const Setting& setting : settings) {
    if (!setting.is_shared) continue;
    const std::string applies = environments[0].value(setting.name, "");
    std::vector<int> ranks;
    for (std::size_t rank = 1; rank < environments.size(); ++rank) {
      if (environments[rank].value(setting.name, "") != applies) ranks.push_back(static_cast<int>(rank));
    }
    if (ranks.empty()) continue;
    ignored.push_back(setting.name + " has another value on rank" + (ranks.size() > 1 ? "s " : " ") +
                      ranges(ranks) + "; rank 0's applies to all ranks");
  }
  return ignored;
}

}  // namespace tessera::info
