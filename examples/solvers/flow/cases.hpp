// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string_view>

#include "flow.hpp"

namespace flow {

enum class CaseName { taylor_green, cavity, channel };

inline const char* name_of(CaseName name) noexcept {
  switch (name) {
    case CaseName::taylor_green:
      return "taylor-green";
    case CaseName::cavity:
      return "cavity";
    case CaseName::channel:
      break;
  }
  return "channel";
}

struct CaseOptions {
  CaseName name = CaseName::taylor_green;
  std::vector<index_t> cells = {32};  ///< one number, or one for each dimension
  double reynolds = 100;
};

/// The flow of a case. Taylor-Green vortices fill a periodic box with edges of 2 pi. A cavity is the unit box,
/// whose lid at the high end of dimension 0 moves along x. A channel is 1 high and as long as its cells along x
/// say, if they are squares; fluid comes in uniformly. @local @throws SolverError
template <std::size_t N>
Problem<N> make_problem(const CaseOptions& options);

/// The velocity of two-dimensional Taylor-Green vortices at a time (Taylor and Green 1937). @local
double taylor_green(std::size_t component, const std::array<double, 2>& at, double viscosity, double time);

/// The largest error of the velocity of two-dimensional Taylor-Green vortices. @collective
double taylor_green_error(Flow<2>& flow, double time);
/// The largest deviation of the velocity from the parabola, at the end of a channel. @collective
template <std::size_t N>
double channel_deviation(Flow<N>& flow);
/// The largest deviations of the velocities u and v on the centre lines of a square cavity from the published
/// ones, as a line of text; empty if there are none for this Reynolds number. @collective
std::string cavity_deviations(Flow<2>& flow, double reynolds);

}  // namespace flow
