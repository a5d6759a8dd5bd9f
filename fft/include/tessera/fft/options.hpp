// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::fft {

/// How much time is spent to find fast plans. `estimate` uses rules. `measure` tries several ways when the plan
/// is made, and FFTW does so as well (its FFTW_MEASURE).
enum class Effort : std::uint8_t { estimate, measure };

/// How the dimensions are divided into stages; between two stages the data changes hands. With `slabs` a stage
/// transforms as many dimensions as possible. With `pencils` each stage transforms one dimension, so that more
/// ranks have work. `automatic` takes the faster one with Effort::measure, and decides by a rule otherwise.
enum class Decomposition : std::uint8_t { automatic, slabs, pencils };

/// Options of a plan. All ranks pass the same.
struct Options {
  /// The dimensions to transform, in any order; all if the list is empty. For real arrays the last one of the
  /// list is the dimension that becomes shorter.
  std::vector<int> dimensions = {};
  Effort effort = Effort::estimate;
  Decomposition decomposition = Decomposition::automatic;
};

}  // namespace tessera::fft
