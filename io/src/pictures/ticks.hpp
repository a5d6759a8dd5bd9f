// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::io::detail {

struct Tick {
  double part;  // of the range, from 0 to 1
  std::string label;
};

/// Which numbers labels may show.
enum class Numbers : std::uint8_t { real, whole };

/// Round numbers in a range, at most `most` (4 or more) and at least one: multiples of 1, 2 or 5 times a power
/// of ten. A range of one number has one tick in the middle. @local
std::vector<Tick> ticks_of(long double low, long double high, int most, Numbers numbers);

}  // namespace tessera::io::detail
