// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstring>

#include "format.hpp"
#include "kernels.hpp"
#include "progress.hpp"
#include "state.hpp"

// Operations on one element: under its stripe's lock where the domain is the CPU's, by MPI where it is MPI's.
namespace tessera::detail {
namespace {

// One operation on the window that has to be done when the call returns.
template <class F>
void at_once(SegmentState& segment, int rank, F&& operation) {
  const WindowLock lock(*segment.group->runtime);
  segment.complete(rank, SegmentState::put_mark | SegmentState::get_mark);
  segment.mark(rank, SegmentState::acc_mark);
  operation(segment.region->window.get());
  segment.complete(rank, SegmentState::acc_mark);
}

std::array<std::byte, 16> both(const void* expected, const void* desired, index_t bytes) noexcept {
  std::array<std::byte, 16> values{};
  std::memcpy(values.data(), expected, static_cast<std::size_t>(bytes));
  std::memcpy(values.data() + 8, desired, static_cast<std::size_t>(bytes));
  return values;
}

template <class T>
bool exchange_if(void* target, void* expected, const void* desired) noexcept {
  T old, wanted;
  std::memcpy(&old, target, sizeof old);
  std::memcpy(&wanted, expected, sizeof wanted);
  if (old == wanted) {
    std::memcpy(target, desired, sizeof old);
    return true;
  }
  std::memcpy(expected, &old, sizeof old);
  return false;
}

bool exchange_by_kind(ElementKind kind, void* target, void* expected, const void* desired) noexcept {
  return kind == ElementKind::int32 ? exchange_if<std::int32_t>(target, expected, desired)
                                    : exchange_if<std::int64_t>(target, expected, desired);
}

void require_integer(ElementKind kind) {
  if (kind == ElementKind::int32 || kind == ElementKind::int64) return;
  throw UsageError(
      formatted("compare_exchange is not defined for {}, only for int32 and int64", to_string(kind)));
}

void check_element(const SegmentState& segment, int rank, index_t offset, index_t bytes) {
  check_place(segment, rank, offset, bytes);
  if (offset % bytes == 0) return;
  throw UsageError(
      formatted("atomic operation on segment \"{}\" at offset {}, which is not a multiple of the "
                "element's {} bytes",
                segment.name, offset, bytes));
}

// By the agent of a target on another node.
std::array<std::byte, 16> by_agent(SegmentState& segment, int rank, index_t offset, Verb verb, ElementKind kind,
                                   Update update, const std::array<std::byte, 16>& value) {
  const WindowLock lock(*segment.group->runtime);
  segment.complete(rank, SegmentState::window_marks);
  return segment.group->runtime->progress->courier().ask(segment.remote(rank, offset), verb, kind, update,
                                                         value);
}

}  // namespace

void update_element(const Striped& stripes, std::byte* where, ElementKind kind, Update update,
                    const void* value, void* result) noexcept {
  const std::uint64_t stripe = stripes.of(where);
  stripes.locks.lock(stripe);
  fetch_update(kind, update, where, value, result);
  stripes.locks.unlock(stripe);
}

bool compare_exchange_element(const Striped& stripes, std::byte* where, ElementKind kind, void* expected,
                              const void* desired) noexcept {
  StripeHolder holder(stripes.locks);
  holder.hold(stripes.of(where));
  return exchange_by_kind(kind, where, expected, desired);
}

void element_update(SegmentState& segment, int rank, index_t offset, ElementKind kind, Update update,
                    const void* value, void* result) {
  segment.require(Use::data);
  if (!is_defined(update, kind)) {
    throw UsageError(formatted("fetch_op with {} is not defined for {}", to_string(update), to_string(kind)));
  }
  const index_t bytes = size_of(kind);
  if ((offset & (bytes - 1)) == 0) {
    if (std::byte* where = segment.count(rank, offset, bytes, Operation::atomic))
      return update_element(segment.stripes(), where, kind, update, value, result);
  }
  check_element(segment, rank, offset, bytes);
  const bool cpu = segment.domain == AtomicDomain::cpu;
  std::byte* slice = segment.address(rank);
  const Path path = !cpu ? Path::window : slice ? Path::node : Path::agent;
  const Counted counted(segment, segment.tallies, rank, path, Operation::atomic, bytes);
  if (path == Path::node) return update_element(segment.stripes(), slice + offset, kind, update, value, result);
  if (path == Path::agent) {
    std::array<std::byte, 16> operand{};
    std::memcpy(operand.data(), value, static_cast<std::size_t>(bytes));
    const auto before = by_agent(segment, rank, offset, Verb::update, kind, update, operand);
    std::memcpy(result, before.data(), static_cast<std::size_t>(bytes));
    return;
  }
  at_once(segment, rank, [&](MPI_Win win) {
    mpi::fetch_and_op(win, rank, segment.offset + offset, kind, update, value, result);
  });
}

bool element_compare_exchange(SegmentState& segment, int rank, index_t offset, ElementKind kind, void* expected,
                              const void* desired) {
  segment.require(Use::data);
  require_integer(kind);
  const index_t bytes = size_of(kind);
  check_element(segment, rank, offset, bytes);
  const bool cpu = segment.domain == AtomicDomain::cpu;
  if (!cpu && !mpi::compare_and_swap_works) {
    throw UsageError(formatted(
        "compare_exchange on segment \"{}\", whose atomicity is MPI's: this MPI's compare-and-swap is not "
        "atomic "
        "against its other operations and would lose updates; use Scalars, or keep the group on one node",
        segment.name));
  }
  std::byte* slice = segment.address(rank);
  const Path path = !cpu ? Path::window : slice ? Path::node : Path::agent;
  const Counted counted(segment, segment.tallies, rank, path, Operation::atomic, bytes);
  if (path == Path::node)
    return compare_exchange_element(segment.stripes(), slice + offset, kind, expected, desired);
  if (path == Path::agent) {
    const auto answer =
        by_agent(segment, rank, offset, Verb::compare, kind, Update::replace, both(expected, desired, bytes));
    std::memcpy(expected, answer.data(), static_cast<std::size_t>(bytes));
    return answer[8] != std::byte{0};
  }
  std::int64_t old = 0;
  at_once(segment, rank, [&](MPI_Win win) {
    mpi::compare_and_swap(win, rank, segment.offset + offset, kind, expected, desired, &old);
  });
  const bool done = std::memcmp(&old, expected, static_cast<std::size_t>(bytes)) == 0;
  std::memcpy(expected, &old, static_cast<std::size_t>(bytes));
  return done;
}

}  // namespace tessera::detail
