// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "disk_array/disk_worker.hpp"

#include <utility>

#include <tessera/runtime/detail/quiet_thread.hpp>

namespace tessera::io::detail {

DiskWorker::~DiskWorker() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void DiskWorker::add(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = tessera::detail::quiet_thread([this] { work(); });
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
}

void DiskWorker::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_over_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

const std::string& Outcome::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_known_; });
  return problem_;
}

bool Outcome::is_known() {
  const std::lock_guard lock(mutex_);
  return is_known_;
}

void Outcome::tell(std::string problem) {
  const std::lock_guard lock(mutex_);
  problem_ = std::move(problem);
  is_known_ = true;
  changed_.notify_all();  // under the lock: the waiting thread may destroy this once it is released
}

}  // namespace tessera::io::detail
