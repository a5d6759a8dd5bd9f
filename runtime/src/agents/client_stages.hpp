// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "agents/operation_list.hpp"
#include "agents/part_stream.hpp"
#include "agents/tag_pool.hpp"
#include "agents/wire.hpp"
#include "completion/pending.hpp"
#include "kernels/kernels.hpp"
#include "mpi/mpi.hpp"

// What a client's requests leave under way.
namespace tessera::detail {

/// The data of a transfer in parts.
class StreamStage : public Pending::Stage {
 public:
  StreamStage(PartStream&& stream, TagPool::Held&& tag, TagPool::Held&& grants)
      : stream_(std::move(stream)), tag_(std::move(tag)), grants_(std::move(grants)) {}
  /// Tells the wire in the end how long the transfer took from now on. @local
  void teach(Wire& wire, const Wire::Sample& sample) noexcept {
    wire_ = &wire;
    sample_ = sample;
    since_ = Clock::now();
  }
  bool advance() override {
    if (!stream_.advance()) return false;
    if (wire_ != nullptr) wire_->learn(sample_, Clock::now() - since_);
    return true;
  }
  bool needs_moving() const noexcept override { return stream_.needs_moving(); }

 private:
  using Clock = std::chrono::steady_clock;

  PartStream stream_;
  TagPool::Held tag_, grants_;
  Wire* wire_ = nullptr;
  Wire::Sample sample_;
  Clock::time_point since_{};
};

/// The data of an operation list that is being sent, and the answer that it waits for.
class OperationsStage : public Pending::Stage {
 public:
  KeptVector<std::byte> data, answer;
  KeptVector<OperationList::Result> results;
  MPI_Request sent = MPI_REQUEST_NULL, answered = MPI_REQUEST_NULL;
  TagPool::Held tag;

  bool advance() override {
    if (!mpi::test(sent) || !mpi::test(answered)) return false;
    const std::byte* from = answer.data();
    for (const auto& [to, bytes] : results) {
      if (to != nullptr) copy_run(static_cast<std::byte*>(to), from, bytes);
      from += bytes;
    }
    return true;
  }
  index_t kept() const noexcept override { return static_cast<index_t>(data.size() + answer.size()); }
  bool needs_moving() const noexcept override {
    return sent != MPI_REQUEST_NULL || static_cast<index_t>(answer.size()) > mpi::eager_bytes;
  }
};

}  // namespace tessera::detail
