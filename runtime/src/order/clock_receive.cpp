// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/clock_receive.hpp"

#include <utility>

namespace tessera::detail::order {

ClockReceive::ClockReceive(MPI_Comm comm, int source, int tag)
    : source_(source), tag_(tag), clock_(clock().size()) {
  PMPI_Irecv(clock_.data(), static_cast<int>(clock_.size()), MPI_UINT64_T, source, tag, comm, &request_);
}

ClockReceive::ClockReceive(MPI_Message* message, int source, int tag)
    : source_(source), tag_(tag), clock_(clock().size()) {
  PMPI_Imrecv(clock_.data(), static_cast<int>(clock_.size()), MPI_UINT64_T, message, &request_);
}

ClockReceive::ClockReceive(ClockReceive&& other) noexcept
    : source_(std::exchange(other.source_, MPI_PROC_NULL)),
      tag_(other.tag_),
      clock_(std::move(other.clock_)),
      request_(std::exchange(other.request_, MPI_REQUEST_NULL)) {}

ClockReceive& ClockReceive::operator=(ClockReceive&& other) noexcept {
  std::swap(source_, other.source_);
  std::swap(tag_, other.tag_);
  std::swap(clock_, other.clock_);
  std::swap(request_, other.request_);
  return *this;
}

ClockReceive::~ClockReceive() { cancel(); }

void ClockReceive::peek() {
  if (source_ == MPI_PROC_NULL) return;
  PMPI_Wait(&request_, MPI_STATUS_IGNORE);
  merge_clock(clock_);
}

void ClockReceive::finish() {
  peek();
  source_ = MPI_PROC_NULL;
}

bool ClockReceive::cancel() noexcept {
  if (request_ == MPI_REQUEST_NULL) return source_ == MPI_PROC_NULL;
  int finalized = 0;
  PMPI_Finalized(&finalized);
  if (finalized != 0) return true;
  MPI_Status status;
  int cancelled = 0;
  PMPI_Cancel(&request_);
  PMPI_Wait(&request_, &status);
  PMPI_Test_cancelled(&status, &cancelled);
  if (cancelled != 0) source_ = MPI_PROC_NULL;
  return cancelled != 0;
}

}  // namespace tessera::detail::order
