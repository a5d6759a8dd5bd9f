// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <limits>

#include "file_model.hpp"
#include "picture_reader.hpp"

// Pictures: each pixel against a serial model of the field. libpng reads them back.
namespace tessera::test {
namespace {

using io::Colour;
using io::ColourMap;
using io::FirstRow;
using io::PictureOptions;
using io::write_picture;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
// Without anything around the field.
const PictureOptions bare{.map = ColourMap::grey, .scale_bar = false, .pixels = 1};

// The grey of a part of the range: black to white in 251 levels.
Colour grey_of(double part) {
  const auto level = static_cast<std::uint8_t>(std::lround(std::floor(part * 250 + 0.5) * 255 / 250));
  return {level, level, level};
}

class Pictures : public testing::Test {
 protected:
  // Whether rank 0 finds a colour at each pixel of the field.
  template <class F>
  void expect_pixels(index_t width, index_t height, F&& colour_at) {
    on_rank_0([&] {
      const ReadPicture found = read_picture(path_);
      EXPECT_EQ(found.width, width);
      EXPECT_EQ(found.height, height);
      if (found.width != width || found.height != height) return;
      int wrong = 0;
      for (index_t y = 0; y < height; ++y) {
        for (index_t x = 0; x < width; ++x) wrong += found.at(x, y) == colour_at(x, y) ? 0 : 1;
      }
      EXPECT_EQ(wrong, 0) << "of " << width * height << " pixels";
    });
  }

  const Directory directory_;
  const std::filesystem::path path_ = directory_ / "a.png";
};

// A value of a picture test: 0 to 250.
index_t value_at(index_t row, index_t column) { return (row * 7 + column * 13 + row * column) % 251; }

template <class T>
class TypedPictures : public Pictures {};
using RealTypes = testing::Types<std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(TypedPictures, RealTypes);

TYPED_TEST(TypedPictures, show_arrays_and_slices_of_every_layout) {
  const Extents<2> dims{13, 17};
  Random random(5);
  std::string first;
  const auto expect = [&] {
    this->expect_pixels(
        17, 13, [&](index_t x, index_t y) { return grey_of(static_cast<double>(value_at(y, x)) / 250); });
    on_rank_0([&] {
      if (first.empty()) first = bytes_of(this->path_);
      EXPECT_EQ(first, bytes_of(this->path_));
    });
  };
  PictureOptions options = bare;
  options.range = {0, 250};
  for (const auto& layout : layouts_of(random, dims, world().size())) {
    Array<TypeParam, 2> array(world(), layout, {.name = "a"});
    for_each_local(
        array, [](const Index<2>& at, TypeParam& x) { x = static_cast<TypeParam>(value_at(at[0], at[1])); });
    write_picture(array, this->path_, options);
    expect();
    // The same matrix as a slice of a cube, whose dimensions are in another order.
    Array<TypeParam, 3> cube(world(), {35, 3, 30}, {.name = "cube"});
    auto slice = cube.slice().fix(1, 2).transposed().slice({{2, 1}, {28, 35}}, {2, 2});
    copy(array, slice);
    write_picture(slice, this->path_, options);
    expect();
    write_picture(std::as_const(array), this->path_, options);
    expect();
  }
}

TYPED_TEST(TypedPictures, find_their_range) {
  Array<TypeParam, 2> array(world(), {2, 251}, {.name = "a"});
  for_each_local(array, [](const Index<2>& at, TypeParam& x) {
    x = static_cast<TypeParam>(at[0] == 0 ? at[1] - 100 : 150 - at[1]);
  });
  write_picture(array, this->path_, bare);
  this->expect_pixels(
      251, 2, [](index_t x, index_t y) { return grey_of(static_cast<double>(y == 0 ? x : 250 - x) / 250); });
  fill(array, TypeParam{7});  // one number: the middle
  write_picture(array, this->path_, bare);
  this->expect_pixels(251, 2, [](index_t, index_t) { return grey_of(0.5); });
  PictureOptions options = bare;
  options.range = {7, 7};
  write_picture(array, this->path_, options);
  this->expect_pixels(251, 2, [](index_t, index_t) { return grey_of(0.5); });
  options.range = {8, 9};  // numbers outside have the colours of the ends
  write_picture(array, this->path_, options);
  this->expect_pixels(251, 2, [](index_t, index_t) { return grey_of(0); });
  options.range = {-9, 6.5};
  write_picture(array, this->path_, options);
  this->expect_pixels(251, 2, [](index_t, index_t) { return grey_of(1); });
}

TEST_F(Pictures, show_numbers_that_are_not_finite) {
  Array<double, 2> array(world(), {4, 4}, {.name = "a"});
  const std::vector<double> values{0, 1, nan, infinity, -infinity, 0.5, -nan, 0.25, 1, 1, 1, 1, 0, 0, 0, -0.0};
  set_contents(array, values);
  PictureOptions options = bare;
  write_picture(array, path_, options);
  const auto colour = [&](index_t x, index_t y) {
    const double value = values[at(4 * y + x)];
    if (std::isnan(value)) return options.nan;
    if (std::isinf(value)) return value > 0 ? options.infinity : options.minus_infinity;
    return grey_of(value);
  };
  expect_pixels(4, 4, colour);
  options.nan = {1, 2, 3};
  options.infinity = {4, 5, 6};
  options.minus_infinity = {7, 8, 9};
  write_picture(array, path_, options);
  expect_pixels(4, 4, colour);
  for (const double value : {nan, infinity, -infinity}) {
    fill(array, value);
    write_picture(array, path_, options);
    expect_pixels(4, 4, [&](index_t, index_t) {
      return std::isnan(value) ? options.nan : value > 0 ? options.infinity : options.minus_infinity;
    });
    write_picture(array, path_);  // with a scale bar that has no numbers
    on_rank_0([&] { EXPECT_GT(read_picture(path_).width, 400); });
  }
}

TEST_F(Pictures, show_extreme_numbers) {
  constexpr double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  Array<double, 2> array(world(), {1, 3}, {.name = "a"});
  for (const double unit : {1e-300, 1e300, most / 2, least, 1.0}) {
    for (const double low : {-2 * unit, 0.0}) {
      set_contents(array, {low, low + unit, low + 2 * unit});
      write_picture(array, path_);
      write_picture(array, path_, bare);
      expect_pixels(3, 1, [](index_t x, index_t) { return grey_of(static_cast<double>(x) / 2); });
    }
  }
  set_contents(array, {-most, 0, most});
  write_picture(array, path_);
  write_picture(array, path_, bare);
  expect_pixels(3, 1, [](index_t x, index_t) { return grey_of(static_cast<double>(x) / 2); });
  Array<std::int64_t, 2> integers(world(), {1, 3}, {.name = "i"});
  constexpr std::int64_t top = std::numeric_limits<std::int64_t>::max(), bottom = -top - 1;
  for (const auto& values :
       {std::vector<std::int64_t>{top - 2, top - 1, top},
        std::vector<std::int64_t>{bottom, bottom + 1, bottom + 2}, std::vector<std::int64_t>{bottom, 0, top}}) {
    set_contents(integers, values);
    write_picture(integers, path_);
    write_picture(integers, path_, bare);
    expect_pixels(3, 1, [](index_t x, index_t) { return grey_of(static_cast<double>(x) / 2); });
  }
}

TEST_F(Pictures, enlarge_small_fields) {
  Array<int, 2> array(world(), {5, 7}, {.name = "a"});
  for_each_local(array, [](const Index<2>& at, int& x) { x = static_cast<int>(at[0] * 50 + at[1]); });
  PictureOptions options{.range = {{0, 250}}, .map = ColourMap::grey, .scale_bar = false};
  write_picture(array, path_, options);
  const auto grey_at = [](index_t row, index_t column) {
    return grey_of(static_cast<double>(row * 50 + column) / 250);
  };
  expect_pixels(7 * 58, 5 * 58, [&](index_t x, index_t y) { return grey_at(y / 58, x / 58); });
  options.first_row = FirstRow::bottom;
  write_picture(array, path_, options);
  expect_pixels(7 * 58, 5 * 58, [&](index_t x, index_t y) { return grey_at(4 - y / 58, x / 58); });
  options.pixels = 3;
  write_picture(array, path_, options);
  expect_pixels(21, 15, [&](index_t x, index_t y) { return grey_at(4 - y / 3, x / 3); });
  options.pixels = 0;
  options.most_pixels = 40;
  write_picture(array, path_, options);  // the rows would have 25 pixels
  expect_pixels(35, 25, [&](index_t x, index_t y) { return grey_at(4 - y / 5, x / 5); });
  Array<int, 2> line(world(), {1, 1000}, {.name = "line"});
  fill(line, 50);
  write_picture(line, path_, {.range = {{0, 100}}, .map = ColourMap::grey, .scale_bar = false});
  expect_pixels(1000, 16, [&](index_t, index_t) { return grey_of(0.5); });
  write_picture(line.slice().transposed(), path_,
                {.range = {{0, 100}}, .map = ColourMap::grey, .scale_bar = false});
  expect_pixels(16, 1000, [&](index_t, index_t) { return grey_of(0.5); });
  write_picture(line.slice({{0, 0}, {1, 1}}), path_, options);
  on_rank_0([&] { EXPECT_EQ(read_picture(path_).pixels.size(), 40U * 40U); });
}

// The mean of a block, computed in another way, is near a boundary between two levels if the two levels differ.
bool is_mean(const Colour& found, double mean) {
  return found == grey_of(mean / 250 - 1e-6) || found == grey_of(mean / 250 + 1e-6);
}

TEST_F(Pictures, reduce_large_fields) {
  constexpr index_t rows = 3000, columns = 5000;
  std::string first;
  for (int which = 0; which < 3; ++which) {
    const auto layout =
        which == 0 ? Layout<2>::blocked({rows, columns}, world().size())
        : which == 1
            ? Layout<2>::blocked({rows, columns}, world().size(), {.grid = Extents<2>{1, world().size()}})
            : Layout<2>::block_cyclic({rows, columns}, {64, 50}, {{1, world().size()}});
    Array<float, 2> array(world(), layout, {.name = "large"});
    for_each_local(array, [](const Index<2>& at, float& x) { x = static_cast<float>(value_at(at[0], at[1])); });
    // One pixel each, in the last block of a row, in the middle, and where both are in one block.
    array.sync();
    if (world().rank() == 0) {
      array.store({0, columns - 1}, std::numeric_limits<float>::infinity());
      array.store({1501, 2500}, std::numeric_limits<float>::quiet_NaN());
      array.store({1500, 2500}, std::numeric_limits<float>::infinity());
      array.store({rows - 1, 0}, -std::numeric_limits<float>::infinity());
    }
    array.sync();
    const PictureOptions options{.range = {{0, 250}}, .map = ColourMap::grey, .scale_bar = false};
    write_picture(array, path_, options);
    on_rank_0([&] {
      if (which > 0) {
        EXPECT_EQ(first, bytes_of(path_));
        return;
      }
      first = bytes_of(path_);
      const ReadPicture found = read_picture(path_);
      EXPECT_EQ(found.width, 1667);
      EXPECT_EQ(found.height, 1000);
      EXPECT_EQ(found.pixels.size(), 1667000U);
      int wrong = 0;
      for (index_t y = 0; y < 1000 && found.pixels.size() == 1667000; ++y) {
        for (index_t x = 0; x < 1667; ++x) {
          if ((x == 1666 && y == 0) || (x == 833 && y == 500) || (x == 0 && y == 999)) continue;
          double sum = 0, count = 0;
          for (index_t i = 3 * y; i < 3 * y + 3; ++i) {
            for (index_t j = 3 * x; j < std::min(columns, 3 * x + 3); ++j, ++count)
              sum += static_cast<double>(value_at(i, j));
          }
          wrong += is_mean(found.at(x, y), sum / count) ? 0 : 1;
        }
      }
      EXPECT_EQ(wrong, 0);
      EXPECT_EQ(found.at(1666, 0), options.infinity);
      EXPECT_EQ(found.at(833, 500), options.nan);
      EXPECT_EQ(found.at(0, 999), options.minus_infinity);
    });
  }
  // Long and narrow: the short side keeps 16 cells.
  Array<std::int32_t, 2> narrow(world(), {20000, 20}, {.name = "narrow"});
  for_each_local(narrow, [](const Index<2>& at, int& x) { x = static_cast<int>(at[1] * 10); });
  write_picture(narrow, path_, {.range = {{0, 250}}, .map = ColourMap::grey, .scale_bar = false});
  expect_pixels(20, 2000, [](index_t x, index_t) { return grey_of(static_cast<double>(x) / 25); });
}

TEST_F(Pictures, have_colour_maps) {
  Array<int, 2> array(world(), {1, 251}, {.name = "a"});
  for_each_local(array, [](const Index<2>& at, int& x) { x = static_cast<int>(at[1]); });
  PictureOptions options = bare;
  const auto expect = [&](ColourMap map, const Colour& low, const Colour& middle, const Colour& high) {
    options.map = map;
    write_picture(array, path_, options);
    on_rank_0([&] {
      const ReadPicture found = read_picture(path_);
      EXPECT_EQ(found.at(0, 0), low);
      EXPECT_EQ(found.at(125, 0), middle);
      EXPECT_EQ(found.at(250, 0), high);
    });
  };
  // matplotlib's colour 127 of 256.
  expect(ColourMap::viridis, {0x44, 0x01, 0x54}, {33, 144, 141}, {0xfd, 0xe7, 0x25});
  expect(ColourMap::cool_warm, {59, 76, 192}, {221, 221, 221}, {180, 4, 38});
  expect(ColourMap::grey, {0, 0, 0}, {128, 128, 128}, {255, 255, 255});
}

// The colours of the scale bar are where the ticks say.
TEST_F(Pictures, have_a_scale_bar) {
  Array<double, 2> array(world(), {10, 10}, {.name = "a"});
  fill(array, 0.25);
  PictureOptions options{.range = {{0, 1}}, .map = ColourMap::grey, .title = "Density", .unit = "kg/m\u00b3"};
  write_picture(array, path_, options);
  std::string expected;
  on_rank_0([&] {
    expected = bytes_of(path_);
    const ReadPicture found = read_picture(path_);
    const index_t left = 10, top = 10 + 2 * 22, bar = left + 400 + 16;
    EXPECT_EQ(found.height, top + 400 + 10);
    EXPECT_EQ(found.at(left, top), grey_of(0.25));
    EXPECT_EQ(found.at(left + 399, top + 399), grey_of(0.25));
    EXPECT_EQ(found.at(left + 400, top), grey_of(0));  // the frame
    EXPECT_EQ(found.at(left + 401, top), grey_of(1));
    for (index_t y = 0; y < 400; ++y)
      EXPECT_EQ(found.at(bar + y % 20, top + y), grey_of(static_cast<double>(399 - y) / 399)) << y;
    // 0, 0.2, 0.4 and so on
    for (index_t y = 0; y < 400; ++y) {
      bool is_tick = false;
      for (int k = 0; k <= 5; ++k) is_tick = is_tick || y == 399 - std::lround(k * 79.8);
      EXPECT_EQ(found.at(bar + 21, top + y), grey_of(is_tick ? 0 : 1)) << y;
    }
    const auto has_ink = [&](index_t x, index_t y, index_t width, index_t height) {
      for (index_t at = 0; at < width * height; ++at) {
        if (found.at(x + at % width, y + at / width) == grey_of(0)) return true;
      }
      return false;
    };
    EXPECT_TRUE(has_ink(left, 10, 84, 16));
    EXPECT_FALSE(has_ink(left + 90, 10, 300, 16));
    EXPECT_TRUE(has_ink(bar, top - 22, 60, 16));
  });
  // One label may be in the middle of a range of many numbers.
  write_picture(array, path_, {.range = {{-4, 4}}, .map = ColourMap::grey, .pixels = 1});
  on_rank_0([&] {
    const ReadPicture found = read_picture(path_);
    EXPECT_EQ(found.at(10 + 10 + 16, 10), grey_of(1));
    EXPECT_EQ(found.at(10 + 10 + 16, 10 + 99), grey_of(0));
  });
  options.title = "Velocity";
  write_picture(array, path_, options);
  on_rank_0([&] { EXPECT_NE(expected, bytes_of(path_)); });
  options.title = std::string(5000, 'M');  // what does not fit is cut off
  write_picture(array, path_, options);
  on_rank_0([&] { EXPECT_EQ(read_picture(path_).width, 2420); });
}

TEST_F(Pictures, refuse_what_cannot_be) {
  Array<double, 2> array(world(), {3, 4}, {.name = "a"}), nothing(world(), {0, 4}, {.name = "none"});
  fill(array, 1.0);
  const auto refusal = [&](const PictureOptions& options) {
    return message_of<UsageError>([&] { write_picture(array, path_, options); });
  };
  expect_words(message_of<UsageError>([&] { write_picture(nothing, path_); }), {path_.string(), "0 x 4"});
  expect_words(refusal({.range = {{1, 0}}}), {"1", "0", "range"});
  expect_words(refusal({.range = {{nan, 0}}}), {"range"});
  expect_words(refusal({.range = {{0, infinity}}}), {"range", "inf"});
  expect_words(refusal({.pixels = -1}), {"-1 pixels"});
  expect_words(refusal({.pixels = 513}), {"513", "2048"});
  expect_words(refusal({.most_pixels = 31}), {"31", "32"});
  expect_words(refusal({.most_pixels = 16385}), {"16385"});
  EXPECT_EQ(directory_.names().size(), 0U);
  array.close();
  message_of<UsageError>([&] { write_picture(array, path_); });
}

TEST_F(Pictures, report_places_that_cannot_be_written) {
  Array<double, 2> array(world(), {3, 4}, {.name = "a"});
  fill(array, 1.0);
  const auto failure = [&](const std::filesystem::path& path) {
    return message_of<io::IoError>([&] { write_picture(array, path); });
  };
  const auto nowhere = directory_ / "no/such/a.png";
  expect_words(failure(nowhere), {nowhere.string(), "No such file"});
  expect_words(failure(directory_ / "."), {"directory"});
  expect_words(failure("/dev/full"), {"/dev/full", "device"});
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_EQ(directory_.names().size(), 0U);
}

// Started by in-a-read-only-directory and on-a-full-disk.
TEST(PicturePlaces, read_only_directory_is_an_error) {
  const char* directory = std::getenv("TESSERA_TEST_READ_ONLY");
  if (directory == nullptr) GTEST_SKIP() << "needs a directory that cannot be written";
  Array<double, 2> array(world(), {3, 4}, {.name = "a"});
  fill(array, 1.0);
  const auto path = std::filesystem::path(directory) / "a.png";
  expect_words(message_of<io::IoError>([&] { write_picture(array, path); }), {path.string(), "Read-only"});
}

TEST(PicturePlaces, full_disk_leaves_the_old_file) {
  const char* directory = std::getenv("TESSERA_TEST_FULL_DISK");
  if (directory == nullptr) GTEST_SKIP() << "needs a small file system";
  const auto path = std::filesystem::path(directory) / "a.png",
             filler = std::filesystem::path(directory) / "filler";
  Array<double, 2> array(world(), {3, 4}, {.name = "a"}), noise(world(), {1000, 1000}, {.name = "noise"});
  fill(array, 1.0);
  randomize(noise, 1);
  write_picture(array, path);
  std::string before;
  on_rank_0([&] {
    before = bytes_of(path);
    set_bytes(filler, std::string((4U << 20U) - (200U << 10U), 'x'));
  });
  expect_words(message_of<io::IoError>([&] { write_picture(noise, path); }), {path.string(), "No space"});
  on_rank_0([&] {
    EXPECT_EQ(before, bytes_of(path));
    EXPECT_EQ(names_in(directory), (Names{"a.png", "filler"}));
  });
}

}  // namespace
}  // namespace tessera::test
