// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstring>

#include <sched.h>

#include "kernels.hpp"
#include "paths.hpp"
#include "waiting.hpp"

// Single values by MPI's window: elements in MPI's domain of atomicity, and scalars there.
namespace tessera::detail {
namespace {

// Returns when the operation is done at its target.
template <class F>
void done_at_target(const SegmentState& segment, int rank, F&& operation) {
  MPI_Win win = segment.region().window();
  operation(win);
  mpi::flush(win, rank);
}

// Where MPI's compare-and-swap cannot be used, the second half of a scalar's line holds a lock, taken by an
// exchange: then all that changes the scalar is done under it.
class LineLock {
 public:
  static constexpr index_t distance = 32;
  LineLock(const SegmentState& segment, MPI_Win win, int rank, index_t place)
      : group_(segment.group()), win_(win), rank_(rank), place_(place + distance) {
    while (exchange(1) != 0) {
      keep_mpi_going(group_);
      sched_yield();
    }
  }
  LineLock(const LineLock&) = delete;
  LineLock& operator=(const LineLock&) = delete;
  ~LineLock() { exchange(0); }

 private:
  std::int32_t exchange(std::int32_t value) {
    std::int32_t old = 0;
    mpi::fetch_and_op(win_, rank_, place_, ElementKind::int32, Update::replace, &value, &old);
    mpi::flush(win_, rank_);
    return old;
  }
  const GroupState& group_;
  MPI_Win win_;
  int rank_;
  index_t place_;
};

// change(value) says whether the scalar is to be written; `old` is what was there.
template <class F>
void change_under_lock(const SegmentState& segment, int rank, index_t offset, ElementKind kind, void* old,
                       F&& change) {
  const index_t place = segment.offset() + offset, bytes = size_of(kind);
  MPI_Win win = segment.region().window();
  const LineLock lock(segment, win, rank, place);
  mpi::get(win, rank, place, old, bytes);
  mpi::flush(win, rank);
  std::int64_t value = 0;
  std::memcpy(&value, old, static_cast<std::size_t>(bytes));
  if (!change(&value)) return;
  mpi::put(win, rank, place, &value, bytes);
  mpi::flush(win, rank);
}

bool must_lock(const SegmentState& segment) noexcept {
  return segment.use() == Use::scalars && !mpi::compare_and_swap_works;
}

}  // namespace

void WindowPath::update(SegmentState& segment, int rank, index_t offset, const Action& action,
                        const void* value, void* result) {
  if (must_lock(segment)) {
    return change_under_lock(segment, rank, offset, action.kind, result, [&](void* scalar) {
      std::int64_t was;
      fetch_update(action.kind, action.update, scalar, value, &was);
      return true;
    });
  }
  done_at_target(segment, rank, [&](MPI_Win win) {
    mpi::fetch_and_op(win, rank, segment.offset() + offset, action.kind, action.update, value, result);
  });
}

bool WindowPath::compare_exchange(SegmentState& segment, int rank, index_t offset, ElementKind kind,
                                  void* expected, const void* desired) {
  const auto bytes = static_cast<std::size_t>(size_of(kind));
  std::int64_t found = 0;
  if (must_lock(segment)) {
    change_under_lock(segment, rank, offset, kind, &found, [&](void* scalar) {
      const bool equal = std::memcmp(scalar, expected, bytes) == 0;
      std::memcpy(scalar, desired, bytes);
      return equal;
    });
  } else {
    done_at_target(segment, rank, [&](MPI_Win win) {
      mpi::compare_and_swap(win, rank, segment.offset() + offset, kind, expected, desired, &found);
    });
  }
  const bool done = std::memcmp(&found, expected, bytes) == 0;
  std::memcpy(expected, &found, bytes);
  return done;
}

void WindowPath::load(SegmentState& segment, int rank, index_t offset, ElementKind kind, void* value) {
  done_at_target(segment, rank,
                 [&](MPI_Win win) { mpi::get(win, rank, segment.offset() + offset, value, size_of(kind)); });
}

}  // namespace tessera::detail
