// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/watchdog.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include <tessera/runtime/detail/quiet_thread.hpp>

#include "base/activity.hpp"
#include "base/backtrace.hpp"
#include "format.hpp"
#include "state/group_state.hpp"
#include "state/registry.hpp"

namespace tessera::detail {
namespace {

constexpr auto look_every = std::chrono::milliseconds(250);
// An older report no longer counts.
constexpr auto fresh = std::chrono::seconds(3);
constexpr std::size_t max_bytes = 8000;  // of a report: a datagram
constexpr std::size_t max_told = 16;     // ranks whose reports are printed whole

enum class ReportKind : char { report = 'R', end = 'E' };

struct ReportHeader {
  ReportKind kind = ReportKind::report;
  bool waits = false;
  std::int32_t rank = 0, call_bytes = 0;
};

void print(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t more = write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (more <= 0) return;
    done += static_cast<std::size_t>(more);
  }
}

// "0-2, 5"
std::string list_of(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += formatted("{}{}", text.empty() ? "" : ", ", ranks[i]);
    if (last > i) text += formatted("-{}", ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string last_call(const activity::Snapshot& now) {
  if (now.calls == 0) return "no collective call yet";
  return formatted("{} (its collective call {})", now.last_call, now.calls);
}

}  // namespace

namespace {

// A thread may wait in one Runtime of the process while it works in another, so all of them count.
struct Watched {
  std::mutex mutex;
  std::vector<const Registry*> registries;
};
Watched& watched() {
  static auto* one = new Watched;
  return *one;
}

// Empty while a thread waits inside the lock of a registry.
std::optional<std::uint64_t> operations_so_far() {
  const std::lock_guard lock(watched().mutex);
  std::uint64_t sum = 0;
  for (const Registry* registry : watched().registries) {
    const auto operations = registry->operations_so_far();
    if (!operations) return {};
    sum += *operations;
  }
  return sum;
}

}  // namespace

Watchdog::Watchdog(GroupState& world, const Registry& registry, std::chrono::seconds patience,
                   std::string& problem)
    : registry_(registry),
      patience_(patience),
      main_(pthread_self()),
      rank_(world.rank()),
      size_(world.size()),
      addresses_(static_cast<std::size_t>(size_)),
      reports_(rank_ == 0 ? static_cast<std::size_t>(size_) : 0),
      last_move_(Clock::now()) {
  mpi::all_gather(world.comm(), &mailbox_.address(), addresses_.data(), sizeof(Mailbox::Address));
  problem = world.agree(mailbox_.address().port == 0 ? "no socket can be opened"
                        : !allow_backtraces()        ? "no real-time signal is free"
                                                     : "");
  if (!problem.empty()) return;
  activity::ask();
  {
    const std::lock_guard lock(watched().mutex);
    watched().registries.push_back(&registry_);
  }
  thread_ = quiet_thread([this] { run(); });
}

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  stopping_ = true;
  thread_.join();
  const std::lock_guard lock(watched().mutex);
  std::erase(watched().registries, &registry_);
  activity::forget();
}

// While a thread waits inside the registry's lock, the last count of operations stands in: the process has not
// moved.
bool Watchdog::has_moved() {
  const std::uint64_t steps = activity::look().steps;
  const std::uint64_t operations = operations_so_far().value_or(last_operations_);
  return std::exchange(last_steps_, steps) != steps ||
         std::exchange(last_operations_, operations) != operations;
}

std::string Watchdog::report() {
  const activity::Snapshot now = activity::look();
  std::string text = formatted("  last collective call: {}\n", last_call(now));
  std::vector<pthread_t> threads;
  for (const activity::WaitingThread& wait : now.waits) {
    text += formatted("  waits for {}{}\n", wait.what,
                      wait.from < 0 ? std::string() : formatted(" of rank {}", wait.from));
    const auto same = [&](pthread_t other) { return pthread_equal(other, wait.thread) != 0; };
    if (std::none_of(threads.begin(), threads.end(), same)) threads.push_back(wait.thread);
  }
  if (now.waits.empty()) text += "  waits for nothing in Tessera: it computes, or waits for something else\n";
  if (threads.empty()) threads.push_back(main_);
  for (const pthread_t thread : threads) {
    text += pthread_equal(thread, main_) != 0 ? "  the thread that started the Runtime is at\n"
                                              : "  another thread is at\n";
    for (const std::string& line : describe(backtrace_of(thread))) text += formatted("    {}\n", line);
  }
  return text;
}

void Watchdog::send_report(const std::string& text) const {
  const activity::Snapshot now = activity::look();
  const std::string call = last_call(now).substr(0, max_bytes / 8);
  ReportHeader header{ReportKind::report, !now.waits.empty(), rank_, static_cast<std::int32_t>(call.size())};
  std::string message(reinterpret_cast<const char*>(&header), sizeof header);
  message += call + text;
  message.resize(std::min(message.size(), max_bytes));
  mailbox_.send(addresses_[0], message);
}

void Watchdog::take(const char* data, std::size_t bytes) {
  ReportHeader header;
  if (bytes < sizeof header) return;
  std::memcpy(&header, data, sizeof header);
  if (header.kind == ReportKind::end) _exit(EXIT_FAILURE);
  if (header.call_bytes < 0) return;
  const auto length = static_cast<std::size_t>(header.call_bytes);
  if (rank_ != 0 || header.rank < 0 || header.rank >= size_ || bytes < sizeof header + length) return;
  const char* const text = data + sizeof header;
  reports_[static_cast<std::size_t>(header.rank)] = {Clock::now(), header.waits, std::string(text, length),
                                                     std::string(text + length, data + bytes)};
}

// Reports from before the last rank stood still must be repeated, as a rank may have gone on since.
bool Watchdog::all_stand_still() {
  if (rank_ != 0) return false;
  const auto all = [&](Clock::time_point since) {
    return std::all_of(reports_.begin(), reports_.end(), [&](const Report& one) { return one.came > since; });
  };
  const auto now = Clock::now();
  const bool waits = std::any_of(reports_.begin(), reports_.end(), [](const Report& one) { return one.waits; });
  if (!waits || !all(now - fresh)) {
    suspected_ = {};
    return false;
  }
  if (suspected_ == Clock::time_point()) suspected_ = now;
  return all(suspected_);
}

// Ends without MPI, which may itself stand still. The launcher ends the remaining processes when some fail.
void Watchdog::end_job() {
  std::string text = formatted(
      "Tessera: the job stands still. No rank has made a call or moved data for {} s "
      "(TESSERA_DEBUG=hang:{}).\n",
      patience_.count(), patience_.count());
  std::map<std::string, std::vector<int>> by_call;
  for (int r = 0; r < size_; ++r) by_call[reports_[static_cast<std::size_t>(r)].call].push_back(r);
  for (const auto& [call, ranks] : by_call)
    text += formatted("  rank{} {}: {}\n", ranks.size() > 1 ? "s" : "", list_of(ranks), call);
  if (by_call.size() > 1)
    text += "  (all members of a group must make the same collective calls in the same order)\n";
  print(text);
  // First one rank for each last call.
  std::vector<int> order;
  for (const auto& [call, ranks] : by_call) order.push_back(ranks.front());
  for (const auto& [call, ranks] : by_call) order.insert(order.end(), ranks.begin() + 1, ranks.end());
  for (std::size_t i = 0; i < std::min(order.size(), max_told); ++i)
    print(formatted("[rank {} of {}]\n{}", order[i], size_, reports_[static_cast<std::size_t>(order[i])].text));
  if (order.size() > max_told) print(formatted("and {} more ranks\n", order.size() - max_told));
  const ReportHeader end{ReportKind::end, false, 0, 0};
  for (const Mailbox::Address& other : addresses_)
    mailbox_.send(other, {reinterpret_cast<const char*>(&end), sizeof end});
  _exit(EXIT_FAILURE);
}

void Watchdog::run() {
  std::vector<char> room(max_bytes);
  std::string text;
  Clock::time_point sent{};
  while (!stopping_) {
    pollfd fd{mailbox_.descriptor(), POLLIN, 0};
    poll(&fd, 1, static_cast<int>(look_every.count()));
    for (std::ptrdiff_t bytes; (bytes = mailbox_.receive(room)) > 0;)
      take(room.data(), static_cast<std::size_t>(bytes));
    const auto now = Clock::now();
    if (has_moved()) {
      last_move_ = now;
      text.clear();
    } else if (now - last_move_ >= patience_ && now - sent >= std::chrono::seconds(1)) {
      if (text.empty()) text = report();
      send_report(text);
      sent = now;
    }
    if (all_stand_still()) end_job();
  }
}

}  // namespace tessera::detail
