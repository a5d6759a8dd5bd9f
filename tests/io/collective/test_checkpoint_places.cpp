// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <cstdlib>

#include <sys/stat.h>
#include <unistd.h>

#include "checkpoint_model.hpp"

// Places where checkpoints cannot be written: invalid paths, paths that another job uses, a full disk.
namespace {

using namespace tessera;
using namespace tessera::test;

TEST(CheckpointPlaces, place_that_cannot_be_written_is_an_error) {
  const Directory directory;
  on_rank_0([&] {
    set_bytes(directory / "file", "x");
    std::filesystem::create_directory(directory / "folder");
  });
  double x = 0;
  const auto expect = [&](const std::filesystem::path& prefix, const std::vector<std::string>& words) {
    io::Checkpoint checkpoint(world(), prefix);
    checkpoint.add("x", x);
    for (int twice = 0; twice < 2; ++twice) {
      expect_words(message_of<io::IoError>([&] { checkpoint.write(1); }), words);
      expect_words(message_of<io::IoError>([&] { checkpoint.write_async(1); }), words);
    }
  };
  expect(directory / "missing/run", {"missing/run", "No such file"});
  expect(directory / "file/run", {"file/run", "Not a directory"});
  expect(directory / "folder", {"folder", "this is a directory"});
  expect("/proc/run", {"/proc/run"});  // even root cannot make files there
  io::Checkpoint checkpoint(world(), directory / "missing/run");
  checkpoint.add("x", x);
  expect_words(message_of<io::IoError>([&] { checkpoint.restore(); }), {"missing", "No such file"});
  EXPECT_EQ(directory.names(), (std::vector<std::string>{"file", "folder"}));
}

// Locks that other processes might have left.
class Locks : public testing::Test {
 protected:
  Locks() { checkpoint_.add("x", x_); }
  void set_lock(const std::string& host, long process, const std::string& start, const std::string& boot) {
    on_rank_0([&] {
      set_bytes(lock_, "host " + host + "\nprocess " + std::to_string(process) + "\nstart " + start +
                           "\nboot " + boot + "\nsince 2026-01-31T12:00:00Z\n");
    });
  }
  void expect_held(const std::vector<std::string>& words) {
    const std::string message = message_of<io::IoError>([&] { checkpoint_.write(1); });
    expect_words(message, words);
    expect_words(message, {prefix_.string(), lock_.string()});
    EXPECT_FALSE(checkpoint_.restore().has_value()) << "reading needs no lock";
    EXPECT_EQ(directory_.names(), (std::vector<std::string>{"c.lock"}));
  }
  void expect_taken_over() {
    checkpoint_.write(1);
    on_rank_0([&] { EXPECT_NE(bytes_of(lock_).find("process "), std::string::npos); });
    checkpoint_.close();
    EXPECT_EQ(directory_.names(), (std::vector<std::string>{generation("c", 1)}));
    world().barrier();
  }

  const Directory directory_;
  const std::filesystem::path prefix_ = directory_ / "c", lock_ = directory_ / "c.lock";
  const std::string host_ = [] {  // the host of rank 0, which takes the path
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    world().broadcast(std::span<char>(name), 0);
    return std::string(name.data());
  }();
  const std::string boot_ = [] {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return id;
  }();
  double x_ = 0;
  io::Checkpoint checkpoint_{world(), prefix_};
};

// The start time of process 1: in /proc/1/stat, the field after the name and 19 other fields.
std::string start_of_process_1() {
  std::ifstream file("/proc/1/stat");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text.erase(0, text.rfind(')') + 2);
  for (int i = 0; i < 19; ++i) text.erase(0, text.find(' ') + 1);
  return text.substr(0, text.find(' '));
}

TEST_F(Locks, lock_of_a_living_process_is_held) {
  set_lock(host_, 1, start_of_process_1(), boot_);
  expect_held({"process 1 on host " + host_, "since 2026-01-31T12:00:00Z"});
}
TEST_F(Locks, lock_of_a_process_that_has_ended_is_taken_over) {
  set_lock(host_, 1, "12345678901", boot_);  // another process has its number now
  expect_taken_over();
}
TEST_F(Locks, lock_of_a_number_that_no_process_has_is_taken_over) {
  set_lock(host_, (1 << 22) + 5, "17", boot_);
  expect_taken_over();
}
TEST_F(Locks, lock_from_before_the_last_boot_is_taken_over) {
  set_lock(host_, 1, start_of_process_1(), "00000000-0000-0000-0000-000000000000");
  expect_taken_over();
}
TEST_F(Locks, lock_of_another_host_is_taken_over_on_request) {
  set_lock("elsewhere", 4321, "17", "00000000-0000-0000-0000-000000000000");
  expect_held({"process 4321 on host elsewhere", "remove"});
  io::Checkpoint bold(world(), prefix_, {.take_over = true});
  bold.add("x", x_);
  bold.write(1);
  bold.close();
  EXPECT_EQ(checkpoint_.restore().value().step, 1);
}
TEST_F(Locks, lock_without_contents_is_taken_over) {
  on_rank_0([&] { set_bytes(lock_, ""); });
  expect_taken_over();
}
// In a directory that others may write, anything may have been put in the lock's place.
TEST_F(Locks, other_files_in_place_of_a_lock_are_left_alone) {
  const auto expect_refused = [&](const std::vector<std::string>& words, auto&& make) {
    on_rank_0([&] {
      std::filesystem::remove_all(lock_);
      make();
    });
    const std::string message = message_of<io::IoError>([&] { checkpoint_.claim(); });
    expect_words(message, words);
    expect_words(message, {prefix_.string(), lock_.string(), "remove it, or give this job another path"});
    EXPECT_EQ(io::checkpoint_files(world(), prefix_).size(), 0U);
  };
  const auto victim = directory_ / "victim";
  const std::string text = "host " + host_ + "\nprocess 1\nstart 17\nboot x\nsince 2026-01-31T12:00:00Z\n";
  for (const std::string& contents : {std::string("precious\n"), std::string(), text}) {
    on_rank_0([&] { set_bytes(victim, contents); });
    expect_refused({"a symbolic link"}, [&] { std::filesystem::create_symlink(victim, lock_); });
    on_rank_0([&] { EXPECT_EQ(bytes_of(victim), contents); });
  }
  expect_refused({"a symbolic link"}, [&] { std::filesystem::create_symlink("nothing", lock_); });
  expect_refused({"a FIFO"}, [&] { mkfifo(lock_.c_str(), 0666); });
  expect_refused({"a directory"}, [&] { std::filesystem::create_directory(lock_); });
  expect_refused({"no lock but something else", "(9 bytes)"}, [&] {
    set_bytes(victim, "precious\n");
    std::filesystem::create_hard_link(victim, lock_);
  });
  on_rank_0([&] { EXPECT_EQ(bytes_of(victim), "precious\n"); });
  expect_refused({"no lock but something else", "(0 bytes)"}, [&] {
    set_bytes(directory_ / "empty", "");
    std::filesystem::create_hard_link(directory_ / "empty", lock_);
  });
  for (const std::string& other :
       {text + "x", text.substr(1), "\33[2J" + text, text.substr(0, text.size() - 1)})
    expect_refused({"no lock but something else"}, [&] { set_bytes(lock_, other); });
  expect_refused({"no lock but something else", "(322122547200 bytes)"}, [&] {
    set_bytes(lock_, text);
    std::filesystem::resize_file(lock_, std::uintmax_t{300} << 30);
  });
  on_rank_0([&] { std::filesystem::remove(lock_); });
}

// A lock may contain anything. The message shows it on one line, without control sequences for a terminal.
TEST_F(Locks, odd_host_name_is_printable_in_messages) {
  set_lock("else\33[2Jwhere", 4321, "17", "x");
  expect_held({"process 4321 on host else\\x1b[2Jwhere"});
}

TEST_F(Locks, lock_is_lost_when_its_directory_is_moved_away) {
  const auto place = directory_ / "place", moved = directory_ / "moved";
  on_rank_0([&] { std::filesystem::create_directory(place); });
  io::Checkpoint first(world(), place / "c"), second(world(), place / "c");
  first.add("x", x_);
  second.add("x", x_);
  first.write(1);
  auto pending = first.write_async(2);
  on_rank_0([&] { std::filesystem::rename(place, moved); });
  const std::vector<std::string> gone{"the lock of this job is gone", (place / "c.lock").string(),
                                      "No such file"};
  expect_words(message_of<io::IoError>([&] { pending.wait(); }), gone);
  expect_words(message_of<io::IoError>([&] { first.write(3); }), {"No such file", (place / "c").string()});
  // The directory exists again, so the path is free. The first checkpoint that writes takes it.
  on_rank_0([&] { std::filesystem::create_directory(place); });
  second.write(4);
  expect_words(message_of<io::IoError>([&] { first.write(5); }),
               {"is being written by process", "on host " + host_});
  second.close();
  first.write(6);
  EXPECT_NE(message_of<io::IoError>([&] { second.write(7); }), "");
  on_rank_0([&] { std::filesystem::remove(place / "c.lock"); });
  first.write(8);
  EXPECT_NE(message_of<io::IoError>([&] { second.write(9); }), "") << "the path was taken again";
  // A job removes its lock when it ends, even if the directory has been moved.
  on_rank_0([&] { std::filesystem::rename(place, directory_ / "away"); });
  first.close();
  on_rank_0([&] { EXPECT_FALSE(std::filesystem::exists(directory_ / "away/c.lock")); });
}

TEST_F(Locks, second_checkpoint_of_a_program_waits_for_close) {
  checkpoint_.claim();
  io::Checkpoint second(world(), prefix_);
  second.add("x", x_);
  const std::string words = "on host " + host_;
  expect_words(message_of<io::IoError>([&] { second.write(1); }), {words});
  checkpoint_.write(1);
  checkpoint_.close();
  second.write(2);
  EXPECT_EQ(checkpoint_.restore().value().step, 2);
  expect_words(message_of<io::IoError>([&] { checkpoint_.write(3); }), {words});
}

// tests/io/on-a-full-disk gives a directory with place for 4 MiB.
TEST(CheckpointPlaces, full_disk_is_an_error_and_old_generations_stay) {
  const char* directory = std::getenv("TESSERA_TEST_FULL_DISK");
  if (directory == nullptr) GTEST_SKIP() << "needs a small file system";
  const auto prefix = std::filesystem::path(directory) / "run";
  Array<double, 1> a(world(), {100000}), big(world(), {600000});
  const auto files = [&] {
    world().barrier();
    const auto count = std::distance(std::filesystem::directory_iterator(directory), {});
    world().barrier();
    return count;
  };
  {
    io::Checkpoint checkpoint(world(), prefix, {.keep = 2});
    checkpoint.add("a", a);
    number_elements(a, 1);
    checkpoint.write(1);
    checkpoint.add("big", big);
    for (int attempt = 0; attempt < 3; ++attempt) {
      const std::vector<std::string> words{"checkpoint of step 2", "bytes cannot be had", "No space left",
                                           "untouched"};
      expect_words(message_of<io::IoError>([&] { checkpoint.write(2); }), words);
      expect_words(message_of<io::IoError>([&] { checkpoint.write_async(2); }), words);
      EXPECT_EQ(files(), 2) << "the generation and the lock";
    }
  }
  world().barrier();
  io::Checkpoint checkpoint(world(), prefix, {.keep = 2});
  checkpoint.add("a", a);
  fill(a, 0.0);
  EXPECT_EQ(checkpoint.restore().value().step, 1);
  EXPECT_TRUE(is_numbered(a, 1));
  for (int step = 2; step < 12; ++step) checkpoint.write(step);
  checkpoint.close();
  EXPECT_EQ(files(), 2);
}

}  // namespace
