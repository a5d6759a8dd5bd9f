// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi/mpi_check.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/runtime/error.hpp>

#include "base/activity.hpp"
#include "format.hpp"
#include "mpi/mpi_process.hpp"
#include "mpi/terminate.hpp"
#include "mpi/unyielding.hpp"
#include "order/own_calls.hpp"

namespace tessera::detail::mpi {

using order::OwnCalls;

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (!is_running()) return formatted("error {}", code);
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return "unknown error";
  return std::string(text, static_cast<std::size_t>(length));
}

void check(int code, const char* call) noexcept {
  if (code == MPI_SUCCESS) return;
  abort_job(formatted("{} failed: {} (an error of MPI, or of the network under it; tessera-info tests both)",
                      call, text_of(code)));
}

int to_int(index_t value) {
  if (value < 0 || value > std::numeric_limits<int>::max()) {
    throw LogicError(formatted("{} does not fit MPI's int; a transfer should have been split before", value));
  }
  return static_cast<int>(value);
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

namespace {

Comm adopt(MPI_Comm comm) {
  if (comm != MPI_COMM_NULL) check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return Comm(comm);
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
    case Reduce::absmax:
    case Reduce::absmin:
      break;  // MPI has none; no group needs them while it is being made
  }
  return MPI_OP_NULL;
}

}  // namespace

// After MPI_Finalize there is nothing left to free.
void CommTraits::free(Handle handle) noexcept {
  const OwnCalls own;
  if (!finalized()) check(MPI_Comm_free(&handle), "MPI_Comm_free");
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

bool is_running() noexcept {
  int flag = 0;
  return MPI_Initialized(&flag) == MPI_SUCCESS && flag != 0 && !finalized();
}

int init_thread(int& argc, char**& argv, int required) {
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(&argc, &argv, required, &provided), "MPI_Init_thread");
  return provided;
}

void finalize() {
  const OwnCalls own;
  check(MPI_Finalize(), "MPI_Finalize");
}

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

void abort(MPI_Comm comm, int code) noexcept { MPI_Abort(comm, code); }

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  return std::string(text, static_cast<std::size_t>(length));
}

namespace {

// Serves meanwhile. Members that have nothing to serve start a nonblocking call, too, because it does not match
// a blocking one (MPI-3.1 section 5.12). A process may serve for another Runtime, which some of the members
// have not.
template <class Starting>
void collective(const char* name, Starting&& start) {
  const activity::Wait waits(name);
  const OwnCalls own;
  std::vector<MPI_Request> requests(1, MPI_REQUEST_NULL);
  check(start(&requests.front()), name);
  serve_until_all(requests);
}

// Returns when all the listed processes have called it. It uses messages, no collective call. Serves meanwhile.
void meet(MPI_Comm comm, std::span<const int> ranks, int tag) {
  std::vector<MPI_Request> requests;
  if (const int first = ranks.front(); rank(comm) == first) {
    const auto others = ranks.subspan(1);
    for (const int other : others) requests.push_back(irecv(comm, nullptr, 0, other, tag));
    serve_until_all(requests);
    for (const int other : others) requests.push_back(isend(comm, nullptr, 0, other, tag));
    serve_until_all(requests);
  } else {
    requests = {isend(comm, nullptr, 0, first, tag), irecv(comm, nullptr, 0, first, tag)};
    serve_until_all(requests);
  }
}

}  // namespace

Comm dup(MPI_Comm comm) {
  const OwnCalls own;
  MPI_Comm copy = MPI_COMM_NULL;
  check(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup");
  return adopt(copy);
}

Comm split(MPI_Comm comm, int color, int key) {
  const OwnCalls own;
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split(comm, color < 0 ? MPI_UNDEFINED : color, key, &part), "MPI_Comm_split");
  return adopt(part);
}

Comm create_group(MPI_Comm comm, std::span<const int> ranks, int tag) {
  // The call has no nonblocking form.
  meet(comm, ranks, tag);
  MPI_Group all = MPI_GROUP_NULL, listed = MPI_GROUP_NULL;
  check(MPI_Comm_group(comm, &all), "MPI_Comm_group");
  check(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &listed), "MPI_Group_incl");
  const OwnCalls own;
  MPI_Comm part = MPI_COMM_NULL;
  const int code = MPI_Comm_create_group(comm, listed, tag, &part);
  MPI_Group_free(&listed);
  MPI_Group_free(&all);
  check(code, "MPI_Comm_create_group");
  return adopt(part);
}

Comm split_shared(MPI_Comm comm) {
  const OwnCalls own;
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

void barrier(MPI_Comm comm) {
  collective("MPI_Ibarrier", [&](MPI_Request* request) { return MPI_Ibarrier(comm, request); });
}

void progress(MPI_Comm comm) {
  const Unyielding unyielding;
  const OwnCalls own;  // the program has not probed
  int flag = 0;
  check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

void broadcast(MPI_Comm comm, void* data, index_t bytes, int root) {
  in_pieces(bytes, max_bytes, [&](index_t start, index_t length) {
    void* piece = at(data, start);
    const int n = to_int(length);
    collective("MPI_Ibcast",
               [&](MPI_Request* request) { return MPI_Ibcast(piece, n, MPI_BYTE, root, comm, request); });
  });
}

void broadcast(MPI_Comm comm, std::string& text, int root) {
  auto length = static_cast<index_t>(text.size());
  broadcast(comm, &length, sizeof length, root);
  text.resize(static_cast<std::size_t>(length));
  broadcast(comm, text.data(), length, root);
}

std::string first_problem(MPI_Comm comm, const std::string& mine) {
  const std::int64_t nobody = size(comm);
  std::int64_t first = mine.empty() ? nobody : rank(comm);
  all_reduce(comm, &first, 1, ElementKind::int64, Reduce::min);
  std::string text = mine;
  if (first != nobody) broadcast(comm, text, static_cast<int>(first));
  return text;
}

void all_gather(MPI_Comm comm, const void* value, void* all, index_t bytes) {
  const int n = to_int(bytes);
  value = given(value, at(all, rank(comm) * bytes));
  collective("MPI_Iallgather", [&](MPI_Request* request) {
    return MPI_Iallgather(value, n, MPI_BYTE, all, n, MPI_BYTE, comm, request);
  });
}

void all_gather(MPI_Comm comm, const void* value, void* all, std::span<const int> bytes) {
  // All alike, as mostly: MPI's faster call.
  if (std::adjacent_find(bytes.begin(), bytes.end(), std::not_equal_to<>()) == bytes.end())
    return all_gather(comm, value, all, index_t{bytes.front()});
  std::vector<int> places(bytes.size());
  std::exclusive_scan(bytes.begin(), bytes.end(), places.begin(), 0);
  const auto mine = static_cast<std::size_t>(rank(comm));
  const int n = bytes[mine];
  value = given(value, at(all, places[mine]));
  collective("MPI_Iallgatherv", [&](MPI_Request* request) {
    return MPI_Iallgatherv(value, n, MPI_BYTE, all, bytes.data(), places.data(), MPI_BYTE, comm, request);
  });
}

void gather(MPI_Comm comm, const void* value, void* all, index_t bytes, int root) {
  const int n = to_int(bytes);
  collective("MPI_Igather", [&](MPI_Request* request) {
    return MPI_Igather(value, n, MPI_BYTE, all, n, MPI_BYTE, root, comm, request);
  });
}

void all_to_all(MPI_Comm comm, const void* sent, void* received, index_t bytes) {
  const int n = to_int(bytes);
  collective("MPI_Ialltoall", [&](MPI_Request* request) {
    return MPI_Ialltoall(sent, n, MPI_BYTE, received, n, MPI_BYTE, comm, request);
  });
}

std::vector<std::string> all_to_all(MPI_Comm comm, const std::vector<std::string>& texts) {
  const std::size_t members = texts.size();
  std::vector<index_t> sent, received(members);
  for (const std::string& text : texts) sent.push_back(static_cast<index_t>(text.size()));
  all_to_all(comm, sent.data(), received.data(), sizeof(index_t));
  index_t longest = 0;
  for (std::size_t r = 0; r < members; ++r) longest = std::max({longest, sent[r], received[r]});
  all_reduce(comm, &longest, 1, ElementKind::int64, Reduce::max);
  std::vector<std::string> all(members);
  const index_t most = max_bytes / static_cast<index_t>(members);  // from each member at once
  for (index_t begin = 0; begin < longest; begin += most) {
    // The counts and places of what is sent, and of what is received.
    std::array<std::vector<int>, 2> counts, places;
    for (std::size_t r = 0; r < members; ++r) {
      for (const auto& [side, length] : {std::pair{std::size_t{0}, sent[r]}, {std::size_t{1}, received[r]}}) {
        places[side].push_back(r == 0 ? 0 : places[side].back() + counts[side].back());
        counts[side].push_back(to_int(std::clamp<index_t>(length - begin, 0, most)));
      }
    }
    std::string from, to(static_cast<std::size_t>(places[1].back() + counts[1].back()), '\0');
    for (std::size_t r = 0; r < members; ++r)
      from += std::string_view(texts[r]).substr(std::min(texts[r].size(), static_cast<std::size_t>(begin)),
                                                static_cast<std::size_t>(counts[0][r]));
    collective("MPI_Ialltoallv", [&](MPI_Request* request) {
      return MPI_Ialltoallv(from.data(), counts[0].data(), places[0].data(), MPI_BYTE, to.data(),
                            counts[1].data(), places[1].data(), MPI_BYTE, comm, request);
    });
    for (std::size_t r = 0; r < members; ++r)
      all[r] += std::string_view(to).substr(static_cast<std::size_t>(places[1][r]),
                                            static_cast<std::size_t>(counts[1][r]));
  }
  return all;
}

void all_reduce(MPI_Comm comm, void* data, index_t count, ElementKind kind, Reduce operation) {
  in_pieces(count, max_bytes / size_of(kind), [&](index_t start, index_t length) {
    void* piece = at(data, start * size_of(kind));
    const int n = to_int(length);
    const MPI_Datatype type = datatype(kind);
    const MPI_Op how = op(operation);
    collective("MPI_Iallreduce", [&](MPI_Request* request) {
      return MPI_Iallreduce(MPI_IN_PLACE, piece, n, type, how, comm, request);
    });
  });
}

// The call has no communicator, so MPI_COMM_WORLD's handler of errors decides, and would end the job.
void* alloc_mem(index_t bytes) noexcept {
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  check(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before), "MPI_Comm_get_errhandler");
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  void* memory = nullptr;
  const int code = MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, &memory);
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, before), "MPI_Comm_set_errhandler");
  check(MPI_Errhandler_free(&before), "MPI_Errhandler_free");
  // MPICH 4.0.2 adds 16 to the null pointer of a block that it could not have, and reports success.
  constexpr std::uintptr_t first_page = 4096;
  return code == MPI_SUCCESS && reinterpret_cast<std::uintptr_t>(memory) >= first_page ? memory : nullptr;
}

void free_mem(void* memory) noexcept {
  if (memory != nullptr) MPI_Free_mem(memory);
}

}  // namespace tessera::detail::mpi
