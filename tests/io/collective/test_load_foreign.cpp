// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <cmath>
#include <limits>

#include "file_model.hpp"

// Datasets of other programs: any numeric type, byte order and storage, written by raw HDF5 calls.
namespace tessera::test {
namespace {

// A type in a file. The test takes numbers that fit both types: not negative if unsigned, whole if need be.
struct Foreign {
  const char* name;
  hid_t type;
  bool is_signed, is_real;
};

std::vector<Foreign> foreign_types() {
  return {{"int8", H5T_STD_I8LE, true, false},
          {"uint8", H5T_STD_U8LE, false, false},
          {"int16", H5T_STD_I16LE, true, false},
          {"int16 big-endian", H5T_STD_I16BE, true, false},
          {"uint16", H5T_STD_U16LE, false, false},
          {"int32 big-endian", H5T_STD_I32BE, true, false},
          {"uint32", H5T_STD_U32LE, false, false},
          {"int64 big-endian", H5T_STD_I64BE, true, false},
          {"uint64", H5T_STD_U64BE, false, false},
          {"float32", H5T_IEEE_F32LE, true, true},
          {"float32 big-endian", H5T_IEEE_F32BE, true, true},
          {"float64", H5T_IEEE_F64LE, true, true},
          {"float64 big-endian", H5T_IEEE_F64BE, true, true},
          {"long double", H5T_NATIVE_LDOUBLE, true, true}};
}

template <class T>
constexpr bool is_whole = std::is_integral_v<T>;

template <class T>
T converted(double x) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(x);
  else
    return {static_cast<typename T::value_type>(x), 0};
}

template <class T>
void check_types() {
  const Directory directory;
  const auto path = directory / "foreign.h5";
  const Extents<2> dims{7, 5};
  Random random(23);
  for (const Foreign& foreign : foreign_types()) {
    SCOPED_TRACE(foreign.name);
    std::vector<double> values;
    for (index_t i = 0; i < dims.size(); ++i) {
      const double whole = static_cast<double>(foreign.is_signed ? i - 20 : i);
      values.push_back(foreign.is_real && !is_whole<T> ? whole / 4 : whole);
    }
    const int storage = static_cast<int>(pick(random, 0, 2));
    on_rank_0([&] {
      write_raw_elements(path, "x", raw_dims(dims), values, foreign.type, H5T_NATIVE_DOUBLE,
                         storage == 0 ? std::vector<hsize_t>{} : std::vector<hsize_t>{3, 2},
                         storage == 2 ? 4 : 0);
    });
    FileModel<T, 2> model{dims, {}};
    for (const double x : values) model.elements.push_back(converted<T>(x));
    TestSlice<T, 2> whole(random, dims, 500);
    io::load_into(path, "x", whole.slice());
    whole.expect(model.elements);
    EXPECT_TRUE(whole.is_right()) << whole.description();
    if (pick(random, 0, 2) > 0) continue;
    const Patch<2> patch = random_patch(random, dims);
    TestSlice<T, 2> part(random, patch.extents(), 700);
    io::load_into(path, "x", patch, part.slice());
    part.expect(model.get(patch));
    EXPECT_TRUE(part.is_right()) << part.description();
    const auto loaded = io::load<T, 2>(world(), path, "x");
    EXPECT_TRUE(equal_lists(model.elements, contents(loaded)));
  }
}

TEST(Foreign, any_numeric_type_is_loaded_into_int32) { check_types<std::int32_t>(); }
TEST(Foreign, any_numeric_type_is_loaded_into_int64) { check_types<std::int64_t>(); }
TEST(Foreign, any_numeric_type_is_loaded_into_float32) { check_types<float>(); }
TEST(Foreign, any_numeric_type_is_loaded_into_float64) { check_types<double>(); }
TEST(Foreign, any_numeric_type_is_loaded_into_complex64) { check_types<std::complex<float>>(); }
TEST(Foreign, any_numeric_type_is_loaded_into_complex128) { check_types<std::complex<double>>(); }

hid_t complex_type(hid_t part, const char* real, const char* imaginary) {
  const std::size_t size = H5Tget_size(part);
  const hid_t type = good(H5Tcreate(H5T_COMPOUND, 2 * size));
  good(H5Tinsert(type, real, 0, part));
  good(H5Tinsert(type, imaginary, size, part));
  return type;
}

// Complex numbers of another precision or byte order, and with other member names.
TEST(Foreign, complex_numbers_of_any_precision_and_member_names_are_loaded) {
  const Directory directory;
  const auto path = directory / "complex.h5";
  std::vector<std::complex<double>> values;
  for (index_t i = 0; i < 30; ++i) values.push_back(element<std::complex<double>>(i));
  const std::pair<const char*, const char*> names[] = {
      {"r", "i"}, {"re", "im"}, {"real", "imag"}, {"real", "imaginary"}};
  for (const hid_t part : {H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_IEEE_F64LE}) {
    for (const auto& [real, imaginary] : names) {
      const hid_t in_file = complex_type(part, real, imaginary);
      const hid_t in_memory = complex_type(H5T_NATIVE_DOUBLE, real, imaginary);
      on_rank_0([&] { write_raw_elements(path, "z", {30}, values, in_file, in_memory); });
      good(H5Tclose(in_file));
      good(H5Tclose(in_memory));
      EXPECT_TRUE(equal_lists(values, contents(io::load<std::complex<double>, 1>(world(), path, "z"))));
      std::vector<std::complex<float>> narrow;
      for (const auto& z : values)
        narrow.emplace_back(static_cast<float>(z.real()), static_cast<float>(z.imag()));
      EXPECT_TRUE(equal_lists(narrow, contents(io::load<std::complex<float>, 1>(world(), path, "z"))));
      expect_words(message_of<io::IoError>([&] { io::load<double, 1>(world(), path, "z"); }),
                   {"\"z\"", path.string(), "float64 were expected"});
    }
  }
  const hid_t other = complex_type(H5T_NATIVE_DOUBLE, "x", "y");
  on_rank_0([&] { write_raw_elements(path, "z", {30}, values, other, other); });
  good(H5Tclose(other));
  expect_words(message_of<io::IoError>([&] { io::load<std::complex<double>, 1>(world(), path, "z"); }),
               {"compound of 16 bytes", "complex128 were expected"});
}

// One value that does not fit, in the part of the first, a middle or the last rank. Every rank gets an error
// that says what is wrong.
template <class T>
void expect_misfit(hid_t in_file, hid_t in_memory, auto value, const std::vector<std::string>& words) {
  const Directory directory;
  const auto path = directory / "misfit.h5";
  static int next = 0;
  const index_t where = std::array<index_t, 3>{0, 50, 99}[at(next++ % 3)];
  std::vector<decltype(value)> values(100, 1);
  values[at(where)] = value;
  on_rank_0([&] { write_raw_elements(path, "x", {100}, values, in_file, in_memory); });
  expect_words(message_of<io::IoError>([&] { io::load<T, 1>(world(), path, "x"); }), words);
  // The rest of the file can still be read.
  auto rest = io::load<T, 1>(world(), path, "x", where == 0 ? Patch<1>{{1}, {100}} : Patch<1>{{0}, {where}});
  EXPECT_EQ(reduce(rest, Reduce::min), T{1});
  EXPECT_EQ(reduce(rest, Reduce::max), T{1});
}

TEST(Foreign, value_that_does_not_fit_is_an_error) {
  const index_t large = index_t{1} << 40;
  expect_misfit<std::int32_t>(H5T_STD_I64LE, H5T_NATIVE_INT64, large, {"int64", "out of range", "int32"});
  expect_misfit<std::int32_t>(H5T_STD_I64BE, H5T_NATIVE_INT64, -large, {"int64", "out of range", "int32"});
  expect_misfit<std::int32_t>(H5T_STD_U32LE, H5T_NATIVE_UINT32, ~0U,
                              {"unsigned integers of 32 bits", "out of range"});
  expect_misfit<std::int64_t>(H5T_STD_U64BE, H5T_NATIVE_UINT64, ~std::uint64_t{0}, {"out of range", "int64"});
  expect_misfit<std::int32_t>(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0.5, {"float64", "no whole numbers", "int32"});
  expect_misfit<std::int64_t>(H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, 0.5F, {"float32", "no whole numbers", "int64"});
  expect_misfit<std::int32_t>(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1e10, {"out of range"});
  expect_misfit<std::int64_t>(H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, -1e30, {"out of range"});
  expect_misfit<std::int32_t>(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, std::nan(""), {"int32"});
  expect_misfit<std::int32_t>(H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, std::nanf(""), {"no whole numbers"});
  expect_misfit<float>(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1e300, {"float64", "out of range", "float32"});
  expect_misfit<float>(H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, -1e300, {"float64", "out of range", "float32"});
}

// Infinities, NaN, and numbers that are rounded.
TEST(Foreign, infinities_and_nan_stay_and_numbers_are_rounded) {
  const Directory directory;
  const auto path = directory / "infinite.h5";
  const double infinity = std::numeric_limits<double>::infinity();
  for (const hid_t type : {H5T_IEEE_F64LE, H5T_IEEE_F64BE}) {
    const std::vector<double> values{infinity, -infinity, std::nan(""), 0.1, 1 + 1e-12, 1e-300};
    on_rank_0([&] { write_raw_elements(path, "x", {6}, values, type, H5T_NATIVE_DOUBLE); });
    const auto found = contents(io::load<float, 1>(world(), path, "x"));
    EXPECT_EQ(found[0], std::numeric_limits<float>::infinity());
    EXPECT_EQ(found[1], -std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(found[2]));
    EXPECT_EQ(found[3], 0.1F);
    EXPECT_EQ(found[4], 1.0F);
    EXPECT_EQ(found[5], 0.0F);
    const auto same = contents(io::load<double, 1>(world(), path, "x"));
    EXPECT_EQ(same[0], infinity);
    EXPECT_TRUE(std::isnan(same[2]));
  }
  const std::vector<long double> longer{std::numeric_limits<long double>::infinity(), 0.5L, -1e4000L};
  on_rank_0([&] { write_raw_elements(path, "x", {2}, longer, H5T_NATIVE_LDOUBLE, H5T_NATIVE_LDOUBLE); });
  EXPECT_EQ(contents(io::load<double, 1>(world(), path, "x")), (std::vector<double>{infinity, 0.5}));
  on_rank_0([&] { write_raw_elements(path, "x", {3}, longer, H5T_NATIVE_LDOUBLE, H5T_NATIVE_LDOUBLE); });
  expect_words(message_of<io::IoError>([&] { io::load<double, 1>(world(), path, "x"); }), {"out of range"});
  const std::vector<std::int64_t> odd{(std::int64_t{1} << 53) + 1, -7};
  on_rank_0([&] { write_raw_elements(path, "x", {2}, odd, H5T_STD_I64BE, H5T_NATIVE_INT64); });
  EXPECT_EQ(contents(io::load<double, 1>(world(), path, "x"))[0], 9007199254740992.0);
}

// Types that have no meaning as numbers.
TEST(Foreign, strings_and_arrays_as_elements_are_refused) {
  const Directory directory;
  const auto path = directory / "text.h5";
  const hid_t text = good(H5Tcopy(H5T_C_S1));
  good(H5Tset_size(text, 8));
  on_rank_0([&] { write_raw_elements(path, "x", {2}, std::vector<char>(16, 'a'), text, text); });
  expect_words(message_of<io::IoError>([&] { io::load<double, 1>(world(), path, "x"); }),
               {"holds strings", "float64 were expected"});
  hsize_t three = 3;
  const hid_t triple = good(H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &three));
  on_rank_0([&] { write_raw_elements(path, "x", {2}, std::vector<double>(6, 1), triple, triple); });
  expect_words(message_of<io::IoError>([&] { io::load<double, 1>(world(), path, "x"); }), {"of 24 bytes"});
  expect_words(message_of<io::IoError>([&] { io::load<std::complex<double>, 1>(world(), path, "x"); }),
               {"complex128 were expected"});
  good(H5Tclose(text));
  good(H5Tclose(triple));
}

// The truth values of h5py.
TEST(Foreign, truth_values_of_h5py_are_loaded) {
  const Directory directory;
  const auto path = directory / "bool.h5";
  const hid_t truth = good(H5Tenum_create(H5T_STD_I8LE));
  const signed char no = 0, yes = 1;
  good(H5Tenum_insert(truth, "FALSE", &no));
  good(H5Tenum_insert(truth, "TRUE", &yes));
  const std::vector<signed char> values{1, 0, 1, 1};
  on_rank_0([&] { write_raw_elements(path, "x", {2, 2}, values, truth, truth); });
  EXPECT_EQ(contents(io::load<std::int32_t, 2>(world(), path, "x")), (std::vector<std::int32_t>{1, 0, 1, 1}));
  good(H5Tclose(truth));
}

TEST(Foreign, patches_are_checked) {
  const Directory directory;
  const auto path = directory / "patch.h5";
  on_rank_0([&] { write_raw<double>(path, "x", {6, 4}); });
  Array<double, 2> a(world(), {2, 2}, {.name = "a"});
  expect_words(message_of<io::IoError>([&] {
                 io::load_into(path, "x", {{5, 0}, {7, 2}}, a);
               }),
               {"[5:7, 0:2)", "exceeds", "6 x 4", "\"x\"", path.string()});
  expect_words(message_of<io::IoError>([&] {
                 io::load_into(path, "x", {{0, 0}, {3, 2}}, a);
               }),
               {"[0:3, 0:2)", "\"a\"", "2 x 2"});
  expect_words(message_of<io::IoError>([&] { io::load_into(path, "x", a); }), {"6 x 4", "2 x 2"});
  expect_words(message_of<io::IoError>([&] {
                 io::load<double, 2>(world(), path, "x", Layout<2>::blocked({4, 6}, world().size()));
               }),
               {"6 x 4", "4 x 6"});
}

// Names that a terminal could take for commands: escape sequences, line ends, invalid UTF-8, another direction.
TEST(Foreign, names_in_messages_are_safe_to_print) {
  const Directory directory;
  const auto path = directory / "names.h5";
  const std::string control = "\x1b]0;owned\x07", line = "two\nlines", latin = "gr\xf6\xdf",
                    c1 = "\xc2\x9b"
                         "2J",
                    turned =
                        "abc\xe2\x80\xae"
                        "fed",
                    longer = "\xc0\x9b", good_name = "größe";
  on_rank_0([&] {
    const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = good(H5Screate(H5S_SCALAR));
    for (const auto& name : {control, line, latin, c1, turned, longer, good_name}) {
      good(H5Dclose(good(
          H5Dcreate2(file, name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    }
    good(H5Sclose(space));
    good(H5Fclose(file));
  });
  const auto message = message_of<io::IoError>([&] { io::load<double, 1>(world(), path, "missing\r"); });
  expect_words(message, {"\"missing\\x0d\"", "\"\\x1b]0;owned\\x07\"", "\"two\\x0alines\"", "\"gr\\xf6\\xdf\"",
                         "\"\\u009b2J\"", "\"abc\\u202efed\"", "\"\\xc0\\x9b\"", "\"größe\""});
  for (const char c : message) EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20 || c == 0x7f) << message;
}

// A file that check_readers.py has written with h5py.
TEST(Foreign, file_of_h5py_is_read) {
  const char* path = std::getenv("TESSERA_TEST_H5PY_FILE");
  if (path == nullptr) GTEST_SKIP() << "needs a file that h5py has written";
  std::vector<double> n;
  for (int i = 0; i < 60; ++i) n.push_back(i);
  EXPECT_TRUE(equal_lists(n, contents(io::load<double, 2>(world(), path, "packed"))));
  EXPECT_EQ(contents(io::load<float, 2>(world(), path, "half")).back(), 59 / 4.0F);
  EXPECT_EQ(contents(io::load<std::int32_t, 1>(world(), path, "truth")), (std::vector<std::int32_t>{1, 0, 1}));
  const auto z = contents(io::load<std::complex<float>, 2>(world(), path, "group/complex"));
  EXPECT_EQ(z.back(), std::complex<float>(59, -59));
  io::File file(world(), path, io::Mode::read);
  EXPECT_EQ(file.attribute("", "title").as<std::string>(), "gr\u00f6\u00dfe");
  EXPECT_EQ(file.attribute("group", "fixed").as<std::string>(), "bytes");
  EXPECT_EQ(file.attribute("packed", "scale").as_list<double>(), (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(file.attribute("packed", "flag").as<int>(), 1);
  EXPECT_EQ(file.attribute("packed", "words").as_list<std::string>(), (std::vector<std::string>{"a", "bc"}));
  file.close();
}

}  // namespace
}  // namespace tessera::test
