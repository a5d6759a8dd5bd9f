// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <csignal>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <tessera/io/detail/commit_steps.hpp>

#include "checkpoint_faults.hpp"

// Faults while a checkpoint is written, and other things in the place of its files. The error arrives on every
// rank, names its object, and leaves the older generations unchanged.
namespace {

using namespace tessera;
using namespace tessera::test;

// Anything but a checkpoint with the newest generation's name is skipped and named. No rank waits for it.
TEST_F(CheckpointFaults, something_that_is_no_file_is_skipped_and_named) {
  const auto expect_skipped = [&](const std::vector<std::string>& words, auto&& make) {
    on_rank_0([&] {
      std::filesystem::remove_all(newest_);
      make();
    });
    const auto restored = checkpoint_.restore();
    TESSERA_ASSERT_ALL(restored.has_value() && restored->skipped.size() == 1);
    EXPECT_EQ(restored->step, 1);
    EXPECT_EQ(restored->skipped.front().file, newest_);
    expect_words(restored->skipped.front().reason, words);
    expect_words(io::verify_checkpoint(world(), newest_).problem, words);
    world().barrier();
  };
  using std::filesystem::create_symlink;
  const std::string name = newest_.filename();
  expect_skipped({name, "a symbolic link that leads nowhere", "No such file"},
                 [&] { create_symlink("nothing", newest_); });
  expect_skipped({name, "a symbolic link that leads nowhere", "symbolic links"},
                 [&] { create_symlink(newest_, newest_); });
  expect_skipped({name, "a FIFO"}, [&] { mkfifo(newest_.c_str(), 0666); });
  expect_skipped({name, "a directory"}, [&] { std::filesystem::create_directory(newest_); });
  expect_skipped({name, "a directory"}, [&] { create_symlink("..", newest_); });
  expect_skipped({name, "a device"}, [&] { create_symlink("/dev/zero", newest_); });
  expect_skipped({name, "a socket"}, [&] {
    sockaddr_un address{AF_UNIX, {}};
    std::strncpy(address.sun_path, newest_.c_str(), sizeof address.sun_path - 1);
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("bind failed");
    close(listener);
  });
  expect_skipped({"the file is empty"}, [&] { set_bytes(newest_, ""); });
  // They are neither removed nor counted.
  on_rank_0([&] {
    std::filesystem::remove_all(newest_);
    mkfifo(newest_.c_str(), 0666);
  });
  checkpoint_.write(3);
  checkpoint_.write(4);
  EXPECT_EQ(directory_.names(),
            (std::vector<std::string>{name, generation("run", 3), generation("run", 4), "run.lock"}));
}

// A program may begin with the checkpoint of another run.
TEST_F(CheckpointFaults, link_to_a_generation_is_read_and_stays) {
  on_rank_0([&] {
    std::filesystem::rename(newest_, directory_ / "archived.h5");
    std::filesystem::create_symlink("archived.h5", newest_);
  });
  EXPECT_EQ(checkpoint_.restore().value().step, 2);
  EXPECT_TRUE(is_numbered(a_, 2));
  checkpoint_.write(3);
  checkpoint_.write(4);
  EXPECT_EQ(directory_.names(),
            (std::vector<std::string>{"archived.h5", generation("run", 2), generation("run", 3),
                                      generation("run", 4), "run.lock"}));
}

// The largest possible number has no next number.
TEST_F(CheckpointFaults, number_after_the_largest_is_an_error) {
  const auto last = directory_ / "run.999999999999.h5";
  on_rank_0([&] {
    set_bytes(directory_ / "run.9223372036854775807.h5", "x");  // belongs to another program
    set_bytes(last, "x");
  });
  expect_words(message_of<io::IoError>([&] { checkpoint_.write(3); }), {"no number is left", last.string()});
  EXPECT_EQ(checkpoint_.restore().value().step, 2);
}

// A step that fails on one rank.
std::string failing_step;
int failing_rank = 0;
void fail_at(const char* step) {
  if (step == failing_step && world().rank() == failing_rank) throw io::IoError("the test failed it");
}
struct FailingStep {
  explicit FailingStep(const char* step) {
    failing_step = step;
    const bool of_all = failing_step == "created" || failing_step == "written" || failing_step == "flushed";
    failing_rank = of_all ? world().size() - 1 : 0;
    io::detail::commit_step_hook = fail_at;
  }
  ~FailingStep() { io::detail::commit_step_hook = nullptr; }
};

TEST_F(CheckpointFaults, step_that_fails_on_one_rank_is_an_error_on_all) {
  const auto before = directory_.names();
  for (const char* step : {"created", "written", "summed", "flushed", "sealed"}) {
    for (const bool behind : {false, true}) {
      SCOPED_TRACE(step);
      const FailingStep failing(step);
      number_elements(a_, 3);
      expect_words(
          message_of<io::IoError>([&] { behind ? checkpoint_.write_async(3).wait() : checkpoint_.write(3); }),
          {"checkpoint of step 3", prefix_.string(), "the test failed it", "older generations are untouched"});
      EXPECT_EQ(directory_.names(), before);
      EXPECT_EQ(checkpoint_.restore().value().step, 2);
      EXPECT_TRUE(is_numbered(a_, 2));
    }
  }
  int next = 3;
  for (const char* step : {"renamed", "listed", "pruned"}) {
    SCOPED_TRACE(step);
    const FailingStep failing(step);
    EXPECT_NE(message_of<io::IoError>([&] { checkpoint_.write(next); }), "");
    EXPECT_EQ(checkpoint_.restore().value().step, next++);
  }
  checkpoint_.write(next);
  EXPECT_EQ(directory_.names().size(), 3U);
}

TEST_F(CheckpointFaults, limit_of_one_rank_is_an_error_on_all) {
  const auto before = directory_.names();
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const bool last = world().rank() == world().size() - 1;
  const rlimit small{16384, limit.rlim_max};
  if (last) setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = message_of<io::IoError>([&] { checkpoint_.write(3); });
  if (last) setrlimit(RLIMIT_FSIZE, &limit);
  expect_words(message, {prefix_.string(), "16384", "ulimit -f", "untouched"});
  EXPECT_EQ(directory_.names(), before);
  EXPECT_EQ(checkpoint_.restore().value().step, 2);
}

// The operating system refuses what the last rank writes from now on, as a full disk would.
class Refusal {
 public:
  Refusal() {
    getrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, SIG_IGN);
  }
  ~Refusal() {
    io::detail::commit_step_hook = nullptr;
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, SIG_DFL);
  }
  Refusal(const Refusal&) = delete;
  Refusal& operator=(const Refusal&) = delete;
  static void begin(const char* step) {
    rlimit small{};
    getrlimit(RLIMIT_FSIZE, &small);
    small.rlim_cur = 16384;
    if (std::string(step) == "created" && world().rank() == world().size() - 1) setrlimit(RLIMIT_FSIZE, &small);
  }

 private:
  rlimit before_{};
};

TEST(CheckpointWriting, that_fails_on_one_rank_is_an_error_on_all) {
  const Directory directory;
  Array<double, 1> a(world(), {world().size() * 330'000});  // some tiles for each rank
  number_elements(a, 1);
  io::Checkpoint checkpoint(world(), directory / "run", {.bytes_per_second = 4 << 20});
  checkpoint.add("a", a);
  checkpoint.write(1);
  const auto before = directory.names();
  const std::vector<std::string> words{"checkpoint of step 2", "cannot be written", "File too large",
                                       "untouched"};
  {
    const Refusal refusal;
    io::detail::commit_step_hook = Refusal::begin;
    expect_words(message_of<io::IoError>([&] { checkpoint.write(2); }), words);
  }
  {
    const Refusal refusal;
    auto pending = checkpoint.write_async(2);
    Refusal::begin("created");  // it has written one tile by now, at most two
    expect_words(message_of<io::IoError>([&] { pending.wait(); }), words);
  }
  EXPECT_EQ(directory.names(), before);
  fill(a, 0.0);
  EXPECT_EQ(checkpoint.restore().value().step, 1);
  EXPECT_TRUE(is_numbered(a, 1));
}

TEST_F(CheckpointFaults, leftovers_of_killed_writers_are_removed) {
  on_rank_0([&] { set_bytes(directory_ / "run.000003.h5.tmp-0123456789abcdef", "half a file"); });
  checkpoint_.write(3);
  EXPECT_EQ(directory_.names(),
            (std::vector<std::string>{generation("run", 2), generation("run", 3), "run.lock"}));
}

}  // namespace
