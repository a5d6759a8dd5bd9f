// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/runtime/types.hpp>

#include "conflicts/accesses.hpp"

namespace tessera::detail::conflicts {

/// Something by which processes may order themselves without the clocks: a scalar that one polls, an element
/// with atomic operations, a mutex.
struct Means {
  enum class Is : std::uint8_t { scalar, element, mutex } is = Is::scalar;
  std::uint64_t segment = 0;
  int rank = 0;
  index_t place = 0;  // a byte, or the number of a mutex; -1 for any element
  friend auto operator<=>(const Means&, const Means&) = default;
};

/// A use of such a thing by a process.
struct UnseenUse {
  std::string means;  // a text that is the same on all processes
  int process = 0;    // of the world
  std::uint64_t stamp = 0;
  std::uint64_t first = 0, last = 0;  // moments of the process, if it was used several times with this stamp
  std::shared_ptr<const order::VectorClock> seen;
  std::uint64_t elements_of = 0;  // of an element: its segment
  bool is_any = false;            // of any element of it: the process has used too many to tell them apart
};

/// The uses of one process, to be sent.
std::string packed(const std::vector<UnseenUse>& uses);
/// If a process could not tell the elements of a segment apart, none of any process are told apart. @local
void join_elements(std::vector<UnseenUse>& uses);
std::vector<UnseenUse> unpacked_uses(std::string_view text);

/// What may order `first` before `second`, through any number of uses; empty if nothing does. @local
std::string means_between(const Access& first, const Access& second, const std::vector<UnseenUse>& uses);

}  // namespace tessera::detail::conflicts
