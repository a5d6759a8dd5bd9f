// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <sstream>

#include <tessera/runtime/error.hpp>

#include "fuzz.hpp"
#include "json.hpp"
#include "table.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  using fuzz::require;
  benchmark::Report report;
  const auto parse = [&](const std::string& text) {
    return fuzz::accepts<Error>([&] {
      std::istringstream in(text);
      report = benchmark::parse_report(in, "input");
    });
  };
  if (!parse(fuzz::text_of(data, size))) return 0;
  (void)benchmark::markdown({report});
  const std::string text = benchmark::report_text(report);
  require(parse(text), "a report that was written can be read");
  require(benchmark::report_text(report) == text, "a report that was written is the same");
  return 0;
}
