// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tessera::io::detail {

/// A thread that does one job after another; it starts with the first. Jobs do not throw. @local
class DiskWorker {
 public:
  DiskWorker() = default;
  /// Does what is left.
  ~DiskWorker();
  DiskWorker(const DiskWorker&) = delete;
  DiskWorker& operator=(const DiskWorker&) = delete;
  /// @throws std::system_error if there can be no thread; the job is not done then
  void add(std::function<void()> job);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool is_over_ = false;
  std::thread thread_;
};

/// What happened to a job: the thread that gave it waits, the one that does it tells.
class Outcome {
 public:
  /// The problem, or nothing. Returns when it is known.
  const std::string& wait();
  bool is_known();
  void tell(std::string problem);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_known_ = false;
  std::string problem_;
};

}  // namespace tessera::io::detail
