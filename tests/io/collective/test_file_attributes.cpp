// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "file_model.hpp"

// Attributes of files, of Tessera and of other programs.
namespace tessera::test {
namespace {

using io::File;
using io::Mode;

TEST(Files, attributes_are_written_replaced_and_read) {
  const Directory directory;
  const auto path = directory / "attributes.h5";
  File file(world(), path, Mode::create);
  Array<double, 1> u(world(), {5}, {.name = "velocity"});
  fill(u, 1.0);
  file.write("run/u", u);
  file.set_attribute("run/u", "time", 0.25);
  file.set_attribute("run/u", "step", 7);
  file.set_attribute("run", "steps", index_t{1} << 40);
  file.set_attribute("run", "scale", 1.5F);
  file.set_attribute("", "title", "a box of \u03bb");
  file.set_attribute("/", "names", std::vector<std::string>{"x", "", "long enough not to be short"});
  file.set_attribute("", "sizes", std::vector<std::int32_t>{3, -4, 5});
  file.set_attribute("", "none", std::vector<double>{});
  file.set_attribute("", "title", "another title");
  file.close();

  File again(world(), path, Mode::read);
  EXPECT_EQ(again.attribute("run/u", "time").as<double>(), 0.25);
  EXPECT_EQ(again.attribute("run/u", "step").as<std::int32_t>(), 7);
  EXPECT_EQ(again.attribute("run/u", "step").as<double>(), 7.0);
  EXPECT_EQ(again.attribute("run", "steps").as<std::int64_t>(), index_t{1} << 40);
  EXPECT_EQ(again.attribute("/run", "scale").as<float>(), 1.5F);
  EXPECT_EQ(again.attribute("", "title").as<std::string>(), "another title");
  EXPECT_EQ(again.attribute("", "names").as_list<std::string>(),
            (std::vector<std::string>{"x", "", "long enough not to be short"}));
  EXPECT_EQ(again.attribute("", "sizes").as_list<index_t>(), (std::vector<index_t>{3, -4, 5}));
  EXPECT_FALSE(again.attribute("", "sizes").is_scalar());
  EXPECT_TRUE(again.attribute("", "none").as_list<double>().empty());
  EXPECT_EQ(again.attributes("run/u"), (std::vector<std::string>{"element_type", "layout", "name", "shape",
                                                                 "step", "tessera_version", "time"}));
  EXPECT_EQ(again.attribute("run/u", "name").as<std::string>(), "velocity");
  EXPECT_EQ(again.attribute("run/u", "shape").as<index_t>(), 5);
  expect_words(message_of<io::IoError>([&] { again.attribute("run", "time"); }),
               {"\"time\" of \"run\"", path.string(), "no such attribute", "\"scale\", \"steps\""});
  expect_words(message_of<io::IoError>([&] { again.attribute("walk", "time"); }), {"no dataset or group"});
  expect_words(message_of<io::IoError>([&] { again.attribute("", "title").as<int>(); }),
               {"strings", "numbers"});
  expect_words(message_of<io::IoError>([&] { again.attribute("run", "steps").as<int>(); }), {"1099511627776"});
  expect_words(message_of<io::IoError>([&] { again.attribute("run", "scale").as<int>(); }), {"integers"});
  expect_words(message_of<io::IoError>([&] { again.attribute("", "sizes").as<int>(); }), {"3 values"});
  expect_words(message_of<UsageError>([&] { again.set_attribute("", "x", 1); }), {"opened for reading"});
  again.close();
}

// Attributes of other programs: strings of fixed size, numbers of other sizes and byte orders, truth values.
// HDF5 ends names and strings at a byte of zero, and leaves out parts of paths that are dots.
TEST(Files, names_that_hdf5_takes_for_others_are_refused) {
  using namespace std::string_view_literals;
  const Directory directory;
  File file(world(), directory / "names.h5", Mode::create);
  Array<double, 1> u(world(), {5}, {.name = "u"});
  fill(u, 1.0);
  file.write("n", u);
  for (const std::string_view name : {"n\0m"sv, "\0"sv, "./n"sv, "n/."sv, ".."sv, "a/../n"sv}) {
    expect_words(message_of<UsageError>([&] { file.write(name, u); }), {"cannot be a name"});
    expect_words(message_of<UsageError>([&] { file.append(name, u); }), {"cannot be a name"});
    expect_words(message_of<UsageError>([&] { io::save(directory / "saved.h5", std::string(name), u); }),
                 {"cannot be a name"});
    expect_words(message_of<UsageError>([&] { file.read(name, u); }), {"cannot be a name"});
    expect_words(message_of<UsageError>([&] { (void)file.contains(name); }), {"cannot be a name"});
    expect_words(message_of<UsageError>([&] { file.set_attribute(name, "a", 1); }), {"cannot be a name"});
  }
  expect_words(message_of<UsageError>([&] { file.set_attribute("n", "a\0b"sv, 1); }), {"cannot be a name"});
  expect_words(message_of<UsageError>([&] { file.set_attribute("n", "a", std::string("b\0c", 3)); }),
               {"a byte of zero"});
  file.write(".n", u);
  file.write("a/n..", u);
  for (const char* name : {"n", ".n", "a/n.."}) EXPECT_TRUE(file.contains(name)) << name;
  EXPECT_EQ(file.datasets().size(), 3U);
  file.close();
}

// The new value is first written under another name, which a program may use, too.
TEST(Files, replacing_an_attribute_leaves_the_others_alone) {
  const Directory directory;
  File file(world(), directory / "attributes.h5", Mode::create);
  file.set_attribute("", "k", 1);
  file.set_attribute("", "k.tessera-new", 2);
  file.set_attribute("", "k.tessera-new-", 3);
  file.set_attribute("", "k", 4);
  EXPECT_EQ(file.attribute("", "k").as<int>(), 4);
  EXPECT_EQ(file.attribute("", "k.tessera-new").as<int>(), 2);
  EXPECT_EQ(file.attribute("", "k.tessera-new-").as<int>(), 3);
  EXPECT_EQ(file.attributes("").size(), 3U);
  file.close();
}

TEST(Files, calls_with_different_arguments_are_refused) {
  if (world().size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const Directory directory;
  File file(world(), directory / "a.h5", Mode::create);
  Array<double, 1> a(world(), {4});
  fill(a, 1.0);
  const index_t me = world().rank(), first = me == 0 ? 0 : 4;
  file.create_dataset<double, 1>("a", {8});
  EXPECT_THROW(file.set_attribute("", "rank", me), UsageError);
  EXPECT_THROW(file.set_attribute("", "text", std::string(static_cast<std::size_t>(first), 'x')), UsageError);
  EXPECT_THROW(file.write("a", {{first}, {first + 4}}, a), UsageError);
  EXPECT_THROW(file.read("a", {{first}, {first + 4}}, a), UsageError);
  EXPECT_THROW((file.create_dataset<double, 1>("b", {first + 1})), UsageError);
  EXPECT_THROW(file.append("steps", a, {.deflate = first == 0 ? 0 : 1}), UsageError);
  file.append("steps", a);
  EXPECT_THROW(file.read_step("steps", first, a), UsageError);
  file.close();
  EXPECT_THROW(io::load_into(directory / "a.h5", "a", {{first}, {first + 4}}, a), UsageError);
  io::DiskArray<double, 1> disk(world(), directory / "a.h5", "a", Mode::read_write);
  EXPECT_THROW(disk.write({{first}, {first + 4}}, a), UsageError);
  EXPECT_THROW(disk.read({{first}, {first + 4}}, a), UsageError);
  disk.close();
  io::Checkpoint checkpoint(world(), directory / "run");
  checkpoint.add("a", a);
  EXPECT_THROW(checkpoint.write(me), UsageError);
}

TEST(Files, attributes_of_other_programs_are_read) {
  const Directory directory;
  const auto path = directory / "foreign.h5";
  on_rank_0([&] {
    const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    auto add = [&](const char* name, hid_t type, hid_t memory, hsize_t count, const void* values) {
      const hid_t space = count == 0 ? good(H5Screate(H5S_SCALAR)) : good(H5Screate_simple(1, &count, nullptr));
      const hid_t attribute = good(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
      good(H5Awrite(attribute, memory, values));
      good(H5Aclose(attribute));
      good(H5Sclose(space));
    };
    const std::int32_t small = -5;
    add("big", H5T_STD_I16BE, H5T_NATIVE_INT32, 0, &small);
    const std::uint64_t huge[] = {1, ~std::uint64_t{0}};
    add("huge", H5T_STD_U64LE, H5T_NATIVE_UINT64, 2, huge);
    add("fits", H5T_STD_U64BE, H5T_NATIVE_UINT64, 1, huge);
    const hid_t text = good(H5Tcopy(H5T_C_S1));
    good(H5Tset_size(text, 4));
    add("text", text, text, 2, "abcdef\0");
    good(H5Tset_strpad(text, H5T_STR_SPACEPAD));
    add("padded", text, text, 0, "ab  ");
    good(H5Tclose(text));
    const double real = 1.5;
    add("real", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, 0, &real);
    const long double long_real[] = {1.5L, 1e400L};
    add("long real", H5T_NATIVE_LDOUBLE, H5T_NATIVE_LDOUBLE, 1, long_real);
    add("too large", H5T_NATIVE_LDOUBLE, H5T_NATIVE_LDOUBLE, 2, long_real);
    const hid_t list = good(H5Tenum_create(H5T_NATIVE_UINT64));
    good(H5Tenum_insert(list, "last", &huge[1]));
    add("list", list, list, 0, &huge[1]);
    good(H5Tclose(list));
    good(H5Fclose(file));
  });
  File file(world(), path, Mode::read);
  EXPECT_EQ(file.attribute("", "big").as<int>(), -5);
  EXPECT_EQ(file.attribute("", "fits").as<index_t>(), 1);
  EXPECT_EQ(file.attribute("", "long real").as_list<double>(), std::vector<double>{1.5});
  expect_words(message_of<io::IoError>([&] { file.attribute("", "too large"); }), {"too large for a double"});
  expect_words(message_of<io::IoError>([&] { file.attribute("", "list"); }), {"18446744073709551615"});
  EXPECT_EQ(file.attribute("", "text").as_list<std::string>(), (std::vector<std::string>{"abcd", "ef"}));
  EXPECT_EQ(file.attribute("", "padded").as<std::string>(), "ab");
  EXPECT_EQ(file.attribute("", "real").as<double>(), 1.5);
  expect_words(message_of<io::IoError>([&] { file.attribute("", "huge"); }), {"18446744073709551615", "int64"});
  file.close();
}

TEST(Files, attributes_that_cannot_be_replaced_stay) {
  const Directory directory;
  File file(world(), directory / "a.h5", Mode::create);
  file.set_attribute("", "note", "old");
  const std::vector<double> large(10'000, 1.0);
  expect_words(message_of<io::IoError>([&] { file.set_attribute("", "note", large); }), {"\"note\"", "64 KiB"});
  EXPECT_EQ(file.attribute("", "note").as<std::string>(), "old");
  EXPECT_EQ(file.attributes("").size(), 1U);
  file.set_attribute("", "note", 1e300);
  EXPECT_EQ(file.attribute("", "note").as<double>(), 1e300);
  EXPECT_EQ(file.attributes("").size(), 1U);
  const auto value = file.attribute("", "note");
  expect_words(message_of<io::IoError>([&] { value.as<float>(); }), {"does not fit"});
  EXPECT_EQ(io::AttributeValue(HUGE_VAL).as<float>(), HUGE_VALF);
  EXPECT_EQ(io::AttributeValue(0.1).as<float>(), 0.1F);
  file.close();
}

}  // namespace
}  // namespace tessera::test
