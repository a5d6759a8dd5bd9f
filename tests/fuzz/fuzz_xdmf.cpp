// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>

#include <tessera/io/error.hpp>

#include "file/xdmf_steps.hpp"
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tessera::fuzz::require;
  using namespace tessera::io;
  std::vector<detail::XdmfStep> steps;
  const auto parse = [&](const std::string& text) {
    return tessera::fuzz::accepts<IoError>([&] { steps = detail::parse_xdmf_steps(text); });
  };
  if (!parse(tessera::fuzz::text_of(data, size))) return 0;
  const auto first = steps;
  std::string list;
  for (const auto& step : first) list += step.xml;
  require(parse(list), "a list that was written can be read");
  require(steps.size() == first.size(), "the number of steps is kept");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    require(std::isfinite(steps[i].time), "a time is a number");
    require(steps[i].time == first[i].time && steps[i].xml == first[i].xml, "the steps are kept");
  }
  return 0;
}
