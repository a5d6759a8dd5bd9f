// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/scalars.hpp>

#include <algorithm>
#include <cstring>

#include <sched.h>

#include <tessera/runtime/detail/product.hpp>

#include "format.hpp"
#include "kernels.hpp"
#include "progress.hpp"
#include "state.hpp"

namespace tessera {
namespace detail {
namespace {

template <class F>
auto with_integer(ElementKind kind, F&& f) {
  return kind == ElementKind::int32 ? f(std::int32_t{}) : f(std::int64_t{});
}

// What is under way by the window to scalars is always complete: each operation flushes.
template <class F>
void on_window(const SegmentState& segment, int rank, F&& operation) {
  const WindowLock lock(*segment.group->runtime);
  MPI_Win win = segment.region->window.get();
  operation(win);
  mpi::flush(win, rank);
}

// Where MPI's compare-and-swap cannot be used, the second half of a scalar's line holds a lock, taken by an
// exchange: then all that changes the scalar is done under it.
class LineLock {
 public:
  static constexpr index_t distance = 32;
  LineLock(const SegmentState& segment, MPI_Win win, int rank, index_t place)
      : group_(*segment.group), win_(win), rank_(rank), place_(place + distance) {
    while (exchange(1) != 0) {
      mpi::progress(group_.comm.get());
      sched_yield();
    }
  }
  LineLock(const LineLock&) = delete;
  LineLock& operator=(const LineLock&) = delete;
  ~LineLock() { exchange(0); }

 private:
  std::int32_t exchange(std::int32_t value) {
    std::int32_t before = 0;
    mpi::fetch_and_op(win_, rank_, place_, ElementKind::int32, Update::replace, &value, &before);
    mpi::flush(win_, rank_);
    return before;
  }
  const GroupState& group_;
  MPI_Win win_;
  int rank_;
  index_t place_;
};

template <class T>
T read(MPI_Win win, int rank, index_t place) {
  T value;
  mpi::get(win, rank, place, &value, sizeof value);
  mpi::flush(win, rank);
  return value;
}

// change(T&) says whether the scalar is to be written; returns what was there.
template <class T, class F>
T change_under_lock(const SegmentState& segment, int rank, index_t offset, F&& change) {
  const index_t place = segment.offset + offset;
  T before{0};
  on_window(segment, rank, [&](MPI_Win win) {
    const LineLock lock(segment, win, rank, place);
    T value = before = read<T>(win, rank, place);
    if (!change(value)) return;
    mpi::put(win, rank, place, &value, sizeof value);
    mpi::flush(win, rank);
  });
  return before;
}

SegmentState& checked(const Segment& handle, int rank, index_t offset, index_t bytes) {
  SegmentState& segment = SegmentState::of(handle);
  segment.require(Use::scalars);
  check_place(segment, rank, offset, bytes);
  return segment;
}

}  // namespace

template <IntegerElement T>
T apply(std::atomic_ref<T> scalar, Update update, T given) noexcept {
  switch (update) {
    case Update::sum:
      return scalar.fetch_add(given);
    case Update::replace:
      return scalar.exchange(given);
    case Update::bit_and:
      return scalar.fetch_and(given);
    case Update::bit_or:
      return scalar.fetch_or(given);
    case Update::bit_xor:
      return scalar.fetch_xor(given);
    case Update::min:
    case Update::max:
      break;
  }
  T old = scalar.load();
  while ((update == Update::min ? given < old : old < given) && !scalar.compare_exchange_weak(old, given)) {
  }
  return old;
}

template std::int32_t apply(std::atomic_ref<std::int32_t>, Update, std::int32_t) noexcept;
template std::int64_t apply(std::atomic_ref<std::int64_t>, Update, std::int64_t) noexcept;

void update_scalar(std::byte* where, ElementKind kind, Update update, const void* value,
                   void* result) noexcept {
  with_integer(kind, [&]<class T>(T) {
    T given;
    std::memcpy(&given, value, sizeof given);
    const T old = apply(std::atomic_ref(*reinterpret_cast<T*>(where)), update, given);
    std::memcpy(result, &old, sizeof old);
  });
}

bool compare_exchange_scalar(std::byte* where, ElementKind kind, void* expected, const void* desired) noexcept {
  return with_integer(kind, [&]<class T>(T) {
    T wanted, wish;
    std::memcpy(&wanted, expected, sizeof wanted);
    std::memcpy(&wish, desired, sizeof wish);
    const bool done = std::atomic_ref(*reinterpret_cast<T*>(where)).compare_exchange_strong(wanted, wish);
    std::memcpy(expected, &wanted, sizeof wanted);
    return done;
  });
}

namespace {

// By the agent of a target on another node.
std::array<std::byte, 16> by_agent(SegmentState& segment, int rank, index_t offset, Verb verb, ElementKind kind,
                                   Update update, const std::array<std::byte, 16>& value) {
  const WindowLock lock(*segment.group->runtime);
  return segment.group->runtime->progress->courier().ask(segment.remote(rank, offset), verb, kind, update,
                                                         value);
}

Path path_to(const SegmentState& segment, int rank) noexcept {
  if (segment.domain == AtomicDomain::mpi) return Path::window;
  return segment.address(rank) != nullptr ? Path::node : Path::agent;
}

}  // namespace

void scalar_update(const Segment& handle, int rank, index_t offset, ElementKind kind, Update update,
                   const void* value, void* result) {
  SegmentState& segment = checked(handle, rank, offset, size_of(kind));
  const Path path = path_to(segment, rank);
  const Counted counted(segment, segment.tallies, rank, path, Operation::atomic, size_of(kind));
  if (path == Path::node) return update_scalar(segment.address(rank) + offset, kind, update, value, result);
  if (path == Path::agent) {
    std::array<std::byte, 16> operand{};
    std::memcpy(operand.data(), value, static_cast<std::size_t>(size_of(kind)));
    const auto before = by_agent(segment, rank, offset, Verb::scalar_update, kind, update, operand);
    std::memcpy(result, before.data(), static_cast<std::size_t>(size_of(kind)));
    return;
  }
  with_integer(kind, [&]<class T>(T) {
    T given, old;
    std::memcpy(&given, value, sizeof given);
    if (mpi::compare_and_swap_works) {
      on_window(segment, rank, [&](MPI_Win win) {
        mpi::fetch_and_op(win, rank, segment.offset + offset, kind, update, &given, &old);
      });
    } else {
      old = change_under_lock<T>(segment, rank, offset, [&](T& scalar) {
        T before;
        fetch_update(kind, update, &scalar, &given, &before);
        return true;
      });
    }
    std::memcpy(result, &old, sizeof old);
  });
}

bool scalar_compare_exchange(const Segment& handle, int rank, index_t offset, ElementKind kind, void* expected,
                             const void* desired) {
  SegmentState& segment = checked(handle, rank, offset, size_of(kind));
  const Path path = path_to(segment, rank);
  const Counted counted(segment, segment.tallies, rank, path, Operation::atomic, size_of(kind));
  if (path == Path::node)
    return compare_exchange_scalar(segment.address(rank) + offset, kind, expected, desired);
  if (path == Path::agent) {
    const auto bytes = static_cast<std::size_t>(size_of(kind));
    std::array<std::byte, 16> values{};
    std::memcpy(values.data(), expected, bytes);
    std::memcpy(values.data() + 8, desired, bytes);
    const auto answer = by_agent(segment, rank, offset, Verb::scalar_compare, kind, Update::replace, values);
    std::memcpy(expected, answer.data(), bytes);
    return answer[8] != std::byte{0};
  }
  return with_integer(kind, [&]<class T>(T) {
    T wanted, wish, found;
    std::memcpy(&wanted, expected, sizeof wanted);
    std::memcpy(&wish, desired, sizeof wish);
    bool done = false;
    if (mpi::compare_and_swap_works) {
      on_window(segment, rank, [&](MPI_Win win) {
        mpi::compare_and_swap(win, rank, segment.offset + offset, kind, &wanted, &wish, &found);
      });
      done = found == wanted;
    } else {
      found = change_under_lock<T>(segment, rank, offset, [&](T& scalar) {
        done = scalar == wanted;
        scalar = wish;
        return done;
      });
    }
    std::memcpy(expected, &found, sizeof found);
    return done;
  });
}

void scalar_load(const Segment& handle, int rank, index_t offset, ElementKind kind, void* value) {
  SegmentState& segment = checked(handle, rank, offset, size_of(kind));
  const std::byte* here = segment.address(rank);
  const Path path = here ? Path::node : path_to(segment, rank);
  const Counted counted(segment, segment.tallies, rank, path, Operation::atomic, size_of(kind));
  if (path == Path::agent) {
    // Nothing is added, so that what is read is what an atomic instruction finds.
    const auto found = by_agent(segment, rank, offset, Verb::scalar_update, kind, Update::sum, {});
    std::memcpy(value, found.data(), static_cast<std::size_t>(size_of(kind)));
    return;
  }
  with_integer(kind, [&]<class T>(T) {
    T found{0};
    if (here != nullptr) {
      if (segment.domain == AtomicDomain::mpi) {
        const WindowLock lock(*segment.group->runtime);
        mpi::sync_memory(segment.region->window.get());
        mpi::progress(segment.group->comm.get());  // what the caller polls for may be waiting for just that
      }
      found = std::atomic_ref(*reinterpret_cast<T*>(segment.address(rank) + offset)).load();
    } else {
      on_window(segment, rank, [&](MPI_Win win) { found = read<T>(win, rank, segment.offset + offset); });
    }
    std::memcpy(value, &found, sizeof found);
  });
}

void scalar_store(const Segment& handle, int rank, index_t offset, ElementKind kind, const void* value) {
  std::int64_t before;
  scalar_update(handle, rank, offset, kind, Update::replace, value, &before);
}

}  // namespace detail

template <IntegerElement T>
Scalars<T>::Scalars(const Group& group, index_t count, std::string_view name)
    : segment_(group, detail::size_to_ask(count, spacing), {.name = name, .fingerprint = sizeof(T)}),
      count_(count) {
  auto& segment = detail::SegmentState::of(segment_);
  std::memset(segment.address(group.rank()), 0, static_cast<std::size_t>(count * spacing));
  segment_.sync();
  segment.use = detail::Use::scalars;
}

template <IntegerElement T>
T* Scalars<T>::address(int rank, index_t i) const noexcept {
  std::byte* slice = i >= 0 && i < count_ ? segment_.address(rank) : nullptr;
  return slice == nullptr ? nullptr : reinterpret_cast<T*>(slice + i * spacing);
}

template <IntegerElement T>
index_t Scalars<T>::offset(int rank, index_t i) const {
  if (i >= 0 && i < count_ && rank >= 0 && rank < group().size()) return i * spacing;
  throw UsageError(formatted("scalar {} of rank {} is not in \"{}\", which has {} on each of {} ranks", i, rank,
                             name(), count_, group().size()));
}

template class Scalars<std::int32_t>;
template class Scalars<std::int64_t>;

}  // namespace tessera
