// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "process_waits.hpp"

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/mutexes.hpp>
#include <tessera/runtime/segment.hpp>

namespace tessera::test {

// Calls that do not match. The others wait for rank 1 in one group, and rank 1 for them in another.
int stand_still_in_calls(const Group& world) {
  const Group twin = world.split(0, world.rank());
  (world.rank() == 1 ? twin : world).barrier();
  return 0;
}

// Rank 1 waits for a message of the program's own that no rank sends.
int stand_still_in_a_message(const Group& world) {
  int never = 0;
  if (world.rank() == 1) MPI_Recv(&never, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  Segment segment(world, 64, "unreached");
  return 0;
}

// Rank 1 waits for a notification that no rank sends,
int stand_still_at_a_flag(const Group& world) {
  Flags flags(world, 1, "never raised");
  if (world.rank() == 1) flags.wait(0);
  world.barrier();
  return 0;
}

// and for a mutex that rank 0 keeps.
int stand_still_at_a_mutex(const Group& world) {
  Mutexes mutexes(world, 1);
  if (world.rank() == 0) mutexes.lock(0);
  world.barrier();
  if (world.rank() == 1) mutexes.lock(0);
  world.barrier();
  return 0;
}

// Rank 0 has asynchronous transfers under way, and waits in MPI for a rank that needs the same agent.
int put_and_receive(const Group& world) {
  constexpr index_t count = index_t{1} << 20;
  const int r = world.rank(), last = world.size() - 1;
  Segment segment(world, 16 * count, {.name = "segment"});
  Flags flags(world, 1);
  const Strided every_other{
      .run = 8, .levels = 1, .count = {count}, .remote_stride = {16}, .local_stride = {8}};
  const std::vector<double> sent(count, 1.0);
  for (int round = 0; round < 3; ++round) {
    if (r == 0) {
      std::vector<Request> requests;
      for (int i = 0; i < 4; ++i) requests.push_back(segment.put_async(last, 0, every_other, sent.data()));
      put_notify(segment, last, 8, Strided::contiguous(8), sent.data(), flags.at(last, 0));
      MPI_Recv(nullptr, 0, MPI_BYTE, last, 1, world.mpi_comm(), MPI_STATUS_IGNORE);
      wait_all(requests);
    } else if (r == last) {
      flags.wait(0);
      segment.put_async(last - 1, 0, every_other, sent.data()).wait();
      MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, world.mpi_comm());
    }
  }
  world.sync();
  if (r == 0) std::puts("all answers have come");
  return 0;
}

// The others wait for rank 1 far longer than the watchdog's patience. Rank 1 makes a call now and then.
int work_on(const Group& world) {
  Segment segment(world, 64, "words");
  segment.store(world.rank(), 0, std::int64_t{0});
  segment.sync();
  for (int turn = 0; world.rank() == 1 && turn < 24; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    segment.store(0, 0, std::int64_t{turn});
  }
  segment.sync();
  if (world.rank() == 0) std::printf("went on to %d\n", static_cast<int>(segment.load<std::int64_t>(0, 0)));
  return 0;
}

}  // namespace tessera::test
