// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "conflicts/call_sites.hpp"
#include "conflicts/footprint.hpp"
#include "conflicts/granules.hpp"
#include "order/clock.hpp"
#include "order/held_mutexes.hpp"

namespace tessera::detail::conflicts {

/// What an operation is called in a report.
enum class Act : std::uint8_t {
  put,
  get,
  accumulate,
  update,
  compare_exchange,
  read_locally,
  write_locally,
};
const char* to_string(Act act) noexcept;

enum class Effect : std::uint8_t { read, write, accumulate };
constexpr Effect effect_of(Act act) noexcept {
  switch (act) {
    case Act::put:
    case Act::write_locally:
      return Effect::write;
    case Act::accumulate:
    case Act::update:
    case Act::compare_exchange:
      return Effect::accumulate;
    case Act::get:
    case Act::read_locally:
      break;
  }
  return Effect::read;
}

/// Whether two effects on one element need an order.
constexpr bool need_order(Effect a, Effect b) noexcept { return a != b || a == Effect::write; }

/// Accesses of one call site to one member's slice between which their process has synchronised with nobody. So
/// they have one order to all others.
struct Access {
  std::uint64_t segment = 0;  // its number, the same on all members
  int target = 0;             // a rank of the segment's group
  int author = 0;             // a rank of the world
  Act act = Act::get;
  Site site = 0;
  bool is_async = false, is_in_batch = false;
  std::uint64_t begun = 0;                            // the author's stamp
  std::uint64_t completed = 0;                        // the author's stamp; 0: not yet complete at the owner
  std::uint64_t notice = 0;                           // complete for those that know it, too; 0: none
  std::shared_ptr<const order::VectorClock> seen;     // the author's clock when they began
  std::uint64_t last_begun = 0, first_completed = 0;  // moments of the author
  std::vector<order::HeldMutex> mutexes;              // held by the author, ascending
  std::vector<ByteRange> ranges;                      // contiguous ones
  std::vector<Footprint> shapes;                      // others
  Granules granules;                                  // contiguous ones, until compress()
  std::size_t tidy_at = 64;                           // ranges and shapes
  ByteRange bounds;

  void add(const Footprint& where);
  void add(const ByteRange& range);
  void add(const Access& other);
  /// Leaves sorted ranges and shapes, without what was there twice; neighbours are joined.
  void compress();
  index_t bytes_of_memory() const noexcept;

 private:
  void extend(const ByteRange& all) noexcept;
  void tidy();
  void tidy_sometimes();
};

/// Whether an access is complete before what a process with this clock does. @local
bool is_complete_for(const Access& access, const order::VectorClock& clock) noexcept;
/// Whether a comes before b in the order that the program has made. @local
bool is_before(const Access& a, const Access& b) noexcept;
/// Whether the two need an order and have none, wherever they are. @local
bool may_conflict(const Access& a, const Access& b) noexcept;
/// Whether they touch a byte in common; if so, `where` gets up to `most` runs of such bytes. @local
bool find_common(const Access& a, const Access& b, std::size_t most, std::vector<ByteRange>& where);

/// Texts of accesses, to send them. The clocks are written once. @local
std::string packed(const std::vector<std::shared_ptr<Access>>& accesses);
std::vector<Access> unpacked(const std::string& text);

}  // namespace tessera::detail::conflicts
