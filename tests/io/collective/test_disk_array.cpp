// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <optional>

#include <dlfcn.h>
#include <pthread.h>

#include "file_model.hpp"

// Disk-resident arrays, checked against a model and raw HDF5.
static bool refuse_threads = false;

// Replaces the system's function, also for the library's calls.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                              void* argument) {
  if (refuse_threads) return EAGAIN;
  static const auto real = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attributes, run, argument);
}

namespace tessera::test {
namespace {

using io::DiskArray;
using io::DiskRequest;
using io::Mode;

// The usual buffer, or one so small that most sections need several pieces. In one piece, or in chunks.
template <std::size_t N>
io::DiskOptions any_options(Random& random, const Extents<N>& dims) {
  return {.buffer = pick(random, 0, 2) == 0 ? 64 << 20 : pick(random, 1, 99),
          .chunks = random_chunks(random, dims)};
}

TEST(DiskArrays, buffers_of_any_size_work) {
  const Directory directory;
  Array<double, 1> a(world(), {50}, {.name = "a"}), b(world(), {50}, {.name = "b"});
  fill(a, 2.5);
  for (const index_t buffer :
       {std::numeric_limits<index_t>::max(), std::numeric_limits<index_t>::max() / 2 + 1, index_t{1}}) {
    DiskArray<double, 1> disk(world(), directory / "disk.h5", 'x' + std::to_string(buffer), {50},
                              {.buffer = buffer});
    {
      // All parts but the last are written before the call returns. With a large buffer there is only one part.
      DiskRequest writing = disk.write_async(Patch<1>{{0}, {50}}, a);
      writing.wait();
    }
    fill(b, 0.0);
    disk.read(b);
    EXPECT_TRUE(equal_lists(std::vector<double>(50, 2.5), contents(b)));
    disk.close();
  }
  for (const index_t buffer : {index_t{0}, index_t{-1}, std::numeric_limits<index_t>::min()}) {
    expect_words(message_of<UsageError>([&] {
                   DiskArray<double, 1>(world(), directory / "disk.h5", "y", {50}, {.buffer = buffer});
                 }),
                 {"\"y\"", std::to_string(buffer), "holds nothing"});
  }
}

template <class T, std::size_t N>
void check_sections(const Extents<N>& dims, int seed = 41) {
  const Directory directory;
  const auto path = directory / "disk.h5";
  Random random(static_cast<std::uint64_t>(seed) + N);
  FileModel<T, N> model{dims, elements_from<T>(0, dims.size())};
  {
    DiskArray<T, N> disk(world(), path, "deep/tensor", dims, any_options(random, dims));
    EXPECT_EQ(disk.dims(), dims);
    EXPECT_EQ(disk.name(), "deep/tensor");
    EXPECT_EQ(disk.path(), path);
    EXPECT_TRUE(disk.is_asynchronous());
    TestSlice<T, N> all(random, dims, 0);
    disk.write(all.slice());
    model.put(Patch<N>::whole(dims), all.elements());
    for (int round = 0; round < 4; ++round) {
      const Patch<N> section = random_patch(random, dims);
      TestSlice<T, N> some(random, section.extents(), 100 * round);
      DiskRequest writing = disk.write_async(section, some.slice());
      model.put(section, some.elements());
      writing.wait();
      EXPECT_TRUE(writing.test());
      writing.wait();
      const Patch<N> one = random_patch(random, dims), two = random_patch(random, dims);
      TestSlice<T, N> first(random, one.extents(), 5000), second(random, two.extents(), 6000);
      DiskRequest reading = disk.read_async(one, first.slice());
      disk.read(two, second.slice());
      reading.wait();
      first.expect(model.get(one));
      second.expect(model.get(two));
      EXPECT_TRUE(first.is_right()) << first.description();
      EXPECT_TRUE(second.is_right()) << second.description();
    }
    disk.flush();
    disk.close();
  }
  model.expect_in(path, "deep/tensor");
  DiskArray<T, N> again(world(), path, "deep/tensor", Mode::read, any_options(random, dims));
  EXPECT_EQ(again.dims(), dims);
  TestSlice<T, N> found(random, dims, 7000);
  again.read(found.slice());
  found.expect(model.elements);
  EXPECT_TRUE(found.is_right());
  again.close();
}

TEST(DiskArrays, float64_in_one_dimension_is_written_and_read) { check_sections<double, 1>({57}); }
TEST(DiskArrays, float64_in_two_dimensions_is_written_and_read) { check_sections<double, 2>({9, 11}); }
TEST(DiskArrays, complex128_in_three_dimensions_is_written_and_read) {
  check_sections<std::complex<double>, 3>({4, 3, 5});
}
TEST(DiskArrays, int32_in_eight_dimensions_is_written_and_read) {
  check_sections<std::int32_t, 8>({2, 1, 2, 3, 1, 2, 1, 2});
}
TEST(DiskArrays, int64_is_written_and_read) { check_sections<std::int64_t, 2>({5, 6}); }
TEST(DiskArrays, float32_is_written_and_read) { check_sections<float, 2>({5, 6}); }
TEST(DiskArrays, complex64_is_written_and_read) { check_sections<std::complex<float>, 2>({5, 6}); }
TEST(DiskArrays, bytes_are_written_and_read) { check_sections<Bytes, 2>({5, 6}); }
TEST(DiskArrays, other_buffers_and_chunks_give_the_same) {
  for (int seed = 1; seed <= seeds(2, 60); ++seed) check_sections<float, 3>({6, 7, 5}, seed);
}
TEST(DiskArrays, no_elements_are_written_and_read) { check_sections<double, 2>({0, 4}); }

// write_async writes the values that the array has when it is called.
TEST(DiskArrays, write_async_writes_the_values_at_the_time_of_the_call) {
  const Directory directory;
  DiskArray<double, 2> disk(world(), directory / "a.h5", "a", {40, 30});
  Array<double, 2> a(world(), {40, 30}, {.name = "a"});
  fill(a, 1.0);
  DiskRequest request = disk.write_async({{0, 0}, {40, 30}}, a);
  fill(a, 2.0);
  request.wait();
  fill(a, 3.0);
  disk.read(a);
  EXPECT_EQ(reduce(a, Reduce::sum), 1200.0);
  disk.close();
}

TEST(DiskArrays, several_share_a_file_and_have_several_requests) {
  const Directory directory;
  const auto path = directory / "several.h5";
  DiskArray<double, 2> a(world(), path, "a", {12, 10});
  DiskArray<std::int32_t, 1> b(world(), path, "group/b", {33});
  Array<double, 2> part(world(), {4, 10}, {.name = "part"});
  Array<std::int32_t, 1> c(world(), {33}, {.name = "c"});
  fill(c, 7);
  std::vector<DiskRequest> requests;
  for (index_t i = 0; i < 3; ++i) {
    fill(part, static_cast<double>(i));
    requests.push_back(a.write_async({{4 * i, 0}, {4 * i + 4, 10}}, part));
  }
  requests.push_back(b.write_async({{0}, {33}}, c));
  for (auto& request : requests) request.wait();
  // The file is complete, although the arrays are open.
  on_rank_0([&] {
    const auto found = raw_dataset<double>(path, "a");
    std::vector<double> expected;
    for (index_t i = 0; i < 120; ++i) expected.push_back(static_cast<double>(i / 40));
    EXPECT_TRUE(equal_lists(expected, found.elements));
    EXPECT_TRUE(
        equal_lists(std::vector<std::int32_t>(33, 7), raw_dataset<std::int32_t>(path, "group/b").elements));
  });
  b.close();
  a.close();
  expect_words(message_of<io::IoError>([&] { (DiskArray<double, 1>(world(), path, "a", {5})); }),
               {"already", "\"a\""});
  EXPECT_EQ(directory.names(), (std::vector<std::string>{"several.h5"}));
}

// A request and its array may be dropped. Nothing hangs, and nothing of the request is written later.
TEST(DiskArrays, dropped_requests_write_nothing_later) {
  const Directory directory;
  Array<double, 1> a(world(), {1000}, {.name = "a"});
  fill(a, 5.0);
  std::optional<DiskRequest> late;
  {
    DiskArray<double, 1> disk(world(), directory / "a.h5", "a", {1000});
    { const DiskRequest dropped = disk.write_async({{0}, {1000}}, a); }
    world().barrier();
    { const DiskRequest dropped = disk.read_async({{0}, {500}}, a.slice({{0}, {500}})); }
    late = disk.write_async({{500}, {1000}}, a.slice({{0}, {500}}));
  }
  late->wait();
  on_rank_0([&] {
    EXPECT_TRUE(
        equal_lists(std::vector<double>(1000, 5.0), raw_dataset<double>(directory / "a.h5", "a").elements));
  });
}

// Datasets that only HDF5 can read: chunked, compressed, never written, or of another byte order or type.
TEST(DiskArrays, datasets_that_only_hdf5_can_read_are_written_and_read) {
  const Directory directory;
  const auto path = directory / "chunks.h5";
  Random random(5);
  const Extents<2> dims{8, 6};
  FileModel<double, 2> model{dims, elements_from<double>(0, 48)};
  for (int kind = 0; kind < 4; ++kind) {
    SCOPED_TRACE(kind);
    on_rank_0([&] {
      const hid_t type = kind == 2 ? H5T_IEEE_F64BE : kind == 3 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
      write_raw_elements(path, "x", {8, 6}, model.elements, type, H5T_NATIVE_DOUBLE,
                         kind < 2 ? std::vector<hsize_t>{3, 3} : std::vector<hsize_t>{}, kind == 1 ? 3 : 0);
    });
    DiskArray<double, 2> disk(world(), path, "x", Mode::read_write);
    EXPECT_FALSE(disk.is_asynchronous());
    TestSlice<double, 2> all(random, dims, 500), corner(random, {3, 4}, 800);
    disk.read(all.slice());
    all.expect(model.elements);
    EXPECT_TRUE(all.is_right());
    FileModel<double, 2> changed = model;
    DiskRequest request = disk.write_async({{2, 1}, {5, 5}}, corner.slice());
    EXPECT_TRUE(request.test());
    request.wait();
    changed.put({{2, 1}, {5, 5}}, corner.elements());
    disk.flush();
    disk.close();
    changed.expect_in(path, "x");
  }
}

// Parts of a piece are whole rows, and differ. None is larger than the buffer.
TEST(DiskArrays, take_no_more_memory_than_their_buffer) {
  const Directory directory;
  const index_t rows = world().size() + 1, columns = 5000;
  for (const index_t buffer : {rows * columns * 8 / world().size(), index_t{9000}, index_t{8}}) {
    SCOPED_TRACE(buffer);
    const index_t n = buffer == 8 ? 40 : columns;
    Array<double, 2> a(world(), {rows, n}, {.name = "a"}), b = a.duplicate("b");
    fill(a, 1.5), fill(b, 0.0);
    DiskArray<double, 2> disk(world(), directory / "buffer.h5", std::to_string(buffer), {rows, n},
                              {.buffer = buffer});
    const index_t before = runtime().memory_in_use();
    runtime().reset_memory_peak();
    disk.write(a);
    disk.read(b);
    constexpr index_t page = 4096;  // and rounding up
    EXPECT_LE(runtime().memory_peak() - before, buffer + 2 * page);
    EXPECT_EQ(contents(b), std::vector<double>(at(rows * n), 1.5));
  }
}

// Positions beyond 2^31 elements and bytes, reached in all three ways.
TEST(LargeFiles, positions_beyond_2_to_the_31_are_reached) {
  const Directory directory;
  if (std::getenv("TESSERA_TEST_LARGE_FILES") == nullptr) GTEST_SKIP() << "takes 9 GiB on disk";
  const bool fits = std::filesystem::space(directory / ".").available > (std::uintmax_t{10} << 30);
  if (!on_all(fits)) GTEST_SKIP() << "there are no 10 GiB left";
  const index_t n = (index_t{1} << 30) + 7;
  const auto path = directory / "large.h5";
  DiskArray<Bytes, 2> disk(world(), path, "x", {3, n});
  Random random(1);
  const Patch<2> end{{1, n - 5}, {3, n}}, middle{{1, n / 2}, {3, n / 2 + 4}};
  TestSlice<Bytes, 2> a(random, {2, 5}, 100), b(random, {2, 4}, 200), found(random, {2, 5}, 900),
      other(random, {2, 4}, 950);
  disk.write(end, a.slice());
  disk.read(end, found.slice());
  found.expect(a.elements());
  EXPECT_TRUE(found.is_right());
  disk.close();
  io::File file(world(), path, Mode::read_write);
  file.write("x", middle, b.slice());
  file.read("x", end, found.slice());
  EXPECT_TRUE(found.is_right());
  file.close();
  io::load_into(path, "x", middle, other.slice());
  other.expect(b.elements());
  EXPECT_TRUE(other.is_right());
}

TEST(DiskArrayErrors, wrong_arguments_are_errors) {
  const Directory directory;
  const auto path = directory / "a.h5";
  Array<double, 1> a(world(), {10}, {.name = "a"});
  fill(a, 1.0);
  DiskArray<double, 1> disk(world(), path, "x", {20});
  const std::string where = path.string();
  expect_words(message_of<UsageError>([&] { disk.write({{15}, {25}}, a); }), {"[15:25)", "20", "\"x\"", where});
  expect_words(message_of<UsageError>([&] { disk.read({{0}, {11}}, a); }), {"[0:11)", "\"a\"", "shapes"});
  DiskRequest writing = disk.write_async({{0}, {10}}, a);
  expect_words(message_of<UsageError>([&] {
                 disk.read({{5}, {15}}, a);
               }),
               {"[5:15) overlaps [0:10)", "wait()"});
  expect_words(message_of<UsageError>([&] { disk.write({{9}, {19}}, a); }), {"overlaps"});
  expect_words(message_of<UsageError>([&] { disk.close(); }), {"1 request was not waited for"});
  disk.write({{10}, {20}}, a);
  writing.wait();
  DiskRequest reading = disk.read_async({{0}, {10}}, a);
  disk.read({{5}, {15}}, a);
  expect_words(message_of<UsageError>([&] { disk.write({{9}, {19}}, a); }), {"overlaps [0:10)"});
  reading.wait();
  disk.close();
  expect_words(message_of<UsageError>([&] { disk.read({{0}, {10}}, a); }), {"closed"});
  DiskArray<double, 1> taken = std::move(disk);
  expect_words(message_of<UsageError>([&] { disk.flush(); }), {"moved from"});

  DiskArray<double, 1> read_only(world(), path, "x", Mode::read);
  expect_words(message_of<UsageError>([&] { read_only.write({{0}, {10}}, a); }), {"opened for reading"});
  read_only.close();
  using Disk = DiskArray<double, 1>;
  expect_words(message_of<UsageError>([&] { Disk(world(), path, "x", Mode::create); }), {"read or read_write"});
  expect_words(message_of<io::IoError>([&] { Disk(world(), path, "y", Mode::read); }),
               {"no such dataset", "\"x\""});
  expect_words(message_of<io::IoError>([&] { Disk(world(), directory / "b.h5", "y", Mode::read); }),
               {"No such file"});
  using Matrix = DiskArray<double, 2>;
  expect_words(message_of<io::IoError>([&] { Matrix(world(), path, "x", Mode::read); }),
               {"1 dimension (20)", "2 were"});
  using Strange = DiskArray<Bytes, 1>;
  expect_words(message_of<io::IoError>([&] { Strange(world(), path, "x", Mode::read); }),
               {"float64", "bytes of size 3"});
}

#ifdef TESSERA_TEST_CHECKS
TEST(DiskArrayErrors, ranks_that_disagree_get_an_error) {
  if (world().size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const Directory directory;
  DiskArray<double, 1> disk(world(), directory / "a.h5", "x", {20});
  Array<double, 1> a(world(), {5});
  const index_t lo = world().rank();
  expect_words(message_of<UsageError>([&] { disk.write({{lo}, {lo + 5}}, a); }), {"\"x\""});
  disk.close();
}
#endif

// Another program truncates the file meanwhile. wait() reports an error on every rank.
TEST(DiskArrayErrors, truncated_file_is_an_error_of_wait) {
  const Directory directory;
  const auto path = directory / "a.h5";
  Array<double, 1> a(world(), {1000}, {.name = "a"});
  fill(a, 1.0);
  DiskArray<double, 1> disk(world(), path, "x", {1000});
  disk.write(a);
  on_rank_0([&] { std::filesystem::resize_file(path, std::filesystem::file_size(path) - 800); });
  DiskRequest request = disk.read_async({{0}, {1000}}, a);
  expect_words(message_of<io::IoError>([&] { request.wait(); }), {"truncated", "\"x\"", path.string()});
  request.wait();
  disk.read({{0}, {100}}, a.slice({{0}, {100}}));
  disk.close();
}

// The thread cannot be started on one rank. Every rank gets an error.
TEST(DiskArrayErrors, missing_thread_of_one_rank_is_an_error_on_all) {
  const Directory directory;
  Array<double, 1> a(world(), {1000}, {.name = "a"});
  fill(a, 7.0);
  DiskArray<double, 1> disk(world(), directory / "a.h5", "x", {1000});
  refuse_threads = world().rank() == world().size() - 1;
  const std::vector<std::string> words{"\"x\"", "no thread for the disk"};
  expect_words(message_of<io::IoError>([&] { disk.write(a); }), words);
  expect_words(message_of<io::IoError>([&] { disk.read(a); }), words);
  refuse_threads = false;
  disk.write(a);
  fill(a, 0.0);
  disk.read(a);
  EXPECT_TRUE(equal_lists(std::vector<double>(1000, 7.0), contents(a)));
  disk.close();
}

// The system does not even say whether there is such a file.
TEST(DiskArrayErrors, path_that_cannot_be_followed_is_an_error) {
  using Disk = DiskArray<double, 1>;
  const Directory directory;
  on_rank_0([&] { std::filesystem::create_symlink("loop", directory / "loop"); });
  const auto expect_error = [](const std::filesystem::path& path, const std::string& reason) {
    const std::vector<std::string> words{path.string(), "cannot be made: " + reason};
    expect_words(message_of<io::IoError>([&] { Disk(world(), path, "x", {10}); }), words);
    for (const Mode mode : {Mode::create, Mode::truncate})
      expect_words(message_of<io::IoError>([&] { io::File(world(), path, mode); }), words);
  };
  expect_error(directory / std::string(1000, 'x'), "File name too long");
  expect_error(directory / "loop" / "a.h5", "Too many levels of symbolic links");
}

TEST(DiskArrayErrors, array_too_large_for_the_disk_leaves_no_file) {
  const Directory directory;
  const auto path = directory / "a.h5";
  using Disk = DiskArray<double, 1>;
  expect_words(message_of<io::IoError>([&] { Disk(world(), path, "x", {index_t{1} << 50}); }),
               {"a.h5", "bytes"});
  EXPECT_TRUE(directory.names().empty()) << "the file that was made for it is left";
}

}  // namespace
}  // namespace tessera::test
