// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/window.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "mpi/terminate.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"

namespace tessera::detail {
namespace {

constexpr std::uint64_t cookie(int rank, int place) noexcept {
  return std::uint64_t{0x7e55e7a0'00000000} + static_cast<std::uint64_t>(rank) * 8 +
         static_cast<std::uint64_t>(place);
}

// Every process is the target of exactly one other, which is on another node wherever nodes are of equal size.
std::string test_window(const GroupState& group, MPI_Win win, std::byte* slice) {
  if (!mpi::is_unified(win)) return "its windows keep a separate public copy (MPI_WIN_SEPARATE)";
  auto* words = reinterpret_cast<std::uint64_t*>(slice);
  const int target = (group.rank() + group.first_node_size()) % group.size();
  const int origin = (group.rank() - group.first_node_size() % group.size() + group.size()) % group.size();
  const std::uint64_t to_self = cookie(group.rank(), 1), to_target = cookie(group.rank(), 2);
  words[0] = cookie(group.rank(), 0);
  mpi::sync_memory(win);
  mpi::barrier(group.comm());
  std::uint64_t from_self = 0, from_target = 0;
  mpi::get(win, group.rank(), 0, &from_self, sizeof from_self);
  mpi::get(win, target, 0, &from_target, sizeof from_target);
  mpi::put(win, group.rank(), 8, &to_self, sizeof to_self);
  mpi::put(win, target, 16, &to_target, sizeof to_target);
  mpi::flush(win, group.rank());
  mpi::flush(win, target);
  mpi::barrier(group.comm());
  mpi::sync_memory(win);
  const bool good = from_self == cookie(group.rank(), 0) && from_target == cookie(target, 0) &&
                    words[1] == to_self && words[2] == cookie(origin, 2);
  std::memset(slice, 0, 24);
  return good ? ""
              : "a window's memory is not where MPI says it is (wrong data came back in the test of a new "
                "window)";
}

}  // namespace

mpi::Win create_tested_window(GroupState& group, std::byte* slice, index_t bytes, std::string& problem) {
  mpi::Win win;
  std::string mine;
  if (!group.runtime().environment().windows) {
    mine = "TESSERA_WINDOW=off switches them off";
  } else {
    win = mpi::create_window(group.beside(), group.comm(), slice, bytes, mine);
  }
  problem = group.agree(mine);
  // If only some members have a window, it cannot be freed, as freeing is collective, and MPICH crashes at its
  // end.
  if (!problem.empty() && win)
    abort_job("MPI_Win_create failed on other ranks only: " + problem + "; TESSERA_WINDOW=off avoids windows");
  if (!problem.empty()) return win;
  problem = group.agree(test_window(group, win.get(), slice));
  mpi::barrier(group.comm());
  if (!problem.empty()) win.reset();
  return win;
}

}  // namespace tessera::detail
