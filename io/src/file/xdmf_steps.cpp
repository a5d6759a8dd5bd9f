// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "file/xdmf_steps.hpp"

#include <charconv>
#include <cmath>
#include <utility>

#include <tessera/io/error.hpp>

namespace tessera::io::detail {

std::vector<XdmfStep> parse_xdmf_steps(const std::string& text) {
  constexpr std::string_view time_begin = "<Time Value=\"";
  std::vector<XdmfStep> steps;
  for (std::size_t at = 0; (at = text.find(step_begin, at)) != std::string::npos;) {
    const std::size_t end = text.find(step_end, at), begin = text.find(time_begin, at);
    XdmfStep step{};
    bool is_right = end != std::string::npos && begin < end;
    if (is_right) {
      const auto read = std::from_chars(text.data() + begin + time_begin.size(), text.data() + end, step.time);
      is_right = read.ec == std::errc() && *read.ptr == '"' && std::isfinite(step.time);
    }
    if (!is_right) throw IoError("the steps in it cannot be understood; was it written by another program?");
    step.xml = text.substr(at, end + step_end.size() - at);
    steps.push_back(std::move(step));
    at = end;
  }
  return steps;
}

}  // namespace tessera::io::detail
