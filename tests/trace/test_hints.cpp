// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include "artificial.hpp"
#include "hints.hpp"

namespace tessera::trace_tool {
namespace {

// The texts of the hints by one rule; no other rule may say anything.
std::vector<std::string> by(const std::string& rule, const Trace& trace) {
  std::vector<std::string> texts;
  for (const Hint& hint : hints(trace)) {
    EXPECT_EQ(hint.rule, rule) << hint.text;
    texts.push_back(hint.text);
  }
  return texts;
}

void expect_one(const std::string& rule, const Trace& trace, const std::string& text) {
  const auto texts = by(rule, trace);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_EQ(texts[0], text);
}

TEST(Hints, NothingToSayOfAnEvenTrace) {
  Trace trace = artificial(4, 2);
  for (int s = 0; s < 4; ++s) {
    for (int t = 0; t < 4; ++t)
      trace.cells.push_back({"F", s, t, s / 2 == t / 2 ? "node" : "agent", "get", 5000, 5000 * 8192, 0.01});
  }
  EXPECT_TRUE(hints(trace).empty());
  EXPECT_TRUE(hints(Trace()).empty());
}

TEST(Hints, AnOwnerThatServesMost) {
  Trace trace = artificial(4, 4);
  for (int s = 0; s < 4; ++s) {
    if (s != 3) trace.cells.push_back({"density", s, 3, "node", "get", 710, 710 * 1024, 0.0});
    if (s != 1) trace.cells.push_back({"density", s, 1, "node", "get", 290, 290 * 1024, 0.0});
  }
  trace.cells.push_back({"density", 3, 3, "node", "get", 100'000, 1, 0.0});  // its own do not count
  expect_one(
      "owner", trace,
      "rank 3 serves 71 % of all gets of `density` (2130 of 3000): use a block-cyclic layout or a read_only "
      "epoch");
  for (Cell& cell : trace.cells) cell.operations /= 10;  // too few to matter
  EXPECT_TRUE(hints(trace).empty());
}

TEST(Hints, ManySmallOperationsBetweenNodes) {
  Trace trace = artificial(2, 1);
  trace.cells.push_back({"F", 0, 1, "agent", "put", 12'000, 12'000 * 8, 0.0});
  trace.cells.push_back({"F", 1, 0, "window", "put", 8'000, 8'000 * 48, 0.0});
  trace.cells.push_back({"F", 0, 0, "node", "put", 900'000, 900'000 * 8, 0.0});
  expect_one(
      "small", trace,
      "20000 puts of `F` between nodes have 24 bytes on average: collect them in a Batch, or use gather and "
      "scatter");
  trace.cells[1].bytes *= 100;
  EXPECT_TRUE(hints(trace).empty());
}

TEST(Hints, WaitsAtSyncByImbalance) {
  Trace trace = artificial(3, 3);
  for (Process& process : trace.processes) {
    const bool slow = process.rank == 1;
    process.phases = {{"sync", 5, slow ? 0.5 : 3.5, slow ? 0.5 : 3.5, 0.0},
                      {"barrier", 5, 0.5, 0.5, 0.0},
                      {"integrals", 1, slow ? 9.0 : 6.0, slow ? 9.0 : 6.0, 0.0}};
  }
  const auto texts = by("imbalance", trace);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_TRUE(texts[0].starts_with("rank ")) << texts[0];
  EXPECT_NE(
      texts[0].find("40 % of the time in sync and barriers, rank 1 10 %: rank 1 has more work than the others, "
                    "most in phase `integrals`"),
      std::string::npos)
      << texts[0];
  for (Process& process : trace.processes) process.phases[0].self = 2.0;
  EXPECT_TRUE(hints(trace).empty());
}

TEST(Hints, RanksOfOneHostWithoutSharedMemory) {
  Trace trace = artificial(2, 1);
  trace.cells.push_back({"F", 0, 1, "agent", "get", 100, 1'000'000, 0.0});
  EXPECT_TRUE(hints(trace).empty());
  trace.processes[1].host = trace.processes[0].host;
  const auto texts = by("host", trace);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_TRUE(texts[0].starts_with("100 % of all bytes go between ranks of one host, but not through memory"))
      << texts[0];
}

TEST(Hints, TheWindowOnOneNode) {
  Trace trace = artificial(2, 2);
  trace.cells.push_back({"F", 0, 1, "window", "accumulate", 100, 300, 0.0});
  trace.cells.push_back({"F", 0, 0, "node", "put", 100, 700, 0.0});
  const auto texts = by("window", trace);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_TRUE(
      texts[0].starts_with("30 % of all bytes go through MPI's window between ranks of one node: use "
                           "AtomicDomain::cpu"))
      << texts[0];
}

TEST(Hints, AnotherPlacementOfRanks) {
  Trace trace = artificial(4, 2);  // nodes {0, 1} and {2, 3}; but 0 talks to 2, and 1 to 3
  trace.cells.push_back({"F", 0, 2, "agent", "get", 100, 4'000'000, 0.0});
  trace.cells.push_back({"F", 1, 3, "agent", "get", 100, 4'000'000, 0.0});
  trace.cells.push_back({"F", 0, 1, "node", "get", 100, 1'000'000, 0.0});
  expect_one("placement", trace,
             "8000000 of 9000000 bytes go between nodes; with the ranks dealt to the nodes in turn it would be "
             "1000000: "
             "change the launcher's placement (--map-by), or the layouts");
}

TEST(Hints, AccumulatesThatContend) {
  Trace trace = artificial(2, 2);
  trace.cells.push_back({"F", 0, 1, "node", "accumulate", 100'000, 100'000 * 800, 3.0});
  trace.cells.push_back({"F", 1, 1, "node", "accumulate", 100'000, 100'000 * 800, 3.0});
  expect_one("contention", trace,
             "2 ranks spend 30 % of their time in accumulates to rank 1's part of `F`, 30.0 us each: they wait "
             "for each "
             "other's locks; sum into a copy of your own and accumulate it once, or begin at different parts");
  trace.cells[0].seconds = trace.cells[1].seconds = 0.1;
  EXPECT_TRUE(hints(trace).empty());
}

}  // namespace
}  // namespace tessera::trace_tool
