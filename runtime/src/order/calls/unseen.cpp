// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/calls/seen.hpp"
#include "order/unseen_order.hpp"

// Calls that may order events, in ways that the clocks do not follow.
using namespace tessera::detail::order;
using namespace tessera::detail::order::calls;

namespace tessera::detail::order::calls {

void link_unseen() noexcept {}

}  // namespace tessera::detail::order::calls

extern "C" {

TESSERA_MPI_CALL MPI_Win_post(MPI_Group group, int assert, MPI_Win win) {
  static const auto real = next("MPI_Win_post", &PMPI_Win_post);
  if (!seen()) return real(group, assert, win);
  note_unseen_order("MPI_Win_post");
  return real(group, assert, win);
}

TESSERA_MPI_CALL MPI_Win_start(MPI_Group group, int assert, MPI_Win win) {
  static const auto real = next("MPI_Win_start", &PMPI_Win_start);
  if (!seen()) return real(group, assert, win);
  note_unseen_order("MPI_Win_start");
  return real(group, assert, win);
}

TESSERA_MPI_CALL MPI_Win_complete(MPI_Win win) {
  static const auto real = next("MPI_Win_complete", &PMPI_Win_complete);
  if (!seen()) return real(win);
  note_unseen_order("MPI_Win_complete");
  return real(win);
}

TESSERA_MPI_CALL MPI_Win_wait(MPI_Win win) {
  static const auto real = next("MPI_Win_wait", &PMPI_Win_wait);
  if (!seen()) return real(win);
  note_unseen_order("MPI_Win_wait");
  return real(win);
}

TESSERA_MPI_CALL MPI_Win_test(MPI_Win win, int* flag) {
  static const auto real = next("MPI_Win_test", &PMPI_Win_test);
  if (!seen()) return real(win, flag);
  note_unseen_order("MPI_Win_test");
  return real(win, flag);
}

TESSERA_MPI_CALL MPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win) {
  static const auto real = next("MPI_Win_lock", &PMPI_Win_lock);
  if (!seen()) return real(lock_type, rank, assert, win);
  note_unseen_order("MPI_Win_lock");
  return real(lock_type, rank, assert, win);
}

TESSERA_MPI_CALL MPI_Win_unlock(int rank, MPI_Win win) {
  static const auto real = next("MPI_Win_unlock", &PMPI_Win_unlock);
  if (!seen()) return real(rank, win);
  note_unseen_order("MPI_Win_unlock");
  return real(rank, win);
}

TESSERA_MPI_CALL MPI_Ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                         void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                         MPI_Request* request) {
  static const auto real = next("MPI_Ineighbor_allgather", &PMPI_Ineighbor_allgather);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  note_unseen_order("MPI_Ineighbor_allgather");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

TESSERA_MPI_CALL MPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                          void* recvbuf, const int recvcounts[], const int displs[],
                                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Ineighbor_allgatherv", &PMPI_Ineighbor_allgatherv);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
  note_unseen_order("MPI_Ineighbor_allgatherv");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
}

TESSERA_MPI_CALL MPI_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                        MPI_Request* request) {
  static const auto real = next("MPI_Ineighbor_alltoall", &PMPI_Ineighbor_alltoall);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  note_unseen_order("MPI_Ineighbor_alltoall");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

TESSERA_MPI_CALL MPI_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                         MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                         const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                         MPI_Request* request) {
  static const auto real = next("MPI_Ineighbor_alltoallv", &PMPI_Ineighbor_alltoallv);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
  note_unseen_order("MPI_Ineighbor_alltoallv");
  return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
}

TESSERA_MPI_CALL MPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                         MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Ineighbor_alltoallw", &PMPI_Ineighbor_alltoallw);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                request);
  note_unseen_order("MPI_Ineighbor_alltoallw");
  return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request);
}

TESSERA_MPI_CALL MPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  static const auto real = next("MPI_Neighbor_allgather", &PMPI_Neighbor_allgather);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  note_unseen_order("MPI_Neighbor_allgather");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                         void* recvbuf, const int recvcounts[], const int displs[],
                                         MPI_Datatype recvtype, MPI_Comm comm) {
  static const auto real = next("MPI_Neighbor_allgatherv", &PMPI_Neighbor_allgatherv);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
  note_unseen_order("MPI_Neighbor_allgatherv");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  static const auto real = next("MPI_Neighbor_alltoall", &PMPI_Neighbor_alltoall);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  note_unseen_order("MPI_Neighbor_alltoall");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                        MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                        const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  static const auto real = next("MPI_Neighbor_alltoallv", &PMPI_Neighbor_alltoallv);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
  note_unseen_order("MPI_Neighbor_alltoallv");
  return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                        const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                        const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                        MPI_Comm comm) {
  static const auto real = next("MPI_Neighbor_alltoallw", &PMPI_Neighbor_alltoallw);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
  note_unseen_order("MPI_Neighbor_alltoallw");
  return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
}

TESSERA_MPI_CALL MPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info, int root,
                                MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]) {
  static const auto real = next("MPI_Comm_spawn", &PMPI_Comm_spawn);
  if (!seen()) return real(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes);
  note_unseen_order("MPI_Comm_spawn");
  return real(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes);
}

TESSERA_MPI_CALL MPI_Comm_spawn_multiple(int count, char* array_of_commands[], char** array_of_argv[],
                                         const int array_of_maxprocs[], const MPI_Info array_of_info[],
                                         int root, MPI_Comm comm, MPI_Comm* intercomm,
                                         int array_of_errcodes[]) {
  static const auto real = next("MPI_Comm_spawn_multiple", &PMPI_Comm_spawn_multiple);
  if (!seen())
    return real(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm,
                intercomm, array_of_errcodes);
  note_unseen_order("MPI_Comm_spawn_multiple");
  return real(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, intercomm,
              array_of_errcodes);
}

TESSERA_MPI_CALL MPI_Comm_accept(const char* port_name, MPI_Info info, int root, MPI_Comm comm,
                                 MPI_Comm* newcomm) {
  static const auto real = next("MPI_Comm_accept", &PMPI_Comm_accept);
  if (!seen()) return real(port_name, info, root, comm, newcomm);
  note_unseen_order("MPI_Comm_accept");
  return real(port_name, info, root, comm, newcomm);
}

TESSERA_MPI_CALL MPI_Comm_connect(const char* port_name, MPI_Info info, int root, MPI_Comm comm,
                                  MPI_Comm* newcomm) {
  static const auto real = next("MPI_Comm_connect", &PMPI_Comm_connect);
  if (!seen()) return real(port_name, info, root, comm, newcomm);
  note_unseen_order("MPI_Comm_connect");
  return real(port_name, info, root, comm, newcomm);
}

TESSERA_MPI_CALL MPI_Comm_join(int fd, MPI_Comm* intercomm) {
  static const auto real = next("MPI_Comm_join", &PMPI_Comm_join);
  if (!seen()) return real(fd, intercomm);
  note_unseen_order("MPI_Comm_join");
  return real(fd, intercomm);
}

TESSERA_MPI_CALL MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                                      int remote_leader, int tag, MPI_Comm* newintercomm) {
  static const auto real = next("MPI_Intercomm_create", &PMPI_Intercomm_create);
  if (!seen()) return real(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm);
  note_unseen_order("MPI_Intercomm_create");
  return real(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm);
}

TESSERA_MPI_CALL MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
  static const auto real = next("MPI_Intercomm_merge", &PMPI_Intercomm_merge);
  if (!seen()) return real(intercomm, high, newintracomm);
  note_unseen_order("MPI_Intercomm_merge");
  return real(intercomm, high, newintracomm);
}

#if MPI_VERSION >= 4

TESSERA_MPI_CALL MPI_Allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                    int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                    MPI_Request* request) {
  static const auto real = next("MPI_Allgather_init", &PMPI_Allgather_init);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  note_unseen_order("MPI_Allgather_init");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
}

TESSERA_MPI_CALL MPI_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                     const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                     MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Allgatherv_init", &PMPI_Allgatherv_init);
  if (!seen())
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request);
  note_unseen_order("MPI_Allgatherv_init");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request);
}

TESSERA_MPI_CALL MPI_Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                                    MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Allreduce_init", &PMPI_Allreduce_init);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
  note_unseen_order("MPI_Allreduce_init");
  return real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
}

TESSERA_MPI_CALL MPI_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                   MPI_Request* request) {
  static const auto real = next("MPI_Alltoall_init", &PMPI_Alltoall_init);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  note_unseen_order("MPI_Alltoall_init");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
}

TESSERA_MPI_CALL MPI_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                    MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                    const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                    MPI_Request* request) {
  static const auto real = next("MPI_Alltoallv_init", &PMPI_Alltoallv_init);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
                request);
  note_unseen_order("MPI_Alltoallv_init");
  return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
              request);
}

TESSERA_MPI_CALL MPI_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                    const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                                    MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Alltoallw_init", &PMPI_Alltoallw_init);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info,
                request);
  note_unseen_order("MPI_Alltoallw_init");
  return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info,
              request);
}

TESSERA_MPI_CALL MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Barrier_init", &PMPI_Barrier_init);
  if (!seen()) return real(comm, info, request);
  note_unseen_order("MPI_Barrier_init");
  return real(comm, info, request);
}

TESSERA_MPI_CALL MPI_Bcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                                MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Bcast_init", &PMPI_Bcast_init);
  if (!seen()) return real(buffer, count, datatype, root, comm, info, request);
  note_unseen_order("MPI_Bcast_init");
  return real(buffer, count, datatype, root, comm, info, request);
}

TESSERA_MPI_CALL MPI_Exscan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                                 MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Exscan_init", &PMPI_Exscan_init);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
  note_unseen_order("MPI_Exscan_init");
  return real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
}

TESSERA_MPI_CALL MPI_Gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                                 MPI_Request* request) {
  static const auto real = next("MPI_Gather_init", &PMPI_Gather_init);
  if (!seen())
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request);
  note_unseen_order("MPI_Gather_init");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request);
}

TESSERA_MPI_CALL MPI_Gatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Gatherv_init", &PMPI_Gatherv_init);
  if (!seen())
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info, request);
  note_unseen_order("MPI_Gatherv_init");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info, request);
}

TESSERA_MPI_CALL MPI_Neighbor_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                             void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                             MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Neighbor_allgather_init", &PMPI_Neighbor_allgather_init);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  note_unseen_order("MPI_Neighbor_allgather_init");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
}

TESSERA_MPI_CALL MPI_Neighbor_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                              void* recvbuf, const int recvcounts[], const int displs[],
                                              MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                              MPI_Request* request) {
  static const auto real = next("MPI_Neighbor_allgatherv_init", &PMPI_Neighbor_allgatherv_init);
  if (!seen())
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request);
  note_unseen_order("MPI_Neighbor_allgatherv_init");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request);
}

TESSERA_MPI_CALL MPI_Neighbor_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                            void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                            MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Neighbor_alltoall_init", &PMPI_Neighbor_alltoall_init);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  note_unseen_order("MPI_Neighbor_alltoall_init");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
}

TESSERA_MPI_CALL MPI_Neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                             MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                             const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                             MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Neighbor_alltoallv_init", &PMPI_Neighbor_alltoallv_init);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
                request);
  note_unseen_order("MPI_Neighbor_alltoallv_init");
  return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
              request);
}

TESSERA_MPI_CALL MPI_Neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[],
                                             const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                             void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
                                             const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                                             MPI_Request* request) {
  static const auto real = next("MPI_Neighbor_alltoallw_init", &PMPI_Neighbor_alltoallw_init);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info,
                request);
  note_unseen_order("MPI_Neighbor_alltoallw_init");
  return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info,
              request);
}

TESSERA_MPI_CALL MPI_Reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                                 MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Reduce_init", &PMPI_Reduce_init);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, root, comm, info, request);
  note_unseen_order("MPI_Reduce_init");
  return real(sendbuf, recvbuf, count, datatype, op, root, comm, info, request);
}

TESSERA_MPI_CALL MPI_Reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount,
                                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                               MPI_Request* request) {
  static const auto real = next("MPI_Reduce_scatter_block_init", &PMPI_Reduce_scatter_block_init);
  if (!seen()) return real(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request);
  note_unseen_order("MPI_Reduce_scatter_block_init");
  return real(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request);
}

TESSERA_MPI_CALL MPI_Reduce_scatter_init(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                         MPI_Request* request) {
  static const auto real = next("MPI_Reduce_scatter_init", &PMPI_Reduce_scatter_init);
  if (!seen()) return real(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request);
  note_unseen_order("MPI_Reduce_scatter_init");
  return real(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request);
}

TESSERA_MPI_CALL MPI_Scan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                               MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Scan_init", &PMPI_Scan_init);
  if (!seen()) return real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
  note_unseen_order("MPI_Scan_init");
  return real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
}

TESSERA_MPI_CALL MPI_Scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                                  MPI_Request* request) {
  static const auto real = next("MPI_Scatter_init", &PMPI_Scatter_init);
  if (!seen())
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request);
  note_unseen_order("MPI_Scatter_init");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request);
}

TESSERA_MPI_CALL MPI_Scatterv_init(const void* sendbuf, const int sendcounts[], const int displs[],
                                   MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                   int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Scatterv_init", &PMPI_Scatterv_init);
  if (!seen())
    return real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request);
  note_unseen_order("MPI_Scatterv_init");
  return real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request);
}

TESSERA_MPI_CALL MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  static const auto real = next("MPI_Session_init", &PMPI_Session_init);
  if (!seen()) return real(info, errhandler, session);
  note_unseen_order("MPI_Session_init");
  return real(info, errhandler, session);
}

TESSERA_MPI_CALL MPI_Precv_init(void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest,
                                int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Precv_init", &PMPI_Precv_init);
  if (!seen()) return real(buf, partitions, count, datatype, dest, tag, comm, info, request);
  note_unseen_order("MPI_Precv_init");
  return real(buf, partitions, count, datatype, dest, tag, comm, info, request);
}

TESSERA_MPI_CALL MPI_Psend_init(const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype,
                                int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Psend_init", &PMPI_Psend_init);
  if (!seen()) return real(buf, partitions, count, datatype, dest, tag, comm, info, request);
  note_unseen_order("MPI_Psend_init");
  return real(buf, partitions, count, datatype, dest, tag, comm, info, request);
}

TESSERA_MPI_CALL MPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                               void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                               MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Isendrecv", &PMPI_Isendrecv);
  if (!seen())
    return real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                comm, request);
  note_unseen_order("MPI_Isendrecv");
  return real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm,
              request);
}

TESSERA_MPI_CALL MPI_Isendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                                       int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Isendrecv_replace", &PMPI_Isendrecv_replace);
  if (!seen()) return real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
  note_unseen_order("MPI_Isendrecv_replace");
  return real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
}

TESSERA_MPI_CALL MPI_Ineighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                           void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                           MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Ineighbor_allgather_c", &PMPI_Ineighbor_allgather_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  note_unseen_order("MPI_Ineighbor_allgather_c");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

TESSERA_MPI_CALL MPI_Ineighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                            void* recvbuf, const MPI_Count recvcounts[],
                                            const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                            MPI_Request* request) {
  static const auto real = next("MPI_Ineighbor_allgatherv_c", &PMPI_Ineighbor_allgatherv_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
  note_unseen_order("MPI_Ineighbor_allgatherv_c");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
}

TESSERA_MPI_CALL MPI_Ineighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                          void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                          MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Ineighbor_alltoall_c", &PMPI_Ineighbor_alltoall_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  note_unseen_order("MPI_Ineighbor_alltoall_c");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

TESSERA_MPI_CALL MPI_Ineighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                           const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                           const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                           MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Ineighbor_alltoallv_c", &PMPI_Ineighbor_alltoallv_c);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
  note_unseen_order("MPI_Ineighbor_alltoallv_c");
  return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
}

TESSERA_MPI_CALL MPI_Ineighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                           const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                           void* recvbuf, const MPI_Count recvcounts[],
                                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                           MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Ineighbor_alltoallw_c", &PMPI_Ineighbor_alltoallw_c);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                request);
  note_unseen_order("MPI_Ineighbor_alltoallw_c");
  return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request);
}

TESSERA_MPI_CALL MPI_Neighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                          void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                          MPI_Comm comm) {
  static const auto real = next("MPI_Neighbor_allgather_c", &PMPI_Neighbor_allgather_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  note_unseen_order("MPI_Neighbor_allgather_c");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Neighbor_allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                               MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Neighbor_allgather_init_c", &PMPI_Neighbor_allgather_init_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  note_unseen_order("MPI_Neighbor_allgather_init_c");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
}

TESSERA_MPI_CALL MPI_Neighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                           void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                                           MPI_Datatype recvtype, MPI_Comm comm) {
  static const auto real = next("MPI_Neighbor_allgatherv_c", &PMPI_Neighbor_allgatherv_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
  note_unseen_order("MPI_Neighbor_allgatherv_c");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Neighbor_allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                                void* recvbuf, const MPI_Count recvcounts[],
                                                const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                                MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Neighbor_allgatherv_init_c", &PMPI_Neighbor_allgatherv_init_c);
  if (!seen())
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request);
  note_unseen_order("MPI_Neighbor_allgatherv_init_c");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request);
}

TESSERA_MPI_CALL MPI_Neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                         void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                         MPI_Comm comm) {
  static const auto real = next("MPI_Neighbor_alltoall_c", &PMPI_Neighbor_alltoall_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  note_unseen_order("MPI_Neighbor_alltoall_c");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Neighbor_alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                              void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                              MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Neighbor_alltoall_init_c", &PMPI_Neighbor_alltoall_init_c);
  if (!seen()) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  note_unseen_order("MPI_Neighbor_alltoall_init_c");
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
}

TESSERA_MPI_CALL MPI_Neighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                          const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                          const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                          MPI_Datatype recvtype, MPI_Comm comm) {
  static const auto real = next("MPI_Neighbor_alltoallv_c", &PMPI_Neighbor_alltoallv_c);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
  note_unseen_order("MPI_Neighbor_alltoallv_c");
  return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}

TESSERA_MPI_CALL MPI_Neighbor_alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                               const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                               const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                               MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                               MPI_Request* request) {
  static const auto real = next("MPI_Neighbor_alltoallv_init_c", &PMPI_Neighbor_alltoallv_init_c);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
                request);
  note_unseen_order("MPI_Neighbor_alltoallv_init_c");
  return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
              request);
}

TESSERA_MPI_CALL MPI_Neighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                          const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                          void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                          const MPI_Datatype recvtypes[], MPI_Comm comm) {
  static const auto real = next("MPI_Neighbor_alltoallw_c", &PMPI_Neighbor_alltoallw_c);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
  note_unseen_order("MPI_Neighbor_alltoallw_c");
  return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
}

TESSERA_MPI_CALL MPI_Neighbor_alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                               const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                               void* recvbuf, const MPI_Count recvcounts[],
                                               const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                               MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  static const auto real = next("MPI_Neighbor_alltoallw_init_c", &PMPI_Neighbor_alltoallw_init_c);
  if (!seen())
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info,
                request);
  note_unseen_order("MPI_Neighbor_alltoallw_init_c");
  return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info,
              request);
}

TESSERA_MPI_CALL MPI_Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                                 int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                 int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Isendrecv_c", &PMPI_Isendrecv_c);
  if (!seen())
    return real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                comm, request);
  note_unseen_order("MPI_Isendrecv_c");
  return real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm,
              request);
}

TESSERA_MPI_CALL MPI_Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                         int sendtag, int source, int recvtag, MPI_Comm comm,
                                         MPI_Request* request) {
  static const auto real = next("MPI_Isendrecv_replace_c", &PMPI_Isendrecv_replace_c);
  if (!seen()) return real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
  note_unseen_order("MPI_Isendrecv_replace_c");
  return real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
}

#endif
}
