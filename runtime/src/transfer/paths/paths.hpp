// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>
#include <utility>

#include <tessera/runtime/request.hpp>
#include <tessera/runtime/strided.hpp>
#include <tessera/runtime/vector.hpp>

#include "base/verb.hpp"
#include "completion/pending.hpp"
#include "state/segment_state.hpp"
#include "transfer/paths/run.hpp"

// The three paths to a target, with the same members, so that their files can be read side by side. Operations
// that come here are checked, counted and in order (passage.hpp). With a Pending a transfer between nodes does
// not wait.
namespace tessera::detail {

/// Runs of one verb that travel together.
struct RunList {
  std::span<const Run> runs;  // of one segment; between nodes of one rank
  RunLengths lengths = {};
  Action action = {};
  VectorMethod method = VectorMethod::batched;
  Returns returns = Returns::early;
};

/// By loads and stores, on memory of this node.
struct NodePath {
  static void put(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                  const std::byte* source, Pending* pending);
  static void get(SegmentState& segment, int rank, index_t offset, const Strided& shape, std::byte* target,
                  Pending* pending);
  static void accumulate(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                         const Action& action, const std::byte* source, Pending* pending);
  /// `result` becomes the old value.
  static void update(SegmentState& segment, int rank, index_t offset, const Action& action, const void* value,
                     void* result);
  /// Returns whether `desired` was stored; `expected` becomes the old value.
  static bool compare_exchange(SegmentState& segment, int rank, index_t offset, ElementKind kind,
                               void* expected, const void* desired);
  /// Reads a scalar.
  static void load(SegmentState& segment, int rank, index_t offset, ElementKind kind, void* value);
  static Request list(SegmentState& segment, const RunList& list);
};

/// By messages to the agent of the target, which keeps their order. Under the network lock.
struct AgentPath {
  static void put(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                  const std::byte* source, Pending* pending);
  static void get(SegmentState& segment, int rank, index_t offset, const Strided& shape, std::byte* target,
                  Pending* pending);
  static void accumulate(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                         const Action& action, const std::byte* source, Pending* pending);
  static void update(SegmentState& segment, int rank, index_t offset, const Action& action, const void* value,
                     void* result);
  static bool compare_exchange(SegmentState& segment, int rank, index_t offset, ElementKind kind,
                               void* expected, const void* desired);
  static void load(SegmentState& segment, int rank, index_t offset, ElementKind kind, void* value);
  static Request list(SegmentState& segment, const RunList& list);
};

/// By MPI's one-sided calls. Under the network lock.
struct WindowPath {
  static void put(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                  const std::byte* source, Pending* pending);
  static void get(SegmentState& segment, int rank, index_t offset, const Strided& shape, std::byte* target,
                  Pending* pending);
  static void accumulate(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                         const Action& action, const std::byte* source, Pending* pending);
  static void update(SegmentState& segment, int rank, index_t offset, const Action& action, const void* value,
                     void* result);
  static bool compare_exchange(SegmentState& segment, int rank, index_t offset, ElementKind kind,
                               void* expected, const void* desired);
  static void load(SegmentState& segment, int rank, index_t offset, ElementKind kind, void* value);
  static Request list(SegmentState& segment, const RunList& list);
};

/// Calls f(way) with a value of the path's class.
template <class F>
decltype(auto) by(Path path, F&& f) {
  switch (path) {
    case Path::agent:
      return std::forward<F>(f)(AgentPath());
    case Path::window:
      return std::forward<F>(f)(WindowPath());
    case Path::node:
    case Path::message:  // of collective calls only
      break;
  }
  return std::forward<F>(f)(NodePath());
}

}  // namespace tessera::detail
