// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include <tessera/runtime/request.hpp>
#include <tessera/runtime/types.hpp>

#include "mpi.hpp"

namespace tessera::detail {

struct RuntimeState;
struct SegmentState;

/// A transfer through a window that is under way: its MPI requests, its packed buffer, and what is to be done
/// at the end. Everything under the window lock. Kept by the user's Request and by the runtime, whoever
/// completes it.
class Pending {
 public:
  Pending(RuntimeState& runtime, const SegmentState& segment, int rank)
      : runtime_(runtime), segment_(&segment), rank_(rank) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  /// The user's share in it, and the runtime's; completes older ones where there are too many. @onesided
  static Request launch(std::shared_ptr<Pending> pending);
  /// Adds a request of MPI's; waits for the earlier ones where there are too many.
  void add(MPI_Request request);
  /// A buffer that lives as long as the transfer.
  std::byte* stage(index_t bytes);
  /// To be called when all requests are done.
  void finally(std::function<void()> action) { actions_.push_back(std::move(action)); }

  bool is_to(const SegmentState& segment, int rank) const noexcept {
    return segment_ == &segment && rank_ == rank;
  }
  bool is_done() const noexcept { return done_; }
  index_t staged() const noexcept { return staged_; }
  /// Waits. @onesided
  void complete();
  /// Whether it is done now. @onesided
  bool test();
  RuntimeState& runtime() const noexcept { return runtime_; }

 private:
  bool is_empty() const noexcept { return requests_.empty() && actions_.empty(); }
  void finish();

  RuntimeState& runtime_;
  const SegmentState* segment_;
  int rank_;
  std::atomic<bool> done_{false};
  index_t staged_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<std::unique_ptr<std::byte[]>> buffers_;
  std::vector<std::function<void()>> actions_;
};

}  // namespace tessera::detail
