// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <charconv>
#include <cmath>
#include <limits>

#include "file_model.hpp"

// Time series of points, against the elements that the arrays should have. check_pictures.py reads the files
// with other programs.
namespace tessera::test {
namespace {

using io::Probe;
using io::Probes;
using io::ProbesOptions;

// The numbers of a line.
template <class T>
std::vector<T> numbers_of(const std::string& line) {
  std::vector<T> all;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    T value{};
    const auto read = std::from_chars(line.data() + begin, line.data() + end, value);
    if (read.ptr != line.data() + end) throw std::runtime_error("no number in: " + line);
    all.push_back(value);
    begin = end + 1;
  }
  return all;
}

const std::vector<Probe<2>> three_points{
    {.at = {0, 0}, .name = "corner"}, {.at = {2, 3}}, {.at = {4, 1}, .name = "a, \"b\""}};
constexpr const char* three_labels = R"x("corner (0, 0)","(2, 3)","a, ""b"" (4, 1)")x";

class ProbesTest : public testing::Test {
 protected:
  const Directory directory_;
  const std::filesystem::path csv_ = directory_ / "probes.csv", hdf5_ = directory_ / "probes.h5";
};

template <class T>
class TypedProbes : public ProbesTest {};
using RealTypes = testing::Types<std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(TypedProbes, RealTypes);

TYPED_TEST(TypedProbes, record_arrays_and_slices_of_every_layout) {
  using T = TypeParam;
  const Extents<2> dims{5, 4};
  Random random(3);
  Probes<2> text(world(), this->csv_, three_points, {.fields = {"u", "run/v"}});
  Probes<2> binary(world(), this->hdf5_, three_points, {.fields = {"u", "run/v"}, .buffer = 4});
  index_t steps = 0;
  std::vector<double> times;
  std::vector<T> u_expected, v_expected;
  for (const auto& layout : layouts_of(random, dims, world().size())) {
    Array<T, 2> array(world(), layout, {.name = "a"});
    TestSlice<T, 2> slice(random, dims, 100 * steps + 50);
    const auto all = elements_from<T>(100 * steps, dims.size());
    set_contents(array, all);
    const double time = 0.1 * static_cast<double>(steps);
    text.sample(time, array, slice.slice());
    binary.sample(time, array, slice.slice());
    times.push_back(time);
    const auto v = slice.elements();
    for (const auto& point : three_points) {
      u_expected.push_back(all[at(number_of(point.at, dims))]);
      v_expected.push_back(v[at(number_of(point.at, dims))]);
    }
    ++steps;
    EXPECT_EQ(text.samples(), steps);
  }
  binary.flush();
  on_rank_0([&] {
    const auto lines = lines_of(this->csv_);
    EXPECT_EQ(static_cast<index_t>(lines.size()), steps + 1);
    EXPECT_EQ(lines.front(), R"x(time,"u corner (0, 0)","u (2, 3)","u a, ""b"" (4, 1)",)x"
                             R"x("run/v corner (0, 0)","run/v (2, 3)","run/v a, ""b"" (4, 1)")x");
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::string& line = lines.at(i + 1);
      EXPECT_EQ(numbers_of<double>(line).front(), times[i]);
      std::vector<T> expected(u_expected.begin() + static_cast<std::ptrdiff_t>(3 * i),
                              u_expected.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
      expected.insert(expected.end(), v_expected.begin() + static_cast<std::ptrdiff_t>(3 * i),
                      v_expected.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
      EXPECT_EQ(numbers_of<T>(line.substr(line.find(',') + 1)), expected);
    }
    EXPECT_EQ(raw_dataset<double>(this->hdf5_, "time").elements, times);
    const auto u = raw_dataset<T>(this->hdf5_, "u"), v = raw_dataset<T>(this->hdf5_, "run/v");
    EXPECT_EQ(u.dims, (std::vector<hsize_t>{times.size(), 3}));
    EXPECT_TRUE(equal_lists(u_expected, u.elements));
    EXPECT_TRUE(equal_lists(v_expected, v.elements));
    EXPECT_EQ(raw_dataset<std::int64_t>(this->hdf5_, "positions").elements,
              (std::vector<std::int64_t>{0, 0, 2, 3, 4, 1}));
  });
}

TEST_F(ProbesTest, keep_all_bits_of_extreme_numbers) {
  using Limits = std::numeric_limits<double>;
  const std::vector<double> values{Limits::quiet_NaN(),
                                   -Limits::quiet_NaN(),
                                   Limits::infinity(),
                                   -Limits::infinity(),
                                   Limits::denorm_min(),
                                   Limits::max(),
                                   -0.0,
                                   0.1,
                                   1e-300};
  Array<double, 1> array(world(), {9}, {.name = "a"});
  set_contents(array, values);
  std::vector<Probe<1>> points;
  for (index_t i = 0; i < 9; ++i) points.push_back({.at = {i}});
  Probes<1> text(world(), csv_, points), binary(world(), hdf5_, points);
  text.sample(1.0 / 3, array);
  binary.sample(1.0 / 3, array);
  on_rank_0([&] {
    const std::string line = lines_of(csv_).at(1);
    EXPECT_NE(line.find(",nan,nan,inf,-inf,"), std::string::npos) << line;
    const auto numbers = numbers_of<double>(line);
    EXPECT_EQ(numbers.front(), 1.0 / 3);
    const auto found = raw_dataset<double>(hdf5_, "values").elements;
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(std::signbit(found.at(i)), std::signbit(values[i]));
      if (std::isnan(values[i])) continue;
      EXPECT_EQ(numbers.at(i + 1), values[i]);
      EXPECT_EQ(std::signbit(numbers.at(i + 1)), std::signbit(values[i]));
      EXPECT_EQ(found.at(i), values[i]);
    }
  });
  Array<std::int64_t, 1> integers(world(), {2}, {.name = "i"});
  set_contents(integers, {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()});
  Probes<1> whole(world(), csv_, {{.at = {0}}, {.at = {1}}});
  whole.sample(0, integers);
  on_rank_0(
      [&] { EXPECT_EQ(bytes_of(csv_), "time,\"(0)\",\"(1)\"\n0,9223372036854775807,-9223372036854775808\n"); });
}

TEST_F(ProbesTest, write_as_the_run_goes) {
  Array<int, 2> a(world(), {5, 4}, {.name = "a"}), b(world(), {5, 4}, {.name = "b"});
  fill(a, 1);
  fill(b, 2);
  Probes<2> probes(world(), csv_, three_points, {.buffer = 3});
  EXPECT_EQ(directory_.names().size(), 0U);
  const std::string header = std::string("time,") + three_labels + "\n";
  std::string expected = header;
  for (int step = 0; step < 7; ++step) {
    probes.sample(step, a);
    std::swap(a, b);
    const std::string number = step % 2 == 0 ? "1" : "2";
    expected += std::to_string(step) + "," + number + "," + number + "," + number + "\n";
    if (step % 3 != 2) continue;
    on_rank_0([&] { EXPECT_EQ(bytes_of(csv_), expected); });
  }
  probes.flush();
  probes.flush();
  on_rank_0([&] { EXPECT_EQ(bytes_of(csv_), expected); });
  const Probes<2> moved = std::move(probes);
  EXPECT_EQ(moved.samples(), 7);
  EXPECT_THROW(probes.sample(7, a), UsageError);
  EXPECT_THROW(probes.flush(), UsageError);
  // Without resume, a file is replaced by the first sample.
  Probes<2> again(world(), csv_, three_points);
  on_rank_0([&] { EXPECT_EQ(bytes_of(csv_), expected); });
  fill(a, 5);
  again.sample(0, a);
  on_rank_0([&] { EXPECT_EQ(bytes_of(csv_), header + "0,5,5,5\n"); });
}

// A run that is continued from an older state drops the samples after that state.
TEST_F(ProbesTest, are_continued) {
  Array<double, 2> array(world(), {5, 4}, {.name = "a"});
  const std::string header = std::string("time,") + three_labels + "\n";
  std::string lines = header;
  const int steps = times(world(), 3000, 300), cut = steps / 3 * 2;  // of half a second each
  for (const auto& path : {csv_, hdf5_}) {
    Probes<2> first(world(), path, three_points, {.resume = true});  // there is nothing yet
    fill(array, 1.0);
    for (int step = 0; step < steps; ++step) first.sample(0.5 * step, array);
    EXPECT_EQ(first.samples(), steps);
    fill(array, 2.0);
    Probes<2> second(world(), path, three_points, {.resume = true});
    EXPECT_EQ(second.samples(), 0);
    second.sample(0.5 * cut + 0.25, array);
    EXPECT_EQ(second.samples(), cut + 2);
    second.sample(0.5 * cut + 0.5, array);
    Probes<2> third(world(), path, three_points, {.resume = true, .buffer = 2});
    third.sample(0.5 * cut + 0.5, array);
    third.sample(0.5 * cut + 1, array);
    EXPECT_EQ(third.samples(), cut + 4);
  }
  for (int step = 0; step <= cut; ++step)
    lines += std::to_string(step / 2) + (step % 2 == 1 ? ".5" : "") + ",1,1,1\n";
  for (const char* part : {".25", ".5"}) lines += std::to_string(cut / 2) + part + ",2,2,2\n";
  lines += std::to_string(cut / 2 + 1) + ",2,2,2\n";
  on_rank_0([&] {
    EXPECT_EQ(bytes_of(csv_), lines);
    const auto found = raw_dataset<double>(hdf5_, "time").elements;
    EXPECT_EQ(static_cast<int>(found.size()), cut + 4);
    for (std::size_t i = 0; i + 3 < found.size(); ++i) EXPECT_EQ(found.at(i), 0.5 * static_cast<double>(i));
    EXPECT_EQ(found.at(at(cut) + 1), 0.5 * cut + 0.25);
    EXPECT_EQ(found.at(at(cut) + 3), 0.5 * cut + 1);
    const auto values = raw_dataset<double>(hdf5_, "values").elements;
    EXPECT_EQ(values.size(), 3 * found.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], i < 3 * (at(cut) + 1) ? 1 : 2);
    // A run that died while it wrote a line.
    set_bytes(csv_, header + "0,1,1,1\n0.5,1,1,1\n0.6,1,");
  });
  Probes<2> after(world(), csv_, three_points, {.resume = true});
  after.sample(0.75, array);
  on_rank_0([&] { EXPECT_EQ(bytes_of(csv_), header + "0,1,1,1\n0.5,1,1,1\n0.75,2,2,2\n"); });
  Probes<2> early(world(), csv_, three_points, {.resume = true});
  early.sample(-1, array);
  on_rank_0([&] { EXPECT_EQ(bytes_of(csv_), header + "-1,2,2,2\n"); });
}

TEST_F(ProbesTest, refuse_other_files) {
  Array<double, 2> array(world(), {5, 4}, {.name = "a"});
  Array<float, 2> floats(world(), {5, 4}, {.name = "f"});
  fill(array, 1.0);
  fill(floats, 1.0F);
  const std::vector<Probe<2>> others{{.at = {0, 0}, .name = "corner"}, {.at = {2, 2}}, {.at = {4, 1}}};
  for (const auto& path : {csv_, hdf5_}) {
    Probes<2>(world(), path, three_points).sample(1, array);
    std::string before;
    on_rank_0([&] { before = bytes_of(path); });
    expect_words(message_of<io::IoError>([&] { Probes<2>(world(), path, others, {.resume = true}); }),
                 {path.string(), "other"});
    expect_words(message_of<io::IoError>([&] {
                   Probes<2>(world(), path, three_points, {.fields = {"u", "v"}, .resume = true});
                 }),
                 {path.string(), "other"});
    on_rank_0([&] { EXPECT_EQ(bytes_of(path), before); });
  }
  Probes<2> other_type(world(), hdf5_, three_points, {.resume = true});
  expect_words(message_of<io::IoError>([&] { other_type.sample(2, floats); }),
               {hdf5_.string(), "float64", "float32"});
  on_rank_0([&] {
    const hid_t file = good(H5Fopen(hdf5_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    good(H5Ldelete(file, "time", H5P_DEFAULT));
    const hsize_t rows_of_times[] = {1, 3};
    const hid_t space = good(H5Screate_simple(2, rows_of_times, nullptr));
    good(H5Dclose(
        good(H5Dcreate2(file, "time", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    good(H5Sclose(space));
    good(H5Fclose(file));
  });
  Probes<2> rows(world(), hdf5_, three_points, {.resume = true});
  expect_words(message_of<io::IoError>([&] { rows.sample(2, array); }),
               {hdf5_.string(), "\"time\"", "2 dimensions"});
  on_rank_0([&] {
    set_bytes(hdf5_, "no HDF5");
    set_bytes(csv_, bytes_of(csv_) + "x,1,1,1\n");
  });
  expect_words(message_of<io::IoError>([&] { Probes<2>(world(), hdf5_, three_points, {.resume = true}); }),
               {hdf5_.string(), "no HDF5 file"});
  Probes<2> damaged(world(), csv_, three_points, {.resume = true});
  expect_words(message_of<io::IoError>([&] { damaged.sample(9, array); }),
               {csv_.string(), "line 3", "x,1,1,1"});
}

TEST_F(ProbesTest, refuse_what_cannot_be) {
  Array<double, 2> array(world(), {5, 4}, {.name = "a"}), small(world(), {4, 4}, {.name = "small"});
  Array<float, 2> floats(world(), {5, 4}, {.name = "f"});
  fill(array, 1.0);
  const auto refusal = [&](const std::string& name, const std::vector<Probe<2>>& points,
                           const ProbesOptions& options = {}) {
    return message_of<UsageError>([&] { Probes<2>(world(), directory_ / name, points, options); });
  };
  expect_words(refusal("a.txt", three_points), {"\".txt\"", ".csv", ".h5"});
  expect_words(refusal("a.csv", {}), {"no points"});
  expect_words(refusal("a.csv", three_points, {.fields = {}}), {"no fields"});
  expect_words(refusal("a.csv", three_points, {.fields = {"time"}}), {"\"time\""});
  expect_words(refusal("a.csv", three_points, {.fields = {"u", "u"}}), {"\"u\"", "twice"});
  // In HDF5 a slash makes a group; in CSV it is a letter like others.
  expect_words(refusal("a.h5", three_points, {.fields = {"u/v", "u"}}), {"\"u\"", "\"u/v\"", "a group"});
  expect_words(refusal("a.hdf5", three_points, {.fields = {"time/v"}}), {"\"time\"", "\"time/v\"", "a group"});
  Probes<2>(world(), csv_, three_points, {.fields = {"u", "u/v", "uv"}});
  expect_words(refusal("a.csv", three_points, {.fields = {"u\n"}}), {"u\\x0a"});
  expect_words(refusal("a.csv", three_points, {.buffer = 0}), {"0 samples"});
  expect_words(refusal("a.csv", {{.at = {1, 1}, .name = "a\nb"}}), {"a\\x0ab"});
  expect_words(refusal("a.csv", {{.at = {1, 1}, .name = "a"}, {.at = {1, 1}, .name = "a"}}),
               {"a (1, 1)", "twice"});
  Probes<2> probes(world(), csv_, three_points);
  expect_words(message_of<UsageError>([&] { probes.sample(0, small); }), {"a, \"b\"", "\"small\""});
  expect_words(message_of<UsageError>([&] { probes.sample(0, array, array); }), {"2 arrays", "1 fields"});
  expect_words(message_of<UsageError>([&] { probes.sample(std::nan(""), array); }), {"nan"});
  probes.sample(1, array);
  expect_words(message_of<UsageError>([&] { probes.sample(1, array); }), {"not after"});
  expect_words(message_of<UsageError>([&] { probes.sample(2, floats); }), {"float32", "float64"});
  Probes<2> negative(world(), directory_ / "b.csv", {{.at = {-1, 0}}});
  expect_words(message_of<UsageError>([&] { negative.sample(0, array); }), {"(-1, 0)", "outside"});
  EXPECT_EQ(directory_.names(), (Names{"probes.csv"}));
  array.close();
  message_of<UsageError>([&] { probes.sample(3, array); });
}

TEST_F(ProbesTest, report_places_that_cannot_be_written) {
  Array<double, 2> array(world(), {5, 4}, {.name = "a"});
  fill(array, 1.0);
  on_rank_0([&] {
    std::filesystem::create_symlink("/dev/full", directory_ / "full.csv");
    std::filesystem::create_symlink("/dev/full", directory_ / "full.h5");
  });
  for (const char* name : {"no/such/a.csv", "no/such/a.h5", "full.csv", "full.h5"}) {
    const auto path = directory_ / name;
    Probes<2> probes(world(), path, three_points);
    const bool is_full = std::string_view(name).starts_with("full");
    expect_words(message_of<io::IoError>([&] { probes.sample(0, array); }),
                 {path.string(), is_full ? "device" : "No such file"});
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  // The file goes away, and its directory comes back: nothing is lost.
  for (const auto& path : {csv_, hdf5_}) {
    Probes<2> probes(world(), path, three_points);
    probes.sample(0, array);
    const auto away = path.string() + ".away";
    on_rank_0([&] { std::filesystem::rename(path, away); });
    expect_words(message_of<io::IoError>([&] { probes.sample(1, array); }), {path.string(), "No such file"});
    on_rank_0([&] { std::filesystem::rename(away, path); });
    probes.sample(2, array);
    EXPECT_EQ(probes.samples(), 3);
  }
  on_rank_0([&] {
    EXPECT_EQ(lines_of(csv_).size(), 4U);
    EXPECT_EQ(raw_dataset<double>(hdf5_, "time").elements, (std::vector<double>{0, 1, 2}));
  });
}

}  // namespace
}  // namespace tessera::test
