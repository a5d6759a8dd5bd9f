// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <limits>
#include <optional>
#include <string>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <tessera/runtime/error.hpp>

#include "mpi/deadline.hpp"
#include "mpi/mpi_check.hpp"
#include "order/own_calls.hpp"

// MPI's windows and the operations on them.
namespace tessera::detail::mpi {
namespace {

MPI_Op op(Update update) {
  switch (update) {
    case Update::sum:
      return MPI_SUM;
    case Update::min:
      return MPI_MIN;
    case Update::max:
      return MPI_MAX;
    case Update::bit_and:
      return MPI_BAND;
    case Update::bit_or:
      return MPI_BOR;
    case Update::bit_xor:
      return MPI_BXOR;
    case Update::replace:
      return MPI_REPLACE;
  }
  return MPI_OP_NULL;
}

}  // namespace

// Freeing is collective. If an exception passes, the other members may wait somewhere else.
void WinTraits::free(Handle handle) noexcept {
  if (finalized()) return;
  std::optional<Deadline> deadline;
  if (std::uncaught_exceptions() > 0)
    deadline.emplace("an exception passes on this rank alone, and others do not free a window: " +
                     last_error());
  const order::OwnCalls own;
  check(MPI_Win_unlock_all(handle), "MPI_Win_unlock_all");
  check(MPI_Win_free(&handle), "MPI_Win_free");
}

namespace {

// Under Open MPI, makes windows one after another. Open MPI 4.1 names the files behind a window after its
// communicator's number, which communicators without a common member share. On one host, two windows of such
// groups made at once become one. A group waits for its turn only after all its members have arrived; otherwise
// two groups could wait for each other.
//
// `beside` has the members of `comm`. All wait on it until each has made its window: a call on `comm` of a
// member that failed would be taken for a part of what the others still do.
template <class Make>
int in_turn([[maybe_unused]] MPI_Comm comm, MPI_Comm beside, Make&& make) {
#ifdef OPEN_MPI
  barrier(comm);
  const int turn = rank(comm) == 0 ? open("/proc/self/exe", O_RDONLY | O_CLOEXEC) : -1;
  while (turn >= 0 && flock(turn, LOCK_EX) != 0 && errno == EINTR) {
  }
  barrier(comm);
#endif
  const int code = make();
  // A member at which it failed gives the others some seconds to return from it.
  std::optional<Deadline> deadline;
  if (code != MPI_SUCCESS)
    deadline.emplace("making a window failed on this rank, and others do not return from it: " + text_of(code));
  barrier(beside);
#ifdef OPEN_MPI
  if (turn >= 0) close(turn);
#endif
  return code;
}

}  // namespace

Win create_window(MPI_Comm comm, MPI_Comm beside, void* base, index_t bytes, std::string& why) {
  const order::OwnCalls own;
  MPI_Info info = MPI_INFO_NULL;
  check(MPI_Info_create(&info), "MPI_Info_create");
  MPI_Info_set(info, "same_disp_unit", "true");
  MPI_Info_set(info, "epochs_used", "lockall");
  MPI_Win win = MPI_WIN_NULL;
  const int code = in_turn(
      comm, beside, [&] { return MPI_Win_create(base, static_cast<MPI_Aint>(bytes), 1, info, comm, &win); });
  MPI_Info_free(&info);
  if (code != MPI_SUCCESS) {
    why = text_of(code);
    return Win();
  }
  check(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, win), "MPI_Win_lock_all");
  return Win(win);
}

bool is_unified(MPI_Win win) {
  int* model = nullptr;
  int found = 0;
  check(MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &found), "MPI_Win_get_attr");
  return found != 0 && *model == MPI_WIN_UNIFIED;
}

void flush(MPI_Win win, int rank) {
  const order::OwnCalls own;
  check(MPI_Win_flush(rank, win), "MPI_Win_flush");
}
void flush_local(MPI_Win win, int rank) {
  const order::OwnCalls own;
  check(MPI_Win_flush_local(rank, win), "MPI_Win_flush_local");
}
void sync_memory(MPI_Win win) {
  const order::OwnCalls own;
  check(MPI_Win_sync(win), "MPI_Win_sync");
}

void put(MPI_Win win, int rank, index_t offset, const void* source, index_t bytes) {
  in_pieces(bytes, max_bytes, [&](index_t start, index_t length) {
    const int n = to_int(length);
    check(
        MPI_Put(at(source, start), n, MPI_BYTE, rank, static_cast<MPI_Aint>(offset + start), n, MPI_BYTE, win),
        "MPI_Put");
  });
}

void get(MPI_Win win, int rank, index_t offset, void* target, index_t bytes) {
  in_pieces(bytes, max_bytes, [&](index_t start, index_t length) {
    const int n = to_int(length);
    check(
        MPI_Get(at(target, start), n, MPI_BYTE, rank, static_cast<MPI_Aint>(offset + start), n, MPI_BYTE, win),
        "MPI_Get");
  });
}

namespace {

// Complex numbers are added as twice as many real numbers: Open MPI 4.1.4 adds a complex of 8 bytes as one
// integer.
constexpr ElementKind real_part(ElementKind kind) noexcept {
  if (kind == ElementKind::complex64) return ElementKind::float32;
  return kind == ElementKind::complex128 ? ElementKind::float64 : kind;
}

}  // namespace

void accumulate(MPI_Win win, int rank, index_t offset, ElementKind kind, Update update, const void* source,
                index_t bytes) {
  const ElementKind real = real_part(kind);
  in_pieces(bytes, max_bytes, [&](index_t start, index_t length) {
    const int n = to_int(length / size_of(real));
    check(MPI_Accumulate(at(source, start), n, datatype(real), rank, static_cast<MPI_Aint>(offset + start), n,
                         datatype(real), op(update), win),
          "MPI_Accumulate");
  });
}

void fetch_and_op(MPI_Win win, int rank, index_t offset, ElementKind kind, Update update, const void* value,
                  void* result) {
  const MPI_Datatype type = datatype(real_part(kind));
  const auto place = static_cast<MPI_Aint>(offset);
  if (real_part(kind) == kind) {
    return check(MPI_Fetch_and_op(value, result, type, rank, place, op(update), win), "MPI_Fetch_and_op");
  }
  check(MPI_Get_accumulate(value, 2, type, result, 2, type, rank, place, 2, type, op(update), win),
        "MPI_Get_accumulate");
}

void compare_and_swap(MPI_Win win, int rank, index_t offset, ElementKind kind, const void* expected,
                      const void* desired, void* result) {
  check(
      MPI_Compare_and_swap(desired, expected, result, datatype(kind), rank, static_cast<MPI_Aint>(offset), win),
      "MPI_Compare_and_swap");
}

namespace {

struct TypeTraits {
  using Handle = MPI_Datatype;
  static Handle null() noexcept { return MPI_DATATYPE_NULL; }
  static void free(Handle handle) noexcept { MPI_Type_free(&handle); }
};
using Type = UniqueHandle<TypeTraits>;

Type indexed(std::vector<MPI_Aint>& places, index_t run) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_create_hindexed_block(to_int(static_cast<index_t>(places.size())), to_int(run), places.data(),
                                       MPI_BYTE, &type),
        "MPI_Type_create_hindexed_block");
  Type owned(type);
  check(MPI_Type_commit(&type), "MPI_Type_commit");
  return owned;
}

Type indexed(std::span<const index_t> offsets, index_t run) {
  std::vector<MPI_Aint> places(offsets.begin(), offsets.end());
  return indexed(places, run);
}

Type indexed(std::span<std::byte* const> pointers, index_t run) {
  std::vector<MPI_Aint> places;
  for (const std::byte* pointer : pointers) {
    MPI_Aint place = 0;
    check(MPI_Get_address(pointer, &place), "MPI_Get_address");
    places.push_back(place);
  }
  return indexed(places, run);
}

// The datatype of one side of a shape.
Type strided(const Strided& shape, const std::array<index_t, max_rank>& strides) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(to_int(shape.run), MPI_BYTE, &type), "MPI_Type_contiguous");
  Type outer(type);
  for (std::size_t l = 0; l < static_cast<std::size_t>(shape.levels); ++l) {
    check(MPI_Type_create_hvector(to_int(shape.count[l]), 1, static_cast<MPI_Aint>(strides[l]), outer.get(),
                                  &type),
          "MPI_Type_create_hvector");
    outer = Type(type);
  }
  check(MPI_Type_commit(&type), "MPI_Type_commit");
  return outer;
}

}  // namespace

bool is_one_datatype(const Strided& shape) noexcept {
  constexpr index_t max_count = std::numeric_limits<int>::max();
  bool fits = shape.bytes() <= max_bytes;
  for (std::size_t l = 0; l < static_cast<std::size_t>(shape.levels); ++l)
    fits = fits && shape.remote_stride[l] > 0 && shape.local_stride[l] > 0 && shape.count[l] <= max_count;
  return fits;
}

void put_strided(MPI_Win win, int rank, index_t offset, const void* source, const Strided& shape) {
  const Type there = strided(shape, shape.remote_stride), here = strided(shape, shape.local_stride);
  check(MPI_Put(source, 1, here.get(), rank, static_cast<MPI_Aint>(offset), 1, there.get(), win), "MPI_Put");
}

void get_strided(MPI_Win win, int rank, index_t offset, void* target, const Strided& shape) {
  const Type there = strided(shape, shape.remote_stride), here = strided(shape, shape.local_stride);
  check(MPI_Get(target, 1, here.get(), rank, static_cast<MPI_Aint>(offset), 1, there.get(), win), "MPI_Get");
}

void put_indexed(MPI_Win win, int rank, std::span<const index_t> offsets, std::span<std::byte* const> sources,
                 index_t run) {
  const Type there = indexed(offsets, run), here = indexed(sources, run);
  check(MPI_Put(MPI_BOTTOM, 1, here.get(), rank, 0, 1, there.get(), win), "MPI_Put");
}

void get_indexed(MPI_Win win, int rank, std::span<const index_t> offsets, std::span<std::byte* const> targets,
                 index_t run) {
  const Type there = indexed(offsets, run), here = indexed(targets, run);
  check(MPI_Get(MPI_BOTTOM, 1, here.get(), rank, 0, 1, there.get(), win), "MPI_Get");
}

MPI_Request rput(MPI_Win win, int rank, index_t offset, const void* source, index_t bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int n = to_int(bytes);
  check(MPI_Rput(source, n, MPI_BYTE, rank, static_cast<MPI_Aint>(offset), n, MPI_BYTE, win, &request),
        "MPI_Rput");
  return request;
}

MPI_Request rget(MPI_Win win, int rank, index_t offset, void* target, index_t bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int n = to_int(bytes);
  check(MPI_Rget(target, n, MPI_BYTE, rank, static_cast<MPI_Aint>(offset), n, MPI_BYTE, win, &request),
        "MPI_Rget");
  return request;
}

MPI_Request raccumulate(MPI_Win win, int rank, index_t offset, ElementKind kind, Update update,
                        const void* source, index_t bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  const ElementKind real = real_part(kind);
  const int n = to_int(bytes / size_of(real));
  check(MPI_Raccumulate(source, n, datatype(real), rank, static_cast<MPI_Aint>(offset), n, datatype(real),
                        op(update), win, &request),
        "MPI_Raccumulate");
  return request;
}

Win allocate_shared(MPI_Comm node, index_t bytes_on_root, void*& base_of_root) {
  const order::OwnCalls own;
  MPI_Win win = MPI_WIN_NULL;
  void* mine = nullptr;
  const MPI_Aint bytes = rank(node) == 0 ? static_cast<MPI_Aint>(bytes_on_root) : 0;
  in_turn(node, node, [&] {
    check(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, node, &mine, &win), "MPI_Win_allocate_shared");
    return MPI_SUCCESS;
  });
  MPI_Aint size = 0;
  int unit = 0;
  check(MPI_Win_shared_query(win, 0, &size, &unit, &base_of_root), "MPI_Win_shared_query");
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, win), "MPI_Win_lock_all");
  return Win(win);
}

}  // namespace tessera::detail::mpi
