// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/calls/exchanges.hpp"

#include <string>
#include <utility>

#include "order/clock.hpp"
#include "order/unseen_order.hpp"

namespace tessera::detail::order::calls {
namespace {

bool gives(Flow flow, const Shadow& shadow, int root) noexcept {
  return flow != Flow::from_root || shadow.rank() == root;
}
bool takes(Flow flow, const Shadow& shadow, int root) noexcept {
  return flow != Flow::to_root || shadow.rank() == root;
}

// The clocks of a collective call on their way.
class Exchange : public Tracked {
 public:
  Exchange(Flow flow, const Shadow& shadow, int root, Sent sent = Sent::by_all, const char* call = "")
      : takes_(takes(flow, shadow, root)),
        sent_(sent),
        call_(call),
        mine_(gives(flow, shadow, root) ? release_clock() : order::clock()),
        result_(mine_) {
    const int n = static_cast<int>(mine_.size());
    const MPI_Comm comm = shadow.comm();
    switch (flow) {
      case Flow::all:
        PMPI_Iallreduce(mine_.data(), result_.data(), n, MPI_UINT64_T, MPI_MAX, comm, &request_);
        break;
      case Flow::from_root:
        PMPI_Ibcast(result_.data(), n, MPI_UINT64_T, root, comm, &request_);
        break;
      case Flow::to_root:
        PMPI_Ireduce(mine_.data(), result_.data(), n, MPI_UINT64_T, MPI_MAX, root, comm, &request_);
        break;
      case Flow::upwards:
        PMPI_Iscan(mine_.data(), result_.data(), n, MPI_UINT64_T, MPI_MAX, comm, &request_);
        break;
    }
  }
  ~Exchange() override {
    // At the end of the clocks MPI may still use the memory of a call that is never completed.
    if (request_ == MPI_REQUEST_NULL) return;
    static_cast<void>(new VectorClock(std::move(mine_)));
    static_cast<void>(new VectorClock(std::move(result_)));
  }
  void finish() override {
    PMPI_Wait(&request_, MPI_STATUS_IGNORE);
    if (!takes_) return;
    if (sent_ == Sent::by_all)
      merge_clock(result_);
    else
      note_unseen_order(call_ + std::string(" without elements of some ranks"));
  }

 private:
  bool takes_;
  Sent sent_;
  const char* call_;
  VectorClock mine_, result_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

// A duplicate of a shadow on its way.
class DuplicateShadow : public Tracked {
 public:
  DuplicateShadow(const Shadow& shadow, MPI_Comm* made)
      : rank_(shadow.rank()), size_(shadow.size()), made_(made) {
    PMPI_Comm_idup(shadow.comm(), &copy_, &request_);
  }
  void finish() override {
    PMPI_Wait(&request_, MPI_STATUS_IGNORE);
    PMPI_Comm_set_errhandler(copy_, MPI_ERRORS_RETURN);
    set_shadow(*made_, std::make_shared<Shadow>(copy_, rank_, size_));
  }

 private:
  int rank_, size_;
  MPI_Comm* made_;
  MPI_Comm copy_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

void exchange(Flow flow, const Shadow& shadow, int root) { Exchange(flow, shadow, root).finish(); }

void exchange(Flow flow, MPI_Comm comm, int root, const char* call) {
  exchange(flow, comm, root, Sent::by_all, call);
}
void exchange(Flow flow, MPI_Comm comm, int root, Sent sent, const char* call) {
  const auto shadow = shadow_of(comm, call);
  if (shadow && shadow->has_rank(root)) Exchange(flow, *shadow, root, sent, call).finish();
}

std::shared_ptr<Tracked> start_exchange(Flow flow, MPI_Comm comm, int root, const char* call) {
  return start_exchange(flow, comm, root, Sent::by_all, call);
}
std::shared_ptr<Tracked> start_exchange(Flow flow, MPI_Comm comm, int root, Sent sent, const char* call) {
  const auto shadow = shadow_of(comm, call);
  if (!shadow || !shadow->has_rank(root)) return nullptr;
  return std::make_shared<Exchange>(flow, *shadow, root, sent, call);
}

std::shared_ptr<Tracked> duplicate_shadow(MPI_Comm comm, MPI_Comm* made) {
  const auto shadow = shadow_of(comm, "MPI_Comm_idup");
  return shadow ? std::make_shared<DuplicateShadow>(*shadow, made) : nullptr;
}

void follow(int code, MPI_Request* request, std::shared_ptr<Tracked> tracked) {
  if (code == MPI_SUCCESS && tracked) track(*request, std::move(tracked));
}

}  // namespace tessera::detail::order::calls
