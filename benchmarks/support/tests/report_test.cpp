// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "report.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include <tessera/runtime/error.hpp>

#include "json.hpp"
#include "table.hpp"

namespace tessera::benchmark {
namespace {

constexpr Estimate quiet{1.0, 0.99, 1.01};

Row row(std::string section, std::string name, double time, double reference) {
  Row row{.section = std::move(section), .name = std::move(name), .reference = "memcpy"};
  const double ratio = reference / time;
  row.measured = {.time = {time, 0.98 * time, 1.02 * time},
                  .reference = Estimate{reference, 0.98 * reference, 1.02 * reference},
                  .ratio = Estimate{ratio, 0.98 * ratio, 1.02 * ratio},
                  .control = quiet};
  return row;
}

Report report(std::string mpi, std::vector<Row> rows) {
  return {.environment = {.benchmark = "sample",
                          .library = "the library",
                          .mpi = std::move(mpi),
                          .processor = "a chip",
                          .cores = 2,
                          .ranks = 2,
                          .pairs = 31,
                          .date = "2026-01-02"},
          .rows = std::move(rows)};
}

TEST(Format, ThreeDigitsAndAUnit) {
  EXPECT_EQ(format_seconds(12.34e-9), "12.3 ns");
  EXPECT_EQ(format_seconds(0.5e-9), "0.50 ns");
  EXPECT_EQ(format_seconds(41.26e-6), "41.3 us");
  EXPECT_EQ(format_seconds(2.5e-3), "2.50 ms");
  EXPECT_EQ(format_seconds(123.4), "123 s");
  EXPECT_EQ(format_rate(4.734e9), "4.73 GB/s");
  EXPECT_EQ(format_rate(0.4734e9), "0.47 GB/s");
  EXPECT_EQ(format_rate(47.34e6), "47.3 MB/s");
  EXPECT_EQ(format_ratio({0.97, 0.95, 0.99}), "0.97 [0.95, 0.99]");
  EXPECT_EQ(format_ratio({0.00577, 0.0057, 0.0058}), "0.0058 [0.0057, 0.0058]");
  EXPECT_EQ(format_target({Goal::at_most, 50e-9}), "at most 50 ns");
  EXPECT_EQ(format_target({Goal::at_most, 20e-6}), "at most 20 us");
  EXPECT_EQ(format_target({Goal::at_most_more, 25e-9}), "at most 25 ns more");
  EXPECT_EQ(format_target({Goal::at_least, 0.8}), "ratio 0.8 or more");
  EXPECT_EQ(format_target({Goal::at_least, 1.0 / 3.0}), "ratio 0.333 or more");
  EXPECT_EQ(format_seconds(-12.34e-9), "-12.3 ns");
  EXPECT_EQ(format_share({0.941, 0.93, 0.955}), "94.1 % [93.0, 95.5]");
  EXPECT_EQ(format_target({Goal::share_at_least, 0.9}), "90 % or more");
  EXPECT_EQ(format_target({Goal::share_at_most, 0.01}), "at most 1 %");
  EXPECT_EQ(format_bytes(8), "8 B");
  EXPECT_EQ(format_bytes(1000), "1000 B");
  EXPECT_EQ(format_bytes(32 * 1024), "32 KiB");
  EXPECT_EQ(format_bytes(64 << 20), "64 MiB");
}

TEST(Row, TheGoalSaysWhatIsJudged) {
  Row r = row("a", "b", 40e-9, 10e-9);  // 4 times slower than its reference, but quick enough
  EXPECT_EQ(r.verdict(), Verdict::none);
  r.target = {Goal::at_most, 50e-9};
  EXPECT_EQ(r.verdict(), Verdict::met);
  r.target = {Goal::at_least, 0.8};
  EXPECT_EQ(r.verdict(), Verdict::missed);
  r.target = {Goal::at_most_more, 25e-9};
  EXPECT_EQ(r.verdict(), Verdict::not_measurable) << "nobody took the difference";
  r.measured.excess = Estimate{30e-9, 29e-9, 31e-9};
  EXPECT_EQ(r.verdict(), Verdict::missed);
  r.measured.excess = Estimate{26e-9, 24e-9, 28e-9};
  EXPECT_EQ(r.verdict(), Verdict::met);
  r.measured.control = Estimate{1.0, 0.9, 1.1};
  EXPECT_EQ(r.verdict(), Verdict::not_measurable);
}

TEST(Row, AShareIsJudgedByItsIntervalWhereThereIsNoControl) {
  Row r{.section = "a", .name = "b"};
  r.measured.share = Estimate{0.02, 0.01, 0.03};
  r.target = {Goal::share_at_most, 0.01};
  EXPECT_EQ(r.verdict(), Verdict::met);
  r.target = {Goal::share_at_least, 0.04};
  EXPECT_EQ(r.verdict(), Verdict::missed);
}

TEST(Row, TheResultShowsTheIntervalThatIsJudged) {
  Row r = row("a", "b", 1.0, 2.0);
  EXPECT_EQ(r.result(), "2.00 [1.96, 2.04]");
  r.measured.ratio.reset();
  EXPECT_EQ(r.result(), "") << "of a time alone, without a target";
  r.measured.time = {850e-6, 99e-6, 1.4e-3};  // a quantile of few values
  r.target = {Goal::at_most, 500e-6};
  EXPECT_EQ(r.verdict(), Verdict::met);
  EXPECT_EQ(r.result(), "[99.0 us, 1.40 ms]");
  r.measured.share = Estimate{0.02, 0.01, 0.03};
  EXPECT_EQ(r.result(), format_share(*r.measured.share));
}

TEST(Summaries, GeometricMeanAndWorstOfASectionForEachReference) {
  Row peer = row("a", "slow", 8.0, 1.0), peer_too = row("a", "fast", 2.0, 1.0),
      alone = row("b", "other", 9.0, 1.0);
  peer.reference = peer_too.reference = "peer";
  const Report r = report("M", {row("a", "slow", 2.0, 1.0), peer, row("a", "fast", 0.5, 1.0), peer_too, alone});
  const auto of = summaries(r);
  ASSERT_EQ(of.size(), 2u);
  EXPECT_EQ(of[0].reference, "memcpy");
  EXPECT_NEAR(of[0].mean, 1.0, 1e-14);
  EXPECT_EQ(of[0].worst->name, "slow");
  EXPECT_EQ(of[1].reference, "peer");
  EXPECT_NEAR(of[1].mean, 0.25, 1e-14);
  EXPECT_EQ(of[1].worst->measured.ratio->value, 0.125);
}

TEST(Summaries, WhereSomeHaveATargetOnlyTheseCount) {
  Row first = row("a", "large", 2.0, 1.0), second = row("a", "larger", 2.0, 1.0);
  first.target = second.target = Target{Goal::at_least, 0.9};
  const Report r = report("M", {row("a", "small", 50.0, 1.0), first, second});
  const auto of = summaries(r);
  ASSERT_EQ(of.size(), 1u);
  EXPECT_TRUE(of[0].by_target);
  EXPECT_NEAR(of[0].mean, 0.5, 1e-14);
  EXPECT_EQ(of[0].worst->name, "large");
}

TEST(Summaries, AMeanMayHaveATarget) {
  Report r = report("M", {row("a", "slow", 2.0, 1.0), row("a", "fast", 0.5, 1.0)});
  EXPECT_EQ(summaries(r)[0].judgement(), "");
  r.mean_targets = {{"a", "memcpy", 0.95}};
  EXPECT_EQ(summaries(r)[0].judgement(), ": 0.95 or more: met");
  r.mean_targets = {{"a", "memcpy", 1.05}};
  EXPECT_EQ(summaries(r)[0].judgement(), ": 1.05 or more: missed");
}

class JsonFile : public testing::Test {
 protected:
  std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("tessera-report-test-" + std::to_string(getpid()));
  void SetUp() override { std::filesystem::create_directory(directory_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }
};

TEST_F(JsonFile, HoldsAllOfAReport) {
  Row first = row("a", "b", 40e-9, 10e-9);
  first.target = {Goal::at_least, 0.8};
  first.counts = Counts::where_reference_is_fastest;
  first.bytes = 8.0;
  Row second{.section = "a", .name = "alone"};
  second.measured = {.time = {1.0, 0.5, 2.0}, .reference = {}, .ratio = {}, .control = quiet};
  second.target = {Goal::at_most, 3.0};
  Row third = row("a", "c", 40e-9, 10e-9);
  third.target = {Goal::at_most_more, 25e-9};
  third.measured.excess = Estimate{30e-9, 29e-9, 31e-9};
  Row fourth{.section = "a", .name = "share"};
  fourth.measured = {.time = {1.0, 0.5, 2.0}, .share = Estimate{0.9, 0.8, 1.0}};
  fourth.target = {Goal::share_at_least, 0.9};
  fourth.remark = "said of it";
  Report written = report("M", {first, second, third, fourth});
  written.environment.topology = "two hosts";
  written.notes = {"something was not there"};
  written.mean_targets = {{"a", "memcpy", 0.95}};
  const std::string path = directory_ / "report.json";
  write_json(written, path);
  const Report read = read_json(path);

  EXPECT_EQ(markdown({read}), markdown({written}));
  EXPECT_EQ(read.environment.benchmark, "sample");
  EXPECT_EQ(read.environment.title(), "M, two hosts");
  ASSERT_EQ(read.rows.size(), 4u);
  EXPECT_EQ(read.rows[0].bytes, 8.0);
  EXPECT_EQ(read.rows[0].counts, Counts::where_reference_is_fastest);
  EXPECT_EQ(read.rows[0].measured.ratio->high, first.measured.ratio->high);
  EXPECT_EQ(read.rows[0].target->goal, Goal::at_least);
  EXPECT_FALSE(read.rows[1].measured.ratio);
  EXPECT_EQ(read.rows[1].measured.time.low, 0.5);
  EXPECT_EQ(read.rows[1].target->value, 3.0);
  EXPECT_EQ(read.rows[2].target->goal, Goal::at_most_more);
  EXPECT_EQ(read.rows[2].measured.excess->high, 31e-9);
  EXPECT_FALSE(read.rows[3].measured.control);
  EXPECT_EQ(read.rows[3].measured.share->low, 0.8);
  EXPECT_EQ(read.rows[3].target->goal, Goal::share_at_least);
  EXPECT_EQ(read.rows[3].remark, "said of it");
  EXPECT_EQ(read.notes, written.notes);
  ASSERT_EQ(read.mean_targets.size(), 1u);
  EXPECT_EQ(read.mean_targets[0].at_least, 0.95);
}

TEST_F(JsonFile, MistakesAreSaidInASentence) {
  EXPECT_THROW(read_json(directory_ / "none.json"), Error);
  EXPECT_THROW(write_json(report("M", {}), directory_ / "none" / "report.json"), Error);
  std::ofstream(directory_ / "broken.json") << R"({"benchmark": "x"})";
  EXPECT_THROW(read_json(directory_ / "broken.json"), Error);
}

TEST(Markdown, OneLineForAMeasurementOfSeveralMpis) {
  const std::string text =
      markdown({report("M1", {row("a", "b", 2e-6, 1e-6), row("a", "only here", 2e-6, 1e-6)}),
                report("M2", {row("a", "b", 3e-6, 1e-6)})});
  EXPECT_NE(text.find("| operation | reference | M1 | M1: ratio | M2 | M2: ratio | target | reached |\n"
                      "|---|---|---|---|---|---|---|---|\n"
                      "| **a** ||||||||\n"
                      "| b | memcpy | 2.00 us | 0.50 [0.49, 0.51] | 3.00 us | 0.33 [0.33, 0.34] |  |  |\n"
                      "| only here | memcpy | 2.00 us | 0.50 [0.49, 0.51] | | |  |  |\n"),
            std::string::npos)
      << text;
}

TEST(Markdown, SummariesOfWhatHasSeveralRows) {
  const std::string text = markdown({report("M1", {row("a", "b", 1e-6, 2e-6), row("a", "c", 1e-6, 8e-6)}),
                                     report("M2", {row("a", "b", 3e-6, 1e-6)})});
  EXPECT_NE(text.find("| ratios: geometric mean; worst | reference | M1 | M2 |\n"
                      "|---|---|---|---|\n"
                      "| a | memcpy | 4.00; 2.00 (b) | |\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(markdown({report("M2", {row("a", "b", 3e-6, 1e-6)})}).find("geometric"), std::string::npos);
}

TEST(Markdown, ATargetOfOneMpiAlone) {
  Row first = row("a", "b", 40e-9, 10e-9), second = first;
  second.target = {Goal::at_most_more, 25e-9};
  second.measured.excess = Estimate{30e-9, 29e-9, 31e-9};
  const std::string text = markdown({report("M1", {first}), report("M2", {second})});
  EXPECT_NE(
      text.find("| b | memcpy | 40.0 ns | 0.25 [0.24, 0.26] | 40.0 ns (30.0 ns more) | 0.25 [0.24, 0.26] | "
                "at most 25 ns more | missed |\n"),
      std::string::npos)
      << text;
}

TEST(OverallVerdict, OfEveryMpiOrWhereTheReferenceIsFastest) {
  Row good = row("a", "b", 1.0, 2.0), bad = row("a", "b", 1.0, 0.5);
  good.target = bad.target = Target{Goal::at_least, 1.0};
  EXPECT_EQ(overall_verdict({good, good}), Verdict::met);
  EXPECT_EQ(overall_verdict({good, bad}), Verdict::missed);
  Row noisy = good;
  noisy.measured.control = Estimate{1.0, 0.9, 1.1};
  EXPECT_EQ(overall_verdict({good, noisy}), Verdict::not_measurable);

  Row against_slow_peer = row("a", "b", 1.0, 5.0), against_fast_peer = row("a", "b", 1.0, 0.9);
  for (Row* r : {&against_slow_peer, &against_fast_peer}) {
    r->target = Target{Goal::at_least, 1.0};
    r->counts = Counts::where_reference_is_fastest;
  }
  EXPECT_EQ(overall_verdict({against_slow_peer, against_fast_peer}), Verdict::missed);
  against_slow_peer.measured.ratio = Estimate{0.5, 0.49, 0.51};  // does not count
  against_fast_peer.measured.ratio = Estimate{1.5, 1.49, 1.51};
  EXPECT_EQ(overall_verdict({against_slow_peer, against_fast_peer}), Verdict::met);
}

}  // namespace
}  // namespace tessera::benchmark
