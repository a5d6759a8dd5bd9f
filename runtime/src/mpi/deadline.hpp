// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tessera::detail {

/// Ends the job with a message, unless it is destroyed in time. For a rank at which a collective call failed,
/// and that must hear from the others: they may wait inside that call for ever.
class Deadline {
 public:
  /// If no thread can be started, the job ends at once. @local
  explicit Deadline(std::string message, std::chrono::seconds patience = std::chrono::seconds(5));
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  void watch(std::chrono::seconds patience);
  std::string message_;
  bool is_met_ = false;
  std::mutex mutex_;
  std::condition_variable met_;
  std::thread thread_;
};

}  // namespace tessera::detail
