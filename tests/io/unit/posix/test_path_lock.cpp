// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tessera/io/error.hpp>

#include "expect_words.hpp"
#include "file_bytes.hpp"
#include "message_of.hpp"
#include "posix/path_lock.hpp"
#include "temporary_directory.hpp"

namespace {

using tessera::io::IoError;
using tessera::io::detail::PathLock;
using tessera::test::bytes_of;
using tessera::test::expect_words;
using tessera::test::message_of;
using tessera::test::Names;
using tessera::test::set_bytes;
using tessera::test::TemporaryDirectory;

std::string host_of_this() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// A child process that takes a lock. It holds the lock until it is killed.
class Holder {
 public:
  explicit Holder(const std::filesystem::path& lock) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("pipe failed");
    process_ = fork();
    if (process_ == 0) hold(lock, ends[1]);
    close(ends[1]);
    answers_ = ends[0];
  }
  ~Holder() {
    stop();
    close(answers_);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  pid_t process() const { return process_; }
  // Waits until the process has tried. Returns whether it got the lock.
  bool got_lock() const {
    char answer = 'n';
    EXPECT_EQ(read(answers_, &answer, 1), 1) << "the process ended";
    return answer == 'y';
  }
  void stop() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  [[noreturn]] static void hold(const std::filesystem::path& file, int answers) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::optional<PathLock> lock;
    try {
      lock.emplace(file, false);
    } catch (const IoError&) {
      // Another process has it.
    }
    const char answer = lock ? 'y' : 'n';
    if (write(answers, &answer, 1) != 1) _exit(1);
    for (;;) pause();
  }

  pid_t process_ = 0;
  int answers_ = -1;
};

class PathLocks : public testing::Test {
 protected:
  std::string refusal(bool take_over = false) const {
    return message_of<IoError>([&] { PathLock(file_, take_over); });
  }

  const TemporaryDirectory directory_;
  const std::filesystem::path file_ = directory_ / "run.lock";
  // The lock of a process on another host, written by hand.
  const std::string elsewhere_ = "host elsewhere\nprocess 4321\nstart 17\nboot x\nsince 2026-01-31T12:00:00Z\n";
};

TEST_F(PathLocks, file_names_the_process_and_is_removed_at_the_end) {
  {
    const PathLock lock(file_, false);
    EXPECT_TRUE(lock.holds());
    EXPECT_EQ(directory_.names(), (Names{"run.lock"})) << "it leaves no other file";
    std::ifstream text(file_);
    Names lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    ASSERT_EQ(lines.size(), 5U);
    EXPECT_EQ(lines[0], "host " + host_of_this());
    EXPECT_EQ(lines[1], "process " + std::to_string(getpid()));
    EXPECT_EQ(lines[2].rfind("start ", 0), 0U);
    EXPECT_EQ(lines[3].rfind("boot ", 0), 0U);
    EXPECT_EQ(lines[4].rfind("since 20", 0), 0U);
  }
  EXPECT_TRUE(directory_.names().empty());
}

TEST_F(PathLocks, second_lock_of_a_path_is_refused_and_changes_nothing) {
  std::optional<PathLock> first(std::in_place, file_, false);
  const std::string before = bytes_of(file_);
  expect_words(refusal(), {"process " + std::to_string(getpid()), host_of_this(), file_.string()});
  expect_words(refusal(true), {"process " + std::to_string(getpid())});
  EXPECT_EQ(bytes_of(file_), before);
  EXPECT_TRUE(first->holds());
  EXPECT_EQ(directory_.names(), (Names{"run.lock"}));
  first.reset();
  EXPECT_TRUE(PathLock(file_, false).holds());
}

TEST_F(PathLocks, moved_lock_is_held_and_released_once) {
  PathLock first(file_, false), second;
  EXPECT_FALSE(second.holds());
  second = std::move(first);
  EXPECT_TRUE(second.holds());
  EXPECT_FALSE(first.holds());
  PathLock third(std::move(second));
  EXPECT_TRUE(third.holds());
  third = PathLock();
  EXPECT_TRUE(directory_.names().empty());
}

TEST_F(PathLocks, lock_of_another_process_is_refused_until_that_process_is_killed) {
  Holder other(file_);
  ASSERT_TRUE(other.got_lock());
  for (const bool take_over : {false, true})
    expect_words(refusal(take_over), {"process " + std::to_string(other.process()), host_of_this()});
  other.stop();
  EXPECT_EQ(directory_.names(), (Names{"run.lock"})) << "a killed process cannot remove it";
  const PathLock mine(file_, false);
  EXPECT_TRUE(mine.holds());
  EXPECT_NE(bytes_of(file_).find("\nprocess " + std::to_string(getpid()) + "\n"), std::string::npos);
}

// Each round begins with the lock of a process that was killed, except the first.
TEST_F(PathLocks, one_of_many_processes_gets_the_lock) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::unique_ptr<Holder>> processes;
    for (int i = 0; i < 6; ++i) processes.push_back(std::make_unique<Holder>(file_));
    std::vector<pid_t> holders;
    for (const auto& process : processes) {
      if (process->got_lock()) holders.push_back(process->process());
    }
    ASSERT_EQ(holders.size(), 1U) << "in round " << round;
    EXPECT_NE(bytes_of(file_).find("\nprocess " + std::to_string(holders.front()) + "\n"), std::string::npos);
  }
  EXPECT_EQ(directory_.names(), (Names{"run.lock"}));
}

TEST_F(PathLocks, lock_of_another_host_is_taken_over_on_request_only) {
  set_bytes(file_, elsewhere_);
  expect_words(refusal(), {"process 4321 on host elsewhere", "since 2026-01-31T12:00:00Z", "remove"});
  EXPECT_EQ(bytes_of(file_), elsewhere_);
  const PathLock bold(file_, true);
  EXPECT_TRUE(bold.holds());
  EXPECT_NE(bytes_of(file_).find("host " + host_of_this() + "\n"), std::string::npos);
}

TEST_F(PathLocks, lock_without_contents_is_taken_over) {
  set_bytes(file_, "");
  EXPECT_TRUE(PathLock(file_, false).holds());
  EXPECT_TRUE(directory_.names().empty());
}

TEST_F(PathLocks, file_with_another_text_is_refused_and_left_alone) {
  for (std::size_t cut = 1; cut < elsewhere_.size(); ++cut) {
    const std::string text = elsewhere_.substr(0, cut);
    set_bytes(file_, text);
    expect_words(refusal(true), {"is no lock but something else", std::to_string(cut) + " bytes"});
    EXPECT_EQ(bytes_of(file_), text);
  }
  for (const std::string& text : {elsewhere_ + "x", " " + elsewhere_, std::string(5000, 'x')}) {
    set_bytes(file_, text);
    expect_words(refusal(true), {"is no lock but something else"});
    EXPECT_EQ(bytes_of(file_), text);
  }
  EXPECT_EQ(directory_.names(), (Names{"run.lock"}));
}

TEST_F(PathLocks, lock_of_a_path_without_a_directory_is_refused) {
  const auto missing = directory_ / "missing/run.lock";
  expect_words(message_of<IoError>([&] { PathLock(missing, false); }), {missing.string(), "No such file"});
}

TEST_F(PathLocks, lock_that_was_removed_is_not_held) {
  const PathLock lock(file_, false);
  std::filesystem::remove(file_);
  EXPECT_FALSE(lock.holds());
}

TEST_F(PathLocks, lock_of_a_successor_stays) {
  {
    const PathLock lock(file_, false);
    std::filesystem::remove(file_);
    set_bytes(file_, elsewhere_);
    EXPECT_FALSE(lock.holds());
  }
  EXPECT_EQ(bytes_of(file_), elsewhere_);
}

TEST_F(PathLocks, lock_is_removed_from_a_directory_that_was_moved_away) {
  const auto place = directory_ / "place", moved = directory_ / "moved";
  std::filesystem::create_directory(place);
  {
    const PathLock lock(place / "run.lock", false);
    std::filesystem::rename(place, moved);
    EXPECT_FALSE(lock.holds());
    EXPECT_TRUE(std::filesystem::exists(moved / "run.lock"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(moved));
}

}  // namespace
