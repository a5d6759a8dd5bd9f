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

extern "C" {

TESSERA_MPI_CALL MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Ibarrier", &PMPI_Ibarrier);
  if (!seen()) return real(comm, request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Ibarrier");
  const int code = real(comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                                MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Iallreduce", &PMPI_Iallreduce);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, comm, request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Iallreduce");
  const int code = real(sendbuf, recvbuf, count, datatype, op, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Iallgather", &PMPI_Iallgather);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Iallgather");
  const int code = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                 MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Iallgatherv", &PMPI_Iallgatherv);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Iallgatherv");
  const int code = real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                               int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Ialltoall", &PMPI_Ialltoall);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Ialltoall");
  const int code = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                MPI_Request* request) {
  static const auto real = next("MPI_Ialltoallv", &PMPI_Ialltoallv);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Ialltoallv");
  const int code =
      real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                                MPI_Request* request) {
  static const auto real = next("MPI_Ialltoallw", &PMPI_Ialltoallw);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Ialltoallw");
  const int code =
      real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Ireduce_scatter", &PMPI_Ireduce_scatter);
  if (!seen()) return real(sendbuf, recvbuf, recvcounts, datatype, op, comm, request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Ireduce_scatter");
  const int code = real(sendbuf, recvbuf, recvcounts, datatype, op, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                           MPI_Request* request) {
  static const auto real = next("MPI_Ireduce_scatter_block", &PMPI_Ireduce_scatter_block);
  if (!seen()) return real(sendbuf, recvbuf, recvcount, datatype, op, comm, request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Ireduce_scatter_block");
  const int code = real(sendbuf, recvbuf, recvcount, datatype, op, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                            MPI_Request* request) {
  static const auto real = next("MPI_Ibcast", &PMPI_Ibcast);
  if (!seen()) return real(buffer, count, datatype, root, comm, request);
  auto clocks = start_exchange(Flow::from_root, comm, root, "MPI_Ibcast");
  const int code = real(buffer, count, datatype, root, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                              int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                              MPI_Request* request) {
  static const auto real = next("MPI_Iscatter", &PMPI_Iscatter);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  auto clocks = start_exchange(Flow::from_root, comm, root, "MPI_Iscatter");
  const int code = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                               MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                               int root, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Iscatterv", &PMPI_Iscatterv);
  if (!seen())
    return real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  auto clocks = start_exchange(Flow::from_root, comm, root, "MPI_Iscatterv");
  const int code =
      real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                             int root, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Ireduce", &PMPI_Ireduce);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, root, comm, request);
  auto clocks = start_exchange(Flow::to_root, comm, root, "MPI_Ireduce");
  const int code = real(sendbuf, recvbuf, count, datatype, op, root, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                             MPI_Request* request) {
  static const auto real = next("MPI_Igather", &PMPI_Igather);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  auto clocks = start_exchange(Flow::to_root, comm, root, "MPI_Igather");
  const int code = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                              const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                              MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Igatherv", &PMPI_Igatherv);
  if (!seen())
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request);
  auto clocks = start_exchange(Flow::to_root, comm, root, "MPI_Igatherv");
  const int code =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                           MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Iscan", &PMPI_Iscan);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, comm, request);
  auto clocks = start_exchange(Flow::upwards, comm, 0, "MPI_Iscan");
  const int code = real(sendbuf, recvbuf, count, datatype, op, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                             MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Iexscan", &PMPI_Iexscan);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, comm, request);
  auto clocks = start_exchange(Flow::upwards, comm, 0, "MPI_Iexscan");
  const int code = real(sendbuf, recvbuf, count, datatype, op, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

#if MPI_VERSION >= 4

TESSERA_MPI_CALL MPI_Iallreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                                  MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Iallreduce_c", &PMPI_Iallreduce_c);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, comm, request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Iallreduce_c");
  const int code = real(sendbuf, recvbuf, count, datatype, op, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Iallgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                  MPI_Request* request) {
  static const auto real = next("MPI_Iallgather_c", &PMPI_Iallgather_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Iallgather_c");
  const int code = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Iallgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Iallgatherv_c", &PMPI_Iallgatherv_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Iallgatherv_c");
  const int code = real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                 MPI_Request* request) {
  static const auto real = next("MPI_Ialltoall_c", &PMPI_Ialltoall_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Ialltoall_c");
  const int code = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Ialltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                  MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                  const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                  MPI_Request* request) {
  static const auto real = next("MPI_Ialltoallv_c", &PMPI_Ialltoallv_c);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Ialltoallv_c");
  const int code =
      real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Ialltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                  const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                                  const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                                  MPI_Request* request) {
  static const auto real = next("MPI_Ialltoallw_c", &PMPI_Ialltoallw_c);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Ialltoallw_c");
  const int code =
      real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Ireduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Ireduce_scatter_c", &PMPI_Ireduce_scatter_c);
  if (!seen()) return real(sendbuf, recvbuf, recvcounts, datatype, op, comm, request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Ireduce_scatter_c");
  const int code = real(sendbuf, recvbuf, recvcounts, datatype, op, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Ireduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                             MPI_Request* request) {
  static const auto real = next("MPI_Ireduce_scatter_block_c", &PMPI_Ireduce_scatter_block_c);
  if (!seen()) return real(sendbuf, recvbuf, recvcount, datatype, op, comm, request);
  auto clocks = start_exchange(Flow::all, comm, 0, "MPI_Ireduce_scatter_block_c");
  const int code = real(sendbuf, recvbuf, recvcount, datatype, op, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                              MPI_Request* request) {
  static const auto real = next("MPI_Ibcast_c", &PMPI_Ibcast_c);
  if (!seen()) return real(buffer, count, datatype, root, comm, request);
  auto clocks = start_exchange(Flow::from_root, comm, root, "MPI_Ibcast_c");
  const int code = real(buffer, count, datatype, root, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Iscatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                MPI_Request* request) {
  static const auto real = next("MPI_Iscatter_c", &PMPI_Iscatter_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  auto clocks = start_exchange(Flow::from_root, comm, root, "MPI_Iscatter_c");
  const int code = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Iscatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                                 MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Iscatterv_c", &PMPI_Iscatterv_c);
  if (!seen())
    return real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  auto clocks = start_exchange(Flow::from_root, comm, root, "MPI_Iscatterv_c");
  const int code =
      real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Ireduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                               MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Ireduce_c", &PMPI_Ireduce_c);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, root, comm, request);
  auto clocks = start_exchange(Flow::to_root, comm, root, "MPI_Ireduce_c");
  const int code = real(sendbuf, recvbuf, count, datatype, op, root, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Igather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                               MPI_Request* request) {
  static const auto real = next("MPI_Igather_c", &PMPI_Igather_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  auto clocks = start_exchange(Flow::to_root, comm, root, "MPI_Igather_c");
  const int code = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Igatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                                int root, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Igatherv_c", &PMPI_Igatherv_c);
  if (!seen())
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request);
  auto clocks = start_exchange(Flow::to_root, comm, root, "MPI_Igatherv_c");
  const int code =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Iscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                             MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Iscan_c", &PMPI_Iscan_c);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, comm, request);
  auto clocks = start_exchange(Flow::upwards, comm, 0, "MPI_Iscan_c");
  const int code = real(sendbuf, recvbuf, count, datatype, op, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

TESSERA_MPI_CALL MPI_Iexscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Iexscan_c", &PMPI_Iexscan_c);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, comm, request);
  auto clocks = start_exchange(Flow::upwards, comm, 0, "MPI_Iexscan_c");
  const int code = real(sendbuf, recvbuf, count, datatype, op, comm, request);
  follow(code, request, std::move(clocks));
  return code;
}

#endif
}
