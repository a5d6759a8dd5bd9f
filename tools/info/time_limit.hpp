// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tessera::info {

/// Ends the process with status 1 when the limit is over, and says what the process was doing. It also covers
/// what Tessera's watchdog does not see: MPI's own start, calls and end.
class TimeLimit {
 public:
  explicit TimeLimit(std::chrono::seconds limit);
  /// The limit no longer applies.
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  /// Tells what the process does now. @local
  void doing(const std::string& what);
  /// Tells the process's rank, for the message. @local
  void set_rank(int rank);
  /// Gives the process so much time from now on. @local
  void restart(std::chrono::seconds limit);

 private:
  void watch();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::seconds limit_;
  std::string doing_, rank_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace tessera::info
