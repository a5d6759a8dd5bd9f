// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::io::detail {

inline constexpr std::string_view step_begin = "      <Grid Name=\"step", step_end = "      </Grid>\n";

/// A step in the list of an XdmfSeries.
struct XdmfStep {
  double time;
  std::string xml;  // from step_begin to step_end
};

/// The steps of a list that XdmfSeries has written. @local @throws IoError if they cannot be understood
std::vector<XdmfStep> parse_xdmf_steps(const std::string& text);

}  // namespace tessera::io::detail
