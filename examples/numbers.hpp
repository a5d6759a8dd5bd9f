// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cmath>
#include <cstdlib>
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

}  // namespace numbers
