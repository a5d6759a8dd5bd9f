// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

// Formats the messages of all modules; not installed. Only format.cpp instantiates fmt, which took two thirds
// of the time to compile a file. fmt is part of the runtime library, so programs that link Tessera need not
// have it.
namespace tessera {

std::string formatted_arguments(fmt::string_view text, fmt::format_args arguments);

/// As fmt::format, for types that fmt itself can format. @local
template <class... T>
std::string formatted(fmt::format_string<T...> text, T&&... arguments) {
  return formatted_arguments(text, fmt::make_format_args(arguments...));
}

/// The elements as text, separated by `between`. @local
template <class Range>
std::string joined(const Range& range, std::string_view between) {
  std::string all;
  for (bool first = true; const auto& element : range) {
    if (!std::exchange(first, false)) all += between;
    all += formatted("{}", element);
  }
  return all;
}

}  // namespace tessera
