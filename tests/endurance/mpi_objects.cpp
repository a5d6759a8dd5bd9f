// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi_objects.hpp"

#include <algorithm>
#include <atomic>

#include <mpi.h>

// The program's own definitions of MPI's functions, which count and call MPI. Tessera and HDF5 call these, too.
namespace tessera::test {
namespace {

std::array<std::atomic<std::int64_t>, mpi_kinds.size()> counts;

void add(MpiKind kind, std::int64_t number) noexcept {
  counts[static_cast<std::size_t>(kind)].fetch_add(number, std::memory_order_relaxed);
}

// Counts an object that a call has made, unless it is none.
template <class Handle>
int made(int code, MpiKind kind, const Handle* handle, Handle none) noexcept {
  if (code == MPI_SUCCESS && *handle != none) add(kind, 1);
  return code;
}

int freed(int code, MpiKind kind) noexcept {
  if (code == MPI_SUCCESS) add(kind, -1);
  return code;
}

std::int64_t pending(int count, const MPI_Request* requests) noexcept {
  return std::count_if(requests, requests + count, [](MPI_Request one) { return one != MPI_REQUEST_NULL; });
}

// Calls MPI, which turns requests that are complete into null.
template <class Call>
int completes(int count, MPI_Request* requests, Call&& call) noexcept {
  const std::int64_t before = pending(count, requests);
  const int code = call();
  add(MpiKind::request, pending(count, requests) - before);
  return code;
}

}  // namespace

std::array<std::int64_t, mpi_kinds.size()> mpi_objects() noexcept {
  std::array<std::int64_t, mpi_kinds.size()> all{};
  std::copy(counts.begin(), counts.end(), all.begin());
  return all;
}

}  // namespace tessera::test

using enum tessera::test::MpiKind;
using namespace tessera::test;

// The function, its parameters, the arguments of the call, the kind, where the new object is, and no object.
#define TESSERA_MAKES(Name, parameters, arguments, kind, made_object, none) \
  int Name parameters { return made(P##Name arguments, kind, made_object, none); }
#define TESSERA_FREES(Name, parameters, arguments, kind) \
  int Name parameters { return freed(P##Name arguments, kind); }
#define TESSERA_STARTS(Name, parameters, arguments) \
  TESSERA_MAKES(Name, parameters, arguments, request, request_made, MPI_REQUEST_NULL)
#define TESSERA_COMPLETES(Name, parameters, arguments, count, requests)   \
  int Name parameters {                                                   \
    return completes(count, requests, [&] { return P##Name arguments; }); \
  }
#define TESSERA_MAKES_COMM(Name, parameters, arguments) \
  TESSERA_MAKES(Name, parameters, arguments, communicator, comm_made, MPI_COMM_NULL)
#define TESSERA_MAKES_TYPE(Name, parameters, arguments) \
  TESSERA_MAKES(Name, parameters, arguments, datatype, type_made, MPI_DATATYPE_NULL)

extern "C" {

TESSERA_MAKES_COMM(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* comm_made), (comm, comm_made))
TESSERA_MAKES_COMM(MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* comm_made),
                   (comm, info, comm_made))
TESSERA_MAKES_COMM(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* comm_made),
                   (comm, color, key, comm_made))
TESSERA_MAKES_COMM(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* comm_made),
                   (comm, type, key, info, comm_made))
TESSERA_MAKES_COMM(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* comm_made),
                   (comm, group, comm_made))
TESSERA_MAKES_COMM(MPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* comm_made),
                   (comm, group, tag, comm_made))
TESSERA_MAKES_COMM(MPI_Cart_create,
                   (MPI_Comm comm, int rank, const int dims[], const int periods[], int reorder,
                    MPI_Comm* comm_made),
                   (comm, rank, dims, periods, reorder, comm_made))
TESSERA_FREES(MPI_Comm_free, (MPI_Comm * comm), (comm), communicator)

TESSERA_MAKES(MPI_Comm_group, (MPI_Comm comm, MPI_Group* group_made), (comm, group_made), group, group_made,
              MPI_GROUP_NULL)
TESSERA_MAKES(MPI_Group_incl, (MPI_Group from, int n, const int ranks[], MPI_Group* group_made),
              (from, n, ranks, group_made), group, group_made, MPI_GROUP_NULL)
TESSERA_FREES(MPI_Group_free, (MPI_Group * group_of), (group_of), group)

TESSERA_MAKES_TYPE(MPI_Type_contiguous, (int count, MPI_Datatype type, MPI_Datatype* type_made),
                   (count, type, type_made))
TESSERA_MAKES_TYPE(MPI_Type_vector,
                   (int count, int block, int stride, MPI_Datatype type, MPI_Datatype* type_made),
                   (count, block, stride, type, type_made))
TESSERA_MAKES_TYPE(MPI_Type_create_hvector,
                   (int count, int block, MPI_Aint stride, MPI_Datatype type, MPI_Datatype* type_made),
                   (count, block, stride, type, type_made))
TESSERA_MAKES_TYPE(MPI_Type_indexed,
                   (int count, const int blocks[], const int places[], MPI_Datatype type,
                    MPI_Datatype* type_made),
                   (count, blocks, places, type, type_made))
TESSERA_MAKES_TYPE(MPI_Type_create_hindexed,
                   (int count, const int blocks[], const MPI_Aint places[], MPI_Datatype type,
                    MPI_Datatype* type_made),
                   (count, blocks, places, type, type_made))
TESSERA_MAKES_TYPE(MPI_Type_create_hindexed_block,
                   (int count, int block, const MPI_Aint places[], MPI_Datatype type, MPI_Datatype* type_made),
                   (count, block, places, type, type_made))
TESSERA_MAKES_TYPE(MPI_Type_create_struct,
                   (int count, const int blocks[], const MPI_Aint places[], const MPI_Datatype types[],
                    MPI_Datatype* type_made),
                   (count, blocks, places, types, type_made))
TESSERA_MAKES_TYPE(MPI_Type_create_subarray,
                   (int n, const int sizes[], const int subsizes[], const int starts[], int order,
                    MPI_Datatype type, MPI_Datatype* type_made),
                   (n, sizes, subsizes, starts, order, type, type_made))
TESSERA_MAKES_TYPE(MPI_Type_create_resized,
                   (MPI_Datatype type, MPI_Aint lower, MPI_Aint extent, MPI_Datatype* type_made),
                   (type, lower, extent, type_made))
TESSERA_MAKES_TYPE(MPI_Type_dup, (MPI_Datatype type, MPI_Datatype* type_made), (type, type_made))
TESSERA_FREES(MPI_Type_free, (MPI_Datatype * type), (type), datatype)

TESSERA_MAKES(MPI_Win_create,
              (void* base, MPI_Aint size, int unit, MPI_Info hints, MPI_Comm comm, MPI_Win* win_made),
              (base, size, unit, hints, comm, win_made), window, win_made, MPI_WIN_NULL)
TESSERA_MAKES(MPI_Win_allocate_shared,
              (MPI_Aint size, int unit, MPI_Info hints, MPI_Comm comm, void* base, MPI_Win* win_made),
              (size, unit, hints, comm, base, win_made), window, win_made, MPI_WIN_NULL)
TESSERA_FREES(MPI_Win_free, (MPI_Win * win), (win), window)

TESSERA_MAKES(MPI_File_open, (MPI_Comm comm, const char* name, int mode, MPI_Info hints, MPI_File* file_made),
              (comm, name, mode, hints, file_made), file, file_made, MPI_FILE_NULL)
TESSERA_FREES(MPI_File_close, (MPI_File * file_of), (file_of), file)

TESSERA_MAKES(MPI_Info_create, (MPI_Info * info_made), (info_made), info, info_made, MPI_INFO_NULL)
TESSERA_MAKES(MPI_Info_dup, (MPI_Info hints, MPI_Info* info_made), (hints, info_made), info, info_made,
              MPI_INFO_NULL)
TESSERA_MAKES(MPI_File_get_info, (MPI_File of, MPI_Info* info_made), (of, info_made), info, info_made,
              MPI_INFO_NULL)
TESSERA_MAKES(MPI_Comm_get_info, (MPI_Comm of, MPI_Info* info_made), (of, info_made), info, info_made,
              MPI_INFO_NULL)
TESSERA_FREES(MPI_Info_free, (MPI_Info * hints), (hints), info)

TESSERA_MAKES(MPI_Op_create, (MPI_User_function * function, int commutes, MPI_Op* op_made),
              (function, commutes, op_made), operation, op_made, MPI_OP_NULL)
TESSERA_FREES(MPI_Op_free, (MPI_Op * op), (op), operation)

int MPI_Alloc_mem(MPI_Aint size, MPI_Info hints, void* base) {
  const int code = PMPI_Alloc_mem(size, hints, base);
  if (code == MPI_SUCCESS) add(memory, 1);
  return code;
}
TESSERA_FREES(MPI_Free_mem, (void* base), (base), memory)

TESSERA_STARTS(MPI_Isend,
               (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request* request_made),
               (data, count, type, to, tag, comm, request_made))
TESSERA_STARTS(MPI_Issend,
               (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request* request_made),
               (data, count, type, to, tag, comm, request_made))
TESSERA_STARTS(MPI_Irecv,
               (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                MPI_Request* request_made),
               (data, count, type, from, tag, comm, request_made))
TESSERA_STARTS(MPI_Ibarrier, (MPI_Comm comm, MPI_Request* request_made), (comm, request_made))
TESSERA_STARTS(MPI_Ibcast,
               (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request_made),
               (data, count, type, root, comm, request_made))
TESSERA_STARTS(MPI_Iallreduce,
               (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request* request_made),
               (from, to, count, type, op, comm, request_made))
TESSERA_STARTS(MPI_Iallgather,
               (const void* from, int count, MPI_Datatype type, void* to, int to_count, MPI_Datatype to_type,
                MPI_Comm comm, MPI_Request* request_made),
               (from, count, type, to, to_count, to_type, comm, request_made))
TESSERA_STARTS(MPI_Ialltoall,
               (const void* from, int count, MPI_Datatype type, void* to, int to_count, MPI_Datatype to_type,
                MPI_Comm comm, MPI_Request* request_made),
               (from, count, type, to, to_count, to_type, comm, request_made))
TESSERA_STARTS(MPI_Iallgatherv,
               (const void* from, int count, MPI_Datatype type, void* to, const int counts_of[],
                const int places[], MPI_Datatype to_type, MPI_Comm comm, MPI_Request* request_made),
               (from, count, type, to, counts_of, places, to_type, comm, request_made))
TESSERA_STARTS(MPI_Ialltoallv,
               (const void* from, const int counts_from[], const int places_from[], MPI_Datatype type, void* to,
                const int counts_to[], const int places_to[], MPI_Datatype to_type, MPI_Comm comm,
                MPI_Request* request_made),
               (from, counts_from, places_from, type, to, counts_to, places_to, to_type, comm, request_made))
TESSERA_STARTS(MPI_Igather,
               (const void* from, int count, MPI_Datatype type, void* to, int to_count, MPI_Datatype to_type,
                int root, MPI_Comm comm, MPI_Request* request_made),
               (from, count, type, to, to_count, to_type, root, comm, request_made))
TESSERA_STARTS(MPI_Rput,
               (const void* data, int count, MPI_Datatype type, int to, MPI_Aint place, int there,
                MPI_Datatype to_type, MPI_Win win, MPI_Request* request_made),
               (data, count, type, to, place, there, to_type, win, request_made))
TESSERA_STARTS(MPI_Rget,
               (void* data, int count, MPI_Datatype type, int from, MPI_Aint place, int there,
                MPI_Datatype to_type, MPI_Win win, MPI_Request* request_made),
               (data, count, type, from, place, there, to_type, win, request_made))
TESSERA_STARTS(MPI_Raccumulate,
               (const void* data, int count, MPI_Datatype type, int to, MPI_Aint place, int there,
                MPI_Datatype to_type, MPI_Op op, MPI_Win win, MPI_Request* request_made),
               (data, count, type, to, place, there, to_type, op, win, request_made))

TESSERA_COMPLETES(MPI_Wait, (MPI_Request * one, MPI_Status* status), (one, status), 1, one)
TESSERA_COMPLETES(MPI_Test, (MPI_Request * one, int* flag, MPI_Status* status), (one, flag, status), 1, one)
TESSERA_COMPLETES(MPI_Waitall, (int count, MPI_Request all[], MPI_Status* statuses), (count, all, statuses),
                  count, all)
TESSERA_COMPLETES(MPI_Testall, (int count, MPI_Request all[], int* flag, MPI_Status* statuses),
                  (count, all, flag, statuses), count, all)
TESSERA_COMPLETES(MPI_Waitany, (int count, MPI_Request all[], int* which, MPI_Status* status),
                  (count, all, which, status), count, all)
TESSERA_COMPLETES(MPI_Testany, (int count, MPI_Request all[], int* which, int* flag, MPI_Status* status),
                  (count, all, which, flag, status), count, all)
TESSERA_COMPLETES(MPI_Waitsome, (int count, MPI_Request all[], int* done, int* which, MPI_Status* statuses),
                  (count, all, done, which, statuses), count, all)
TESSERA_COMPLETES(MPI_Testsome, (int count, MPI_Request all[], int* done, int* which, MPI_Status* statuses),
                  (count, all, done, which, statuses), count, all)
TESSERA_COMPLETES(MPI_Request_free, (MPI_Request * one), (one), 1, one)

}  // extern "C"
