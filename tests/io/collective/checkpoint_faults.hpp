// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <tessera/io/io.hpp>

#include "checkpoint_model.hpp"

namespace tessera::test {

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
    EXPECT_TRUE(is_numbered(a_, 1));
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

}  // namespace tessera::test
