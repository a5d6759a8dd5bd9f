// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <csignal>
#include <cstdio>
#include <cstring>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <tessera/io/detail/commit_steps.hpp>
#include <tessera/io/io.hpp>

#include "base/checksum.hpp"
#include "checkpoint/head.hpp"
#include "checkpoint_model.hpp"

// Faults of a checkpoint. The error arrives on every rank, names its object, and leaves the older generations
// unchanged.
namespace {

using namespace tessera;
using namespace tessera::test;

// Two generations, of steps 1 and 2. The tests damage the second.
class CheckpointFaults : public testing::Test {
 protected:
  CheckpointFaults() {
    checkpoint_.add("density", a_);
    checkpoint_.add("time", time_);
    for (int step = 1; step <= 2; ++step) {
      number_elements(a_, step);
      time_ = step;
      checkpoint_.write(step);
    }
    whole_ = bytes_of(newest_);
    world().barrier();
  }
  // With these bytes the newest file is refused with these words, and the file before it is restored.
  void expect_refused(const std::string& bytes, const std::vector<std::string>& words) {
    on_rank_0([&] { set_bytes(newest_, bytes); });
    fill(a_, -1.0);
    time_ = -1;
    const auto restored = checkpoint_.restore();
    TESSERA_ASSERT_ALL(restored.has_value());
    EXPECT_EQ(restored->step, 1);
    EXPECT_EQ(misnumbered(a_, 1), 0);
    EXPECT_EQ(time_, 1);
    TESSERA_ASSERT_ALL(restored->skipped.size() == 1);
    EXPECT_EQ(restored->skipped.front().file, newest_);
    expect_words(restored->skipped.front().reason, words);
    expect_words(io::verify_checkpoint(world(), newest_).problem, words);
    world().barrier();
  }
  std::string flipped(std::size_t byte, int bit = 0) const {
    std::string bytes = whole_;
    bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << bit));
    return bytes;
  }

  const Directory directory_;
  const std::filesystem::path prefix_ = directory_ / "run";
  const std::filesystem::path newest_ = generation(prefix_, 2);
  Array<double, 2> a_{world(), {300, 700}, {.name = "a"}};
  double time_ = 0;
  io::Checkpoint checkpoint_{world(), prefix_};
  std::string whole_;
};

TEST_F(CheckpointFaults, OneFlippedBitInEachPart) {
  // The positions are found by their contents, without HDF5.
  const auto manifest = whole_.find("step 2\ngeneration 2\n"), header = whole_.find("\x89HDF");
  double last = element<double>(2 + 300 * 700 - 1);
  const auto data = whole_.find(std::string(reinterpret_cast<const char*>(&last), sizeof last));
  TESSERA_ASSERT_ALL(manifest != std::string::npos && header == 4096 && data != std::string::npos);
  expect_refused(flipped(data), {"array \"density\" is damaged", "elements 131072 to 209999 of 210000"});
  expect_refused(flipped(manifest + 5), {"manifest is damaged"});
  expect_refused(flipped(header + 9, 3), {"HDF5 structures", "damaged"});
  expect_refused(flipped(header + 300), {"HDF5 structures", "damaged"});
  expect_refused(flipped(10), {"seal", "damaged"});
  expect_refused(flipped(40), {"seal", "damaged"});
  expect_refused(flipped(4000), {"seal", "damaged"});
}

TEST_F(CheckpointFaults, OneFlippedBitAnywhere) {
  Random random(4711);
  for (int i = 0; i < 12; ++i) {
    const auto byte = static_cast<std::size_t>(pick(random, 0, static_cast<index_t>(whole_.size()) - 1));
    SCOPED_TRACE(byte);
    expect_refused(flipped(byte, static_cast<int>(pick(random, 0, 7))), {"damaged"});
  }
  // Data fill most of the file, so the first bytes are tried separately.
  for (int i = 0; i < 12; ++i) {
    const auto byte = static_cast<std::size_t>(pick(random, 0, 8191));
    SCOPED_TRACE(byte);
    expect_refused(flipped(byte, static_cast<int>(pick(random, 0, 7))), {"damaged"});
  }
}

TEST_F(CheckpointFaults, OtherFiles) {
  for (const std::size_t size : {whole_.size() - 1, whole_.size() / 2, std::size_t{4096}})
    expect_refused(whole_.substr(0, size), {"truncated", std::to_string(whole_.size())});
  expect_refused(whole_.substr(0, 100), {"seal"});
  expect_refused(whole_ + '\0', {"truncated"});
  expect_refused("", {"the file is empty"});
  expect_refused(std::string(4096, '\0') + whole_.substr(4096), {"never completed"});
  expect_refused("a few words\n", {"no checkpoint"});
  on_rank_0([&] {
    std::filesystem::remove(newest_);
    std::filesystem::create_directory(newest_);
  });
  EXPECT_EQ(checkpoint_.restore().value().step, 1);
  expect_words(io::verify_checkpoint(world(), newest_).problem, {"directory"});
  expect_words(io::verify_checkpoint(world(), directory_ / "nothing").problem, {"nothing", "No such file"});
}

// Anything but a checkpoint with the newest generation's name is skipped and named. No rank waits for it.
TEST_F(CheckpointFaults, WhatIsNoFile) {
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
TEST_F(CheckpointFaults, LinksToGenerations) {
  on_rank_0([&] {
    std::filesystem::rename(newest_, directory_ / "archived.h5");
    std::filesystem::create_symlink("archived.h5", newest_);
  });
  EXPECT_EQ(checkpoint_.restore().value().step, 2);
  EXPECT_EQ(misnumbered(a_, 2), 0);
  checkpoint_.write(3);
  checkpoint_.write(4);
  EXPECT_EQ(directory_.names(),
            (std::vector<std::string>{"archived.h5", generation("run", 2), generation("run", 3),
                                      generation("run", 4), "run.lock"}));
}

// The largest possible number has no next number.
TEST_F(CheckpointFaults, NumbersHaveAnEnd) {
  const auto last = directory_ / "run.999999999999.h5";
  on_rank_0([&] {
    set_bytes(directory_ / "run.9223372036854775807.h5", "x");  // belongs to another program
    set_bytes(last, "x");
  });
  expect_words(message_of<io::IoError>([&] { checkpoint_.write(3); }), {"no number is left", last.string()});
  EXPECT_EQ(checkpoint_.restore().value().step, 2);
}

// Changes numbers of the manifest and makes the checksums right again. test_checkpoint_forged does more of
// this, without MPI.
void forge(const std::filesystem::path& file, const std::string& whole, const std::string& from,
           const std::string& to) {
  namespace detail = io::detail;
  detail::Seal seal;
  ASSERT_EQ(std::sscanf(whole.c_str(), "Tessera checkpoint, format 1\nsize %ld\nmanifest %ld\nlength %ld\n",
                        &seal.file_size, &seal.manifest_offset, &seal.manifest_size),
            3);
  const auto at = static_cast<std::size_t>(seal.manifest_offset);
  std::string text = whole.substr(at, static_cast<std::size_t>(seal.manifest_size));
  ASSERT_NE(text.find(from), std::string::npos) << from;
  text.replace(text.find(from), from.size(), to);
  std::string bytes = whole;
  bytes.resize(std::max(bytes.size(), at + text.size()));
  bytes.replace(at, text.size(), text);
  seal.manifest_size = static_cast<index_t>(text.size());
  seal.file_size = static_cast<index_t>(bytes.size());
  seal.manifest_checksum = detail::checksum(text);
  set_bytes(file, bytes);
  try {
    const auto manifest = detail::parse_manifest(text);
    detail::check_places(seal, manifest);
    seal.frame_checksum = detail::frame_checksum(detail::open_to_read(file), seal.file_size, manifest.entries);
  } catch (const io::IoError&) {
    // Then its checksum cannot be computed.
  }
  bytes.replace(0, detail::Seal::bytes, seal.text());
  set_bytes(file, bytes);
}

TEST_F(CheckpointFaults, ForgedNumbers) {
  const std::pair<const char*, const char*> forgeries[]{
      {"2 300 700 density", "3 4294967296 4294967296 4294967296 density"},
      {"2 300 700 density", "2 3000 7000 density"},
      {"2 300 700 density", "2 301 700 density"},
      {"2 300 700 density", "2 -300 700 density"},
      {"2 300 700 density", "1 9223372036854775807 density"},
      {"array float64 8", "array bytes 4611686018427387904"},
      {"tiles 3", "tiles 2305843009213693952"},
      {"step 2", "step \33[2J"},
      {"entries 2", "entries 1000000000000"},
      {" 0 time", " 0 density"}};
  for (const auto& [from, to] : forgeries) {
    SCOPED_TRACE(to);
    on_rank_0([&] { forge(newest_, whole_, from, to); });
    fill(a_, -1.0);
    const auto restored = checkpoint_.restore();
    TESSERA_ASSERT_ALL(restored.has_value() && restored->skipped.size() == 1);
    EXPECT_EQ(restored->step, 1);
    EXPECT_EQ(misnumbered(a_, 1), 0);
    for (const std::string& message :
         {restored->skipped.front().reason, io::verify_checkpoint(world(), newest_).problem}) {
      EXPECT_GT(message.size(), 10U);
      for (const char* raw : {"std::", "stoll", "alloc", "\33"})
        EXPECT_EQ(message.find(raw), std::string::npos) << message;
    }
  }
  // Valid numbers are read and compared with the program's array.
  on_rank_0([&] { forge(newest_, whole_, "2 300 700 density", "2 700 300 density"); });
  EXPECT_EQ(io::verify_checkpoint(world(), newest_).problem, "");
  expect_words(message_of<io::IoError>([&] { checkpoint_.restore(); }), {"700 x 300 of float64 there"});
  on_rank_0([&] { forge(newest_, whole_, " density", " d\33[2Jnsity"); });
  EXPECT_EQ(io::verify_checkpoint(world(), newest_).problem, "");
  expect_words(message_of<io::IoError>([&] { checkpoint_.restore(); }), {"there is no \"density\""});
}

TEST_F(CheckpointFaults, NoneIsLeft) {
  on_rank_0([&] {
    set_bytes(newest_, flipped(9000));
    set_bytes(generation(prefix_, 1), "x");
  });
  time_ = 77;
  expect_words(message_of<io::IoError>([&] { checkpoint_.restore(); }),
               {prefix_.string(), "no generation can be restored", newest_.string(), "damaged",
                generation(prefix_, 1).string(), "no checkpoint"});
  EXPECT_EQ(time_, 77);
  number_elements(a_, 3);
  checkpoint_.write(3);
  EXPECT_EQ(checkpoint_.restore().value().step, 3);
  EXPECT_EQ(misnumbered(a_, 3), 0);
}

TEST_F(CheckpointFaults, OtherArraysThanWereWritten) {
  checkpoint_.close();
  Array<double, 2> turned(world(), {700, 300});
  Array<float, 2> floats(world(), {300, 700});
  std::vector<double> list(3);
  std::array<double, 2> pair{};
  const auto refuse = [&](const char* name, auto& what, const std::vector<std::string>& words) {
    io::Checkpoint other(world(), prefix_);
    other.add(name, what);
    const std::string message = message_of<io::IoError>([&] { other.restore(); });
    expect_words(message, words);
    expect_words(message, {newest_.string(), "step 2"});
  };
  refuse("density", turned, {"array \"density\" is 300 x 700 of float64 there, but 700 x 300 of float64 here"});
  refuse("density", floats, {"of float64 there", "of float32 here"});
  refuse("density", time_, {"array \"density\"", "but float64 here"});
  refuse("time", a_, {"value \"time\" is float64 there", "300 x 700 of float64 here"});
  refuse("time", list, {"value \"time\""});
  refuse("time", pair, {"value \"time\" is float64 there, but 2 of float64 here"});
  refuse("fock", a_, {"there is no \"fock\" in it"});
  // A program may restore only a part of what the file has.
  time_ = -1;
  io::Checkpoint part(world(), prefix_);
  part.add("time", time_);
  EXPECT_EQ(part.restore().value().step, 2);
  EXPECT_EQ(time_, 2);
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

TEST_F(CheckpointFaults, EachStepFailsOnOneRank) {
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
      EXPECT_EQ(misnumbered(a_, 2), 0);
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

TEST_F(CheckpointFaults, WhereOneRankMayNotWrite) {
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

TEST(CheckpointWriting, FailsOnOneRank) {
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
  EXPECT_EQ(misnumbered(a, 1), 0);
}

TEST_F(CheckpointFaults, DamagedOnesAreNotAmongThoseThatAreKept) {
  expect_refused(flipped(9000), {"damaged"});
  checkpoint_.write(3);
  EXPECT_EQ(io::checkpoint_files(world(), prefix_).size(), 3U);
  on_rank_0([&] { set_bytes(generation(prefix_, 3), bytes_of(generation(prefix_, 3)).substr(0, 5000)); });
  EXPECT_EQ(checkpoint_.restore().value().step, 1);
  EXPECT_EQ(misnumbered(a_, 1), 0);
  checkpoint_.write(4);
  checkpoint_.write(5);
  EXPECT_EQ(directory_.names(),
            (std::vector<std::string>{generation("run", 4), generation("run", 5), "run.lock"}));
}

TEST_F(CheckpointFaults, WhatKilledWritersLeftIsRemoved) {
  on_rank_0([&] { set_bytes(directory_ / "run.000003.h5.tmp-0123456789abcdef", "half a file"); });
  checkpoint_.write(3);
  EXPECT_EQ(directory_.names(),
            (std::vector<std::string>{generation("run", 2), generation("run", 3), "run.lock"}));
}

}  // namespace
