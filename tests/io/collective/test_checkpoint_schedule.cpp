// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <csignal>
#include <cstdlib>
#include <thread>

#include <tessera/io/checkpoint_schedule.hpp>

#include "mpi_test.hpp"

namespace {

using namespace std::chrono_literals;
using namespace tessera;
using namespace tessera::test;
using io::CheckpointSchedule;

// How many of these calls say that a checkpoint is due. @collective
int times_due(CheckpointSchedule& schedule, int calls) {
  int due = 0;
  for (int i = 0; i < calls; ++i) due += static_cast<int>(schedule.due());
  EXPECT_EQ(world().all_reduce(due, Reduce::max), world().all_reduce(due, Reduce::min)) << "ranks disagree";
  return due;
}

bool is_last() { return world().rank() == world().size() - 1; }

class Schedule : public testing::Test {
 protected:
  Schedule() { unsetenv("SLURM_JOB_END_TIME"); }
  ~Schedule() override { unsetenv("SLURM_JOB_END_TIME"); }
};

TEST_F(Schedule, is_never_due_by_itself) {
  CheckpointSchedule schedule(world());
  EXPECT_EQ(times_due(schedule, 100), 0);
  EXPECT_FALSE(schedule.should_stop());
}

TEST_F(Schedule, is_due_when_its_time_has_passed) {
  CheckpointSchedule schedule(world(), {.every = 1s});
  EXPECT_EQ(times_due(schedule, 20), 0);
  std::this_thread::sleep_for(1100ms);
  EXPECT_EQ(times_due(schedule, 40), 1);
  EXPECT_FALSE(schedule.should_stop());
  std::this_thread::sleep_for(1100ms);
  EXPECT_EQ(times_due(schedule, 40), 1);
}

TEST_F(Schedule, is_due_once_before_the_end) {
  CheckpointSchedule far(world(), {.run_time = 3600s});
  EXPECT_EQ(times_due(far, 40), 0);
  CheckpointSchedule near(world(), {.run_time = 3600s, .margin = 3600s});
  EXPECT_EQ(times_due(near, 40), 1);
  EXPECT_TRUE(near.should_stop());
  CheckpointSchedule at(world(), {.end = std::chrono::system_clock::now() + 60s, .run_time = 3600s});
  EXPECT_EQ(times_due(at, 40), 1);
  EXPECT_TRUE(at.should_stop());
}

TEST_F(Schedule, takes_the_longest_times_for_never) {
  constexpr auto never = std::chrono::seconds::max();
  CheckpointSchedule schedule(
      world(), {.every = never, .end = std::chrono::system_clock::time_point::max(), .run_time = never});
  EXPECT_EQ(times_due(schedule, 40), 0);
  EXPECT_FALSE(schedule.should_stop());
  CheckpointSchedule at_once(world(), {.run_time = 3600s, .margin = never});
  EXPECT_EQ(times_due(at_once, 40), 1);
  CheckpointSchedule over(world(), {.run_time = -never});
  EXPECT_EQ(times_due(over, 40), 1);
}

TEST_F(Schedule, is_due_before_the_end_that_slurm_says) {
  const auto seconds = [](std::chrono::seconds from_now) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(
                              (std::chrono::system_clock::now() + from_now).time_since_epoch())
                              .count());
  };
  setenv("SLURM_JOB_END_TIME", seconds(60s).c_str(), 1);
  CheckpointSchedule near(world());
  EXPECT_EQ(times_due(near, 40), 1);
  EXPECT_TRUE(near.should_stop());
  setenv("SLURM_JOB_END_TIME", seconds(3600s).c_str(), 1);
  CheckpointSchedule far(world());
  EXPECT_EQ(times_due(far, 40), 0);
  for (const char* nonsense : {"soon", "762517625359", "9223372036854775807"}) {  // beyond the system's clock
    setenv("SLURM_JOB_END_TIME", nonsense, 1);
    CheckpointSchedule endless(world());
    EXPECT_EQ(times_due(endless, 40), 0) << nonsense;
  }
}

int handled_before = 0;
void count_signal(int) { ++handled_before; }

TEST_F(Schedule, is_due_on_all_ranks_after_a_signal_to_one) {
  std::signal(SIGUSR1, count_signal);
  std::signal(SIGTERM, count_signal);
  {
    CheckpointSchedule schedule(world(), {.signals = true});
    EXPECT_EQ(times_due(schedule, 40), 0);
    if (is_last()) raise(SIGUSR1);
    EXPECT_EQ(times_due(schedule, 40), 1);
    EXPECT_FALSE(schedule.should_stop());
    if (is_last()) raise(SIGTERM);
    EXPECT_EQ(times_due(schedule, 40), 1);
    EXPECT_TRUE(schedule.should_stop());
    EXPECT_EQ(handled_before, 0);
    EXPECT_THROW(CheckpointSchedule(world(), {.signals = true}), UsageError);
  }
  raise(SIGUSR1);
  raise(SIGTERM);
  EXPECT_EQ(handled_before, 2) << "the handlers were not put back";
  std::signal(SIGUSR1, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

TEST_F(Schedule, wrong_use_is_an_error) {
  EXPECT_THROW(CheckpointSchedule(world(), {.every = -1s}), UsageError);
  EXPECT_THROW(CheckpointSchedule(world(), {.margin = -1s}), UsageError);
  CheckpointSchedule schedule(world(), {.every = 1h});
  const CheckpointSchedule taken = std::move(schedule);
  EXPECT_THROW(schedule.due(), UsageError);
  EXPECT_FALSE(schedule.should_stop());
}

}  // namespace
