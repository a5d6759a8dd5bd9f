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

TESSERA_MPI_CALL MPI_Barrier(MPI_Comm comm) {
  static const auto real = next("MPI_Barrier", &PMPI_Barrier);
  if (!seen()) return real(comm);
  exchange(Flow::all, comm, 0, "MPI_Barrier");
  return real(comm);
}

TESSERA_MPI_CALL MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                               MPI_Comm comm) {
  static const auto real = next("MPI_Allreduce", &PMPI_Allreduce);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, comm);
  exchange(Flow::all, comm, 0, "MPI_Allreduce");
  return real(sendbuf, recvbuf, count, datatype, op, comm);
}

TESSERA_MPI_CALL MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                               int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  static const auto real = next("MPI_Allgather", &PMPI_Allgather);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  exchange(Flow::all, comm, 0, "MPI_Allgather");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                MPI_Comm comm) {
  static const auto real = next("MPI_Allgatherv", &PMPI_Allgatherv);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
  exchange(Flow::all, comm, 0, "MPI_Allgatherv");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                              int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  static const auto real = next("MPI_Alltoall", &PMPI_Alltoall);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  exchange(Flow::all, comm, 0, "MPI_Alltoall");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                               MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                               const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  static const auto real = next("MPI_Alltoallv", &PMPI_Alltoallv);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
  exchange(Flow::all, comm, 0, "MPI_Alltoallv");
  return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                               const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                               const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  static const auto real = next("MPI_Alltoallw", &PMPI_Alltoallw);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
  exchange(Flow::all, comm, 0, "MPI_Alltoallw");
  return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
}

TESSERA_MPI_CALL MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  static const auto real = next("MPI_Reduce_scatter", &PMPI_Reduce_scatter);
  if (!seen()) return real(sendbuf, recvbuf, recvcounts, datatype, op, comm);
  exchange(Flow::all, comm, 0, "MPI_Reduce_scatter");
  return real(sendbuf, recvbuf, recvcounts, datatype, op, comm);
}

TESSERA_MPI_CALL MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  static const auto real = next("MPI_Reduce_scatter_block", &PMPI_Reduce_scatter_block);
  if (!seen()) return real(sendbuf, recvbuf, recvcount, datatype, op, comm);
  exchange(Flow::all, comm, 0, "MPI_Reduce_scatter_block");
  return real(sendbuf, recvbuf, recvcount, datatype, op, comm);
}

TESSERA_MPI_CALL MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  static const auto real = next("MPI_Bcast", &PMPI_Bcast);
  if (!seen()) return real(buffer, count, datatype, root, comm);
  exchange(Flow::from_root, comm, root, "MPI_Bcast");
  return real(buffer, count, datatype, root, comm);
}

TESSERA_MPI_CALL MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  static const auto real = next("MPI_Scatter", &PMPI_Scatter);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  exchange(Flow::from_root, comm, root, "MPI_Scatter");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

TESSERA_MPI_CALL MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                              MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                              int root, MPI_Comm comm) {
  static const auto real = next("MPI_Scatterv", &PMPI_Scatterv);
  if (!seen()) return real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
  exchange(Flow::from_root, comm, root, "MPI_Scatterv");
  return real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

TESSERA_MPI_CALL MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                            int root, MPI_Comm comm) {
  static const auto real = next("MPI_Reduce", &PMPI_Reduce);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, root, comm);
  exchange(Flow::to_root, comm, root, "MPI_Reduce");
  return real(sendbuf, recvbuf, count, datatype, op, root, comm);
}

TESSERA_MPI_CALL MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  static const auto real = next("MPI_Gather", &PMPI_Gather);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  exchange(Flow::to_root, comm, root, "MPI_Gather");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

TESSERA_MPI_CALL MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                             MPI_Comm comm) {
  static const auto real = next("MPI_Gatherv", &PMPI_Gatherv);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
  exchange(Flow::to_root, comm, root, "MPI_Gatherv");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
}

TESSERA_MPI_CALL MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                          MPI_Comm comm) {
  static const auto real = next("MPI_Scan", &PMPI_Scan);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, comm);
  exchange(Flow::upwards, comm, 0, "MPI_Scan");
  return real(sendbuf, recvbuf, count, datatype, op, comm);
}

TESSERA_MPI_CALL MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                            MPI_Comm comm) {
  static const auto real = next("MPI_Exscan", &PMPI_Exscan);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, comm);
  exchange(Flow::upwards, comm, 0, "MPI_Exscan");
  return real(sendbuf, recvbuf, count, datatype, op, comm);
}

#if MPI_VERSION >= 4

TESSERA_MPI_CALL MPI_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                                 MPI_Op op, MPI_Comm comm) {
  static const auto real = next("MPI_Allreduce_c", &PMPI_Allreduce_c);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, comm);
  exchange(Flow::all, comm, 0, "MPI_Allreduce_c");
  return real(sendbuf, recvbuf, count, datatype, op, comm);
}

TESSERA_MPI_CALL MPI_Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  static const auto real = next("MPI_Allgather_c", &PMPI_Allgather_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  exchange(Flow::all, comm, 0, "MPI_Allgather_c");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                                  MPI_Datatype recvtype, MPI_Comm comm) {
  static const auto real = next("MPI_Allgatherv_c", &PMPI_Allgatherv_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
  exchange(Flow::all, comm, 0, "MPI_Allgatherv_c");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  static const auto real = next("MPI_Alltoall_c", &PMPI_Alltoall_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  exchange(Flow::all, comm, 0, "MPI_Alltoall_c");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                 MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                 const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  static const auto real = next("MPI_Alltoallv_c", &PMPI_Alltoallv_c);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
  exchange(Flow::all, comm, 0, "MPI_Alltoallv_c");
  return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                 const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                                 const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  static const auto real = next("MPI_Alltoallw_c", &PMPI_Alltoallw_c);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
  exchange(Flow::all, comm, 0, "MPI_Alltoallw_c");
  return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
}

TESSERA_MPI_CALL MPI_Reduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  static const auto real = next("MPI_Reduce_scatter_c", &PMPI_Reduce_scatter_c);
  if (!seen()) return real(sendbuf, recvbuf, recvcounts, datatype, op, comm);
  exchange(Flow::all, comm, 0, "MPI_Reduce_scatter_c");
  return real(sendbuf, recvbuf, recvcounts, datatype, op, comm);
}

TESSERA_MPI_CALL MPI_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  static const auto real = next("MPI_Reduce_scatter_block_c", &PMPI_Reduce_scatter_block_c);
  if (!seen()) return real(sendbuf, recvbuf, recvcount, datatype, op, comm);
  exchange(Flow::all, comm, 0, "MPI_Reduce_scatter_block_c");
  return real(sendbuf, recvbuf, recvcount, datatype, op, comm);
}

TESSERA_MPI_CALL MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  static const auto real = next("MPI_Bcast_c", &PMPI_Bcast_c);
  if (!seen()) return real(buffer, count, datatype, root, comm);
  exchange(Flow::from_root, comm, root, "MPI_Bcast_c");
  return real(buffer, count, datatype, root, comm);
}

TESSERA_MPI_CALL MPI_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  static const auto real = next("MPI_Scatter_c", &PMPI_Scatter_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  exchange(Flow::from_root, comm, root, "MPI_Scatter_c");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

TESSERA_MPI_CALL MPI_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                                MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                MPI_Datatype recvtype, int root, MPI_Comm comm) {
  static const auto real = next("MPI_Scatterv_c", &PMPI_Scatterv_c);
  if (!seen()) return real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
  exchange(Flow::from_root, comm, root, "MPI_Scatterv_c");
  return real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

TESSERA_MPI_CALL MPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                              MPI_Op op, int root, MPI_Comm comm) {
  static const auto real = next("MPI_Reduce_c", &PMPI_Reduce_c);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, root, comm);
  exchange(Flow::to_root, comm, root, "MPI_Reduce_c");
  return real(sendbuf, recvbuf, count, datatype, op, root, comm);
}

TESSERA_MPI_CALL MPI_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                              MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  static const auto real = next("MPI_Gather_c", &PMPI_Gather_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  exchange(Flow::to_root, comm, root, "MPI_Gather_c");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

TESSERA_MPI_CALL MPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                               int root, MPI_Comm comm) {
  static const auto real = next("MPI_Gatherv_c", &PMPI_Gatherv_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
  exchange(Flow::to_root, comm, root, "MPI_Gatherv_c");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
}

TESSERA_MPI_CALL MPI_Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                            MPI_Op op, MPI_Comm comm) {
  static const auto real = next("MPI_Scan_c", &PMPI_Scan_c);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, comm);
  exchange(Flow::upwards, comm, 0, "MPI_Scan_c");
  return real(sendbuf, recvbuf, count, datatype, op, comm);
}

TESSERA_MPI_CALL MPI_Exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm) {
  static const auto real = next("MPI_Exscan_c", &PMPI_Exscan_c);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, comm);
  exchange(Flow::upwards, comm, 0, "MPI_Exscan_c");
  return real(sendbuf, recvbuf, count, datatype, op, comm);
}

#endif
}
