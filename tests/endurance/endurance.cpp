// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include <unistd.h>

#include <tessera/tessera.hpp>

#include "census.hpp"
#include "work.hpp"

namespace {

using namespace tessera;
using tessera::test::Census;

const char* const usage =
    "usage: endurance [--seconds S] [--one-runtime]\n"
    "\n"
    "Does mixed work for S seconds (default 5), and then checks that nothing has grown since the first tenth:\n"
    "descriptors, mappings, threads, names in /dev/shm, objects of MPI, bytes. Runtimes begin and end again "
    "and\n"
    "again, unless --one-runtime says that there is one, as with TESSERA_PROGRESS=rank.\n";

constexpr int rounds_of_runtime = 3;
constexpr std::size_t least_samples = 9;  // a slow machine takes longer than it was told
// What MPI may take for a while, and what each round may leave: less than any object of ours. Memory of the
// heap that is free but in pieces stays resident.
constexpr std::int64_t heap_bytes = 2 << 20, heap_bytes_of_round = 16;
constexpr std::int64_t resident_bytes = 8 << 20, resident_bytes_of_round = 64;

struct Work {
  std::filesystem::path directory;
  double seconds = 5;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  Census census = {};
  int round = 0;

  double time() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  bool has_ended(const Group& world) const {
    return world.broadcast(time() > seconds && census.size() >= least_samples ? 1 : 0, 0) != 0;
  }

  void do_round(const Group& world) {
    test::work(world, round);
    test::multiply(world, round);
    if (round % 2 == 0) test::work_on_files(world, directory, round);
    ++round;
  }
  void sample() {
    if (time() > seconds / 10) census.take(time());
  }
};

// Returns whether nothing grew on this rank. Each rank reports for itself.
bool report(const Work& work, int rank) {
  const auto growth = work.census.growth(heap_bytes + heap_bytes_of_round * work.round,
                                         resident_bytes + resident_bytes_of_round * work.round);
  std::printf("rank %d: %d rounds in %.0f s, %zu samples: %s\n", rank, work.round, work.time(),
              work.census.size(), work.census.summary().c_str());
  for (const std::string& line : growth) std::printf("rank %d: GREW: %s\n", rank, line.c_str());
  return growth.empty();
}

// A new directory, in memory where there is such a place: disks are not what is tested.
std::string new_directory(bool makes) {
  const std::filesystem::path memory = "/dev/shm";
  const bool has_memory = std::filesystem::is_directory(memory);
  std::string name =
      ((has_memory ? memory : std::filesystem::temp_directory_path()) / "endurance-XXXXXX").string();
  if (makes && mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory can be made");
  return name;
}

std::filesystem::path make_directory(int rank) {
  std::string name = new_directory(rank == 0);
  MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  return name;
}

bool with_one_runtime(Work& work, int& argc, char**& argv) {
  const Runtime runtime(argc, argv);
  const Group& world = runtime.world();
  std::string name = new_directory(world.rank() == 0);
  world.broadcast(std::span<char>(name), 0);
  work.directory = name;
  while (!work.has_ended(world)) {
    work.do_round(world);
    world.barrier();
    if (work.round % 4 == 0) work.sample();
  }
  const bool is_good = report(work, world.rank());
  const bool all = world.all_reduce(is_good ? 1 : 0, Reduce::min) != 0;
  if (world.rank() == 0) std::filesystem::remove_all(work.directory);
  return all;
}

bool with_many_runtimes(Work& work) {
  int provided = 0, rank = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  work.directory = make_directory(rank);
  for (bool ended = false; !ended;) {
    {
      const Runtime runtime(MPI_COMM_WORLD);
      const Group& world = runtime.world();
      for (int i = 0; i < rounds_of_runtime; ++i) work.do_round(world);
      const Runtime second(world.mpi_comm());
      test::work(second.world(), work.round);
      ended = work.has_ended(world);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    work.sample();
  }
  int is_good = report(work, rank) ? 1 : 0, all = 0;
  MPI_Allreduce(&is_good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) std::filesystem::remove_all(work.directory);
  MPI_Finalize();
  return all != 0;
}

}  // namespace

int main(int argc, char** argv) {
  Work work;
  bool has_one = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
      work.seconds = std::atof(argv[++i]);
    else if (std::strcmp(argv[i], "--one-runtime") == 0)
      has_one = true;
    else
      return std::fputs(usage, stderr), 2;
  }
  return (has_one ? with_one_runtime(work, argc, argv) : with_many_runtimes(work)) ? 0 : 1;
}
