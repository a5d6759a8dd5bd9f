// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "transfer/paths/window_stage.hpp"

namespace tessera::detail {
namespace {

constexpr std::size_t max_requests = 256;  // of one transfer

}  // namespace

void WindowStage::add(MPI_Request request) {
  if (requests_.size() == max_requests) mpi::wait_all(requests_);
  requests_.push_back(request);
}

std::byte* WindowStage::buffer(index_t bytes) {
  kept_ += bytes;
  return buffers_.emplace_back(new std::byte[static_cast<std::size_t>(bytes)]).get();
}

bool WindowStage::advance() {
  if (!requests_.empty() && !mpi::test_all(requests_)) return false;
  for (const auto& action : actions_) action();
  actions_.clear();
  buffers_.clear();
  return true;
}

}  // namespace tessera::detail
