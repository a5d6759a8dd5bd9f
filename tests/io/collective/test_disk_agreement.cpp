// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <functional>

#include "file_model.hpp"

// Collective calls of a DiskArray that are wrong on one rank. Every rank gets an error. Each test goes on with
// collective calls, and would hang if one rank did not throw.
namespace tessera::test {
namespace {

using io::DiskArray;
using io::DiskOptions;
using io::DiskRequest;
using io::Mode;
using DiskVector = DiskArray<double, 1>;

bool is_last_rank() { return world().rank() == world().size() - 1; }

TEST(DiskAgreement, wrong_section_of_one_rank_is_an_error_on_all) {
  const Directory directory;
  DiskVector disk(world(), directory / "a.h5", "x", {20});
  Array<double, 1> a(world(), {20}, {.name = "a"});
  fill(a, 1.0);
  const auto section = is_last_rank() ? Patch<1>{{1}, {21}} : Patch<1>{{0}, {20}};
  const std::vector<std::string> words{"\"x\"", "a.h5"};
  expect_words(message_of<UsageError>([&] { disk.write(section, a); }), words);
  expect_words(message_of<UsageError>([&] { disk.read(section, a); }), words);
  expect_words(message_of<UsageError>([&] { (void)disk.write_async(section, a); }), words);
  expect_words(message_of<UsageError>([&] { (void)disk.read_async(section, a); }), words);
  const Array<double, 1> elsewhere(world().split(0), {20}, {.name = "elsewhere"});
  expect_words(message_of<UsageError>([&] { disk.write(elsewhere); }), {"\"elsewhere\"", "another group"});
  disk.write(a);
  fill(a, 0.0);
  disk.read(a);
  EXPECT_EQ(reduce(a, Reduce::sum), 20.0);
  disk.close();
}

TEST(DiskAgreement, array_of_some_ranks_is_an_error_on_them) {
  const Directory directory;
  DiskVector disk(world(), directory / "a.h5", "x", {20});
  const Group some = world().split(is_last_rank() && world().size() > 1 ? Group::no_color : 0);
  if (some) {
    const Array<double, 1> a(some, {20}, {.name = "some"});
    expect_words(message_of<UsageError>([&] { disk.write(a); }), {"\"some\"", "another group"});
  }
  disk.close();
}

TEST(DiskAgreement, request_that_one_rank_has_dropped_is_an_error_on_all) {
  if (world().size() == 1) GTEST_SKIP() << "needs two ranks";
  const Directory directory;
  DiskVector disk(world(), directory / "a.h5", "x", {20});
  Array<double, 1> a(world(), {20}, {.name = "a"});
  fill(a, 1.0);
  DiskRequest request = disk.write_async({{0}, {20}}, a);
  if (is_last_rank()) request = {};
  for (int call = 0; call < 2; ++call) {
    expect_words(message_of<UsageError>([&] {
                   (void)disk.write_async({{10}, {20}}, a.slice({{0}, {10}}));
                 }),
                 {"\"x\"", "overlaps [0:20)", "wait()"});
    expect_words(message_of<UsageError>([&] { disk.close(); }), {"\"x\"", "1 request was not waited for"});
  }
  request = {};
  disk.close();
}

TEST(DiskAgreement, wrong_options_of_one_rank_are_an_error_on_all) {
  const Directory directory;
  const auto path = directory / "a.h5";
  const auto make = [&](const DiskOptions& options) {
    return message_of<UsageError>(
        [&] { DiskVector(world(), path, "x", {20}, is_last_rank() ? options : DiskOptions{}); });
  };
  expect_words(make({.buffer = 0}), {"\"x\"", "a.h5"});
  expect_words(make({.chunks = {2, 2}}), {"\"x\"", "a.h5"});
  EXPECT_TRUE(directory.names().empty());
  DiskVector(world(), path, "x", {20}).close();
  const Mode mode = is_last_rank() ? Mode::truncate : Mode::read_write;
  expect_words(message_of<UsageError>([&] { DiskVector(world(), path, "x", mode); }), {"\"x\"", "a.h5"});
  DiskVector(world(), path, "x", Mode::read).close();
}

#ifdef TESSERA_TEST_CHECKS
TEST(DiskAgreement, arguments_that_differ_are_an_error) {
  if (world().size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const Directory directory;
  const auto path = directory / "a.h5", other = directory / "b.h5";
  using Make = std::function<void()>;
  const Make calls[] = {[&] { DiskVector(world(), is_last_rank() ? other : path, "x", {20}); },
                        [&] { DiskVector(world(), path, is_last_rank() ? "y" : "x", {20}); },
                        [&] { DiskVector(world(), path, "x", {is_last_rank() ? 20 : 19}); },
                        [&] { DiskVector(world(), path, "x", {20}, {.chunks = {is_last_rank() ? 5 : 4}}); },
                        [&] { DiskVector(world(), path, "x", {20}, {.buffer = is_last_rank() ? 100 : 200}); }};
  for (const Make& call : calls)
    expect_words(message_of<UsageError>(call), {"disk array", "do not match", "same arguments"});
  EXPECT_TRUE(directory.names().empty());
}
#endif

}  // namespace
}  // namespace tessera::test
