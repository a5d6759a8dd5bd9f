// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "trace/event_recorder.hpp"

namespace tessera {
namespace detail {

constinit std::atomic<bool> tracing{false};

namespace trace {
namespace {

std::atomic<std::uint64_t> recordings{0};  // a phase that began in another recording does not count
std::atomic<unsigned> threads_seen{0};
thread_local Phase* innermost = nullptr;
thread_local int wait_depth = 0;
thread_local std::int64_t waited = 0;  // nanoseconds in waits of this thread, outside phases that have ended

std::uint16_t this_thread() noexcept {
  thread_local const unsigned number = threads_seen.fetch_add(1, std::memory_order_relaxed);
  return static_cast<std::uint16_t>(number);
}

}  // namespace

EventRecorder& recorder() {
  static EventRecorder* const one = new EventRecorder;
  return *one;
}

void EventRecorder::start(std::size_t events) {
  this_thread();  // the thread that starts the Runtime is number 0
  {
    const std::lock_guard lock(mutex_);
    names_ = {"(other)"};
    numbers_.clear();
    phases_.clear();
    waits_.clear();
    arrays_.clear();
  }
  for (EventLog* log : {&operations_, &phase_events_, &wait_events_}) log->start(events);
  recordings.fetch_add(1, std::memory_order_relaxed);
  tracing.store(true, std::memory_order_release);
}

void EventRecorder::stop() noexcept { tracing.store(false, std::memory_order_release); }

std::uint32_t EventRecorder::name(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
  if (names_.size() >= most_names) return 0;
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(text);
  numbers_.emplace(text, number);
  return number;
}

void EventRecorder::operation(const TracedSegment& segment, int rank, Path path, Operation operation,
                              std::uint64_t bytes, std::int64_t begin, std::int64_t duration) {
  operations_.add({begin, duration, bytes, segment.name, segment.world_ranks[rank], this_thread(),
                   static_cast<std::uint8_t>(path), static_cast<std::uint8_t>(operation)});
}

void EventRecorder::wait(const char* what, std::int64_t begin, std::int64_t duration) {
  const std::uint32_t number = name(what);
  {
    const std::lock_guard lock(mutex_);
    Sum& sum = waits_[number];
    ++sum.calls;
    sum.total += duration;
    sum.self += duration;
  }
  if (wait_events_.is_turn())
    wait_events_.add({.begin = begin, .duration = duration, .name = number, .thread = this_thread()});
}

void EventRecorder::phase(std::uint32_t number, std::int64_t begin, const Sum& sum) {
  {
    const std::lock_guard lock(mutex_);
    Sum& all = phases_[number];
    ++all.calls;
    all.total += sum.total;
    all.self += sum.self;
    all.waits += sum.waits;
  }
  if (phase_events_.is_turn())
    phase_events_.add({.begin = begin, .duration = sum.total, .name = number, .thread = this_thread()});
}

void EventRecorder::add(std::map<std::uint32_t, ArraySum>& arrays, const TracedSegment& segment,
                        const Statistics& statistics) {
  ArraySum& sum = arrays[segment.name];
  ++sum.segments;
  for (const auto& [rank, table] : statistics.targets) {
    Statistics::Table& all = sum.targets[segment.world_ranks[rank]];
    for (std::size_t path = 0; path < path_count; ++path) {
      for (std::size_t operation = 0; operation < operation_count; ++operation)
        all[path][operation] += table[path][operation];
    }
  }
}

void EventRecorder::released(const TracedSegment& segment, const Statistics& statistics) {
  const std::lock_guard lock(mutex_);
  add(arrays_, segment, statistics);
}

EventRecorder::Recording EventRecorder::recording() const {
  Recording all;
  {
    const std::lock_guard lock(mutex_);
    all.phases = phases_;
    all.waits = waits_;
    all.arrays = arrays_;
  }
  all.operations = operations_.contents();
  all.phase_events = phase_events_.contents();
  all.wait_events = wait_events_.contents();
  return all;
}

std::vector<std::string> EventRecorder::names() const {
  const std::lock_guard lock(mutex_);
  return names_;
}

void WaitTime::begin() noexcept {
  if (wait_depth++ == 0) begin_ = now();
}

void WaitTime::end() noexcept {
  if (--wait_depth > 0) return;
  const std::int64_t duration = now() - begin_;
  waited += duration;
  try {
    if (is_on()) recorder().wait(what_, begin_, duration);
  } catch (...) {  // no memory: the wait is not recorded
  }
}

}  // namespace trace
}  // namespace detail

void Phase::begin(std::string_view name) {
  using namespace detail::trace;
  name_ = recorder().name(name);
  recording_ = recordings.load(std::memory_order_relaxed);
  outer_ = innermost;
  innermost = this;
  waits_ = waited;
  begin_ = now();
}

// Waits inside inner phases are counted there: `waited` is taken back to its value at the beginning.
void Phase::end() noexcept {
  using namespace detail::trace;
  const std::int64_t total = now() - begin_;
  innermost = outer_;
  const std::int64_t waits = waited - waits_;
  waited = waits_;
  if (outer_ != nullptr) outer_->inner_ += total;
  if (!is_on() || recording_ != recordings.load(std::memory_order_relaxed)) return;
  try {
    recorder().phase(name_, begin_, {.total = total, .self = total - inner_, .waits = waits});
  } catch (...) {  // no memory: the phase is not recorded
  }
}

}  // namespace tessera
