// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <functional>

#include "failing_system.hpp"
#include "file_model.hpp"

// The system refuses calls of one rank only while it writes a File. Every error arrives on every rank, no rank
// is left waiting, and the program ends as usual. Each rank in turn is the one that fails.
namespace tessera::test {
namespace {

using io::File;
using io::Mode;

bool is_full() { return std::getenv("TESSERA_TEST_ALL_FAILURES") != nullptr; }

class FailingWrites : public testing::Test {
 protected:
  void SetUp() override {
    if (fail_function() == nullptr) GTEST_SKIP() << "needs tests/io/failing_system.cpp";
    fill(a_, 1.5);
    fill(big_, 2.5);
  }

  // A file with much metadata, so that each rank writes some of it.
  File make() {
    File file(world(), path_, Mode::truncate);
    for (int i = 0; i < 6; ++i) {
      const std::string name = "group" + std::to_string(i) + "/a";
      file.write(name, a_);
      file.set_attribute(name, "list", std::vector<double>(20, 0.5));
    }
    file.create_dataset<double, 2>("packed", {30, 20}, {.chunks = {7, 6}, .deflate = 1});
    file.write("packed", a_);
    file.append("steps", a_, {.chunks = {30, 20}});
    return file;
  }

  // Tries an action while calls of one rank fail. It must fail on all ranks or succeed on all. Returns how many
  // calls failed.
  int attempt(int rank, int kinds, int but_first, const std::string& context,
              const std::function<void(File&)>& action) {
    SCOPED_TRACE(context + ": rank " + std::to_string(rank) + " fails after " + std::to_string(but_first));
    File file = make();
    std::string problem;
    int failures = 0;
    {
      Failing failing(rank, kinds, but_first);
      try {
        action(file);
      } catch (const io::IoError& error) {
        problem = error.what();
      }
      failures = failing.failed_calls();
    }
    const bool failed = failures > 0;
    EXPECT_EQ(problem.empty(), !failed) << problem;
    if (failed) expect_words(problem, {context, path_.string()});
    if (problem.find("closed") != std::string::npos) {
      EXPECT_FALSE(file.is_open());
      expect_words(message_of<UsageError>([&] { file.flush(); }), {"closed"});
    }
    EXPECT_TRUE(on_all(problem.empty()) || on_all(!problem.empty()));
    EXPECT_TRUE(on_all(file.is_open()) || on_all(!file.is_open()));
    file.close();
    return failures;
  }

  void attempt_on_each_rank(int kinds, const std::string& context, const std::function<void(File&)>& action) {
    for (int rank = 0; rank < world().size(); ++rank) {
      EXPECT_GT(attempt(rank, kinds, 0, context, action), 0) << "rank " << rank << " wrote nothing";
      for (int but_first = 1; but_first < (is_full() ? 8 : 2); ++but_first)
        attempt(rank, kinds, but_first, context, action);
    }
  }

  const Directory directory_;
  const std::filesystem::path path_ = directory_ / failing_name(directory_);
  Array<double, 2> a_{world(), {30, 20}, {.name = "a"}};
  Array<double, 2> big_{world(), {300, 1000}, {.name = "big"}};
};

TEST_F(FailingWrites, flush_fails_on_all_ranks) {
  attempt_on_each_rank(writes, "flush of", [](File& file) { file.flush(); });
}

TEST_F(FailingWrites, close_fails_on_all_ranks) {
  attempt_on_each_rank(writes, "closing of", [](File& file) {
    file.close();
    EXPECT_FALSE(file.is_open());
  });
}

TEST_F(FailingWrites, sync_and_resize_fail_on_all_ranks) {
  attempt_on_each_rank(syncs, "flush of", [](File& file) { file.flush(); });
  for (int rank = 0; rank < world().size(); ++rank) {
    attempt(rank, sizes, 0, "flush of", [](File& file) { file.flush(); });
    attempt(rank, sizes, 0, "closing of", [](File& file) { file.close(); });
    attempt(rank, syncs | sizes | writes, 0, "closing of", [](File& file) { file.close(); });
  }
}

TEST_F(FailingWrites, attributes_fail_on_all_ranks) {
  attempt_on_each_rank(writes, "-failing.h5", [&](File& file) {
    for (int i = 0; i < 6; ++i) {
      const std::string name = "group" + std::to_string(i) + "/a";
      file.set_attribute(name, "list", std::vector<double>(2000, 0.25));
      file.set_attribute(name, "text", std::vector<std::string>(3, std::string(1000, 'x')));
    }
    file.flush();
  });
}

// HDF5 writes when it has much to write, whatever the call.
TEST_F(FailingWrites, creation_of_a_dataset_fails_on_all_ranks) {
  attempt_on_each_rank(writes, "creation of dataset", [&](File& file) {
    for (int i = 0; i < 300; ++i)
      file.create_dataset<double, 2>("new" + std::to_string(i) + "/b", {30, 20},
                                     {.chunks = {3, 3}, .deflate = i % 2});
  });
}

// Chunks that are allocated when the dataset is created.
TEST_F(FailingWrites, creation_of_a_packed_dataset_fails_on_all_ranks) {
  for (int rank = 0; rank < world().size(); ++rank) {
    attempt(rank, writes, 0, "creation of dataset", [&](File& file) {
      file.create_dataset<double, 2>("new/b", {30, 20}, {.chunks = {3, 3}, .deflate = 1});
    });
  }
}

// Writes of elements. HDF5 knows where the elements are, so the file stays open and can be written again.
TEST_F(FailingWrites, elements_fail_on_all_ranks_and_can_be_written_again) {
  const auto context = [](const char* name) { return "write of dataset \"" + std::string(name) + "\""; };
  int failures = 0;
  for (int rank = 0; rank < world().size(); ++rank) {
    for (int but_first = 0; but_first < (is_full() ? 8 : 2); ++but_first) {
      for (const char* name : {"group3/a", "packed"}) {
        failures += attempt(rank, writes, but_first, context(name), [&](File& file) { file.write(name, a_); });
        failures += attempt(rank, writes, but_first, context(name), [&](File& file) {
          file.write(name, {{1, 1}, {29, 19}}, a_.slice({{0, 0}, {28, 18}}));
        });
      }
      failures += attempt(rank, writes, but_first, "write of dataset \"big\"",
                          [&](File& file) { file.write("big", big_); });
      failures += attempt(rank, writes, but_first, "write of a step of dataset \"steps\"",
                          [&](File& file) { file.append("steps", a_); });
      Array<float, 2> other(world(), {30, 20}, {.name = "other"});
      fill(other, 3.0F);
      failures += attempt(rank, writes, but_first, context("group3/a"),
                          [&](File& file) { file.write("group3/a", other); });
    }
  }
  EXPECT_GT(failures, world().size());
  File file = make();
  {
    Failing failing(0, writes);
    message_of<io::Hdf5Error>([&] { file.write("group3/a", a_); });
  }
  EXPECT_TRUE(file.is_open());
  fill(a_, 4.5);
  file.write("group3/a", a_);
  file.close();
  on_rank_0([&] {
    EXPECT_TRUE(equal_lists(std::vector<double>(600, 4.5), raw_dataset<double>(path_, "group3/a").elements));
    EXPECT_TRUE(equal_lists(std::vector<double>(600, 1.5), raw_dataset<double>(path_, "group2/a").elements));
  });
}

// More elements than MPI-IO moves at a time. The ranks' elements alternate in the file.
TEST_F(FailingWrites, many_elements_fail_on_all_ranks) {
  constexpr index_t rows = 2500, columns = 2000;
  Array<double, 2> wide(
      world(), Layout<2>::blocked({rows, columns}, world().size(), {.grid = Extents<2>{1, world().size()}}),
      {.name = "wide"});
  fill(wide, 1.5);
  int failures = 0;
  for (int rank = 0; rank < world().size(); ++rank) {
    for (int but_first = 0; but_first < (is_full() ? 4 : 1); ++but_first) {
      failures += attempt(rank, writes, but_first, "write of dataset \"wide\"",
                          [&](File& file) { file.write("wide", wide); });
    }
  }
  EXPECT_GT(failures, 0);
}

// Open MPI's OMPIO does not report reads that fail. HDF5 then takes zeros, as if the file ended before them.
#ifndef OPEN_MPI
TEST_F(FailingWrites, reads_of_elements_fail_on_all_ranks) {
  Array<float, 2> other(world(), {30, 20}, {.name = "other"});
  int failures = 0;
  for (int rank = 0; rank < world().size(); ++rank) {
    for (const char* name : {"group3/a", "packed"}) {
      const std::string context = "read of dataset \"" + std::string(name) + "\"";
      failures += attempt(rank, reads, 0, context, [&](File& file) { file.read(name, a_); });
      failures += attempt(rank, reads, 0, context, [&](File& file) { file.read(name, other); });
    }
  }
  EXPECT_GT(failures, 0);
}
#endif

TEST_F(FailingWrites, open_and_create_fail_on_all_ranks) {
  make().close();
  for (const Mode mode : {Mode::read_write, Mode::truncate}) {
    for (int rank = 0; rank < world().size(); ++rank) {
      for (const int kinds : {writes, sizes, writes | sizes | syncs}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(mode) << ", rank " << rank << ", kinds " << kinds);
        Failing failing(rank, kinds);
        std::string problem;
        try {
          File(world(), path_, mode).close();
        } catch (const io::IoError& error) {
          problem = error.what();
        }
        const bool failed = failing.failed_calls() > 0;
        EXPECT_TRUE(failed || problem.empty()) << problem;
        // OMPIO lets every rank set the size, and only checks whether rank 0 succeeded.
        const bool counts = failed && (kinds != sizes || rank == 0);
        if (counts) expect_words(problem, {path_.string()});
        EXPECT_TRUE(on_all(problem.empty()) || on_all(!problem.empty()));
      }
    }
  }
}

// One process makes the file, and the elements are written later.
TEST_F(FailingWrites, save_fails_on_all_ranks) {
  for (int but_first = 0; but_first < (is_full() ? 30 : 6); ++but_first) {
    Failing failing(0, writes, but_first);
    std::string problem;
    try {
      io::save(path_, {{"a", a_}, {"g/b", a_}});
    } catch (const io::IoError& error) {
      problem = error.what();
    }
    const bool failed = failing.failed_calls() > 0;
    EXPECT_EQ(problem.empty(), !failed) << problem;
    if (failed) expect_words(problem, {path_.string()});
    EXPECT_TRUE(on_all(problem.empty()) || on_all(!problem.empty()));
  }
}

// Samples that could not be written are in the file once, after the next sample.
TEST_F(FailingWrites, samples_are_written_once) {
  for (int but_first = 0; but_first < 6; ++but_first) {
    SCOPED_TRACE("rank 0 fails after " + std::to_string(but_first));
    int failures = 0;
    {
      io::Probes<2> probes(world(), path_, {{.at = {2, 3}}}, {.resume = false});
      fill(a_, 0.0);
      probes.sample(0, a_);
      fill(a_, 1.0);
      {
        Failing failing(0, writes, but_first);
        try {
          probes.sample(1, a_);
        } catch (const io::IoError&) {  // told, and tried again
        }
        failures = failing.failed_calls();
      }
      fill(a_, 2.0);
      probes.sample(2, a_);
    }
    on_rank_0([&] {
      EXPECT_EQ(raw_dataset<double>(path_, "time").elements, (std::vector<double>{0, 1, 2})) << failures;
      EXPECT_EQ(raw_dataset<double>(path_, "values").elements, (std::vector<double>{0, 1, 2})) << failures;
    });
  }
}

// Dropped files are closed by the next File, or by HDF5 when MPI ends.
TEST_F(FailingWrites, files_that_are_dropped_do_not_hang) {
  for (int rank = 0; rank < world().size(); ++rank) {
    { make(); }
    Failing failing(rank, writes);
    File next(world(), directory_ / "next.h5", Mode::truncate);
    EXPECT_GT(failing.failed_calls(), 0);
    next.write("a", a_);
    next.close();
  }
  { make(); }
  if (world().rank() == world().size() - 1) fail_function()(writes | sizes | syncs, 0);
}

}  // namespace
}  // namespace tessera::test
