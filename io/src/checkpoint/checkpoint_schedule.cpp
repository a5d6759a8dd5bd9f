// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/checkpoint_schedule.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "checkpoint/end_time.hpp"
#include "format.hpp"

namespace tessera::io {
namespace {

using std::chrono::steady_clock, std::chrono::system_clock;

constexpr auto between_agreements = std::chrono::milliseconds(100);
constexpr int max_silent_calls = 15;

// Longer times, which stand for "never", would overflow where they are added up.
constexpr std::chrono::seconds most = std::chrono::hours(24 * 365 * 100);

// What a rank reports, as bits of one number.
constexpr std::int32_t due_bit = 1, stop_bit = 2, hurry_bit = 4;

// The signal handlers only set these.
std::atomic<bool> asked_to_write = false, asked_to_stop = false;
static_assert(std::atomic<bool>::is_always_lock_free);
bool handled = false;

void on_write(int) { asked_to_write = true; }
void on_stop(int) { asked_to_stop = true; }

/// Installs handlers of both signals for its lifetime.
class Handlers {
 public:
  Handlers() {
    if (std::exchange(handled, true))
      throw UsageError("CheckpointSchedule: another one handles signals already");
    asked_to_write = asked_to_stop = false;
    install(SIGUSR1, on_write, before_[0]);
    install(SIGTERM, on_stop, before_[1]);
  }
  ~Handlers() {
    sigaction(SIGUSR1, &before_[0], nullptr);
    sigaction(SIGTERM, &before_[1], nullptr);
    handled = false;
  }
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

 private:
  static void install(int signal, void (*handler)(int), struct sigaction& before) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    if (sigaction(signal, &action, &before) != 0)
      throw UsageError(
          formatted("CheckpointSchedule: signal {} cannot be handled: {}", signal, std::strerror(errno)));
  }
  std::array<struct sigaction, 2> before_{};
};

std::optional<system_clock::time_point> end_by_slurm() {
  const char* text = std::getenv("SLURM_JOB_END_TIME");
  return text == nullptr ? std::nullopt : detail::parse_end_time(text);
}

}  // namespace

struct CheckpointSchedule::State {
  Group group;
  ScheduleOptions options;
  // By rank 0's clocks, like the other times. The end of the job is a date; the run time is not changed by a
  // clock that is set.
  std::optional<system_clock::time_point> last_date;
  std::optional<steady_clock::time_point> last_moment;
  steady_clock::time_point written = steady_clock::now(), agreed = written;
  int silent_calls = 0;  // calls left until the ranks agree again
  int silence = 0;       // the number of silent calls this time
  bool near_end = false, stop = false;
  std::unique_ptr<Handlers> handlers;

  std::int32_t reasons();
};

// Takes the signals that have arrived. Only rank 0 looks at the time.
std::int32_t CheckpointSchedule::State::reasons() {
  std::int32_t bits = 0;
  if (handlers && asked_to_write.exchange(false)) bits |= due_bit;
  if (handlers && asked_to_stop.exchange(false)) bits |= due_bit | stop_bit;
  if (group.rank() != 0) return bits;
  const auto now = steady_clock::now();
  if (options.every.count() > 0 && now - written >= options.every) bits |= due_bit;
  const bool is_last = (last_date && system_clock::now() >= *last_date) || (last_moment && now >= *last_moment);
  if (is_last && !near_end) {
    near_end = true;
    bits |= due_bit | stop_bit;
  }
  if (now - std::exchange(agreed, now) > between_agreements) bits |= hurry_bit;
  return bits;
}

CheckpointSchedule::CheckpointSchedule(const Group& group, const ScheduleOptions& options)
    : state_(std::make_unique<State>()) {
  if (options.every.count() < 0 || options.margin.count() < 0)
    throw UsageError("CheckpointSchedule: times cannot be negative");
  state_->group = group;
  state_->options = options;
  state_->options.every = std::min(options.every, most);
  const auto margin = std::min(options.margin, most);
  if (const auto end = options.end ? options.end : end_by_slurm()) {
    const auto never = system_clock::now() + most;
    state_->last_date = std::clamp(*end, system_clock::time_point(), never) - margin;
  }
  if (options.run_time)
    state_->last_moment = steady_clock::now() + std::clamp(*options.run_time, -most, most) - margin;
  if (options.signals) state_->handlers = std::make_unique<Handlers>();
}

CheckpointSchedule::~CheckpointSchedule() = default;
CheckpointSchedule::CheckpointSchedule(CheckpointSchedule&&) noexcept = default;
CheckpointSchedule& CheckpointSchedule::operator=(CheckpointSchedule&&) noexcept = default;

bool CheckpointSchedule::due() {
  if (!state_) throw UsageError("this io::CheckpointSchedule was moved from");
  State& state = *state_;
  if (state.silent_calls > 0) {
    --state.silent_calls;
    return false;
  }
  const std::int32_t bits = state.group.all_reduce(state.reasons(), Reduce::bit_or);
  // While calls pass quickly, the number of silent calls doubles. Once they take long, it soon drops to zero.
  state.silence =
      (bits & hurry_bit) != 0 ? state.silence / 4 : std::min(2 * state.silence + 1, max_silent_calls);
  state.silent_calls = state.silence;
  if ((bits & stop_bit) != 0) state.stop = true;
  if ((bits & due_bit) == 0) return false;
  state.written = steady_clock::now();
  return true;
}

bool CheckpointSchedule::should_stop() const noexcept { return state_ && state_->stop; }

}  // namespace tessera::io
