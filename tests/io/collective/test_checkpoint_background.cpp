// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>

#include <sys/time.h>

#include <tessera/io/load.hpp>
#include <tessera/io/save.hpp>

#include "checkpoint_model.hpp"

// Checkpoints that are written in the background.
namespace {

using namespace tessera;
using namespace tessera::test;

class Background : public testing::Test {
 protected:
  const Directory directory_;
  const std::filesystem::path prefix_ = directory_ / "c";
  Array<double, 2> a_{world(), {500, 400}, {.name = "a"}};
};

TEST_F(Background, writes_the_values_at_the_time_of_the_call) {
  double time = 1;
  io::Checkpoint checkpoint(world(), prefix_);
  checkpoint.add("a", a_);
  checkpoint.add("time", time);
  number_elements(a_, 1);
  auto pending = checkpoint.write_async(1);
  number_elements(a_, 2);
  time = 2;
  while (!pending.test()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(io::checkpoint_files(world(), prefix_).empty()) << "it is complete before wait()";
  pending.wait();
  expect_raw<double>(generation(prefix_, 1), "a", a_.dims(), 1);
  pending.wait();
  EXPECT_TRUE(pending.test());
  TESSERA_ASSERT_ALL(checkpoint.restore().has_value());
  EXPECT_TRUE(is_numbered(a_, 1));
  EXPECT_EQ(time, 1);
}

TEST_F(Background, is_completed_by_the_next_call) {
  io::Checkpoint checkpoint(world(), prefix_, {.keep = 5});
  checkpoint.add("a", a_);
  number_elements(a_, 1);
  auto first = checkpoint.write_async(1);
  number_elements(a_, 2);
  auto second = checkpoint.write_async(2);
  EXPECT_TRUE(first.test());
  first.wait();
  expect_raw<double>(generation(prefix_, 1), "a", a_.dims(), 1);
  number_elements(a_, 3);
  checkpoint.write(3);
  expect_raw<double>(generation(prefix_, 2), "a", a_.dims(), 2);
  expect_raw<double>(generation(prefix_, 3), "a", a_.dims(), 3);
  static_cast<void>(checkpoint.write_async(4));
  const auto restored = checkpoint.restore();
  TESSERA_ASSERT_ALL(restored.has_value());
  EXPECT_EQ(restored->step, 4);
  static_cast<void>(checkpoint.write_async(5));
  checkpoint.close();
  EXPECT_EQ(io::checkpoint_files(world(), prefix_).size(), 5U);
  EXPECT_EQ(directory_.names().size(), 5U);
}

TEST_F(Background, is_given_up_with_the_checkpoint) {
  number_elements(a_, 1);
  std::optional<io::PendingCheckpoint> pending;
  testing::internal::CaptureStderr();
  {
    io::Checkpoint checkpoint(world(), prefix_,
                              {.bytes_per_second = 1000});  // would never end if it were not stopped
    checkpoint.add("a", a_);
    pending = checkpoint.write_async(1);
    EXPECT_EQ(directory_.names().size(), 2U) << "the file and its lock";
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("the checkpoint of step 1 at ") != std::string::npos, world().rank() == 0) << said;
  EXPECT_TRUE(pending->test());
  EXPECT_THROW(pending->wait(), UsageError);
  EXPECT_TRUE(directory_.names().empty());
}

TEST_F(Background, is_held_to_a_bandwidth) {
  number_elements(a_, 1);
  io::Checkpoint checkpoint(world(), prefix_, {.bytes_per_second = 8'000'000});
  checkpoint.add("a", a_);
  const auto begin = std::chrono::steady_clock::now();
  auto pending = checkpoint.write_async(1);
  pending.wait();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(passed.count(), 1.6 / 8 / world().size() * 0.9);  // 1.6 MB, evenly
  expect_raw<double>(generation(prefix_, 1), "a", a_.dims(), 1);
}

// In poll mode only this process serves the others, even while it waits for its thread.
TEST_F(Background, serves_others_while_it_waits) {
  Array<double, 1> a(world(), {world().size() * 131072});  // a tile for each
  number_elements(a, 1);
  io::Checkpoint checkpoint(world(), prefix_, {.bytes_per_second = 700'000});  // a second and a half
  checkpoint.add("a", a);
  auto pending = checkpoint.write_async(1);
  if (world().rank() > 0) {
    const double first = a.load({0});
    EXPECT_EQ(first, element<double>(1));
    EXPECT_FALSE(pending.test()) << "rank 0 served this only after it had written";
  }
  pending.wait();
  EXPECT_EQ(io::verify_checkpoint(world(), generation(prefix_, 1)).problem, "");
}

// Signals like a profiler's, which interrupt system calls. Each call must continue or be repeated.
class ProfilersTimer {
 public:
  ProfilersTimer() {
    struct sigaction action {};
    action.sa_handler = [](int) { ++signals; };
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, nullptr);
    set({{0, 1000}, {0, 1000}});
  }
  // The handler stays. Without it, a last signal that still arrives would end the process.
  ~ProfilersTimer() { set({}); }
  ProfilersTimer(const ProfilersTimer&) = delete;
  ProfilersTimer& operator=(const ProfilersTimer&) = delete;

  static inline std::atomic<int> signals = 0;

 private:
  static void set(const itimerval& times) { setitimer(ITIMER_PROF, &times, nullptr); }
};

TEST_F(Background, is_complete_under_a_profilers_timer) {
  const ProfilersTimer timer;
  Array<double, 2> large(world(), {1500, 1000}, {.name = "large"});
  io::Checkpoint checkpoint(world(), prefix_);
  checkpoint.add("large", large);
  number_elements(large, 1);
  checkpoint.write(1);
  number_elements(large, 2);
  auto pending = checkpoint.write_async(2);
  number_elements(large, 3);
  pending.wait();
  EXPECT_EQ(checkpoint.restore().value().step, 2);
  EXPECT_TRUE(is_numbered(large, 2));
  io::save(directory_ / "saved.h5", "large", large);
  number_elements(large, 3);
  io::load_into(directory_ / "saved.h5", "large", large);
  EXPECT_TRUE(is_numbered(large, 2));
  EXPECT_GT(ProfilersTimer::signals, 0);
}

}  // namespace
