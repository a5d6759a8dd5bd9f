// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "ways.hpp"

#include <array>

#include <mpi.h>

#include "by_hand.hpp"
#include "sizes.hpp"

namespace tessera::benchmark::overlap {
namespace {

Layout<2> one_block_each(const Group& world, const Rows& rows) {
  return Layout<2>::blocked({world.size() * rows.count, rows.to_stride / element}, world.size(),
                            {.grid = Extents<2>(world.size(), 1)});
}

// Both sides of an exchange between rank 0 and the last rank.
class Dialogue {
 public:
  Dialogue(const Group& world, const Rows& rows, double* buffer, std::span<double> memory)
      : comm_(world.mpi_comm()),
        target_(world.size() - 1),
        rows_(rows),
        type_(rows),
        buffer_(buffer),
        memory_(memory.data()) {
    if (world.rank() == target_) sum_.resize(static_cast<std::size_t>(type_.elements()));
  }

  void start(Operation operation) {
    using mpi_peer::check;
    if (operation == Operation::get) {
      check(MPI_Irecv(buffer_, type_.elements(), MPI_DOUBLE, target_, tag, comm_, &requests_[0]), "MPI_Irecv");
      check(MPI_Isend(&word_, 1, MPI_INT64_T, target_, tag, comm_, &requests_[1]), "MPI_Isend");
    } else {
      check(MPI_Irecv(&word_, 1, MPI_INT64_T, target_, tag, comm_, &requests_[0]), "MPI_Irecv");
      check(MPI_Isend(buffer_, type_.elements(), MPI_DOUBLE, target_, tag, comm_, &requests_[1]), "MPI_Isend");
    }
  }
  void finish() { mpi_peer::check(MPI_Waitall(2, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall"); }

  void answer(Operation operation) {
    switch (operation) {
      case Operation::get:
        receive(&word_, 1, MPI_INT64_T);
        return send(memory_, type_.count(), type_.get());
      case Operation::put:
        receive(memory_, type_.count(), type_.get());
        break;
      default:
        receive(sum_.data(), type_.elements(), MPI_DOUBLE);
        add_rows(memory_, sum_.data(), rows_);
    }
    send(&word_, 1, MPI_INT64_T);
  }

 private:
  static constexpr int tag = 1;

  void receive(void* into, int count, MPI_Datatype type) {
    mpi_peer::check(MPI_Recv(into, count, type, 0, tag, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
  }
  void send(const void* from, int count, MPI_Datatype type) {
    mpi_peer::check(MPI_Send(from, count, type, 0, tag, comm_), "MPI_Send");
  }

  MPI_Comm comm_;
  int target_;
  Rows rows_;
  mpi_peer::RowsType type_;
  double *buffer_, *memory_;
  std::vector<double> sum_;
  std::array<MPI_Request, 2> requests_{};
  std::int64_t word_ = 0;
};

}  // namespace

ByArray::ByArray(const Group& world, const Rows& rows, double* buffer)
    : array_(world, one_block_each(world, rows), {.name = "blocks"}),
      target_(world.size() - 1),
      patch_(Patch<2>::at({target_ * rows.count, 0}, {rows.count, rows.bytes / element})),
      buffer_(buffer) {}

Way ByArray::way(const std::string& meanwhile, const Others& others) {
  const auto halves = [this, others](Operation operation) {
    const auto request = std::make_shared<Request>();
    const View<double, 2> view(buffer_, patch_.extents());
    const auto begin = [this, operation, view] {
      if (operation == Operation::put) return array_.put_async(patch_, view);
      if (operation == Operation::get) return array_.get_async(patch_, view);
      return array_.acc_async(patch_, view);
    };
    const auto finish = [this, operation, request] {
      request->wait();
      if (operation != Operation::get) array_.flush(target_);
    };
    return Halves{[request, begin] { *request = begin(); }, finish, others};
  };
  const Patch<2> own = array_.local_patch();
  return {.name = "Array" + meanwhile,
          .halves = halves,
          .memory = {array_.address(own.lo), static_cast<std::size_t>(own.size())},
          .sync = [this] { array_.sync(); }};
}

Way by_messages(const Group& world, const Rows& rows, double* buffer, std::span<double> memory) {
  const auto dialogue = std::make_shared<Dialogue>(world, rows, buffer, memory);
  const bool answers = world.rank() == world.size() - 1;
  const auto halves = [dialogue, answers](Operation operation) {
    const Routine answering = repeat([=] {
      if (answers) dialogue->answer(operation);
    });
    return Halves{[=] { dialogue->start(operation); }, [=] { dialogue->finish(); }, {.work = answering}};
  };
  return {.name = "MPI messages, target answers",
          .halves = halves,
          .memory = memory.first(static_cast<std::size_t>(extent_of(rows) / element)),
          .sync = [&world] { world.barrier(); }};
}

Way by_requests(const Group& world, mpi_peer::Window& window, const Rows& rows, double* buffer) {
  const auto type = std::make_shared<const mpi_peer::RowsType>(rows);
  const auto request = std::make_shared<MPI_Request>(MPI_REQUEST_NULL);
  const int target = world.size() - 1;
  const auto halves = [=, &window](Operation operation) {
    return Halves{[=, &window] { *request = window.start(operation, target, buffer, *type); },
                  [=, &window] { window.finish(operation, *request, target); }};
  };
  return {.name = "MPI window, target waits",
          .halves = halves,
          .memory = {window.own(), static_cast<std::size_t>(extent_of(rows) / element)},
          .sync = [&window] { window.sync(); }};
}

void check(const Group& world, const std::string& section, const Rows& rows, std::span<double> buffer,
           const Way& way, Operation operation) {
  const Halves halves = way.halves(operation);
  Mover mover{.memory = way.memory, .sync = way.sync};
  const auto whole = [halves] {
    halves.start();
    halves.finish();
  };
  mover.put = {.name = way.name, .routine = repeat(whole), .others = halves.others};
  mover.get = mover.accumulate = mover.put;  // only the one of this operation is used
  benchmark::check(world, {section, format_bytes(rows.count * rows.bytes), places_of(rows)}, buffer, mover,
                   operation);
}

}  // namespace tessera::benchmark::overlap
