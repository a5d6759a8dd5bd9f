// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi/cores.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mpi/mpi.hpp"

namespace tessera::detail {

// Uses the kernel's own number, not the host's name: containers may have the same name, or different names on
// the same cores.
Cores Cores::mine() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  cpu_set_t set;
  CPU_ZERO(&set);
  // Fails on more than 1,024 processors: then all processes count as having the same cores.
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    return {std::hash<std::string>()(boot), static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)))};
  }
  boot.append(reinterpret_cast<const char*>(&set), sizeof set);
  return {std::hash<std::string>()(boot), std::max(1, CPU_COUNT(&set))};
}

std::vector<int> core_numbers() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> numbers;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return numbers;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) numbers.push_back(core);
  }
  return numbers;
}

bool is_crowded(MPI_Comm all) {
  const Cores mine = Cores::mine();
  std::vector<std::uint64_t> ids(static_cast<std::size_t>(mpi::size(all)));
  mpi::all_gather(all, &mine.id, ids.data(), sizeof mine.id);
  return std::count(ids.begin(), ids.end(), mine.id) > mine.count;
}

void take_short_turns() noexcept {
#ifdef SYS_sched_setattr
  // The kernel's struct sched_attr, which glibc 2.36 does not declare.
  struct {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;  // nanoseconds
  } attributes{};
  attributes.size = sizeof attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  if (attributes.policy != SCHED_OTHER) return;
  constexpr std::uint64_t shortest = 100'000;
  constexpr std::int32_t before_others = -5;
  attributes.runtime = shortest;
  const auto nice = std::exchange(attributes.nice, std::min(attributes.nice, before_others));
  if (syscall(SYS_sched_setattr, 0, &attributes, 0) == 0) return;
  attributes.nice = nice;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
#endif
}

}  // namespace tessera::detail
