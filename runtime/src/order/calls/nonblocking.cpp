// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/calls/exchanges.hpp"
#include "order/calls/seen.hpp"

// Nonblocking collective calls of the program. The order arrives when the request completes.
using namespace tessera::detail::order;
using namespace tessera::detail::order::calls;

namespace tessera::detail::order::calls {

void link_nonblocking() noexcept {}

}  // namespace tessera::detail::order::calls

// The flow, the communicator and the root come last.
#define TESSERA_STARTED_CALL(Name, parameters, arguments, ...) \
  TESSERA_MPI_CALL Name parameters {                           \
    static const auto real = next(#Name, &P##Name);            \
    if (!seen()) return real arguments;                        \
    auto clocks = start_exchange(__VA_ARGS__, #Name);          \
    const int code = real arguments;                           \
    follow(code, request, std::move(clocks));                  \
    return code;                                               \
  }

extern "C" {

TESSERA_STARTED_CALL(MPI_Ibarrier, (MPI_Comm comm, MPI_Request* request), (comm, request), Flow::all, comm, 0)

TESSERA_STARTED_CALL(MPI_Iallreduce,
                     (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm, MPI_Request* request),
                     (sendbuf, recvbuf, count, datatype, op, comm, request), Flow::all, comm, 0)

TESSERA_STARTED_CALL(MPI_Iallgather,
                     (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
                     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request), Flow::all,
                     comm, 0)

TESSERA_STARTED_CALL(MPI_Iallgatherv,
                     (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                      MPI_Request* request),
                     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request),
                     Flow::all, comm, 0, sent(recvcounts, comm))

TESSERA_STARTED_CALL(MPI_Ialltoall,
                     (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
                     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request), Flow::all,
                     comm, 0)

TESSERA_STARTED_CALL(MPI_Ialltoallv,
                     (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                      void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                      MPI_Comm comm, MPI_Request* request),
                     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                      request),
                     Flow::all, comm, 0, sent(recvcounts, comm))

TESSERA_STARTED_CALL(MPI_Ialltoallw,
                     (const void* sendbuf, const int sendcounts[], const int sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                      const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request),
                     (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                      request),
                     Flow::all, comm, 0, sent(recvcounts, comm))

TESSERA_STARTED_CALL(MPI_Ireduce_scatter,
                     (const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm, MPI_Request* request),
                     (sendbuf, recvbuf, recvcounts, datatype, op, comm, request), Flow::all, comm, 0,
                     sent_to_me(recvcounts, comm))

TESSERA_STARTED_CALL(MPI_Ireduce_scatter_block,
                     (const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm, MPI_Request* request),
                     (sendbuf, recvbuf, recvcount, datatype, op, comm, request), Flow::all, comm, 0)

TESSERA_STARTED_CALL(MPI_Ibcast,
                     (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                      MPI_Request* request),
                     (buffer, count, datatype, root, comm, request), Flow::from_root, comm, root)

TESSERA_STARTED_CALL(MPI_Iscatter,
                     (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request),
                     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request),
                     Flow::from_root, comm, root)

TESSERA_STARTED_CALL(MPI_Iscatterv,
                     (const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                      void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                      MPI_Request* request),
                     (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request),
                     Flow::from_root, comm, root, sent_by_root(recvcount, root, comm))

TESSERA_STARTED_CALL(MPI_Ireduce,
                     (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                      MPI_Comm comm, MPI_Request* request),
                     (sendbuf, recvbuf, count, datatype, op, root, comm, request), Flow::to_root, comm, root)

TESSERA_STARTED_CALL(MPI_Igather,
                     (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request),
                     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request),
                     Flow::to_root, comm, root)

TESSERA_STARTED_CALL(MPI_Igatherv,
                     (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                      MPI_Comm comm, MPI_Request* request),
                     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request),
                     Flow::to_root, comm, root, sent_to_root(recvcounts, root, comm))

TESSERA_STARTED_CALL(MPI_Iscan,
                     (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm, MPI_Request* request),
                     (sendbuf, recvbuf, count, datatype, op, comm, request), Flow::upwards, comm, 0)

TESSERA_STARTED_CALL(MPI_Iexscan,
                     (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm, MPI_Request* request),
                     (sendbuf, recvbuf, count, datatype, op, comm, request), Flow::upwards, comm, 0)

#if MPI_VERSION >= 4

TESSERA_STARTED_CALL(MPI_Iallreduce_c,
                     (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm, MPI_Request* request),
                     (sendbuf, recvbuf, count, datatype, op, comm, request), Flow::all, comm, 0)

TESSERA_STARTED_CALL(MPI_Iallgather_c,
                     (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
                     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request), Flow::all,
                     comm, 0)

TESSERA_STARTED_CALL(MPI_Iallgatherv_c,
                     (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                      MPI_Comm comm, MPI_Request* request),
                     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request),
                     Flow::all, comm, 0, sent(recvcounts, comm))

TESSERA_STARTED_CALL(MPI_Ialltoall_c,
                     (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
                     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request), Flow::all,
                     comm, 0)

TESSERA_STARTED_CALL(MPI_Ialltoallv_c,
                     (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
                     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                      request),
                     Flow::all, comm, 0, sent(recvcounts, comm))

TESSERA_STARTED_CALL(MPI_Ialltoallw_c,
                     (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                      MPI_Request* request),
                     (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                      request),
                     Flow::all, comm, 0, sent(recvcounts, comm))

TESSERA_STARTED_CALL(MPI_Ireduce_scatter_c,
                     (const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm, MPI_Request* request),
                     (sendbuf, recvbuf, recvcounts, datatype, op, comm, request), Flow::all, comm, 0,
                     sent_to_me(recvcounts, comm))

TESSERA_STARTED_CALL(MPI_Ireduce_scatter_block_c,
                     (const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm, MPI_Request* request),
                     (sendbuf, recvbuf, recvcount, datatype, op, comm, request), Flow::all, comm, 0)

TESSERA_STARTED_CALL(MPI_Ibcast_c,
                     (void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                      MPI_Request* request),
                     (buffer, count, datatype, root, comm, request), Flow::from_root, comm, root)

TESSERA_STARTED_CALL(MPI_Iscatter_c,
                     (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                      MPI_Request* request),
                     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request),
                     Flow::from_root, comm, root)

TESSERA_STARTED_CALL(MPI_Iscatterv_c,
                     (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                      MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                      int root, MPI_Comm comm, MPI_Request* request),
                     (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request),
                     Flow::from_root, comm, root, sent_by_root(recvcount, root, comm))

TESSERA_STARTED_CALL(MPI_Ireduce_c,
                     (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                      int root, MPI_Comm comm, MPI_Request* request),
                     (sendbuf, recvbuf, count, datatype, op, root, comm, request), Flow::to_root, comm, root)

TESSERA_STARTED_CALL(MPI_Igather_c,
                     (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                      MPI_Request* request),
                     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request),
                     Flow::to_root, comm, root)

TESSERA_STARTED_CALL(MPI_Igatherv_c,
                     (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                      MPI_Comm comm, MPI_Request* request),
                     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request),
                     Flow::to_root, comm, root, sent_to_root(recvcounts, root, comm))

TESSERA_STARTED_CALL(MPI_Iscan_c,
                     (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm, MPI_Request* request),
                     (sendbuf, recvbuf, count, datatype, op, comm, request), Flow::upwards, comm, 0)

TESSERA_STARTED_CALL(MPI_Iexscan_c,
                     (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm, MPI_Request* request),
                     (sendbuf, recvbuf, count, datatype, op, comm, request), Flow::upwards, comm, 0)

#endif
}
