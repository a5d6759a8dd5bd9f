// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <sstream>
#include <stdexcept>

#include "fuzz.hpp"
#include "script.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  using fuzz::require;
  std::istringstream in(fuzz::text_of(data, size));
  stress::Script script;
  if (!fuzz::accepts<std::invalid_argument>([&] { script = stress::read(in); })) return 0;
  for (const stress::Line& line : script) {
    const stress::Line again = stress::parse(stress::text(line));
    require(again.verb == line.verb && again.names == line.names && again.settings == line.settings,
            "a line that was written is the same");
    for (const auto& [key, value] : line.settings) {
      fuzz::accepts<std::invalid_argument>([&, k = key] { line.number(k); });
      fuzz::accepts<std::invalid_argument>([&, k = key] { line.numbers(k); });
    }
  }
  return 0;
}
