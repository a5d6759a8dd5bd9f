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

#define TESSERA_UNSEEN_CALL(Name, parameters, arguments) \
  TESSERA_SEEN_CALL(Name, parameters, arguments, note_unseen_order(#Name))

extern "C" {

TESSERA_UNSEEN_CALL(MPI_Win_post, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))

TESSERA_UNSEEN_CALL(MPI_Win_start, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))

TESSERA_UNSEEN_CALL(MPI_Win_complete, (MPI_Win win), (win))

TESSERA_UNSEEN_CALL(MPI_Win_wait, (MPI_Win win), (win))

TESSERA_UNSEEN_CALL(MPI_Win_test, (MPI_Win win, int* flag), (win, flag))

TESSERA_UNSEEN_CALL(MPI_Win_lock, (int lock_type, int rank, int assert, MPI_Win win),
                    (lock_type, rank, assert, win))

TESSERA_UNSEEN_CALL(MPI_Win_unlock, (int rank, MPI_Win win), (rank, win))

TESSERA_UNSEEN_CALL(MPI_Win_lock_all, (int assert, MPI_Win win), (assert, win))

TESSERA_UNSEEN_CALL(MPI_Win_unlock_all, (MPI_Win win), (win))

TESSERA_UNSEEN_CALL(MPI_Win_flush, (int rank, MPI_Win win), (rank, win))

TESSERA_UNSEEN_CALL(MPI_Win_flush_all, (MPI_Win win), (win))

TESSERA_UNSEEN_CALL(MPI_Win_flush_local, (int rank, MPI_Win win), (rank, win))

TESSERA_UNSEEN_CALL(MPI_Win_flush_local_all, (MPI_Win win), (win))

TESSERA_UNSEEN_CALL(MPI_Win_sync, (MPI_Win win), (win))

TESSERA_UNSEEN_CALL(MPI_Win_free, (MPI_Win * win), (win))

TESSERA_UNSEEN_CALL(MPI_Ineighbor_allgather,
                    (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                     MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))

TESSERA_UNSEEN_CALL(MPI_Ineighbor_allgatherv,
                    (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                     MPI_Request* request),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))

TESSERA_UNSEEN_CALL(MPI_Ineighbor_alltoall,
                    (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                     MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))

TESSERA_UNSEEN_CALL(MPI_Ineighbor_alltoallv,
                    (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                     void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                     MPI_Comm comm, MPI_Request* request),
                    (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                     request))

TESSERA_UNSEEN_CALL(MPI_Ineighbor_alltoallw,
                    (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                     MPI_Request* request),
                    (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                     request))

TESSERA_UNSEEN_CALL(MPI_Neighbor_allgather,
                    (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                     MPI_Datatype recvtype, MPI_Comm comm),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))

TESSERA_UNSEEN_CALL(MPI_Neighbor_allgatherv,
                    (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))

TESSERA_UNSEEN_CALL(MPI_Neighbor_alltoall,
                    (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                     MPI_Datatype recvtype, MPI_Comm comm),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))

TESSERA_UNSEEN_CALL(MPI_Neighbor_alltoallv,
                    (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                     void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                     MPI_Comm comm),
                    (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))

TESSERA_UNSEEN_CALL(MPI_Neighbor_alltoallw,
                    (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
                    (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))

TESSERA_UNSEEN_CALL(MPI_Comm_spawn,
                    (const char* command, char* argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
                     MPI_Comm* intercomm, int array_of_errcodes[]),
                    (command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes))

TESSERA_UNSEEN_CALL(MPI_Comm_spawn_multiple,
                    (int count, char* array_of_commands[], char** array_of_argv[],
                     const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm,
                     MPI_Comm* intercomm, int array_of_errcodes[]),
                    (count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm,
                     intercomm, array_of_errcodes))

TESSERA_UNSEEN_CALL(MPI_Comm_accept,
                    (const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm),
                    (port_name, info, root, comm, newcomm))

TESSERA_UNSEEN_CALL(MPI_Comm_connect,
                    (const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm),
                    (port_name, info, root, comm, newcomm))

TESSERA_UNSEEN_CALL(MPI_Comm_join, (int fd, MPI_Comm* intercomm), (fd, intercomm))

TESSERA_UNSEEN_CALL(MPI_Intercomm_create,
                    (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                     MPI_Comm* newintercomm),
                    (local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm))

TESSERA_UNSEEN_CALL(MPI_Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm* newintracomm),
                    (intercomm, high, newintracomm))

#if MPI_VERSION >= 4

TESSERA_UNSEEN_CALL(MPI_Session_init, (MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session),
                    (info, errhandler, session))

TESSERA_UNSEEN_CALL(MPI_Ineighbor_allgather_c,
                    (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))

TESSERA_UNSEEN_CALL(MPI_Ineighbor_allgatherv_c,
                    (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                     MPI_Comm comm, MPI_Request* request),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))

TESSERA_UNSEEN_CALL(MPI_Ineighbor_alltoall_c,
                    (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))

TESSERA_UNSEEN_CALL(MPI_Ineighbor_alltoallv_c,
                    (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
                    (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                     request))

TESSERA_UNSEEN_CALL(MPI_Ineighbor_alltoallw_c,
                    (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                     MPI_Request* request),
                    (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                     request))

TESSERA_UNSEEN_CALL(MPI_Neighbor_allgather_c,
                    (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))

TESSERA_UNSEEN_CALL(MPI_Neighbor_allgatherv_c,
                    (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                     MPI_Comm comm),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))

TESSERA_UNSEEN_CALL(MPI_Neighbor_alltoall_c,
                    (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))

TESSERA_UNSEEN_CALL(MPI_Neighbor_alltoallv_c,
                    (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm),
                    (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))

TESSERA_UNSEEN_CALL(MPI_Neighbor_alltoallw_c,
                    (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
                    (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))

#endif
}
