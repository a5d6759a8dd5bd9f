// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <functional>
#include <thread>

#include "file_model.hpp"
#include "system_calls.hpp"

// Collective writes that fail on one rank after all ranks have dropped the request. The next collective call
// that completes transfers reports the error on every rank, and once.
namespace tessera::test {
namespace {

using io::DiskRequest;
using io::IoError;

class DroppedWrites : public testing::Test {
 protected:
  DroppedWrites() { fill(a_, 4.0); }
  // The request of a write that has failed on the last rank.
  DiskRequest failed() {
    refuse.writes = world().rank() == world().size() - 1;
    DiskRequest request = disk_.write_async({{0}, {100}}, a_);
    while (!request.test()) std::this_thread::yield();
    refuse.writes = false;
    return request;
  }
  void expect_report(const std::function<void()>& call) {
    expect_words(message_of<IoError>(call), {"\"x\"", "a.h5", "[0:100)", "No space left"});
  }

  Directory directory_;
  Array<double, 1> a_{world(), {100}, {.name = "a"}};
  io::DiskArray<double, 1> disk_{world(), directory_ / "a.h5", "x", {200}};
};

TEST_F(DroppedWrites, are_reported_by_sync_flush_and_close) {
  static_cast<void>(failed());
  expect_report([&] { disk_.sync(); });
  static_cast<void>(failed());
  expect_report([&] { disk_.flush(); });
  disk_.sync();
  static_cast<void>(failed());
  expect_report([&] { disk_.close(); });
}

TEST_F(DroppedWrites, are_reported_if_another_request_takes_their_place) {
  DiskRequest request = failed();
  request = disk_.write_async({{100}, {200}}, a_);
  request.wait();
  expect_report([&] { disk_.sync(); });
  disk_.write({{0}, {100}}, a_);
  disk_.close();
  on_rank_0([&] {
    const std::vector<double> fours(200, 4.0);
    EXPECT_TRUE(equal_lists(fours, raw_dataset<double>(directory_ / "a.h5", "x").elements));
  });
}

TEST_F(DroppedWrites, are_not_reported_again_after_wait) {
  {
    DiskRequest request = failed();
    expect_words(message_of<IoError>([&] { request.wait(); }), {"\"x\"", "No space left"});
  }
  disk_.sync();
  disk_.close();
}

}  // namespace
}  // namespace tessera::test
