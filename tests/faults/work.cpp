// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// work DIRECTORY [descriptors N | memory MIB]: mixed work, for tests in which something fails. With a limit,
// the process may open N more descriptors, or take so much more memory, once MPI has started.
#include "work.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tessera::test {

void require(bool is_right, const char* what) {
  if (!is_right) throw std::logic_error(std::string("WRONG RESULT of ") + what);
}

namespace {

// One more than the highest descriptor in use.
rlim_t descriptors_in_use() {
  rlim_t most = 0;
  DIR* const all = opendir("/proc/self/fd");
  while (const dirent* one = readdir(all)) {
    const auto number = static_cast<rlim_t>(std::atoi(one->d_name));
    if (number >= most) most = number + 1;
  }
  closedir(all);
  return most;
}

rlim_t memory_in_use() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void set_limit(std::string_view kind, rlim_t more) {
  const bool descriptors = kind == "descriptors";
  const rlim_t value = descriptors ? descriptors_in_use() + more : memory_in_use() + (more << 20);
  const rlimit limit{value, value};
  if (setrlimit(descriptors ? RLIMIT_NOFILE : RLIMIT_AS, &limit) != 0) std::perror("setrlimit");
}

}  // namespace
}  // namespace tessera::test

int main(int argc, char** argv) {
  using namespace tessera::test;
  if (argc < 2) return 2;
  const bool is_limited = argc > 3;
  if (is_limited) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    set_limit(argv[2], static_cast<rlim_t>(std::atol(argv[3])));
  }
  {
    const tessera::Runtime runtime(argc, argv);
    work_with_segments(runtime.world());
    work_with_arrays(runtime.world());
    work_with_files(runtime.world(), argv[1]);
    runtime.world().barrier();
    if (runtime.world().rank() == 0) std::puts("all results are right");
  }
  if (is_limited) MPI_Finalize();
  return 0;
}
