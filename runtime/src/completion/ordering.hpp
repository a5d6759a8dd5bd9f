// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstddef>

#include <tessera/runtime/statistics.hpp>

// Which operations must be complete before another begins. This table alone decides (see
// docs/runtime/transfers.md).
namespace tessera::detail {

/// The kinds of operations that may be under way to one member of a segment.
enum Mark : unsigned {
  window_put = 1,
  window_get = 2,
  window_accumulate = 4,
  agent_write = 8,
  agent_read = 16,
};
inline constexpr unsigned window_writes = window_put | window_accumulate;
inline constexpr unsigned by_window = window_writes | window_get;
inline constexpr unsigned by_agent = agent_write | agent_read;
inline constexpr unsigned anything = by_window | by_agent;

/// The rule for one kind of operation on one path.
struct Order {
  unsigned after = 0;   // marks to complete before it begins
  unsigned leaves = 0;  // marks it leaves under way
};

// MPI orders accumulates among each other (MPI standard 12.7.2), and nothing else. An agent keeps the order of
// one process's requests. A store to the node's memory is complete at once. In the MPI domain, accumulates on
// the node take the window, too.
inline constexpr std::array<std::array<Order, operation_count>, path_count> ordering{{
    // node: put, get, accumulate, atomic
    {{{window_accumulate, 0}, {window_accumulate, 0}, {0, 0}, {0, 0}}},
    // window
    {{{anything, window_put},
      {window_writes | agent_write, window_get},
      {window_put | window_get, window_accumulate},
      {window_put | window_get, window_accumulate}}},
    // agent
    {{{by_window, agent_write},
      {window_writes, agent_read},
      {by_window, agent_write},
      {by_window, agent_write}}},
    // message: collective calls order what they send
    {},
}};

constexpr const Order& order_of(Path path, Operation operation) noexcept {
  return ordering[static_cast<std::size_t>(path)][static_cast<std::size_t>(operation)];
}

}  // namespace tessera::detail
