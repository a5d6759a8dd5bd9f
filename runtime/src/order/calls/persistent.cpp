// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/calls/seen.hpp"
#include "order/tracked.hpp"
#include "order/unseen_order.hpp"

// Persistent collective operations and partitioned messages: each start may order events, in ways that the
// clocks do not follow.
using namespace tessera::detail::order;
using namespace tessera::detail::order::calls;

namespace tessera::detail::order::calls {

void link_persistent() noexcept {}

}  // namespace tessera::detail::order::calls

#if MPI_VERSION >= 4

#define TESSERA_PERSISTENT_CALL(Name, parameters, arguments)                                  \
  TESSERA_MPI_CALL Name parameters {                                                          \
    static const auto real = next(#Name, &P##Name);                                           \
    const int code = real arguments;                                                          \
    if (seen() && code == MPI_SUCCESS) set_start(*request, [] { note_unseen_order(#Name); }); \
    return code;                                                                              \
  }

extern "C" {

TESSERA_PERSISTENT_CALL(MPI_Allgather_init,
                        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Allgather_init_c,
                        (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                         MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Allgatherv_init,
                        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                         MPI_Info info, MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
                         request))

TESSERA_PERSISTENT_CALL(MPI_Allgatherv_init_c,
                        (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                         MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
                         request))

TESSERA_PERSISTENT_CALL(MPI_Allreduce_init,
                        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, recvbuf, count, datatype, op, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Allreduce_init_c,
                        (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, recvbuf, count, datatype, op, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Alltoall_init,
                        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Alltoall_init_c,
                        (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                         MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Alltoallv_init,
                        (const void* sendbuf, const int sendcounts[], const int sdispls[],
                         MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                         MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                         info, request))

TESSERA_PERSISTENT_CALL(MPI_Alltoallv_init_c,
                        (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                         MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                         const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                         info, request))

TESSERA_PERSISTENT_CALL(MPI_Alltoallw_init,
                        (const void* sendbuf, const int sendcounts[], const int sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                         const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                         info, request))

TESSERA_PERSISTENT_CALL(MPI_Alltoallw_init_c,
                        (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                         info, request))

TESSERA_PERSISTENT_CALL(MPI_Barrier_init, (MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Bcast_init,
                        (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (buffer, count, datatype, root, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Bcast_init_c,
                        (void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                         MPI_Info info, MPI_Request* request),
                        (buffer, count, datatype, root, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Exscan_init,
                        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, recvbuf, count, datatype, op, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Exscan_init_c,
                        (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, recvbuf, count, datatype, op, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Gather_init,
                        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Gather_init_c,
                        (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                         MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Gatherv_init,
                        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                         MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info,
                         request))

TESSERA_PERSISTENT_CALL(MPI_Gatherv_init_c,
                        (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                         MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info,
                         request))

TESSERA_PERSISTENT_CALL(MPI_Neighbor_allgather_init,
                        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Neighbor_allgather_init_c,
                        (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                         MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Neighbor_allgatherv_init,
                        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                         MPI_Info info, MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
                         request))

TESSERA_PERSISTENT_CALL(MPI_Neighbor_allgatherv_init_c,
                        (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                         MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
                         request))

TESSERA_PERSISTENT_CALL(MPI_Neighbor_alltoall_init,
                        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Neighbor_alltoall_init_c,
                        (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                         MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Neighbor_alltoallv_init,
                        (const void* sendbuf, const int sendcounts[], const int sdispls[],
                         MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                         MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                         info, request))

TESSERA_PERSISTENT_CALL(MPI_Neighbor_alltoallv_init_c,
                        (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                         MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                         const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                         info, request))

TESSERA_PERSISTENT_CALL(MPI_Neighbor_alltoallw_init,
                        (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                         info, request))

TESSERA_PERSISTENT_CALL(MPI_Neighbor_alltoallw_init_c,
                        (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                         info, request))

TESSERA_PERSISTENT_CALL(MPI_Precv_init,
                        (void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                         MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (buf, partitions, count, datatype, dest, tag, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Psend_init,
                        (const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest,
                         int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (buf, partitions, count, datatype, dest, tag, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Reduce_init,
                        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                         int root, MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, recvbuf, count, datatype, op, root, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Reduce_init_c,
                        (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                         int root, MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, recvbuf, count, datatype, op, root, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Reduce_scatter_block_init,
                        (const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, recvbuf, recvcount, datatype, op, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Reduce_scatter_block_init_c,
                        (const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, recvbuf, recvcount, datatype, op, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Reduce_scatter_init,
                        (const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Reduce_scatter_init_c,
                        (const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Scan_init,
                        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, recvbuf, count, datatype, op, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Scan_init_c,
                        (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, recvbuf, count, datatype, op, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Scatter_init,
                        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Scatter_init_c,
                        (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                         MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request),
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request))

TESSERA_PERSISTENT_CALL(MPI_Scatterv_init,
                        (const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                         void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                         MPI_Info info, MPI_Request* request),
                        (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
                         request))

TESSERA_PERSISTENT_CALL(MPI_Scatterv_init_c,
                        (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                         MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                         int root, MPI_Comm comm, MPI_Info info, MPI_Request* request),
                        (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
                         request))
}

#endif
