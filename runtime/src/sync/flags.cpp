// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/flags.hpp>

#include <limits>

#include <tessera/runtime/detail/unchecked.hpp>
#include <tessera/runtime/error.hpp>

#include "base/give_way.hpp"
#include "base/pause.hpp"
#include "conflicts/conflicts.hpp"
#include "format.hpp"
#include "order/clock.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"
#include "sync/waiting.hpp"
#include "transfer/transfer.hpp"

namespace tessera {
namespace {

constexpr index_t most = std::numeric_limits<index_t>::max();

// The word of a scalar that changes with every notification.
std::uint32_t& low_word(std::int64_t* scalar) noexcept {
  static_assert(std::endian::native == std::endian::little);
  return *reinterpret_cast<std::uint32_t*>(scalar);
}

}  // namespace

Flags::Flags(const Group& group, index_t count, std::string_view name)
    : scalars_(group, count < 0 || count > most - 2 ? count : count + 2, name),
      waited_for_(static_cast<std::size_t>(count), 0) {
  if (detail::order::clocks_on()) number_ = detail::GroupState::of(group).clocks().next_flags();
}

void Flags::check(int rank, index_t index) const {
  if (index < 0 || index >= count() || rank < 0 || rank >= group().size()) {
    throw UsageError(formatted("flag {} of rank {} is not in \"{}\", which has {} on each of {} ranks", index,
                               rank, scalars_.name(), count(), group().size()));
  }
}

void Flags::notify(int rank, index_t index) { notify_of(0, rank, index); }

void Flags::notify_of(std::uint64_t notice, int rank, index_t index) {
  check(rank, index);
  const detail::Unchecked own;
  if (detail::order::clocks_on()) {
    detail::GroupState& state = detail::GroupState::of(group());
    state.clocks().notify(state.runtime().threads(), rank, number_, index, notice);
  }
  scalars_.fetch_add(rank, index, 1);
  const index_t sleepers = count(), bell = count() + 1;
  std::int64_t* asleep = scalars_.address(rank, sleepers);
  if (asleep == nullptr || std::atomic_ref(*asleep).load() == 0) return;
  std::int64_t* rung = scalars_.address(rank, bell);
  std::atomic_ref(*rung).fetch_add(1);
  detail::wake_all(low_word(rung));
}

// A wait reads this without an operation, in which the watchdog would see progress.
std::int64_t Flags::raised(index_t index) const {
  const int me = group().rank();
  std::int64_t* const flag = scalars_.address(me, index);
  return flag != nullptr ? std::atomic_ref(*flag).load() : scalars_.load(me, index);  // throws: it is closed
}

bool Flags::take(index_t index, std::int64_t notifications) {
  if (index < 0 || index >= count()) {
    throw UsageError(
        formatted("flag {} is not in \"{}\", which has {} on each rank", index, scalars_.name(), count()));
  }
  if (notifications < 0) {
    throw UsageError(
        formatted("{} notifications of flag {} of \"{}\" were waited for (those that have come cannot be "
                  "given back)",
                  notifications, index, scalars_.name()));
  }
  const detail::Unchecked own;
  auto& before = waited_for_[static_cast<std::size_t>(index)];
  if (raised(index) - before < notifications) return false;
  before += notifications;
  if (detail::order::clocks_on()) take_clocks(index, notifications);
  return true;
}

// They were sent before the flag was raised, so they come without the help of other ranks.
void Flags::take_clocks(index_t index, std::int64_t notifications) {
  detail::GroupState& state = detail::GroupState::of(group());
  const detail::Threads& threads = state.runtime().threads();
  while (!state.clocks().take(threads, number_, index, notifications)) {
    detail::keep_mpi_going(state);
    detail::give_way();
  }
}

bool Flags::test(index_t index, std::int64_t notifications) {
  if (take(index, notifications)) return true;
  const detail::GroupState& state = detail::GroupState::of(group());
  if (state.node_count() == 1) return false;
  detail::keep_mpi_going(state);  // the notification may need this to arrive
  return take(index, notifications);
}

template <class Try>
void Flags::wait_until(Try&& came) {
  if (came()) return;
  const int me = group().rank();
  const detail::GroupState& state = detail::GroupState::of(group());
  detail::Waiting waiting(state);
  const std::atomic_ref<std::int64_t> sleepers(*scalars_.address(me, count()));
  std::int64_t* bell = scalars_.address(me, count() + 1);
  while (!came()) {
    if (waiting.turn() || state.node_count() > 1) continue;  // nobody on another node could wake us
    sleepers.fetch_add(1);
    const auto seen = static_cast<std::uint32_t>(std::atomic_ref(*bell).load());
    const bool now = came();
    if (!now) detail::sleep_while(low_word(bell), seen, detail::longest_sleep);
    sleepers.fetch_sub(1);
    if (now) return;
  }
}

void Flags::wait(index_t index, std::int64_t notifications) {
  wait_until([&] { return take(index, notifications); });
}

index_t Flags::wait_any(std::span<const index_t> indices) {
  if (indices.empty()) throw UsageError(formatted("wait_any for none of the flags of \"{}\"", scalars_.name()));
  index_t found = -1;
  wait_until([&] {
    for (index_t index : indices) {
      if (take(index, 1)) return found = index, true;
    }
    return false;
  });
  return found;
}

void put_notify(Segment& segment, int rank, index_t offset, const Strided& shape, const void* source,
                const Flag& flag) {
  const auto& scalars = flag.flags->scalars_;
  flag.flags->check(flag.rank, flag.index);
  // With clocks, the flag is raised only after this process knows that the data is there.
  if (!detail::order::clocks_on() &&
      detail::put_with_notice(segment, rank, offset, shape, static_cast<const std::byte*>(source),
                              scalars.segment(), flag.rank, flag.index * Scalars<std::int64_t>::spacing))
    return;
  const std::uint64_t notice = detail::new_notice();
  detail::put_before_notice(segment, rank, offset, shape, source, notice);
  detail::notify(flag, notice);
}

namespace detail {

std::uint64_t new_notice() noexcept { return order::clocks_on() ? order::next_notice() : 0; }

void notify(const Flag& flag, std::uint64_t notice) { flag.flags->notify_of(notice, flag.rank, flag.index); }

void put_before_notice(Segment& segment, int rank, index_t offset, const Strided& shape, const void* source,
                       std::uint64_t notice) {
  {
    const Unchecked noted;  // below, if the put is not refused
    segment.put(rank, offset, shape, source);
    segment.flush(rank);
  }
  if (conflicts::notes(segment.face().checked))
    conflicts::note_put_with_notice(segment.face().checked, rank, offset, shape, source, notice);
}

}  // namespace detail

}  // namespace tessera
