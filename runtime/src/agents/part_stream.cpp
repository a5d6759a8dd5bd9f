// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "agents/part_stream.hpp"

#include <utility>

#include <tessera/runtime/detail/runs.hpp>

#include "kernels/kernels.hpp"

namespace tessera::detail {
namespace {

bool is_dense(const Strided& shape) noexcept {
  index_t dense = shape.run;
  for (std::size_t l = 0; l < static_cast<std::size_t>(shape.levels); ++l) {
    if (shape.local_stride[l] != dense) return false;
    dense *= shape.count[l];
  }
  return true;
}

}  // namespace

bool PartStream::reserve(const Strided& whole) {
  if (spare_ == nullptr && !is_dense(whole)) spare_ = buffers_->take();
  return spare_ != nullptr || is_dense(whole);
}

// Whether the next part may start. The next grant is received when it is needed.
bool PartStream::is_granted() {
  if (!grant_ || allowed_ > 0) return true;
  if (grant_request_ == MPI_REQUEST_NULL)
    grant_request_ = mpi::irecv(comms_->data.get(), grant_.get(), sizeof *grant_, agent_,
                                AgentComms::answer_tag(grants_tag_));
  if (!mpi::test(grant_request_)) return false;
  allowed_ = *grant_;
  return true;
}

bool PartStream::start_next() {
  if (!is_granted()) return false;
  const Parts unchanged = parts_;
  MovingPart next;
  next.part = parts_.next();
  const Strided& shape = next.part.shape;
  std::byte* here = local_ + next.part.local;
  if (!is_dense(shape)) {
    next.buffer = spare_ != nullptr ? std::exchange(spare_, nullptr) : buffers_->take();
    if (next.buffer == nullptr) {
      parts_ = unchanged;
      return false;
    }
    if (!gets_) copy_strided(next.buffer, here, packing(shape), Direction::local_to_remote);
    here = next.buffer;
  }
  MPI_Comm comm = comms_->data.get();
  if (gets_)
    next.request = mpi::irecv(comm, here, shape.bytes(), agent_, AgentComms::answer_tag(tag_));
  else
    next.request = (completes_ == Completes::locally ? mpi::isend : mpi::issend)(
        comm, here, shape.bytes(), agent_, AgentComms::data_tag(tag_));
  moving_.push(next);
  if (grant_) --allowed_;
  return true;
}

bool PartStream::needs_moving() const noexcept {
  return !gets_ || !parts_.is_over() || moving_.largest_bytes() > mpi::eager_bytes;
}

// A long transfer must not keep the caller from other work, even if its parts arrive without a pause.
bool PartStream::advance() {
  for (std::size_t moved = 0; moved <= moving_.most(); ++moved) {
    while (!moving_.is_full() && !parts_.is_over() && start_next()) {
    }
    if (moving_.is_empty()) {
      if (parts_.is_over() && spare_ != nullptr) buffers_->give_back(std::exchange(spare_, nullptr));
      return parts_.is_over();
    }
    MovingPart& oldest = moving_.oldest();
    if (!mpi::test(oldest.request)) return false;
    if (oldest.buffer != nullptr && gets_) {
      copy_strided(local_ + oldest.part.local, oldest.buffer, packing(oldest.part.shape),
                   Direction::remote_to_local);
    }
    // It keeps a buffer until its last part has one. Later transfers may hold all others, and wait for this
    // one.
    if (spare_ == nullptr && !parts_.is_over()) spare_ = std::exchange(oldest.buffer, nullptr);
    moving_.pop(*buffers_);
  }
  return false;
}

}  // namespace tessera::detail
