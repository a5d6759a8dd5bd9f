// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi/deadline.hpp"

#include <system_error>
#include <utility>

#include <tessera/runtime/detail/quiet_thread.hpp>

#include "mpi/terminate.hpp"

namespace tessera::detail {

Deadline::Deadline(std::string message, std::chrono::seconds patience) : message_(std::move(message)) {
  try {
    thread_ = quiet_thread([this, patience] { watch(patience); });
  } catch (const std::system_error&) {
    abort_job(message_);
  }
}

Deadline::~Deadline() {
  {
    const std::lock_guard lock(mutex_);
    is_met_ = true;
  }
  met_.notify_one();
  thread_.join();
}

void Deadline::watch(std::chrono::seconds patience) {
  std::unique_lock lock(mutex_);
  if (!met_.wait_for(lock, patience, [&] { return is_met_; })) abort_job(message_);
}

}  // namespace tessera::detail
