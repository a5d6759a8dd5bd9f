// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <fstream>
#include <sstream>

#include "file_model.hpp"

// Steps for ParaView: refused calls, and the steps that resuming keeps. check_readers.py checks the list.
namespace tessera::test {
namespace {

using io::XdmfField;
using io::XdmfSeries;

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++found;
  return found;
}

class Xdmf : public testing::Test {
 protected:
  const Directory directory_;
  const std::filesystem::path path_ = directory_ / "run.xmf";
  const io::XdmfGrid<2> grid_{{4, 3}};
  Array<double, 2> points_{world(), {4, 3}, {.name = "points"}};
  Array<float, 2> cells_{world(), {3, 2}, {.name = "cells"}};
};

TEST_F(Xdmf, lists_the_steps) {
  XdmfSeries series(world(), path_, grid_);
  EXPECT_EQ(directory_.names().size(), 0U);
  fill(points_, 1.5);
  fill(cells_, 2.5F);
  series.write(0.5, {{"t <a & b>", points_}, {"group/c", cells_}});
  EXPECT_EQ(series.steps(), 1);
  EXPECT_EQ(directory_.names(), (std::vector<std::string>{"run.step000000.h5", "run.xmf"}));
  series.write(0.75, {{"v", points_, points_}});
  EXPECT_EQ(directory_.names(),
            (std::vector<std::string>{"run.step000000.h5", "run.step000001.h5", "run.xmf"}));
  on_rank_0([&] {
    EXPECT_TRUE(equal_lists(std::vector<double>(12, 1.5),
                            raw_dataset<double>(directory_ / "run.step000000.h5", "t <a & b>").elements));
    EXPECT_TRUE(equal_lists(std::vector<float>(6, 2.5F),
                            raw_dataset<float>(directory_ / "run.step000000.h5", "group/c").elements));
    const auto v = raw_dataset<double>(directory_ / "run.step000001.h5", "v");
    EXPECT_EQ(v.dims, (std::vector<hsize_t>{4, 3, 3}));
    std::vector<double> expected;
    for (int i = 0; i < 36; ++i) expected.push_back(i % 3 == 2 ? 0.0 : 1.5);
    EXPECT_TRUE(equal_lists(expected, v.elements));
    const std::string text = text_of(path_);
    EXPECT_EQ(count(text, "<Time Value=\"0.5\"/>"), 1);
    EXPECT_EQ(count(text, "Center=\"Cell\""), 1);
    EXPECT_EQ(count(text, "t &lt;a &amp; b&gt;"), 2);
    EXPECT_EQ(count(text, "GridType=\"Uniform\""), 2);
  });
}

TEST_F(Xdmf, takes_members_as_components) {
  struct State {
    double u, v;
  };
  Array<State, 2> states(world(), {4, 3}, {.name = "states"});
  fill(states.slice().member(&State::u), 1.0);
  fill(states.slice().member(&State::v), 2.0);
  XdmfSeries series(world(), path_, grid_);
  series.write(0, {{"u", states.slice().member(&State::u)},
                   {"velocity", states.slice().member(&State::u), states.slice().member(&State::v)}});
  on_rank_0([&] {
    const auto step = directory_ / "run.step000000.h5";
    EXPECT_TRUE(equal_lists(std::vector<double>(12, 1.0), raw_dataset<double>(step, "u").elements));
    std::vector<double> expected;
    for (int i = 0; i < 36; ++i) expected.push_back((i + 1) % 3);
    EXPECT_TRUE(equal_lists(expected, raw_dataset<double>(step, "velocity").elements));
  });
}

TEST_F(Xdmf, stays_where_it_began) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory_ / ".");
  XdmfSeries series(world(), "run.xmf", grid_);
  std::filesystem::current_path(before);
  fill(points_, 1.0);
  series.write(0, {{"t", points_}});
  EXPECT_EQ(directory_.names(), (std::vector<std::string>{"run.step000000.h5", "run.xmf"}));
}

// A run that resumes from an older state replaces the steps after that state, and keeps the earlier steps.
TEST_F(Xdmf, resumes_after_the_earlier_steps) {
  fill(points_, 1.0);
  {
    XdmfSeries series(world(), path_, grid_);
    for (int step = 0; step < 4; ++step) series.write(step, {{"t", points_}});
  }
  fill(points_, 2.0);
  XdmfSeries series(world(), path_, grid_, {.resume = true});
  EXPECT_EQ(series.steps(), 4);
  // As if the run died while it replaces a step: the list does not name the step's file any more.
  on_rank_0([&] {
    std::filesystem::rename(directory_ / "run.step000002.h5", directory_ / "kept");
    std::filesystem::create_directory(directory_ / "run.step000002.h5");
  });
  EXPECT_THROW(series.write(2, {{"t", points_}}), io::IoError);
  on_rank_0([&] {
    EXPECT_EQ(count(text_of(path_), "<Time"), 2);
    std::filesystem::remove(directory_ / "run.step000002.h5");
    std::filesystem::rename(directory_ / "kept", directory_ / "run.step000002.h5");
  });
  EXPECT_EQ(series.steps(), 2) << "as in the list";
  series.write(2, {{"t", points_}});
  EXPECT_EQ(series.steps(), 3);
  on_rank_0([&] {
    const std::string text = text_of(path_);
    EXPECT_EQ(count(text, "<Time"), 3);
    EXPECT_EQ(count(text, "<Time Value=\"2\"/>"), 1);
    EXPECT_EQ(raw_dataset<double>(directory_ / "run.step000001.h5", "t").elements.front(), 1.0);
    EXPECT_EQ(raw_dataset<double>(directory_ / "run.step000002.h5", "t").elements.front(), 2.0);
  });
  XdmfSeries fresh(world(), path_, grid_);
  EXPECT_EQ(fresh.steps(), 0);
  fresh.write(7, {{"t", points_}});
  on_rank_0([&] { EXPECT_EQ(count(text_of(path_), "<Time"), 1); });
  for (const char* text : {"      <Grid Name=\"step 0\" and no more",
                           "      <Grid Name=\"step0\"><Time Value=\"soon\"/>\n      </Grid>\n",
                           "      <Grid Name=\"step0\"><Time Value=\"1e999\"/>\n      </Grid>\n"}) {
    on_rank_0([&] { std::ofstream(path_) << text; });
    expect_words(message_of<io::IoError>([&] { XdmfSeries(world(), path_, grid_, {.resume = true}); }),
                 {path_.string(), "cannot be understood"});
  }
}

// Neither fields that do not fit nor a list that cannot be replaced cost a step; the same time may be tried
// again.
TEST_F(Xdmf, keeps_its_steps_if_a_write_fails) {
  fill(points_, 1.0);
  {
    XdmfSeries series(world(), path_, grid_);
    for (int step = 0; step < 4; ++step) series.write(step, {{"t", points_}});
  }
  XdmfSeries series(world(), path_, grid_, {.resume = true});
  Array<double, 2> other(world(), {3, 4}, {.name = "other"});
  EXPECT_THROW(series.write(1, {{"o", other}}), UsageError);
  EXPECT_THROW(series.write(1, {{"t", points_}, {"t", points_}}), UsageError);
  EXPECT_EQ(series.steps(), 4);
  on_rank_0([&] { EXPECT_EQ(count(text_of(path_), "<Time"), 4); });
  series.write(4, {{"t", points_}});
  EXPECT_EQ(series.steps(), 5);
  on_rank_0([&] {
    EXPECT_EQ(count(text_of(path_), "<Time"), 5);
    std::filesystem::remove(path_);
    std::filesystem::create_directory(path_);
  });
  EXPECT_THROW(series.write(5, {{"t", points_}}), io::IoError);
  EXPECT_EQ(series.steps(), 5);
  on_rank_0([&] { std::filesystem::remove(path_); });
  series.write(5, {{"t", points_}});
  EXPECT_EQ(series.steps(), 6);
  on_rank_0([&] { EXPECT_EQ(count(text_of(path_), "<Time"), 6); });
}

TEST_F(Xdmf, refuses_fields_that_do_not_fit) {
  fill(points_, 1.0);
  fill(cells_, 1.0F);
  XdmfSeries series(world(), path_, grid_);
  Array<std::complex<double>, 2> z(world(), {4, 3}, {.name = "z"});
  Array<double, 3> pairs(world(), {4, 3, 2}, {.name = "pairs"});
  Array<double, 2> other(world(), {3, 4}, {.name = "other"});
  expect_words(message_of<UsageError>([&] { series.write(0, {{"z", z}}); }), {"\"z\"", "complex128"});
  expect_words(message_of<UsageError>([&] { series.write(0, {{"p", pairs}}); }), {"\"p\"", "2 components"});
  expect_words(message_of<UsageError>([&] { series.write(0, {{"o", other}}); }), {"3 x 4", "4 x 3"});
  expect_words(message_of<UsageError>([&] { series.write(0, {{"v", points_, other}}); }), {"different shapes"});
  expect_words(message_of<UsageError>([&] { series.write(0, std::span<const XdmfField>()); }), {"no fields"});
  series.write(1, {{"t", points_}});
  expect_words(message_of<UsageError>([&] { series.write(1, {{"t", points_}}); }), {"not after"});
  EXPECT_EQ(series.steps(), 1);
  expect_words(message_of<UsageError>([&] {
                 XdmfSeries(world(), path_, io::XdmfGrid<2>{{4, 1}});
               }),
               {"no cells"});
  XdmfSeries nowhere(world(), directory_ / "no/such/run.xmf", grid_);
  expect_words(message_of<io::IoError>([&] { nowhere.write(0, {{"t", points_}}); }), {"No such file"});
}

}  // namespace
}  // namespace tessera::test
