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

/// A thread that does one job after another; it starts with the first. Jobs do not throw. Several threads may
/// add jobs. @local
class DiskWorker {
 public:
  DiskWorker() = default;
  /// Finishes the remaining jobs.
  ~DiskWorker();
  DiskWorker(const DiskWorker&) = delete;
  DiskWorker& operator=(const DiskWorker&) = delete;
  /// @throws std::system_error if no thread can be started; the job is then not done
  void add(std::function<void()> job);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool is_over_ = false;
  std::thread thread_;
};

/// The outcome of a job. The thread that added the job waits for it; the thread that runs the job reports it.
class Outcome {
 public:
  /// Waits until the outcome is known. Returns the problem, or nothing.
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
