// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include "artificial.hpp"
#include "page.hpp"

namespace tessera::trace_tool {
namespace {

Json file_of(int ranks, int rank) {
  return Json::parse(
      R"({"traceEvents":[{"ph":"M","name":"process_name","pid":0,"args":{"name":"x"}},
    {"ph":"X","cat":"phase","name":"scf","pid":)" +
      std::to_string(rank) + R"(,"tid":0,"ts":1.5,"dur":2}],
    "tessera":{"version":1,"ranks":)" +
      std::to_string(ranks) + R"(,"complete":false,"processes":[{"rank":)" + std::to_string(rank) +
      R"(,"node":0,"host":"h","seconds":2.5,"clock":[{"at":0,"offset_ns":5,"round_trip_ns":3000}],
    "events":{"operations":{"seen":9,"kept":3,"every":4}},"phases":[],"waits":[],"arrays":[{"name":"F","segments":1,
    "traffic":[{"target":0,"path":"node","operation":"get","operations":9,"bytes":72,"seconds":0.5}]}]}]}})");
}

std::string problem_of(Trace& trace, const Json& file) {
  try {
    add(trace, file);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

TEST(TraceData, FilesOfRanksAreJoined) {
  Trace trace;
  EXPECT_EQ(problem_of(trace, file_of(2, 1)), "");
  EXPECT_EQ(problem_of(trace, file_of(2, 0)), "");
  ASSERT_EQ(trace.processes.size(), 2U);
  EXPECT_EQ(trace.processes[0].rank, 0);
  EXPECT_FALSE(trace.is_complete);
  EXPECT_DOUBLE_EQ(trace.processes[1].clock_error, 1.5e-6);
  EXPECT_EQ(trace.processes[1].every, 4U);
  EXPECT_EQ(trace.cells.size(), 2U);
  EXPECT_EQ(trace.bars.size(), 2U);
  EXPECT_DOUBLE_EQ(trace.seconds(), 2.5);
}

TEST(TraceData, FilesOfSeveralJobsAreRefused) {
  Trace trace;
  Json first = file_of(3, 0), second = file_of(3, 1), other = file_of(3, 2);
  first["tessera"]["job"] = "0123";
  second["tessera"]["job"] = "0123";
  other["tessera"]["job"] = "4567";
  EXPECT_EQ(problem_of(trace, first), "");
  EXPECT_EQ(problem_of(trace, second), "");
  EXPECT_EQ(problem_of(trace, other), "it is of another job than the files before; give the files of one job");
  ASSERT_EQ(trace.processes.size(), 2U);
}

TEST(TraceData, OtherFilesAreRefused) {
  Trace trace;
  EXPECT_EQ(problem_of(trace, Json::parse("[1]")), "it is no trace of Tessera (TESSERA_TRACE=file writes one)");
  Json newer = file_of(2, 0);
  newer["tessera"]["version"] = 7;
  EXPECT_EQ(problem_of(trace, newer), "its version is 7; this program reads 1");
  EXPECT_EQ(problem_of(trace, file_of(2, 0)), "");
  EXPECT_EQ(problem_of(trace, file_of(2, 0)), "rank 0 is in two files; give the files of one job");
  EXPECT_EQ(problem_of(trace, file_of(3, 1)), "it is of a job on 3 ranks, the files before of one on 2");
  EXPECT_EQ(problem_of(trace, file_of(2, 5)), "rank 5 is not one of 2");
  EXPECT_THROW(read({"/nonexistent/trace"}), std::runtime_error);
}

TEST(TraceData, DamagedFilesAreRefused) {
  const auto problem_with = [](const char* place, const Json& value) {
    Json file = file_of(2, 0);
    file[Json::json_pointer(place)] = value;
    Trace trace;
    return problem_of(trace, file);
  };
  EXPECT_EQ(problem_with("/traceEvents/1/cat", "phase"), "");
  EXPECT_EQ(problem_with("/traceEvents/1/cat", ""), "an event has no category");
  EXPECT_EQ(problem_with("/traceEvents/1/pid", 1), "an event is of rank 1, which is not in the file");
  EXPECT_EQ(
      problem_with("/traceEvents/1/args", {{"array", "F"}, {"path", "node"}, {"target", 2}, {"bytes", 8}}),
      "rank 2 is not one of 2");
  EXPECT_EQ(problem_with("/tessera/processes", nullptr), "it has no ranks");
  EXPECT_EQ(problem_with("/tessera/processes/0/arrays/0/traffic/0/bytes", -8), "-8 is no count");
}

TEST(TraceData, ThePageHasNoTagOfAName) {
  Trace trace = artificial(2, 2);
  trace.cells.push_back({"</script><script>alert(1)", 0, 1, "node", "get", 1, 8, 0.0});
  trace.cells.push_back({"\xff\xc3", 1, 0, "node", "get", 1, 8, 0.0});  // not UTF-8
  const std::string text = page(trace, {});
  EXPECT_EQ(text.find("<script>alert"), std::string::npos);
  EXPECT_NE(text.find("\\u003c/script>\\u003cscript>alert(1)"), std::string::npos);
}

}  // namespace
}  // namespace tessera::trace_tool
