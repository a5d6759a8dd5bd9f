// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include <tessera/runtime/detail/unique_handle.hpp>
#include <tessera/runtime/group.hpp>
#include <tessera/runtime/strided.hpp>
#include <tessera/runtime/types.hpp>

// Checked wrappers of every MPI function that Tessera calls, in one place. Counts are 64-bit here. mpi.cpp and
// mpi_window.cpp convert them to MPI's int, and split transfers that do not fit.
namespace tessera::detail::mpi {

/// The most bytes given to one MPI call: counts are int inside MPICH 4.0 even where the interface takes more.
inline constexpr index_t max_bytes = index_t{1} << 30;

struct CommTraits {
  using Handle = MPI_Comm;
  static Handle null() noexcept { return MPI_COMM_NULL; }
  static void free(Handle handle) noexcept;
};
struct WinTraits {
  using Handle = MPI_Win;
  static Handle null() noexcept { return MPI_WIN_NULL; }
  static void free(Handle handle) noexcept;
};
using Comm = UniqueHandle<CommTraits>;
using Win = UniqueHandle<WinTraits>;

bool initialized();
bool finalized() noexcept;
bool is_running() noexcept;
int init_thread(int& argc, char**& argv, int required);
void finalize();
int query_thread();
/// Whether this thread may call MPI while no other thread does.
bool may_call() noexcept;
void abort(MPI_Comm comm, int code) noexcept;
std::string library_version();

Comm dup(MPI_Comm comm);
Comm split(MPI_Comm comm, int color, int key);
/// Called by the listed ranks of `comm` only. They send each other messages with that tag there, and so does
/// Open MPI 4.1 itself.
Comm create_group(MPI_Comm comm, std::span<const int> ranks, int tag);
Comm split_shared(MPI_Comm comm);
int rank(MPI_Comm comm);
int size(MPI_Comm comm);

void barrier(MPI_Comm comm);
/// Lets MPI make progress on messages (MPI standard 3.8.1).
void progress(MPI_Comm comm);
void broadcast(MPI_Comm comm, void* data, index_t bytes, int root);
/// A text of any length.
void broadcast(MPI_Comm comm, std::string& text, int root);
/// The problem of the lowest rank that has one; empty if no rank has one.
std::string first_problem(MPI_Comm comm, const std::string& mine);
/// The value may lie at its place in `all`.
void all_gather(MPI_Comm comm, const void* value, void* all, index_t bytes);
/// Member r gives bytes[r], which follow each other in `all`. The value may lie at its place there.
void all_gather(MPI_Comm comm, const void* value, void* all, std::span<const int> bytes);
/// All members' values on the root; `all` counts there only.
void gather(MPI_Comm comm, const void* value, void* all, index_t bytes, int root);
/// Sends bytes to a member, and receives bytes from it; none for a direction in which nothing goes. The program
/// must not use the communicator.
void exchange(MPI_Comm comm, int other, std::span<const std::byte> sent, std::span<std::byte> received);
/// Every member sends `bytes` to each member.
void all_to_all(MPI_Comm comm, const void* sent, void* received, index_t bytes);
/// Every member sends a text of any length to each member; returns what all have sent to this one.
std::vector<std::string> all_to_all(MPI_Comm comm, const std::vector<std::string>& texts);
void all_reduce(MPI_Comm comm, void* data, index_t count, ElementKind kind, Reduce operation);

/// Messages between processes and agents; at most max_bytes each.
inline constexpr int any_source = -1;
struct Arrived {
  int source = 0;
  index_t bytes = 0;
};
MPI_Request isend(MPI_Comm comm, const void* data, index_t bytes, int rank, int tag);
/// The same, but complete only when the message is being received (MPI standard 3.4). @local
MPI_Request issend(MPI_Comm comm, const void* data, index_t bytes, int rank, int tag);
MPI_Request irecv(MPI_Comm comm, void* data, index_t bytes, int rank, int tag);
/// Whether the request is done, and the message that arrived; a request that is done becomes MPI_REQUEST_NULL.
bool test(MPI_Request& request, Arrived* arrived = nullptr);
/// Cancels the receive of a message.
void cancel(MPI_Request& request) noexcept;
/// Waits for a message that was sent, and has been received: MPI keeps its request until then. @local
void complete(MPI_Request& request) noexcept;

/// A window over memory the caller owns, locked for all (MPI standard 12.5.3) until it is freed. Null if MPI
/// cannot make one on this communicator; then `why` is MPI's error text. Other members may still have one, and
/// all wait for each other on `beside`, another communicator of the same members.
Win create_window(MPI_Comm comm, MPI_Comm beside, void* base, index_t bytes, std::string& why);
bool is_unified(MPI_Win win);
void put(MPI_Win win, int rank, index_t offset, const void* source, index_t bytes);
void get(MPI_Win win, int rank, index_t offset, void* target, index_t bytes);
/// update is sum, min, max, a bit operation or replace (MPI_REPLACE).
void accumulate(MPI_Win win, int rank, index_t offset, ElementKind kind, Update update, const void* source,
                index_t bytes);
void fetch_and_op(MPI_Win win, int rank, index_t offset, ElementKind kind, Update update, const void* value,
                  void* result);
void compare_and_swap(MPI_Win win, int rank, index_t offset, ElementKind kind, const void* expected,
                      const void* desired, void* result);
/// Whether MPI_Compare_and_swap can be used beside MPI_Fetch_and_op and MPI_Accumulate.
inline constexpr bool compare_and_swap_works =
#ifdef OPEN_MPI
    false;  // 4.1.4's osc/rdma does not take the lock of other calls, and crashes if the target is the caller
#else
    true;
#endif
/// Bytes of the largest message that MPI sends over TCP at once, less a margin. For longer messages MPI asks
/// the receiver first.
inline constexpr index_t eager_bytes =
#ifdef OPEN_MPI
    index_t{60} << 10;
#else
    index_t{16} << 10;
#endif
inline constexpr bool sends_much_at_once = eager_bytes > index_t{32} << 10;
/// Calls f(first byte, bytes) for each message of so many bytes of data. MPI asks the receiver before it sends
/// a long message, and that takes longer than some short ones.
template <class F>
void in_messages(index_t bytes, F&& f) {
  const index_t most = bytes <= 6 * eager_bytes ? eager_bytes : max_bytes;
  for (index_t done = 0; done < bytes; done += most) f(done, std::min(bytes - done, most));
}
/// Whether datatypes on the target's side can be trusted.
inline constexpr bool datatypes_work =
#ifdef OPEN_MPI
    false;  // 4.1's osc/rdma loses data with them
#else
    true;
#endif
/// Transfers runs of equal length with one call, on one datatype for each side; at most 256 runs (MPICH's
/// header holds no more).
void put_indexed(MPI_Win win, int rank, std::span<const index_t> offsets, std::span<std::byte* const> sources,
                 index_t run);
void get_indexed(MPI_Win win, int rank, std::span<const index_t> offsets, std::span<std::byte* const> targets,
                 index_t run);
inline constexpr std::size_t max_indexed = 256;
/// Transfers a shape with one call, on datatypes made of vectors; see is_one_datatype().
void put_strided(MPI_Win win, int rank, index_t offset, const void* source, const Strided& shape);
void get_strided(MPI_Win win, int rank, index_t offset, void* target, const Strided& shape);
/// Whether MPI's counts hold the shape. False for strides that are negative or zero: other methods handle
/// these. @local
bool is_one_datatype(const Strided& shape) noexcept;
// The same with a request, for at most max_bytes (MPI standard 12.3.5). Contiguous only: MPICH 4.0 reports
// other transfers as done before they are.
MPI_Request rput(MPI_Win win, int rank, index_t offset, const void* source, index_t bytes);
MPI_Request rget(MPI_Win win, int rank, index_t offset, void* target, index_t bytes);
MPI_Request raccumulate(MPI_Win win, int rank, index_t offset, ElementKind kind, Update update,
                        const void* source, index_t bytes);
void wait_all(std::vector<MPI_Request>& requests);
bool test_all(std::vector<MPI_Request>& requests);
/// Waits, and serves meanwhile if this process has anything to serve.
void serve_until_all(std::vector<MPI_Request>& requests);
void flush(MPI_Win win, int rank);
void flush_local(MPI_Win win, int rank);
void sync_memory(MPI_Win win);

/// Memory that MPI may have registered, for long-lived buffers.
void* alloc_mem(index_t bytes) noexcept;
void free_mem(void* memory) noexcept;
/// Memory shared by a communicator of one node, all of it allocated by rank 0 (MPI standard 12.2.3).
Win allocate_shared(MPI_Comm node, index_t bytes_on_root, void*& base_of_root);

}  // namespace tessera::detail::mpi
