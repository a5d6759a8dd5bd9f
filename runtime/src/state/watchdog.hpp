// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>

#include "node/mailbox.hpp"

namespace tessera::detail {

class GroupState;
class Registry;

/// Ends a job that stands still, and says why (TESSERA_DEBUG=hang:60). A thread of each process checks
/// regularly whether the process has made a call, moved data, or begun or ended a wait. A process that has done
/// none of these for so long reports to rank 0, by datagrams, as MPI itself may stand still. When all processes
/// stand still, and one of them waits in Tessera, rank 0 prints the reports, and all end.
class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;
  /// @collective over the world. If the watchdog cannot work, `problem` says why, the same on all ranks.
  Watchdog(GroupState& world, const Registry& registry, std::chrono::seconds patience, std::string& problem);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  struct Report {
    Clock::time_point came{};
    bool waits = false;
    std::string call, text;
  };
  void run();
  bool has_moved();
  std::string report();
  void send_report(const std::string& text) const;
  void take(const char* data, std::size_t bytes);
  bool all_stand_still();
  [[noreturn]] void end_job();

  const Registry& registry_;
  std::chrono::seconds patience_;
  pthread_t main_;
  int rank_, size_;
  Mailbox mailbox_;
  std::vector<Mailbox::Address> addresses_;
  std::vector<Report> reports_;    // on rank 0, by rank
  Clock::time_point suspected_{};  // since when all ranks seem to stand still
  std::uint64_t last_steps_ = 0, last_operations_ = 0;
  Clock::time_point last_move_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace tessera::detail
