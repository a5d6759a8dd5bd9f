// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/calls/point_to_point.hpp"

#include <string_view>
#include <utility>

#include "order/tracked.hpp"
#include "order/unseen_order.hpp"

namespace tessera::detail::order::calls {
namespace {

class TrackedReceive : public Tracked {
 public:
  explicit TrackedReceive(std::shared_ptr<Receive> receive) : receive_(std::move(receive)) {}
  void arrived(const MPI_Status& status) noexcept override { receive_->arrived(status); }
  void finish() override { receive_->finish(); }
  void cancelling() noexcept override { receive_->cancelling(); }
  void freed() override { receive_->freed(); }

 private:
  std::shared_ptr<Receive> receive_;
};

void follow(MPI_Request request, std::shared_ptr<Receive> receive) {
  receive->set_request(request);
  track(request, std::make_shared<TrackedReceive>(std::move(receive)));
}

}  // namespace

void before_send(MPI_Comm comm, int rank, int tag, const char* call) {
  if (rank == MPI_PROC_NULL || tag < 0) return;
  const auto shadow = shadow_of(comm, call);
  if (shadow && shadow->has_rank(rank)) send_clock(*shadow, rank, tag);
}

void after_receive(MPI_Comm comm, int source, const MPI_Status& status, const char* call) {
  if (source == MPI_PROC_NULL) return;
  if (const auto shadow = shadow_of(comm, call)) take_clock(shadow, status.MPI_SOURCE, status.MPI_TAG);
}

std::shared_ptr<Receive> before_receive(MPI_Comm comm, int source, int tag, const char* call) {
  if (source == MPI_PROC_NULL) return nullptr;
  auto shadow = shadow_of(comm, call);
  if (!shadow || (source != MPI_ANY_SOURCE && !shadow->has_rank(source))) return nullptr;
  return std::make_shared<Receive>(std::move(shadow), source, tag);
}

void follow(int code, MPI_Request* request, std::shared_ptr<Receive> receive) {
  if (code == MPI_SUCCESS && receive) follow(*request, std::move(receive));
}

void persistent_send(MPI_Comm comm, int rank, int tag, MPI_Request request, const char* call) {
  auto shadow = rank == MPI_PROC_NULL ? nullptr : shadow_of(comm, call);
  if (!shadow) return set_start(request, {});
  const bool is_synchronous = std::string_view(call).starts_with("MPI_Ssend");
  set_start(request, [shadow = std::move(shadow), rank, tag, is_synchronous] {
    if (is_synchronous) note_unseen_order("MPI_Ssend_init (its end orders the receiver before the sender)");
    send_clock(*shadow, rank, tag);
  });
}

void persistent_receive(MPI_Comm comm, int source, int tag, MPI_Request request, const char* call) {
  auto shadow = source == MPI_PROC_NULL ? nullptr : shadow_of(comm, call);
  if (!shadow) return set_start(request, {});
  set_start(request, [shadow = std::move(shadow), source, tag, request] {
    follow(request, std::make_shared<Receive>(shadow, source, tag));
  });
}

void after_probe(MPI_Comm comm, int source, const MPI_Status& status, const char* call) {
  if (source == MPI_PROC_NULL) return;
  if (const auto shadow = shadow_of(comm, call)) peek_clock(*shadow, comm, status.MPI_SOURCE, status.MPI_TAG);
}

}  // namespace tessera::detail::order::calls
