// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/calls/exchanges.hpp"
#include "order/calls/seen.hpp"

// Collective calls of the program.
using namespace tessera::detail::order;
using namespace tessera::detail::order::calls;

namespace tessera::detail::order::calls {

void link_collectives() noexcept {}

}  // namespace tessera::detail::order::calls

extern "C" {

TESSERA_SEEN_CALL(MPI_Barrier, (MPI_Comm comm), (comm), exchange(Flow::all, comm, 0, "MPI_Barrier"))

TESSERA_SEEN_CALL(MPI_Allreduce,
                  (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm),
                  (sendbuf, recvbuf, count, datatype, op, comm), exchange(Flow::all, comm, 0, "MPI_Allreduce"))

TESSERA_SEEN_CALL(MPI_Allgather,
                  (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm),
                  (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
                  exchange(Flow::all, comm, 0, "MPI_Allgather"))

TESSERA_SEEN_CALL(MPI_Allgatherv,
                  (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm),
                  (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm),
                  exchange(Flow::all, comm, 0, sent(recvcounts, comm), "MPI_Allgatherv"))

TESSERA_SEEN_CALL(MPI_Alltoall,
                  (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm),
                  (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
                  exchange(Flow::all, comm, 0, "MPI_Alltoall"))

TESSERA_SEEN_CALL(MPI_Alltoallv,
                  (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                   MPI_Comm comm),
                  (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm),
                  exchange(Flow::all, comm, 0, sent(recvcounts, comm), "MPI_Alltoallv"))

TESSERA_SEEN_CALL(MPI_Alltoallw,
                  (const void* sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                   const MPI_Datatype recvtypes[], MPI_Comm comm),
                  (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm),
                  exchange(Flow::all, comm, 0, sent(recvcounts, comm), "MPI_Alltoallw"))

TESSERA_SEEN_CALL(MPI_Reduce_scatter,
                  (const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm),
                  (sendbuf, recvbuf, recvcounts, datatype, op, comm),
                  exchange(Flow::all, comm, 0, sent_to_me(recvcounts, comm), "MPI_Reduce_scatter"))

TESSERA_SEEN_CALL(MPI_Reduce_scatter_block,
                  (const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm),
                  (sendbuf, recvbuf, recvcount, datatype, op, comm),
                  exchange(Flow::all, comm, 0, "MPI_Reduce_scatter_block"))

TESSERA_SEEN_CALL(MPI_Bcast, (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm),
                  (buffer, count, datatype, root, comm), exchange(Flow::from_root, comm, root, "MPI_Bcast"))

TESSERA_SEEN_CALL(MPI_Scatter,
                  (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm),
                  (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),
                  exchange(Flow::from_root, comm, root, "MPI_Scatter"))

TESSERA_SEEN_CALL(MPI_Scatterv,
                  (const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                   void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
                  (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm),
                  exchange(Flow::from_root, comm, root, sent_by_root(recvcount, root, comm), "MPI_Scatterv"))

TESSERA_SEEN_CALL(MPI_Reduce,
                  (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                   MPI_Comm comm),
                  (sendbuf, recvbuf, count, datatype, op, root, comm),
                  exchange(Flow::to_root, comm, root, "MPI_Reduce"))

TESSERA_SEEN_CALL(MPI_Gather,
                  (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm),
                  (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),
                  exchange(Flow::to_root, comm, root, "MPI_Gather"))

TESSERA_SEEN_CALL(MPI_Gatherv,
                  (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm),
                  (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm),
                  exchange(Flow::to_root, comm, root, sent_to_root(recvcounts, root, comm), "MPI_Gatherv"))

TESSERA_SEEN_CALL(MPI_Scan,
                  (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm),
                  (sendbuf, recvbuf, count, datatype, op, comm), exchange(Flow::upwards, comm, 0, "MPI_Scan"))

TESSERA_SEEN_CALL(MPI_Exscan,
                  (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm),
                  (sendbuf, recvbuf, count, datatype, op, comm), exchange(Flow::upwards, comm, 0, "MPI_Exscan"))

#if MPI_VERSION >= 4

TESSERA_SEEN_CALL(MPI_Allreduce_c,
                  (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm),
                  (sendbuf, recvbuf, count, datatype, op, comm),
                  exchange(Flow::all, comm, 0, "MPI_Allreduce_c"))

TESSERA_SEEN_CALL(MPI_Allgather_c,
                  (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),
                  (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
                  exchange(Flow::all, comm, 0, "MPI_Allgather_c"))

TESSERA_SEEN_CALL(MPI_Allgatherv_c,
                  (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm),
                  (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm),
                  exchange(Flow::all, comm, 0, sent(recvcounts, comm), "MPI_Allgatherv_c"))

TESSERA_SEEN_CALL(MPI_Alltoall_c,
                  (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),
                  (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
                  exchange(Flow::all, comm, 0, "MPI_Alltoall_c"))

TESSERA_SEEN_CALL(MPI_Alltoallv_c,
                  (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                   MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                   MPI_Datatype recvtype, MPI_Comm comm),
                  (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm),
                  exchange(Flow::all, comm, 0, sent(recvcounts, comm), "MPI_Alltoallv_c"))

TESSERA_SEEN_CALL(MPI_Alltoallw_c,
                  (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                   const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                   const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
                  (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm),
                  exchange(Flow::all, comm, 0, sent(recvcounts, comm), "MPI_Alltoallw_c"))

TESSERA_SEEN_CALL(MPI_Reduce_scatter_c,
                  (const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm),
                  (sendbuf, recvbuf, recvcounts, datatype, op, comm),
                  exchange(Flow::all, comm, 0, sent_to_me(recvcounts, comm), "MPI_Reduce_scatter_c"))

TESSERA_SEEN_CALL(MPI_Reduce_scatter_block_c,
                  (const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm),
                  (sendbuf, recvbuf, recvcount, datatype, op, comm),
                  exchange(Flow::all, comm, 0, "MPI_Reduce_scatter_block_c"))

TESSERA_SEEN_CALL(MPI_Bcast_c, (void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm),
                  (buffer, count, datatype, root, comm), exchange(Flow::from_root, comm, root, "MPI_Bcast_c"))

TESSERA_SEEN_CALL(MPI_Scatter_c,
                  (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
                  (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),
                  exchange(Flow::from_root, comm, root, "MPI_Scatter_c"))

TESSERA_SEEN_CALL(MPI_Scatterv_c,
                  (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                   MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                   MPI_Comm comm),
                  (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm),
                  exchange(Flow::from_root, comm, root, sent_by_root(recvcount, root, comm), "MPI_Scatterv_c"))

TESSERA_SEEN_CALL(MPI_Reduce_c,
                  (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                   int root, MPI_Comm comm),
                  (sendbuf, recvbuf, count, datatype, op, root, comm),
                  exchange(Flow::to_root, comm, root, "MPI_Reduce_c"))

TESSERA_SEEN_CALL(MPI_Gather_c,
                  (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
                  (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),
                  exchange(Flow::to_root, comm, root, "MPI_Gather_c"))

TESSERA_SEEN_CALL(MPI_Gatherv_c,
                  (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                   MPI_Comm comm),
                  (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm),
                  exchange(Flow::to_root, comm, root, sent_to_root(recvcounts, root, comm), "MPI_Gatherv_c"))

TESSERA_SEEN_CALL(MPI_Scan_c,
                  (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm),
                  (sendbuf, recvbuf, count, datatype, op, comm), exchange(Flow::upwards, comm, 0, "MPI_Scan_c"))

TESSERA_SEEN_CALL(MPI_Exscan_c,
                  (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm),
                  (sendbuf, recvbuf, count, datatype, op, comm),
                  exchange(Flow::upwards, comm, 0, "MPI_Exscan_c"))

#endif
}
