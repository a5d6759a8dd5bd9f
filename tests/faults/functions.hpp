// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <ifaddrs.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timerfd.h>
#include <unistd.h>

// The functions whose calls can fail. Each is what Tessera calls itself.

/// X(name, number of parameters, result of a failure, errno of a failure or 0)
#define TESSERA_TEST_SYSTEM_CALLS(X) \
  X(mmap, 6, -1, ENOMEM)             \
  X(mprotect, 3, -1, ENOMEM)         \
  X(madvise, 3, -1, EAGAIN)          \
  X(memfd_create, 2, -1, EMFILE)     \
  X(shm_open, 3, -1, EMFILE)         \
  X(ftruncate, 2, -1, ENOSPC)        \
  X(posix_fallocate, 3, ENOSPC, 0)   \
  X(aligned_alloc, 2, 0, ENOMEM)     \
  X(socket, 3, -1, EMFILE)           \
  X(bind, 3, -1, EADDRINUSE)         \
  X(getsockname, 3, -1, ENOBUFS)     \
  X(setsockopt, 5, -1, ENOMEM)       \
  X(getifaddrs, 1, -1, EMFILE)       \
  X(getrandom, 3, -1, ENOSYS)        \
  X(pthread_create, 4, EAGAIN, 0)    \
  X(sendmsg, 3, -1, ENOBUFS)         \
  X(recvmsg, 3, -1, ENOBUFS)         \
  X(ppoll, 4, -1, ENOMEM)            \
  X(eventfd, 2, -1, EMFILE)          \
  X(timerfd_create, 2, -1, EMFILE)   \
  X(timerfd_settime, 4, -1, ENOMEM)  \
  X(fstat, 2, -1, ENOMEM)            \
  X(statvfs, 2, -1, ENOMEM)          \
  X(pwrite, 4, -1, ENOSPC)           \
  X(pread, 4, -1, EIO)               \
  X(fsync, 1, -1, EIO)               \
  X(rename, 2, -1, EIO)              \
  X(link, 2, -1, EIO)                \
  X(flock, 2, -1, ENOLCK)

/// X(name without MPI_, number of parameters)
#define TESSERA_TEST_MPI_CALLS(X)  \
  X(Init_thread, 4)                \
  X(Initialized, 1)                \
  X(Query_thread, 1)               \
  X(Get_library_version, 2)        \
  X(Finalize, 0)                   \
  X(Comm_rank, 2)                  \
  X(Comm_size, 2)                  \
  X(Comm_dup, 2)                   \
  X(Comm_split, 4)                 \
  X(Comm_group, 2)                 \
  X(Comm_create_group, 4)          \
  X(Comm_set_errhandler, 2)        \
  X(Comm_free, 1)                  \
  X(Group_incl, 4)                 \
  X(Barrier, 1)                    \
  X(Bcast, 5)                      \
  X(Allgather, 7)                  \
  X(Allgatherv, 8)                 \
  X(Gather, 8)                     \
  X(Alltoall, 7)                   \
  X(Alltoallv, 9)                  \
  X(Allreduce, 6)                  \
  X(Ibarrier, 2)                   \
  X(Ibcast, 6)                     \
  X(Iallgather, 8)                 \
  X(Iallgatherv, 9)                \
  X(Igather, 9)                    \
  X(Ialltoall, 8)                  \
  X(Ialltoallv, 10)                \
  X(Iallreduce, 7)                 \
  X(Isend, 7)                      \
  X(Issend, 7)                     \
  X(Irecv, 7)                      \
  X(Iprobe, 5)                     \
  X(Get_count, 3)                  \
  X(Request_get_status, 3)         \
  X(Wait, 2)                       \
  X(Waitall, 3)                    \
  X(Testall, 4)                    \
  X(Cancel, 1)                     \
  X(Info_create, 1)                \
  X(Win_create, 6)                 \
  X(Win_set_errhandler, 2)         \
  X(Win_get_attr, 4)               \
  X(Win_allocate_shared, 6)        \
  X(Win_shared_query, 5)           \
  X(Win_lock_all, 2)               \
  X(Win_unlock_all, 1)             \
  X(Win_free, 1)                   \
  X(Win_flush, 2)                  \
  X(Win_flush_local, 2)            \
  X(Win_sync, 1)                   \
  X(Put, 8)                        \
  X(Get, 8)                        \
  X(Accumulate, 9)                 \
  X(Get_accumulate, 12)            \
  X(Fetch_and_op, 7)               \
  X(Compare_and_swap, 7)           \
  X(Rput, 9)                       \
  X(Rget, 9)                       \
  X(Raccumulate, 10)               \
  X(Type_contiguous, 3)            \
  X(Type_create_hvector, 5)        \
  X(Type_create_hindexed_block, 5) \
  X(Type_commit, 1)                \
  X(Type_free, 1)                  \
  X(Get_address, 2)                \
  X(Alloc_mem, 3)

namespace tessera::test {

struct Function {
  const char* name;
  const char* real;  // its symbol
  std::intptr_t failure;
  int error;
};

#define TESSERA_ROW_SYSTEM(name, parameters, failure, error) Function{#name, #name, failure, error},
#define TESSERA_ROW_MPI(name, parameters) Function{"MPI_" #name, "PMPI_" #name, MPI_ERR_OTHER, 0},
inline constexpr auto functions = std::to_array<Function>({
    TESSERA_TEST_SYSTEM_CALLS(TESSERA_ROW_SYSTEM)
        TESSERA_TEST_MPI_CALLS(TESSERA_ROW_MPI){"open", "open", -1, EMFILE},
    {"new", "", 0, 0},        // operator new, which throws std::bad_alloc
    {"new_large", "", 0, 0},  // the same for at least 4 KiB
});
#undef TESSERA_ROW_SYSTEM
#undef TESSERA_ROW_MPI
inline constexpr std::size_t function_count = functions.size();

consteval std::size_t id_of(std::string_view name) {
  for (std::size_t f = 0; f < function_count; ++f) {
    if (name == functions[f].name) return f;
  }
  throw "no such function";
}

}  // namespace tessera::test
