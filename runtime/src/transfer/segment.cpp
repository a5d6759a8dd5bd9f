// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/segment.hpp>

#include <atomic>
#include <utility>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/phase.hpp>

#include "conflicts/conflicts.hpp"
#include "format.hpp"
#include "kernels/kernels.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"
#include "state/segment_state.hpp"
#include "transfer/atomics.hpp"
#include "transfer/transfer.hpp"

namespace tessera {

const char* to_string(TransferMethod method) noexcept {
  constexpr const char* names[] = {"automatic", "batched", "direct", "packed"};
  return names[static_cast<std::size_t>(method)];
}

using detail::Pending;
using detail::SegmentState;

Segment::Segment(const Group& group, index_t bytes, const SegmentOptions& options) : group_(group) {
  hold(SegmentState::create(group.state(), bytes, options));
}

Segment Segment::part(index_t offset, index_t bytes, std::string_view name, std::uint64_t fingerprint) const {
  SegmentState& whole = state();
  whole.require(detail::Use::data);
  sync();
  Segment part(group_, nullptr);
  part.hold(whole.create_part(offset, bytes, name, fingerprint));
  return part;
}

std::vector<Segment::PartRange> Segment::parts() const {
  const SegmentState& whole = state();
  return whole.group().runtime().registry().ranges_of_parts(whole);
}

void Segment::hold(std::shared_ptr<SegmentState> state) {
  auto* raw = state.get();
  // The deleter lives on while there is a weak pointer, and the state itself has one: it must not keep the
  // state alive.
  state_ = {static_cast<detail::SegmentAccess*>(raw),
            [kept = std::move(state)](detail::SegmentAccess*) mutable { std::exchange(kept, {})->drop(); }};
  raw->known_as(*this);
}

Segment::Segment() noexcept = default;
Segment::~Segment() = default;
Segment::Segment(Segment&&) noexcept = default;
Segment& Segment::operator=(Segment&&) noexcept = default;

SegmentState& Segment::state() const {
  if (!state_) throw UsageError("a segment or array was used after it had been moved from");
  auto& segment = static_cast<SegmentState&>(*state_);
  segment.require_open();
  return segment;
}

void Segment::close() {
  SegmentState& segment = state();
  group_.check_agreement([&] { return detail::CollectiveCall{formatted("close of \"{}\"", segment.name())}; });
  segment.complete_all();
  if (segment.checked != 0) detail::conflicts::Recorder::instance().flush(segment.checked, -1);
  for (const SegmentState* part : segment.group().runtime().registry().parts_of(segment)) part->complete_all();
  group_.state().meet();
  group_.state().release(segment);
}

namespace {

const SegmentState* peek(const std::shared_ptr<detail::SegmentAccess>& state) noexcept {
  return static_cast<const SegmentState*>(state.get());
}

// Calls transfer(Pending*), with null if nothing can stay under way.
template <class F>
Request launch(SegmentState& segment, int rank, F&& transfer) {
  const bool elsewhere = rank >= 0 && rank < segment.group().size() && segment.address(rank) == nullptr;
  if (!elsewhere && segment.domain() == AtomicDomain::cpu) {
    transfer(nullptr);
    return {};
  }
  detail::Outstanding& outstanding = segment.group().runtime().outstanding();
  const detail::NetworkLock lock(outstanding.threads());
  auto pending = std::make_shared<Pending>(segment.whole(), rank);
  transfer(pending.get());
  return outstanding.launch(std::move(pending));
}

template <class F>
Request asynchronous(SegmentState& segment, int rank, F&& transfer) {
  if (!detail::conflicts::notes(segment.checked)) return launch(segment, rank, transfer);
  detail::conflicts::Asynchronous access;
  Request request = launch(segment, rank, transfer);
  detail::Outstanding::add_ticket(request, access.hand_over());
  return request;
}

void require_accumulate(ElementKind kind, Update update) {
  const bool known = update == Update::sum || update == Update::min || update == Update::max;
  if (known && is_defined(update, kind)) return;
  throw UsageError(
      formatted("accumulate with {} is not defined for {} (sum is for every arithmetic kind, min and "
                "max for the real ones)",
                to_string(update), to_string(kind)));
}

}  // namespace

const std::string& Segment::name() const noexcept {
  static const std::string none = "(moved from)";
  return state_ ? peek(state_)->name() : none;
}
AtomicDomain Segment::domain() const noexcept { return state_ ? peek(state_)->domain() : AtomicDomain::cpu; }
bool Segment::is_open() const noexcept { return state_ && peek(state_)->is_open(); }
index_t Segment::slice_bytes() const noexcept { return face().slice; }

bool Segment::overlaps(const Segment& other) const noexcept {
  if (!is_open() || !other.is_open()) return false;
  const SegmentState &mine = *peek(state_), &theirs = *peek(other.state_);
  return &mine.region() == &theirs.region() && mine.offset() < theirs.offset() + theirs.slice &&
         theirs.offset() < mine.offset() + mine.slice;
}

bool Segment::begins_with(const Segment& other) const noexcept {
  return overlaps(other) && peek(state_)->offset() == peek(other.state_)->offset();
}

std::byte* Segment::address(int rank) const noexcept {
  return is_open() && rank >= 0 && rank < group_.size() ? peek(state_)->address(rank) : nullptr;
}

std::optional<Segment::Position> Segment::locate(const void* pointer) const noexcept {
  if (!is_open()) return {};
  const SegmentState& segment = *peek(state_);
  const index_t distance = static_cast<const std::byte*>(pointer) - segment.base;
  if (pointer < segment.base || distance % segment.stride >= segment.slice) return {};
  const int rank = segment.group().rank_of_slot(distance / segment.stride);
  if (rank < 0) return {};
  return Position{rank, distance % segment.stride};
}

void Segment::put(int rank, index_t offset, const Strided& shape, const void* source) {
  detail::transfer_put(state(), rank, offset, shape, static_cast<const std::byte*>(source));
}

void Segment::get(int rank, index_t offset, const Strided& shape, void* target) const {
  detail::transfer_get(state(), rank, offset, shape, static_cast<std::byte*>(target));
}

void Segment::accumulate(int rank, index_t offset, const Strided& shape, ElementKind kind, const void* alpha,
                         const void* source) {
  require_accumulate(kind, Update::sum);
  detail::transfer_accumulate(state(), rank, offset, shape, {.kind = kind, .alpha = alpha},
                              static_cast<const std::byte*>(source));
}

void Segment::accumulate(int rank, index_t offset, const Strided& shape, ElementKind kind, Update update,
                         const void* source) {
  require_accumulate(kind, update);
  detail::transfer_accumulate(state(), rank, offset, shape,
                              {.kind = kind, .update = update, .alpha = detail::one(kind)},
                              static_cast<const std::byte*>(source));
}

Request Segment::put_async(int rank, index_t offset, const Strided& shape, const void* source) {
  return asynchronous(state(), rank, [&](Pending* pending) {
    detail::transfer_put(state(), rank, offset, shape, static_cast<const std::byte*>(source), pending);
  });
}

Request Segment::get_async(int rank, index_t offset, const Strided& shape, void* target) const {
  return asynchronous(state(), rank, [&](Pending* pending) {
    detail::transfer_get(state(), rank, offset, shape, static_cast<std::byte*>(target), pending);
  });
}

Request Segment::accumulate_async(int rank, index_t offset, const Strided& shape, ElementKind kind,
                                  const void* alpha, const void* source) {
  require_accumulate(kind, Update::sum);
  return asynchronous(state(), rank, [&](Pending* pending) {
    detail::transfer_accumulate(state(), rank, offset, shape, {.kind = kind, .alpha = alpha},
                                static_cast<const std::byte*>(source), pending);
  });
}

void Segment::fetch_op(int rank, index_t offset, ElementKind kind, Update update, const void* value,
                       void* result) {
  detail::element_update(state(), rank, offset, kind, update, value, result);
}

bool Segment::compare_exchange(int rank, index_t offset, ElementKind kind, void* expected,
                               const void* desired) {
  return detail::element_compare_exchange(state(), rank, offset, kind, expected, desired);
}

void Segment::flush(int rank) const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const SegmentState& segment = state();
  detail::check_rank(segment, rank);
  segment.complete(rank, detail::anything);
  if (detail::conflicts::notes(segment.checked))
    detail::conflicts::Recorder::instance().flush(segment.checked, rank);
}

void Segment::flush() const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const SegmentState& segment = state();
  segment.complete_all();
  if (segment.checked != 0) detail::conflicts::Recorder::instance().flush(segment.checked, -1);
}

// Operations on this node are done when they return, unless MPI does them. So nothing is asked of other nodes.
void Segment::order_local_access() const {
  const SegmentState& segment = state();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (segment.domain() == AtomicDomain::mpi) segment.complete_all();
  if (!segment.region().has_window()) return;
  const detail::NetworkLock lock(segment.group().runtime().threads());
  detail::mpi::sync_memory(segment.region().window());
}

void Segment::complete_and_order() const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  state().complete_all();
  order_local_access();
}

std::uint64_t Segment::begin_local_access(int rank, index_t offset, const Strided& shape, LocalUse use) const {
  using namespace detail::conflicts;
  if (!notes(face().checked) || shape.bytes() == 0) return 0;
  const Ticket ticket = Recorder::instance().new_ticket();
  note_local(use == LocalUse::read ? Act::read_locally : Act::write_locally, face().checked, rank,
             address(rank), offset, shape, ticket);
  return ticket;
}

void Segment::end_local_access(std::uint64_t access) const noexcept {
  try {
    if (detail::conflicts::on()) detail::conflicts::Recorder::instance().complete(access);
  } catch (...) {  // without memory for it, the access counts as not ended
  }
}

void Segment::suspend_local_accesses() const {
  if (face().checked != 0) detail::conflicts::Recorder::instance().suspend(face().checked);
}

void Segment::resume_local_accesses() const {
  if (face().checked != 0) detail::conflicts::Recorder::instance().resume(face().checked);
}

void Segment::describe_places(Describe describe) const {
  if (face().checked == 0) return;
  detail::conflicts::Recorder::instance().describe(
      face().checked, [describe = std::move(describe)](int rank, const auto& ranges) {
        std::vector<PartRange> places;
        for (const auto& [low, high] : ranges) places.push_back({low, high - low});
        return describe(rank, places);
      });
}

void Segment::count(int rank, Operation operation, index_t bytes, Path path) const {
  SegmentState& segment = state();
  detail::count_untimed(segment, segment.tallies(), rank, path, operation, bytes);
}

Statistics Segment::statistics() const { return state_ ? peek(state_)->statistics() : Statistics(); }

void Segment::sync() const {
  const SegmentState& segment = state();
  const Phase phase(group_, "sync");
  group_.check_agreement([&] { return detail::CollectiveCall{formatted("sync of \"{}\"", segment.name())}; });
  complete_and_order();
  if (segment.checked != 0) detail::conflicts::Recorder::instance().flush(segment.checked, -1);
  if (segment.checked != 0) detail::conflicts::Recorder::instance().suspend(segment.checked);
  group_.state().meet();
  if (segment.checked != 0) detail::conflicts::Recorder::instance().resume(segment.checked);
  order_local_access();
}

}  // namespace tessera
