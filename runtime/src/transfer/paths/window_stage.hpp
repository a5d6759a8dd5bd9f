// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "completion/pending.hpp"
#include "mpi/mpi.hpp"

namespace tessera::detail {

/// MPI operations that are under way, the packing buffers they need, and the actions at their end.
class WindowStage : public Pending::Stage {
 public:
  /// Adds an MPI request. If there are too many, waits for the earlier ones first.
  void add(MPI_Request request);
  /// A buffer that lives as long as the stage.
  std::byte* buffer(index_t bytes);
  /// Adds an action to call when all requests are done.
  void finally(std::function<void()> action) { actions_.push_back(std::move(action)); }
  bool advance() override;
  index_t kept() const noexcept override { return kept_; }

 private:
  index_t kept_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<std::unique_ptr<std::byte[]>> buffers_;
  std::vector<std::function<void()>> actions_;
};

/// Calls transfer(WindowStage*), with a stage of `pending` if there is one.
template <class Transfer>
void as_stage(Pending* pending, Transfer&& transfer) {
  if (pending == nullptr) return transfer(nullptr);
  auto stage = std::make_unique<WindowStage>();
  transfer(stage.get());
  if (!stage->advance()) pending->add(std::move(stage));
}

}  // namespace tessera::detail
