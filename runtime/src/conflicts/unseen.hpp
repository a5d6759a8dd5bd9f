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
/// with atomic operations, a mutex, calls of MPI that the clocks do not follow.
struct Means {
  enum class Is : std::uint8_t { scalar, element, mutex, call } is = Is::scalar;
  std::uint64_t segment = 0;
  int rank = 0;
  index_t place = 0;  // a byte, or the number of a mutex or call; -1 for any of the segment
  friend auto operator<=>(const Means&, const Means&) = default;
};

/// When a process used such a thing.
struct UseTime {
  std::uint64_t moment = 0;  // of the process
  std::uint64_t stamp = 0;
  std::shared_ptr<const order::VectorClock> seen;
};

/// Uses of such a thing by a process, from the first to the last.
struct UnseenUse {
  std::string means;  // a text that is the same on all processes; of a call, what it is
  int process = 0;    // of the world
  UseTime first, last;
  std::uint64_t things_of = 0;  // the segment that the thing is of
  bool is_any = false;          // of any thing of it: the process has used too many to tell them apart
  bool is_call = false;         // the other process may have noted nothing, or another call
};

/// The uses of one process, to be sent.
std::string packed(const std::vector<UnseenUse>& uses);
/// If a process could not tell the things of a segment apart, none of any process are told apart. @local
void join_things(std::vector<UnseenUse>& uses);
std::vector<UnseenUse> unpacked_uses(std::string_view text);

/// What may order `first` before `second`, through any number of uses; empty if nothing does. @local
std::string means_between(const Access& first, const Access& second, const std::vector<UnseenUse>& uses);

}  // namespace tessera::detail::conflicts
