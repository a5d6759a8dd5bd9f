// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include <CLI/CLI.hpp>

namespace numbers {

/// Checks of options. CLI11's own let NaN pass. @local
inline CLI::Validator checked(const char* kind, bool (*is_right)(double)) {
  const std::string text = kind;
  return CLI::Validator(
      [text, is_right](std::string& word) {
        char* end = nullptr;
        const double number = std::strtod(word.c_str(), &end);
        const bool is_number = end != word.c_str() && *end == '\0' && std::isfinite(number);
        return is_number && is_right(number) ? std::string() : "\"" + word + "\" is no " + text;
      },
      "", kind);
}
inline CLI::Validator positive() {
  return checked("positive number", [](double x) { return x > 0; });
}
inline CLI::Validator not_negative() {
  return checked("number of 0 or more", [](double x) { return x >= 0; });
}

/// Turns a name, in letters of any case, into the number of its enumerator. Names have small letters. CLI11's
/// own transformer takes numbers too, and lists them in its message. @local
template <class Enum>
CLI::Validator enumerator(const std::map<std::string, Enum>& names) {
  return CLI::Validator(
      [names](std::string& word) {
        std::string small = word, all;
        std::transform(small.begin(), small.end(), small.begin(),
                       [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
        for (const auto& [name, value] : names) {
          if (name == small) {
            word = std::to_string(static_cast<int>(value));
            return std::string();
          }
          all += (all.empty() ? "" : ", ") + name;
        }
        return "\"" + word + "\" is none of " + all;
      },
      "", "name");
}

}  // namespace numbers
