// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/mutexes.hpp>

#include <tessera/runtime/detail/product.hpp>
#include <tessera/runtime/detail/unchecked.hpp>
#include <tessera/runtime/error.hpp>

#include "base/pause.hpp"
#include "conflicts/conflicts.hpp"
#include "format.hpp"
#include "mpi/threads.hpp"
#include "order/clock.hpp"
#include "order/held_mutexes.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"
#include "sync/waiting.hpp"

namespace tessera {
namespace {

// The values of the word `granted` of a process that waits.
enum Grant : std::int32_t { waiting, yours, asleep };

// Of this process. A wait reads it without an operation, in which the watchdog would see progress.
std::atomic_ref<std::int32_t> own_word(const Scalars<std::int32_t>& words, index_t i) {
  return std::atomic_ref(*words.address(words.group().rank(), i));
}

}  // namespace

// The queue of this process's threads. Tickets are given in the order of arrival.
struct Mutexes::Local {
  std::atomic<std::uint32_t> next_ticket{0}, served{0};
  std::atomic<bool> held{false};

  // The thread that waits may be the only one that can serve other nodes, or progress the program's messages.
  void enter(const detail::GroupState& group) {
    const std::uint32_t ticket = next_ticket.fetch_add(1);
    std::uint32_t now = served.load();
    if (now == ticket) return;
    for (detail::Waiting turns(group); (now = served.load()) != ticket;) {
      if (turns.turn() || group.runtime().progress() != nullptr) continue;
      detail::sleep_while(sleep_word(), now, detail::longest_sleep);
    }
  }
  bool try_enter() noexcept {
    std::uint32_t ticket = served.load();
    return next_ticket.compare_exchange_strong(ticket, ticket + 1);
  }
  void leave() noexcept {
    const std::uint32_t now = served.fetch_add(1) + 1;
    if (next_ticket.load() != now) detail::wake_all(sleep_word());
  }
  std::uint32_t& sleep_word() noexcept { return reinterpret_cast<std::uint32_t&>(served); }
};

// Lets the next thread in, unless the mutex was taken.
struct Mutexes::Leaver {
  Local* local;
  ~Leaver() {
    if (local != nullptr) local->leave();
  }
};

void Mutexes::LocalDelete::operator()(Local* locals) const noexcept { delete[] locals; }

Mutexes::Mutexes(const Group& group, index_t count, int host, std::string_view name)
    : count_(count),
      host_(host),
      words_(group, detail::size_to_ask(count, words), name, static_cast<std::uint64_t>(host)) {
  if (host < 0 || host >= group.size()) {
    throw UsageError(formatted("mutexes \"{}\": host {} is not in a group of {}", name, host, group.size()));
  }
  locals_.reset(new Local[static_cast<std::size_t>(count)]);
  if (!detail::order::clocks_on()) return;
  number_ = detail::order::next_mutex_set(group.world_rank(group.rank()));
  number_ = group.broadcast(number_, host);
}

// Also holders that follow one another, without a common access under the mutex, may order themselves by it.
void Mutexes::note_use(index_t i) const {
  using namespace detail::conflicts;
  const std::uint64_t set = words_.segment().face().checked;
  if (notes(set)) detail::conflicts::note_use({Means::Is::mutex, set, host_, i});
}

void Mutexes::note_held(index_t i) const {
  if (detail::order::clocks_on()) detail::order::hold_mutex({number_, i});
  note_use(i);
}

// A thread that may not call MPI would else be refused only where the queue needs another node, with the mutex
// half taken.
void Mutexes::require_network() const {
  const detail::GroupState& state = detail::GroupState::of(group());
  if (state.node_count() > 1) state.runtime().threads().require_turns();
}

Mutexes::Local& Mutexes::local(index_t i) const {
  if (i >= 0 && i < count_) return locals_[static_cast<std::size_t>(i)];
  throw UsageError(formatted("mutex {} is not in \"{}\", which has {}", i, words_.name(), count_));
}

// What these two note is no operation of this class, so it is out of the scope of Unchecked.
void Mutexes::lock(index_t i) {
  acquire(i);
  note_held(i);
}

bool Mutexes::try_lock(index_t i) {
  if (!try_acquire(i)) return false;
  note_held(i);
  return true;
}

void Mutexes::acquire(index_t i) {
  Local& mine = local(i);
  require_network();
  const detail::Unchecked own;
  mine.enter(detail::GroupState::of(group()));
  Leaver leaver{&mine};
  const int me = group().rank();
  words_.store(me, word(i, next), 0);
  words_.store(me, word(i, granted), waiting);
  // Ranks count from 1 here; 0 is no rank.
  const std::int32_t before = words_.exchange(host_, word(i, tail), me + 1);
  if (before != 0) {
    words_.store(before - 1, word(i, next), me + 1);
    const detail::GroupState& state = detail::GroupState::of(group());
    detail::Waiting turns(state);
    const std::atomic_ref<std::int32_t> turn = own_word(words_, word(i, granted));
    while (turn.load() != yours) {
      if (turns.turn() || state.node_count() > 1) continue;  // nobody on another node could wake us
      std::int32_t expected = waiting;
      turn.compare_exchange_strong(expected, asleep);
      auto& sleep_word = *reinterpret_cast<std::uint32_t*>(words_.address(me, word(i, granted)));
      detail::sleep_while(sleep_word, asleep, detail::longest_sleep);
    }
  }
  mine.held = true;
  leaver.local = nullptr;
}

bool Mutexes::try_acquire(index_t i) {
  Local& mine = local(i);
  require_network();
  const detail::Unchecked own;
  if (!mine.try_enter()) return false;
  Leaver leaver{&mine};
  const int me = group().rank();
  words_.store(me, word(i, next), 0);
  std::int32_t nobody = 0;
  mine.held = words_.compare_exchange(host_, word(i, tail), nobody, me + 1);
  if (!mine.held) return false;
  leaver.local = nullptr;
  return true;
}

void Mutexes::unlock(index_t i) {
  Local& mine = local(i);
  require_network();
  if (!mine.held) {
    throw UsageError(formatted("mutex {} of \"{}\" was unlocked on rank {}, which does not hold it", i,
                               words_.name(), group().rank()));
  }
  detail::GroupState::of(group()).runtime().complete_own();
  if (detail::order::clocks_on()) detail::order::release_mutex({number_, i});
  if (detail::conflicts::on()) detail::conflicts::note_unlock({number_, i});
  note_use(i);
  const detail::Unchecked own;
  mine.held = false;
  hand_on(i);
  mine.leave();
}

void Mutexes::hand_on(index_t i) {
  const int me = group().rank();
  std::int32_t successor = words_.load(me, word(i, next));
  if (successor == 0) {
    std::int32_t expected = me + 1;
    if (words_.compare_exchange(host_, word(i, tail), expected, 0)) return;
    // Another rank has joined the queue, and is about to store its number.
    const detail::GroupState& state = detail::GroupState::of(group());
    detail::Waiting turns(state);
    const std::atomic_ref<std::int32_t> following = own_word(words_, word(i, next));
    while ((successor = following.load()) == 0) turns.turn();
  }
  if (words_.exchange(successor - 1, word(i, granted), yours) != asleep) return;
  if (std::int32_t* sleeper = words_.address(successor - 1, word(i, granted)))
    detail::wake_one(*reinterpret_cast<std::uint32_t*>(sleeper));
}

}  // namespace tessera
