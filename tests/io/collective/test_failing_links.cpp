// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <fstream>
#include <functional>

#include "failing_system.hpp"
#include "file_model.hpp"

// Files that one rank only cannot open: the targets of external links in a file that all ranks have opened
// together to write.
namespace tessera::test {
namespace {

using io::File;
using io::Mode;

class FailingLinks : public testing::Test {
 protected:
  void SetUp() override {
    if (fail_function() == nullptr) GTEST_SKIP() << "needs tests/io/failing_system.cpp";
    on_rank_0([&] {
      write_raw<double>(there_, "x", {40, 5});
      std::ofstream(directory_ / "damaged.h5", std::ios::binary) << "\x89HDF\r\n\x1a\n"
                                                                 << std::string(500, 'x');
      write_raw<float>(path_, "y", {50});
      const hid_t file = good(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
      const auto link = [&](const char* to, const char* object, const char* name) {
        good(H5Lcreate_external(to, object, file, name, H5P_DEFAULT, H5P_DEFAULT));
      };
      link(there_.filename().c_str(), "/x", "link");
      link(there_.filename().c_str(), "/", "group");
      link("missing.h5", "/x", "missing");
      link("damaged.h5", "/x", "damaged");
      good(H5Lcreate_soft("/link", file, "soft", H5P_DEFAULT, H5P_DEFAULT));
      good(H5Fclose(file));
    });
    fill(a_, 1.0);
  }

  // Calls by name. If the name leads nowhere, they report an error.
  void expect_errors(File& file, const std::string& name, const std::vector<std::string>& words) {
    SCOPED_TRACE(name);
    const std::function<void()> actions[] = {[&] { file.read(name, a_); },
                                             [&] {
                                               file.write(name, {{0, 0}, {40, 5}}, a_);
                                             },
                                             [&] { file.write(name, a_); },
                                             [&] { file.append(name, a_); },
                                             [&] { file.read_step(name, 0, a_); },
                                             [&] { file.dataset(name); },
                                             [&] { file.set_attribute(name, "new", 1); },
                                             [&] { file.attribute(name, "unit"); },
                                             [&] { file.attributes(name); }};
    for (const auto& action : actions) expect_words(message_of<io::IoError>(action), words);
  }

  const Directory directory_;
  const std::filesystem::path there_ = directory_ / failing_name(directory_);
  const std::filesystem::path path_ = directory_ / "here.h5";
  Array<double, 2> a_{world(), {40, 5}, {.name = "a"}};
};

TEST_F(FailingLinks, external_links_are_read_and_not_written) {
  File file(world(), path_, Mode::read_write);
  for (const char* name : {"link", "group/x", "soft"}) {
    fill(a_, 0.0);
    file.read(name, a_);
    EXPECT_TRUE(equal_lists(elements_from<double>(0, 200), contents(a_)));
    EXPECT_TRUE(file.contains(name));
    EXPECT_EQ(file.steps(name), 40);
    EXPECT_EQ(file.dataset(name).type, "float64");
    const std::vector<std::string> words{name, path_.string(), "external link"};
    expect_words(message_of<io::IoError>([&] { file.write(name, a_); }), words);
    expect_words(message_of<io::IoError>([&] { file.write(name, {{0, 0}, {40, 5}}, a_); }), words);
    expect_words(message_of<io::IoError>([&] { file.append(name, a_); }), words);
    expect_words(message_of<io::IoError>([&] { file.set_attribute(name, "new", 1); }), words);
  }
  expect_words(message_of<io::IoError>([&] { file.write("group/new", a_); }), {"group/new", "external link"});
  expect_words(message_of<io::IoError>([&] { (file.create_dataset<double, 1>("group/new/b", {3})); }),
               {"group/new/b", "external link"});
  file.write("here", a_);
  file.close();
  on_rank_0([&] {
    EXPECT_TRUE(equal_lists(elements_from<double>(0, 200), raw_dataset<double>(there_, "x").elements));
  });
}

TEST_F(FailingLinks, target_that_no_rank_can_open_is_an_error) {
  File file(world(), path_, Mode::read_write);
  for (const char* name : {"missing", "damaged"}) {
    expect_errors(file, name, {name, path_.string()});
    EXPECT_FALSE(file.contains(name));
    EXPECT_EQ(file.steps(name), 0);
  }
  file.write("here", a_);
  file.close();
}

TEST_F(FailingLinks, target_that_one_rank_cannot_open_is_an_error_on_all) {
  for (const Mode mode : {Mode::read_write, Mode::read}) {
    for (int rank = 0; rank < world().size(); ++rank) {
      SCOPED_TRACE(rank);
      File file(world(), path_, mode);
      {
        const Failing failing(rank, opens);
        for (const char* name : {"link", "group/x", "soft"}) {
          if (mode == Mode::read_write) {
            expect_errors(file, name, {name, path_.string()});
          } else {
            expect_words(message_of<io::IoError>([&] { file.read(name, a_); }), {name, path_.string()});
          }
          if (world().size() == 1) continue;  // one rank always agrees
          const std::vector<std::string> words{name, "some ranks", path_.string()};
          expect_words(message_of<io::IoError>([&] { file.contains(name); }), words);
          expect_words(message_of<io::IoError>([&] { file.steps(name); }), words);
        }
        if (mode == Mode::read_write)
          expect_words(message_of<io::IoError>([&] { file.write("group/new", a_); }), {"group/new"});
      }
      file.read("link", a_);
      EXPECT_TRUE(equal_lists(elements_from<double>(0, 200), contents(a_)));
      if (mode == Mode::read_write) file.write("here", a_);
      file.close();
    }
  }
}

// If Open MPI's own open fails on one rank, it leaves other ranks waiting. It comes after our first open.
#ifdef OPEN_MPI
constexpr int max_spared = 0;
#else
constexpr int max_spared = 8;
#endif

// The file itself: each call that opens it fails in turn.
TEST_F(FailingLinks, file_that_one_rank_cannot_open_is_an_error_on_all) {
  for (const Mode mode : {Mode::read_write, Mode::read, Mode::truncate}) {
    for (int rank = 0; rank < world().size(); ++rank) {
      for (int but_first = 0; but_first <= max_spared; ++but_first) {
        SCOPED_TRACE(but_first);
        Failing failing(rank, opens, but_first);
        std::string problem;
        try {
          File(world(), there_, mode).close();
        } catch (const io::IoError& error) {
          problem = error.what();
        }
        const bool failed = failing.failed_calls() > 0;
        EXPECT_TRUE(failed || problem.empty()) << problem;
        EXPECT_TRUE(on_all(problem.empty()) || on_all(!problem.empty()));
      }
    }
  }
}

// Calls that open a file fail in turn while it is made.
TEST_F(FailingLinks, file_that_one_rank_cannot_make_is_not_left) {
  const auto path = directory_ / ("new" + failing_name(directory_));
  using Disk = io::DiskArray<double, 1>;
  const std::function<void()> calls[] = {[&] { const File made(world(), path, Mode::create); },
                                         [&] { const Disk made(world(), path, "x", {10}); }};
  int failures = 0;
  for (const auto& call : calls) {
    for (int rank = 0; rank < world().size(); ++rank) {
      for (int but_first = 0; but_first <= max_spared; ++but_first) {
        SCOPED_TRACE(testing::Message() << "rank " << rank << " fails after " << but_first);
        Failing failing(rank, opens, but_first);
        std::string problem;
        try {
          call();
        } catch (const io::IoError& error) {
          problem = error.what();
          EXPECT_FALSE(std::filesystem::exists(path)) << problem;
          ++failures;
        }
        EXPECT_TRUE(on_all(problem.empty()) || on_all(!problem.empty()));
        on_rank_0([&] { std::filesystem::remove(path); });
      }
    }
  }
  EXPECT_GE(failures, 2 * world().size());
}

}  // namespace
}  // namespace tessera::test
