// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <mpi.h>

namespace tessera::detail::order {

/// Done when a request of the program completes.
class Tracked {
 public:
  virtual ~Tracked() = default;
  /// For all requests of a call, before finish() of the first.
  virtual void arrived(const MPI_Status& status) noexcept { static_cast<void>(status); }
  virtual void finish() = 0;
  /// The program asks MPI to cancel the request.
  virtual void cancelling() noexcept {}
  /// The program frees the request before it completes.
  virtual void freed() {}
};

/// Notes what belongs to a request of the program. A persistent request has it until its next completion.
/// @local
void track(MPI_Request request, std::shared_ptr<Tracked> tracked);
/// Tells what belongs to a request that the program cancels it. @local
void cancelling(MPI_Request request) noexcept;
/// Forgets a request that the program frees. @local
void untrack(MPI_Request request);
/// Forgets all, at the end of the clocks. @local
void untrack_all() noexcept;

/// What the program's persistent requests do when they start; may be empty.
void set_start(MPI_Request request, std::function<void()> start);
/// Does it. A request that is not known here is noted as unseen order.
void started(MPI_Request request);
void forget_start(MPI_Request request) noexcept;

/// The requests of a call that completes some of them.
class Completion {
 public:
  explicit Completion(std::span<const MPI_Request> requests);
  /// Whether nothing is to be done, whatever completes.
  bool is_empty() const noexcept { return !has_some_; }
  /// Request i of the call has completed. @local
  void completed(int i, const MPI_Status& status);
  /// Takes in the order of all that has completed.
  void finish();

 private:
  std::vector<MPI_Request> requests_;
  std::vector<std::shared_ptr<Tracked>> done_;
  bool has_some_ = false;
};

}  // namespace tessera::detail::order
