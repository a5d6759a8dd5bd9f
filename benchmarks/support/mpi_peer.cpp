// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi_peer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <numeric>
#include <string>

#include <tessera/runtime/error.hpp>

#include "sizes.hpp"

namespace tessera::benchmark::mpi_peer {

void check(int code, const char* call) {
  if (code != MPI_SUCCESS)
    throw Error(std::string(call) + " failed in a benchmark, with code " + std::to_string(code));
}

namespace {

// Allocates whole pages, and touches them.
void* pages(index_t bytes) {
  constexpr std::size_t page = 4096;
  const std::size_t whole = (static_cast<std::size_t>(bytes) + page - 1) / page * page;
  void* memory = std::aligned_alloc(page, whole);
  if (memory == nullptr) throw std::bad_alloc();
  return std::memset(memory, 0, whole);
}

// All that helps an implementation, and that the benchmarks keep to.
MPI_Info hints() {
  MPI_Info info = MPI_INFO_NULL;
  check(MPI_Info_create(&info), "MPI_Info_create");
  for (const auto& [key, value] :
       {std::pair("alloc_shared_noncontig", "true"), std::pair("same_disp_unit", "true"),
        std::pair("accumulate_ordering", "none")})
    check(MPI_Info_set(info, key, value), "MPI_Info_set");
  return info;
}

MPI_Win create(MPI_Comm comm, void* base, index_t bytes) {
  MPI_Win win = MPI_WIN_NULL;
  MPI_Info info = hints();
  check(MPI_Win_create(base, bytes, sizeof(double), info, comm, &win), "MPI_Win_create");
  check(MPI_Info_free(&info), "MPI_Info_free");
  return win;
}

}  // namespace

MPI_Win allocate(MPI_Comm comm, index_t bytes, void*& base) {
  MPI_Info info = hints();
  MPI_Win win = MPI_WIN_NULL;
  check(MPI_Win_allocate(bytes, sizeof(double), info, comm, &base, &win), "MPI_Win_allocate");
  check(MPI_Info_free(&info), "MPI_Info_free");
  return win;
}

RowsType::RowsType(const Rows& rows)
    : elements_(static_cast<int>(rows.count * rows.bytes / static_cast<index_t>(sizeof(double)))) {
  if (rows.count == 1) return;
  check(MPI_Type_vector(static_cast<int>(rows.count), static_cast<int>(rows.bytes / element),
                        static_cast<int>(rows.to_stride / element), MPI_DOUBLE, &type_),
        "MPI_Type_vector");
  check(MPI_Type_commit(&type_), "MPI_Type_commit");
}

RowsType::~RowsType() {
  if (type_ != MPI_DOUBLE) MPI_Type_free(&type_);
}

Window::Window(const Group& group, index_t bytes, Memory memory)
    : comm_(group.mpi_comm()),
      given_(memory == Memory::given ? pages(bytes) : nullptr, std::free),
      base_(given_.get()),
      win_(base_ != nullptr ? create(comm_, base_, bytes) : allocate(comm_, bytes, base_)) {
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, win_), "MPI_Win_lock_all");
}

Window::~Window() {
  // Collective, so it is skipped while a rank unwinds: the others would not take part.
  if (std::uncaught_exceptions() > 0) return;
  MPI_Win_unlock_all(win_);
  MPI_Win_free(&win_);
}

void Window::put(int rank, const double* from, int count) {
  check(MPI_Put(from, count, MPI_DOUBLE, rank, 0, count, MPI_DOUBLE, win_), "MPI_Put");
  flush(rank);
}

void Window::get(int rank, double* into, int count) {
  check(MPI_Get(into, count, MPI_DOUBLE, rank, 0, count, MPI_DOUBLE, win_), "MPI_Get");
  flush(rank);
}

void Window::accumulate(int rank, const double* from, int count) {
  check(MPI_Accumulate(from, count, MPI_DOUBLE, rank, 0, count, MPI_DOUBLE, MPI_SUM, win_), "MPI_Accumulate");
  flush(rank);
}

void Window::put(int rank, const double* from, const RowsType& rows) {
  check(MPI_Put(from, rows.elements(), MPI_DOUBLE, rank, 0, rows.count(), rows.get(), win_), "MPI_Put");
  flush(rank);
}

void Window::get(int rank, double* into, const RowsType& rows) {
  check(MPI_Get(into, rows.elements(), MPI_DOUBLE, rank, 0, rows.count(), rows.get(), win_), "MPI_Get");
  flush(rank);
}

void Window::accumulate(int rank, const double* from, const RowsType& rows) {
  check(MPI_Accumulate(from, rows.elements(), MPI_DOUBLE, rank, 0, rows.count(), rows.get(), MPI_SUM, win_),
        "MPI_Accumulate");
  flush(rank);
}

MPI_Request Window::start(Operation operation, int rank, double* buffer, const RowsType& rows) {
  const int local = rows.elements(), count = rows.count();
  MPI_Request request = MPI_REQUEST_NULL;
  switch (operation) {
    case Operation::put:
      check(MPI_Rput(buffer, local, MPI_DOUBLE, rank, 0, count, rows.get(), win_, &request), "MPI_Rput");
      break;
    case Operation::get:
      check(MPI_Rget(buffer, local, MPI_DOUBLE, rank, 0, count, rows.get(), win_, &request), "MPI_Rget");
      break;
    default:
      check(MPI_Raccumulate(buffer, local, MPI_DOUBLE, rank, 0, count, rows.get(), MPI_SUM, win_, &request),
            "MPI_Raccumulate");
  }
  return request;
}

void Window::finish(Operation operation, MPI_Request request, int rank) {
  check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  if (operation != Operation::get) flush(rank);
}

void Window::flush(int rank) { check(MPI_Win_flush(rank, win_), "MPI_Win_flush"); }

namespace {

MPI_Op op_of(Combine how) { return how == Combine::sum ? MPI_SUM : MPI_BXOR; }

// Also the words of the other ranks are complete and visible.
void sync_window(MPI_Win win, MPI_Comm comm) {
  check(MPI_Win_flush_all(win), "MPI_Win_flush_all");
  check(MPI_Win_sync(win), "MPI_Win_sync");
  check(MPI_Barrier(comm), "MPI_Barrier");
  check(MPI_Win_sync(win), "MPI_Win_sync");
}

}  // namespace

void Window::sync() { sync_window(win_, comm_); }

Words::Words(const Group& group, index_t count) : comm_(group.mpi_comm()), count_(count) {
  void* base = nullptr;
  win_ = allocate(comm_, count * static_cast<index_t>(sizeof(std::uint64_t)), base);
  base_ = static_cast<std::uint64_t*>(base);
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, win_), "MPI_Win_lock_all");
  std::fill_n(base_, count, 0);
  sync();
}

Words::~Words() {
  // Collective, so it is skipped while a rank unwinds: the others would not take part.
  if (std::uncaught_exceptions() > 0) return;
  MPI_Win_unlock_all(win_);
  MPI_Win_free(&win_);
}

std::uint64_t Words::fetch_op(int rank, index_t at, Combine how, std::uint64_t value) {
  std::uint64_t old = 0;
  check(MPI_Fetch_and_op(&value, &old, MPI_UINT64_T, rank, at, op_of(how), win_), "MPI_Fetch_and_op");
  check(MPI_Win_flush(rank, win_), "MPI_Win_flush");
  return old;
}

void Words::accumulate(int rank, index_t at, Combine how, const std::uint64_t& value) {
  check(MPI_Accumulate(&value, 1, MPI_UINT64_T, rank, at, 1, MPI_UINT64_T, op_of(how), win_), "MPI_Accumulate");
}

std::uint64_t Words::get(int rank, index_t at) {
  std::uint64_t value = 0;
  check(MPI_Get(&value, 1, MPI_UINT64_T, rank, at, 1, MPI_UINT64_T, win_), "MPI_Get");
  check(MPI_Win_flush(rank, win_), "MPI_Win_flush");
  return value;
}

void Words::put(int rank, index_t at, std::uint64_t value) {
  check(MPI_Put(&value, 1, MPI_UINT64_T, rank, at, 1, MPI_UINT64_T, win_), "MPI_Put");
  check(MPI_Win_flush(rank, win_), "MPI_Win_flush");
}

void Words::flush_all() { check(MPI_Win_flush_all(win_), "MPI_Win_flush_all"); }
void Words::sync() { sync_window(win_, comm_); }

std::vector<std::uint64_t> exchange_words(const Group& group, std::span<const std::uint64_t> send,
                                          const std::vector<int>& counts) {
  const auto starts_of = [](const std::vector<int>& numbers) {
    std::vector<int> starts(numbers.size(), 0);
    std::partial_sum(numbers.begin(), numbers.end() - 1, starts.begin() + 1);
    return starts;
  };
  const MPI_Comm comm = group.mpi_comm();
  std::vector<int> coming(counts.size());
  check(MPI_Alltoall(counts.data(), 1, MPI_INT, coming.data(), 1, MPI_INT, comm), "MPI_Alltoall");
  const std::vector<int> begins = starts_of(counts), places = starts_of(coming);
  std::vector<std::uint64_t> received(static_cast<std::size_t>(places.back() + coming.back()));
  check(MPI_Alltoallv(send.data(), counts.data(), begins.data(), MPI_UINT64_T, received.data(), coming.data(),
                      places.data(), MPI_UINT64_T, comm),
        "MPI_Alltoallv");
  return received;
}

void allocate_and_free(const Group& group, index_t bytes) {
  void* base = nullptr;
  MPI_Win win = allocate(group.mpi_comm(), bytes, base);
  check(MPI_Win_free(&win), "MPI_Win_free");
}

void allocate_fill_and_free(const Group& group, index_t count) {
  void* base = nullptr;
  MPI_Win win = allocate(group.mpi_comm(), count * static_cast<index_t>(sizeof(double)), base);
  std::fill_n(static_cast<double*>(base), count, 1.0);
  check(MPI_Win_free(&win), "MPI_Win_free");
}

void barrier(const Group& group) { check(MPI_Barrier(group.mpi_comm()), "MPI_Barrier"); }

void all_reduce(const Group& group, double* data, index_t bytes) {
  const int count = static_cast<int>(bytes / static_cast<index_t>(sizeof(double)));
  check(MPI_Allreduce(MPI_IN_PLACE, data, count, MPI_DOUBLE, MPI_SUM, group.mpi_comm()), "MPI_Allreduce");
}

void reduce(const Group& group, double* data, index_t bytes, int root) {
  const int count = static_cast<int>(bytes / static_cast<index_t>(sizeof(double)));
  const void* const given = group.rank() == root ? MPI_IN_PLACE : data;
  check(MPI_Reduce(given, data, count, MPI_DOUBLE, MPI_SUM, root, group.mpi_comm()), "MPI_Reduce");
}

void broadcast(const Group& group, void* data, index_t bytes, int root) {
  check(MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, root, group.mpi_comm()), "MPI_Bcast");
}

void all_gather(const Group& group, const void* value, void* all, index_t bytes) {
  const int count = static_cast<int>(bytes);
  check(MPI_Allgather(value, count, MPI_BYTE, all, count, MPI_BYTE, group.mpi_comm()), "MPI_Allgather");
}

void exchange(const Group& group, int partner, const Message& there, const Message& back) {
  constexpr int tag = 1;
  const MPI_Comm comm = group.mpi_comm();
  const int me = group.rank();
  const auto send = [&](const Message& m, int to) {
    check(MPI_Send(m.memory, static_cast<int>(m.bytes), MPI_BYTE, to, tag, comm), "MPI_Send");
  };
  const auto receive = [&](const Message& m, int from) {
    check(MPI_Recv(m.memory, static_cast<int>(m.bytes), MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE),
          "MPI_Recv");
  };
  if (me == 0) send(there, partner), receive(back, partner);
  if (me == partner) receive(there, 0), send(back, 0);
}

void ping_pong(const Group& group, int partner, void* buffer, index_t bytes) {
  exchange(group, partner, {buffer, bytes}, {buffer, bytes});
}

void both_ways(const Group& group, int partner, std::byte* from, std::byte* into, index_t bytes, index_t count,
               index_t under_way) {
  constexpr int tag = 2;
  std::vector<MPI_Request> receives(static_cast<std::size_t>(under_way)), sends(receives.size());
  for (index_t i = 0; i < count + under_way; ++i) {
    const auto slot = static_cast<std::size_t>(i % under_way);
    const index_t at = i % under_way * bytes;
    if (i >= under_way) {
      check(MPI_Wait(&receives[slot], MPI_STATUS_IGNORE), "MPI_Wait");
      check(MPI_Wait(&sends[slot], MPI_STATUS_IGNORE), "MPI_Wait");
    }
    if (i >= count) continue;
    check(MPI_Irecv(into + at, static_cast<int>(bytes), MPI_BYTE, partner, tag, group.mpi_comm(),
                    &receives[slot]),
          "MPI_Irecv");
    check(MPI_Isend(from + at, static_cast<int>(bytes), MPI_BYTE, partner, tag, group.mpi_comm(), &sends[slot]),
          "MPI_Isend");
  }
}

}  // namespace tessera::benchmark::mpi_peer
