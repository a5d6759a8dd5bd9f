// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <span>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <tessera/runtime/error.hpp>

namespace tessera::detail::mpi {
namespace {

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return "unknown error";
  return std::string(text, static_cast<std::size_t>(length));
}

void check(int code, const char* call) {
  if (code != MPI_SUCCESS) throw MpiError(fmt::format("{} failed: {}", call, text_of(code)), code);
}

int to_int(index_t value) {
  if (value < 0 || value > std::numeric_limits<int>::max()) {
    throw LogicError(fmt::format("{} does not fit MPI's int; a transfer should have been split before", value));
  }
  return static_cast<int>(value);
}

Comm adopt(MPI_Comm comm) {
  if (comm != MPI_COMM_NULL) check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return Comm(comm);
}

MPI_Datatype datatype(ElementKind kind) {
  switch (kind) {
    case ElementKind::bytes:
      return MPI_BYTE;
    case ElementKind::int32:
      return MPI_INT32_T;
    case ElementKind::int64:
      return MPI_INT64_T;
    case ElementKind::float32:
      return MPI_FLOAT;
    case ElementKind::float64:
      return MPI_DOUBLE;
    case ElementKind::complex64:
      return MPI_C_FLOAT_COMPLEX;
    case ElementKind::complex128:
      return MPI_C_DOUBLE_COMPLEX;
  }
  return MPI_DATATYPE_NULL;
}

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

MPI_Op op(Reduce operation) {
  switch (operation) {
    case Reduce::sum:
      return MPI_SUM;
    case Reduce::product:
      return MPI_PROD;
    case Reduce::min:
      return MPI_MIN;
    case Reduce::max:
      return MPI_MAX;
    case Reduce::logical_and:
      return MPI_LAND;
    case Reduce::logical_or:
      return MPI_LOR;
    case Reduce::bit_and:
      return MPI_BAND;
    case Reduce::bit_or:
      return MPI_BOR;
    case Reduce::bit_xor:
      return MPI_BXOR;
  }
  return MPI_OP_NULL;
}

// Calls f(start, length) for pieces of at most `limit`.
template <class F>
void in_pieces(index_t total, index_t limit, F&& f) {
  for (index_t start = 0; start < total; start += limit) f(start, std::min(limit, total - start));
}

std::byte* at(void* base, index_t offset) { return static_cast<std::byte*>(base) + offset; }
const std::byte* at(const void* base, index_t offset) { return static_cast<const std::byte*>(base) + offset; }

}  // namespace

// After MPI_Finalize there is nothing left to free.
void CommTraits::free(Handle handle) noexcept {
  if (!finalized()) MPI_Comm_free(&handle);
}

void WinTraits::free(Handle handle) noexcept {
  if (finalized()) return;
  MPI_Win_unlock_all(handle);
  MPI_Win_free(&handle);
}

bool initialized() {
  int flag = 0;
  check(MPI_Initialized(&flag), "MPI_Initialized");
  return flag != 0;
}

bool finalized() noexcept {
  int flag = 0;
  return MPI_Finalized(&flag) == MPI_SUCCESS && flag != 0;
}

int init_thread(int& argc, char**& argv, int required) {
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(&argc, &argv, required, &provided), "MPI_Init_thread");
  return provided;
}

void finalize() { check(MPI_Finalize(), "MPI_Finalize"); }

int query_thread() {
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&provided), "MPI_Query_thread");
  return provided;
}

bool may_call() noexcept {
  int level = MPI_THREAD_SINGLE, main = 0;
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&main);
  return level >= MPI_THREAD_SERIALIZED || main != 0;
}

std::recursive_mutex& mutex() noexcept {
  static std::recursive_mutex the_one;
  return the_one;
}

void abort(MPI_Comm comm, int code) noexcept { MPI_Abort(comm, code); }

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  return std::string(text, static_cast<std::size_t>(length));
}

Comm dup(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  check(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup");
  return adopt(copy);
}

Comm split(MPI_Comm comm, int color, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split(comm, color < 0 ? MPI_UNDEFINED : color, key, &part), "MPI_Comm_split");
  return adopt(part);
}

Comm create_group(MPI_Comm comm, std::span<const int> ranks, int tag) {
  MPI_Group all = MPI_GROUP_NULL, listed = MPI_GROUP_NULL;
  check(MPI_Comm_group(comm, &all), "MPI_Comm_group");
  check(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &listed), "MPI_Group_incl");
  MPI_Comm part = MPI_COMM_NULL;
  const int code = MPI_Comm_create_group(comm, listed, tag, &part);
  MPI_Group_free(&listed);
  MPI_Group_free(&all);
  check(code, "MPI_Comm_create_group");
  return adopt(part);
}

Comm split_shared(MPI_Comm comm) {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank(comm), MPI_INFO_NULL, &part),
        "MPI_Comm_split_type");
  return adopt(part);
}

int rank(MPI_Comm comm) {
  int value = 0;
  check(MPI_Comm_rank(comm, &value), "MPI_Comm_rank");
  return value;
}

int size(MPI_Comm comm) {
  int value = 0;
  check(MPI_Comm_size(comm, &value), "MPI_Comm_size");
  return value;
}

namespace {

Idle* idle = nullptr;

// Collective calls of the blocking kind keep this thread to themselves.
template <class Blocking, class Starting>
void collective(const char* name, Blocking&& blocking, Starting&& start) {
  if (idle == nullptr) return check(blocking(), name);
  MPI_Request request = MPI_REQUEST_NULL;
  check(start(&request), name);
  if (test(request)) return;
  struct Waiting {
    Waiting() { idle->begin(); }
    ~Waiting() { idle->end(); }
  } waiting;
  do idle->serve();
  while (!test(request));
}

}  // namespace

void while_waiting(Idle* what) noexcept { idle = what; }

void barrier(MPI_Comm comm) {
  collective(
      "MPI_Barrier", [&] { return MPI_Barrier(comm); },
      [&](MPI_Request* request) { return MPI_Ibarrier(comm, request); });
}

void progress(MPI_Comm comm) {
  int flag = 0;
  check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

void broadcast(MPI_Comm comm, void* data, index_t bytes, int root) {
  in_pieces(bytes, max_bytes, [&](index_t start, index_t length) {
    void* piece = at(data, start);
    const int n = to_int(length);
    collective(
        "MPI_Bcast", [&] { return MPI_Bcast(piece, n, MPI_BYTE, root, comm); },
        [&](MPI_Request* request) { return MPI_Ibcast(piece, n, MPI_BYTE, root, comm, request); });
  });
}

void all_gather(MPI_Comm comm, const void* value, void* all, index_t bytes) {
  const int n = to_int(bytes);
  collective(
      "MPI_Allgather", [&] { return MPI_Allgather(value, n, MPI_BYTE, all, n, MPI_BYTE, comm); },
      [&](MPI_Request* request) {
        return MPI_Iallgather(value, n, MPI_BYTE, all, n, MPI_BYTE, comm, request);
      });
}

void all_reduce(MPI_Comm comm, void* data, index_t count, ElementKind kind, Reduce operation) {
  in_pieces(count, max_bytes / size_of(kind), [&](index_t start, index_t length) {
    void* piece = at(data, start * size_of(kind));
    const int n = to_int(length);
    const MPI_Datatype type = datatype(kind);
    const MPI_Op how = op(operation);
    collective(
        "MPI_Allreduce", [&] { return MPI_Allreduce(MPI_IN_PLACE, piece, n, type, how, comm); },
        [&](MPI_Request* request) { return MPI_Iallreduce(MPI_IN_PLACE, piece, n, type, how, comm, request); });
  });
}

MPI_Request isend(MPI_Comm comm, const void* data, index_t bytes, int rank, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(data, to_int(bytes), MPI_BYTE, rank, tag, comm, &request), "MPI_Isend");
  return request;
}

MPI_Request irecv(MPI_Comm comm, void* data, index_t bytes, int rank, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int source = rank == any_source ? MPI_ANY_SOURCE : rank;
  check(MPI_Irecv(data, to_int(bytes), MPI_BYTE, source, tag, comm, &request), "MPI_Irecv");
  return request;
}

bool test(MPI_Request& request, Arrived* arrived) {
  int flag = 0;
  if (arrived == nullptr) {
    check(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    return flag != 0;
  }
  MPI_Status status;
  check(MPI_Test(&request, &flag, &status), "MPI_Test");
  if (flag == 0) return false;
  int bytes = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  *arrived = {status.MPI_SOURCE, bytes};
  return true;
}

void cancel(MPI_Request& request) noexcept {
  if (request == MPI_REQUEST_NULL) return;
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

namespace {

// Open MPI 4.1 names the files behind a window after its communicator's number, which communicators without a
// common member share: on one host, two windows of such groups made at once become one. So there they are made
// one after another. A group waits for its turn only when all its members have come, or two groups could wait
// for each other.
template <class Make>
int in_turn([[maybe_unused]] MPI_Comm comm, Make&& make) {
#ifdef OPEN_MPI
  barrier(comm);
  const int turn = rank(comm) == 0 ? open("/proc/self/exe", O_RDONLY | O_CLOEXEC) : -1;
  while (turn >= 0 && flock(turn, LOCK_EX) != 0 && errno == EINTR) {
  }
  barrier(comm);
  const int code = make();
  barrier(comm);
  if (turn >= 0) close(turn);
  return code;
#else
  return make();
#endif
}

}  // namespace

Win create_window(MPI_Comm comm, void* base, index_t bytes, std::string& why) {
  MPI_Info info = MPI_INFO_NULL;
  check(MPI_Info_create(&info), "MPI_Info_create");
  MPI_Info_set(info, "same_disp_unit", "true");
  MPI_Info_set(info, "epochs_used", "lockall");
  MPI_Win win = MPI_WIN_NULL;
  const int code =
      in_turn(comm, [&] { return MPI_Win_create(base, static_cast<MPI_Aint>(bytes), 1, info, comm, &win); });
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

// Complex numbers are added as twice as many real ones: Open MPI 4.1.4 adds a complex of 8 bytes as one
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

}  // namespace

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

void wait_all(std::vector<MPI_Request>& requests) {
  const int n = to_int(static_cast<index_t>(requests.size()));
  check(MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  requests.clear();
}

bool test_all(std::vector<MPI_Request>& requests) {
  int flag = 0;
  const int n = to_int(static_cast<index_t>(requests.size()));
  check(MPI_Testall(n, requests.data(), &flag, MPI_STATUSES_IGNORE), "MPI_Testall");
  if (flag != 0) requests.clear();
  return flag != 0;
}

void flush(MPI_Win win, int rank) { check(MPI_Win_flush(rank, win), "MPI_Win_flush"); }
void flush_local(MPI_Win win, int rank) { check(MPI_Win_flush_local(rank, win), "MPI_Win_flush_local"); }
void sync_memory(MPI_Win win) { check(MPI_Win_sync(win), "MPI_Win_sync"); }

void* alloc_mem(index_t bytes) {
  void* memory = nullptr;
  check(MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, &memory), "MPI_Alloc_mem");
  return memory;
}

void free_mem(void* memory) noexcept {
  if (memory != nullptr) MPI_Free_mem(memory);
}

Win allocate_shared(MPI_Comm node, index_t bytes_on_root, void*& base_of_root) {
  MPI_Win win = MPI_WIN_NULL;
  void* mine = nullptr;
  const MPI_Aint bytes = rank(node) == 0 ? static_cast<MPI_Aint>(bytes_on_root) : 0;
  check(in_turn(node, [&] { return MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, node, &mine, &win); }),
        "MPI_Win_allocate_shared");
  MPI_Aint size = 0;
  int unit = 0;
  check(MPI_Win_shared_query(win, 0, &size, &unit, &base_of_root), "MPI_Win_shared_query");
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, win), "MPI_Win_lock_all");
  return Win(win);
}

}  // namespace tessera::detail::mpi
