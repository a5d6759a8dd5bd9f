// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include <tessera/runtime/types.hpp>

namespace tessera::stress {

using Numbers = std::vector<index_t>;

/// One line of a script: a verb, the names of what it works on, and settings, as in
/// `put a1 by=2 lo=0,1 hi=3,2 seed=17`.
struct Line {
  std::string verb;
  std::vector<std::string> names;
  std::map<std::string, std::string> settings;

  bool has(const std::string& key) const { return settings.count(key) != 0; }
  std::string word(const std::string& key, const std::string& otherwise = {}) const;
  index_t number(const std::string& key, index_t otherwise = 0) const;
  Numbers numbers(const std::string& key) const;
  Line& set(const std::string& key, const std::string& value);
  Line& set(const std::string& key, index_t value);
  Line& set(const std::string& key, const Numbers& values);
};
using Script = std::vector<Line>;

/// The text of a line, which parse() understands.
std::string text(const Line& line);
/// @throws std::invalid_argument for an unknown verb or setting
Line parse(const std::string& text);
/// The lines of a file, without empty ones and comments, which begin with #. @throws as parse
Script read(std::istream& in);

/// What scripts can say: each verb and the settings it takes.
const std::map<std::string, std::string>& verbs();
/// The verbs of operations on whole arrays and slices, and how many operands they have.
const std::map<std::string, std::size_t>& whole_operations();

}  // namespace tessera::stress
