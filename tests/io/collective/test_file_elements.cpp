// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "file_model.hpp"

// Slices, patches and steps in files: elements of any type in any number of dimensions, checked against raw
// HDF5.
namespace tessera::test {
namespace {

using io::File;
using io::Mode;

template <class T, std::size_t N>
void check_slices(const Extents<N>& dims) {
  const Directory directory;
  Random random(31 + N);
  for (int round = 0; round < 2; ++round) {
    TestSlice<T, N> from(random, dims, 1), to(random, dims, 1000), both(random, dims, 2000);
    SCOPED_TRACE(from.description() + " and " + to.description());
    io::save(directory / "a.h5", {{"from", from.slice()}, {"deep/both", both.slice()}});
    on_rank_0([&] {
      const auto found = read_raw<T>(directory / "a.h5", "from");
      EXPECT_EQ(found.dims, raw_dims(dims));
      EXPECT_TRUE(equal_lists(from.elements(), found.elements));
    });
    io::load_into(directory / "a.h5", "from", to.slice());
    to.expect(from.elements());
    EXPECT_TRUE(to.is_right());
    EXPECT_TRUE(from.is_right());
    // A patch of the dataset, which may be empty.
    const FileModel<T, N> model{dims, both.elements()};
    const Patch<N> patch = random_patch(random, dims);
    TestSlice<T, N> part(random, patch.extents(), 3000);
    io::load_into(directory / "a.h5", "deep/both", patch, part.slice());
    part.expect(model.get(patch));
    EXPECT_TRUE(part.is_right()) << part.description();
    const auto fresh = io::load<T, N>(world(), directory / "a.h5", "deep/both", patch);
    EXPECT_TRUE(equal_lists(model.get(patch), contents(fresh)));
    const auto placed = io::load<T, N>(world(), directory / "a.h5", "deep/both",
                                       any_of(random, layouts_of(random, dims, world().size())));
    EXPECT_TRUE(equal_lists(model.elements, contents(placed)));
  }
}

TEST(Slices, float64_in_one_dimension_is_saved_and_loaded) { check_slices<double, 1>({23}); }
TEST(Slices, float64_in_two_dimensions_is_saved_and_loaded) { check_slices<double, 2>({7, 5}); }
TEST(Slices, complex128_in_three_dimensions_is_saved_and_loaded) {
  check_slices<std::complex<double>, 3>({3, 4, 2});
}
TEST(Slices, int32_in_eight_dimensions_is_saved_and_loaded) {
  check_slices<std::int32_t, 8>({2, 1, 2, 3, 1, 2, 1, 2});
}
TEST(Slices, int64_is_saved_and_loaded) { check_slices<std::int64_t, 2>({4, 6}); }
TEST(Slices, float32_is_saved_and_loaded) { check_slices<float, 2>({4, 6}); }
TEST(Slices, complex64_is_saved_and_loaded) { check_slices<std::complex<float>, 2>({4, 6}); }
TEST(Slices, bytes_are_saved_and_loaded) { check_slices<Bytes, 2>({4, 6}); }
TEST(Slices, no_elements_are_saved_and_loaded) { check_slices<double, 2>({0, 3}); }

// A member is a dataset of its own type, and the other members keep their values.
TEST(Slices, members_of_structures_are_written_and_read) {
  struct State {
    double density;
    std::int32_t material;
  };
  const Directory directory;
  const Extents<2> dims{7, 5};
  const auto whole = Patch<2>::whole(dims), part = Patch<2>{{2, 1}, {6, 4}};
  Array<State, 2> states(world(), dims, {.name = "states"});
  const auto set = [&](int factor) {
    for_each_local(states, [&](const Index<2>& at, State& state) {
      const index_t number = at[0] * 5 + at[1];
      state = {0.5 * static_cast<double>(number * factor), static_cast<std::int32_t>(number * factor)};
    });
    states.sync();
  };
  const auto is_right = [&](const Patch<2>& set_to_one, int factor) {
    Comparison compared;
    for_each_local(states, [&](const Index<2>& at, const State& state) {
      bool is_in = true;
      for (std::size_t d = 0; d < 2; ++d)
        is_in = is_in && at[d] >= set_to_one.lo[d] && at[d] < set_to_one.hi[d];
      const index_t number = at[0] * 5 + at[1];
      compared.check(state.density == 0.5 * static_cast<double>(number * factor) &&
                         state.material == number * (is_in ? 1 : factor),
                     at.values(), number, state.material);
    });
    return compared.equal();
  };
  const auto material = states.slice().member(&State::material);
  set(1);
  io::save(directory / "saved.h5", "material", material);
  for (const io::DatasetOptions<2>& options : {io::DatasetOptions<2>{}, {.chunks = {3, 2}}}) {
    const auto path = directory / "states.h5";
    set(1);
    File file(world(), path, Mode::truncate);
    file.create_dataset<std::int32_t, 2>("material", dims, options);
    file.write("material", material);
    file.append("steps", material);
    on_rank_0([&] {
      std::vector<std::int32_t> expected(35);
      for (std::size_t i = 0; i < 35; ++i) expected[i] = static_cast<std::int32_t>(i);
      EXPECT_TRUE(equal_lists(expected, read_raw<std::int32_t>(directory / "saved.h5", "material").elements));
    });
    set(-2);
    file.read("material", material);
    EXPECT_TRUE(is_right(whole, -2));
    set(3);
    file.read_step("steps", 0, material);
    EXPECT_TRUE(is_right(whole, 3));
    set(-4);
    file.read("material", part, material.slice(part));
    EXPECT_TRUE(is_right(part, -4));
    file.close();
    set(5);
    io::load_into(path, "material", part, material.slice(part));
    EXPECT_TRUE(is_right(part, 5));
    set(-6);
    io::load_into(path, "material", material);
    EXPECT_TRUE(is_right(whole, -6));
  }
}

// Writes and reads random patches of a dataset. It is stored in one piece or in chunks, compressed or not.
template <class T, std::size_t N>
void check_patches(const Extents<N>& dims, const io::DatasetOptions<N>& options) {
  const Directory directory;
  const auto path = directory / "patches.h5";
  Random random(7 + N);
  FileModel<T, N> model{dims, elements_from<T>(0, dims.size())};
  File file(world(), path, Mode::create);
  file.create_dataset<T, N>("run/x", dims, options);
  {
    TestSlice<T, N> all(random, dims, 0);
    file.write("run/x", all.slice());
    model.put(Patch<N>::whole(dims), all.elements());
  }
  for (int round = 0; round < 3; ++round) {
    const Patch<N> patch = random_patch(random, dims);
    TestSlice<T, N> some(random, patch.extents(), 100 * round);
    file.write("run/x", patch, some.slice());
    model.put(patch, some.elements());
    const Patch<N> other = random_patch(random, dims);
    TestSlice<T, N> found(random, other.extents(), 5000);
    file.read("run/x", other, found.slice());
    found.expect(model.get(other));
    EXPECT_TRUE(found.is_right()) << found.description();
    EXPECT_TRUE(some.is_right());
  }
  file.close();
  model.expect_in(path, "run/x");
  File again(world(), path, Mode::read);
  const io::DatasetInfo info = again.dataset("run/x");
  EXPECT_TRUE(std::equal(dims.begin(), dims.end(), info.dims.begin(), info.dims.end()));
  EXPECT_EQ(info.deflate, options.deflate);
  if (options.chunks == Extents<N>{}) {
    EXPECT_EQ(info.chunks.empty(), options.deflate == 0);
  } else {
    EXPECT_TRUE(
        std::equal(options.chunks.begin(), options.chunks.end(), info.chunks.begin(), info.chunks.end()));
  }
  again.close();
}

TEST(Patches, of_one_piece_are_written_and_read) { check_patches<double, 2>({11, 9}, {}); }
TEST(Patches, of_one_piece_in_one_dimension_are_written_and_read) {
  check_patches<std::complex<float>, 1>({40}, {});
}
TEST(Patches, of_one_piece_in_eight_dimensions_are_written_and_read) {
  check_patches<std::int64_t, 8>({2, 2, 1, 3, 1, 2, 2, 1}, {});
}
TEST(Patches, of_chunks_are_written_and_read) { check_patches<double, 2>({11, 9}, {.chunks = {4, 3}}); }
TEST(Patches, of_chunks_in_three_dimensions_are_written_and_read) {
  check_patches<float, 3>({5, 4, 6}, {.chunks = {5, 1, 4}});
}
TEST(Patches, of_compressed_chunks_are_written_and_read) {
  check_patches<double, 2>({11, 9}, {.chunks = {4, 3}, .deflate = 6});
}
TEST(Patches, of_compressed_complex_numbers_are_written_and_read) {
  check_patches<std::complex<double>, 2>({6, 5}, {.deflate = 1, .shuffle = true, .checksum = true});
}
TEST(Patches, of_bytes_are_written_and_read) {
  check_patches<Bytes, 2>({6, 5}, {.chunks = {2, 5}, .checksum = true});
}

template <std::size_t N>
void check_steps(const Extents<N>& dims, const io::DatasetOptions<N>& options) {
  const Directory directory;
  const auto path = directory / "steps.h5";
  Random random(3);
  std::vector<double> model;
  {
    File file(world(), path, Mode::create);
    EXPECT_EQ(file.steps("run/u"), 0);
    for (int step = 0; step < 3; ++step) {
      TestSlice<double, N> u(random, dims, 100 * step);
      file.append("run/u", u.slice(), options);
      for (const double x : u.elements()) model.push_back(x);
    }
    file.close();
  }
  File file(world(), path, Mode::read_write);
  EXPECT_EQ(file.steps("run/u"), 3);
  TestSlice<double, N> last(random, dims, 300), found(random, dims, 9000);
  file.append("run/u", last.slice());
  for (const double x : last.elements()) model.push_back(x);
  EXPECT_EQ(file.steps("run/u"), 4);
  file.read_step("run/u", 1, found.slice());
  const auto size = dims.size();
  found.expect({model.begin() + size, model.begin() + 2 * size});
  EXPECT_TRUE(found.is_right());
  expect_words(message_of<io::IoError>([&] { file.read_step("run/u", 4, found.slice()); }),
               {"no step 4", "there are 4"});
  EXPECT_TRUE(file.dataset("run/u").grows);
  file.close();
  on_rank_0([&] {
    const auto raw = raw_dataset<double>(path, "run/u");
    std::vector<hsize_t> expected{4};
    for (const index_t extent : dims) expected.push_back(static_cast<hsize_t>(extent));
    EXPECT_EQ(raw.dims, expected);
    EXPECT_TRUE(equal_lists(model, raw.elements));
  });
}

TEST(Steps, of_vectors_are_appended_and_read) { check_steps<1>({13}, {}); }
TEST(Steps, of_matrices_are_appended_and_read) { check_steps<2>({6, 5}, {.chunks = {4, 4}}); }
TEST(Steps, that_are_compressed_are_appended_and_read) {
  check_steps<2>({6, 5}, {.chunks = {3, 5}, .deflate = 5, .shuffle = true});
}
TEST(Steps, in_seven_dimensions_are_appended_and_read) { check_steps<7>({2, 1, 2, 2, 1, 3, 2}, {}); }
TEST(Steps, without_elements_are_appended_and_read) { check_steps<2>({0, 4}, {}); }

}  // namespace
}  // namespace tessera::test
