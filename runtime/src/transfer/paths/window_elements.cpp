// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstring>

#include "transfer/paths/paths.hpp"

// Single elements by MPI's window, in MPI's domain of atomicity.
namespace tessera::detail {
namespace {

// Returns when the operation is done at its target.
template <class F>
void done_at_target(const SegmentState& segment, int rank, F&& operation) {
  MPI_Win win = segment.region().window();
  operation(win);
  mpi::flush(win, rank);
}

}  // namespace

void WindowPath::update(SegmentState& segment, int rank, index_t offset, const Action& action,
                        const void* value, void* result) {
  done_at_target(segment, rank, [&](MPI_Win win) {
    mpi::fetch_and_op(win, rank, segment.offset() + offset, action.kind, action.update, value, result);
  });
}

bool WindowPath::compare_exchange(SegmentState& segment, int rank, index_t offset, ElementKind kind,
                                  void* expected, const void* desired) {
  const auto bytes = static_cast<std::size_t>(size_of(kind));
  std::int64_t found = 0;
  done_at_target(segment, rank, [&](MPI_Win win) {
    mpi::compare_and_swap(win, rank, segment.offset() + offset, kind, expected, desired, &found);
  });
  const bool done = std::memcmp(&found, expected, bytes) == 0;
  std::memcpy(expected, &found, bytes);
  return done;
}

void WindowPath::load(SegmentState& segment, int rank, index_t offset, ElementKind kind, void* value) {
  done_at_target(segment, rank,
                 [&](MPI_Win win) { mpi::get(win, rank, segment.offset() + offset, value, size_of(kind)); });
}

}  // namespace tessera::detail
