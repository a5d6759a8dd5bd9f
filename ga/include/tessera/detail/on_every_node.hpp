// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/group.hpp>

namespace tessera::detail {

/// Calls make(), which is collective over each node's part of a group. If it throws on one node, this does on
/// all of them: what was made elsewhere is for the caller to drop. @collective over the whole group
/// @throws what make() throws, or MemoryError where another node had no memory
template <class Make>
void on_every_node(const Group& group, Make&& make) {
  std::exception_ptr mine;
  std::string problem;
  try {
    make();
  } catch (const std::exception& error) {
    mine = std::current_exception();
    problem = error.what();
  }
  problem = group.agree(problem);
  if (mine) std::rethrow_exception(mine);
  if (!problem.empty()) throw MemoryError(problem);
}

/// The same for what make() returns.
template <class Make>
auto made_on_every_node(const Group& group, Make&& make) {
  std::optional<decltype(make())> made;
  on_every_node(group, [&] { made.emplace(make()); });
  return std::move(*made);
}

}  // namespace tessera::detail
