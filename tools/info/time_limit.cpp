// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "time_limit.hpp"

#include <cstdio>

#include <unistd.h>

namespace tessera::info {

TimeLimit::TimeLimit(std::chrono::seconds limit)
    : begin_(std::chrono::steady_clock::now()), limit_(limit), thread_([this] { watch(); }) {}

TimeLimit::~TimeLimit() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void TimeLimit::doing(const std::string& what) {
  const std::lock_guard lock(mutex_);
  doing_ = what;
}

void TimeLimit::set_rank(int rank) {
  const std::lock_guard lock(mutex_);
  rank_ = " rank " + std::to_string(rank) + ":";
}

void TimeLimit::restart(std::chrono::seconds limit) {
  {
    const std::lock_guard lock(mutex_);
    begin_ = std::chrono::steady_clock::now();
    limit_ = limit;
  }
  changed_.notify_one();
}

void TimeLimit::watch() {
  std::unique_lock lock(mutex_);
  while (!over_ && std::chrono::steady_clock::now() < begin_ + limit_)
    changed_.wait_until(lock, begin_ + limit_);
  if (over_) return;
  std::fprintf(stderr, "tessera-info:%s FAILED: no end after %lld s, in: %s (--timeout gives it more time)\n",
               rank_.c_str(), static_cast<long long>(limit_.count()), doing_.c_str());
  std::fflush(nullptr);
  _exit(1);
}

}  // namespace tessera::info
