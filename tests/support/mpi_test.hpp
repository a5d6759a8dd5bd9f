// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <gtest/gtest.h>

#include <tessera/runtime/runtime.hpp>

#include "message_of.hpp"

namespace tessera::test {

/// The runtime that the tests' main has started. @local
const Runtime& runtime();

/// All ranks of the test. @local
const Group& world();

/// The next rank of the world, and the one before. Both wrap around. @local
inline int right() { return (world().rank() + 1) % world().size(); }
inline int left() { return (world().rank() + world().size() - 1) % world().size(); }

/// A position in a container. @local
constexpr std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

/// Whether MPI's windows work here. Open MPI's do not work between hosts. @collective
bool has_windows();

/// Whether a condition holds on every rank. @collective
bool on_all(bool condition);

/// How often to do something that costs messages between nodes but is cheap on one node. @local
inline int times(const Group& group, int on_one_node, int between_nodes) {
  return group.node_count() == 1 ? on_one_node : between_nodes;
}

/// The number of rounds for a check, so that a test ends in time on a busy machine: `rounds`, or a quarter of
/// it once this program has run for a minute. @collective
int rounds_in_time(const Group& group, int rounds);
/// The same for a check in which processes wait for each other: only a third of the rounds under sanitizers
/// between nodes, or on more than 4 nodes. @collective
int rounds_of(const Group& group, int rounds);

}  // namespace tessera::test

/// Leaves the test on every rank unless the condition holds on every rank. (A plain ASSERT leaves it on one,
/// and the others wait for ever.) @collective
#define TESSERA_ASSERT_ALL(condition) \
  ASSERT_TRUE(tessera::test::on_all(condition)) << #condition << " on some rank"
