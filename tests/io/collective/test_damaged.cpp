// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>

#include "file_model.hpp"
#include "hdf5_alone.hpp"

// Small files with a few bytes damaged. No rank is left waiting, and every rank has the same kind of error or
// none. HDF5 1.10 itself crashes over some damage, or never ends. A file that crashes HDF5 alone, in a process
// of its own, is left out and counted. TESSERA_TEST_DAMAGED is the number of copies, TESSERA_TEST_SEED chooses
// them.

// HDF5 gives up closing its objects of some damaged files ("infinite loop closing library"). The leaked memory
// is not ours.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

namespace tessera::test {
namespace {

using io::File;
using io::Mode;

index_t setting(const char* name, index_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoll(value);
}

// The kind of error, as a number.
int kind_of(const std::function<void()>& action) {
  try {
    action();
    return 0;
  } catch (const io::Hdf5Error&) {
    return 1;
  } catch (const io::IoError&) {
    return 2;
  } catch (const MemoryError&) {
    return 3;
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
    return 4;
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
    return 5;
  }
}

void expect_agreement(const char* what, const std::function<void()>& action) {
  const int kind = kind_of(action);
  EXPECT_EQ(world().all_reduce(kind, Reduce::min), world().all_reduce(kind, Reduce::max)) << what;
}

void write_theirs(const std::filesystem::path& path, bool is_new_format) {
  const hid_t access = good(H5Pcreate(H5P_FILE_ACCESS));
  if (is_new_format) good(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110));
  const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
  const hsize_t dims[] = {12, 5}, most[] = {H5S_UNLIMITED, 5}, chunk[] = {5, 2};
  const hid_t space = good(H5Screate_simple(2, dims, nullptr)), open = good(H5Screate_simple(2, dims, most));
  const hid_t plain = good(H5Pcreate(H5P_DATASET_CREATE)), packed = good(H5Pcreate(H5P_DATASET_CREATE));
  good(H5Pset_chunk(packed, 2, chunk));
  good(H5Pset_shuffle(packed));
  good(H5Pset_deflate(packed, 3));
  good(H5Gclose(good(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
  std::vector<double> values;
  for (int i = 0; i < 60; ++i) values.push_back(i / 4.0);
  const hid_t sets[] = {good(H5Dcreate2(file, "a", H5T_IEEE_F64LE, space, H5P_DEFAULT, plain, H5P_DEFAULT)),
                        good(H5Dcreate2(file, "g/b", H5T_IEEE_F32BE, open, H5P_DEFAULT, packed, H5P_DEFAULT))};
  for (const hid_t set : sets)
    good(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  const hid_t attribute = good(H5Acreate2(sets[0], "unit", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT));
  good(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values.data()));
  good(H5Aclose(attribute));
  for (const hid_t set : sets) good(H5Dclose(set));
  for (const hid_t id : {space, open}) good(H5Sclose(id));
  for (const hid_t id : {plain, packed, access}) good(H5Pclose(id));
  good(H5Fclose(file));
}

void write_ours(const std::filesystem::path& path) {
  Array<double, 2> a(world(), {12, 5}, {.name = "a"});
  fill(a, 1.5);
  File file(world(), path, Mode::create);
  file.write("a", a);
  for (int step = 0; step < 2; ++step) file.append("g/b", a, {.chunks = {5, 2}});
  file.set_attribute("a", "unit", std::vector<std::string>{"hartree", "bohr"});
  file.close();
}

class Damaged : public testing::Test {
 protected:
  Damaged() {
    on_rank_0([&] {
      write_theirs(directory_ / "old.h5", false);
      write_theirs(directory_ / "new.h5", true);
    });
    write_ours(directory_ / "ours.h5");
    Array<double, 2> a(world(), {12, 5}, {.name = "a"});
    fill(a, 2.5);
    io::save(directory_ / "saved.h5", {{"a", a}, {"g/b", a}});
    for (const char* name : {"old.h5", "new.h5", "ours.h5", "saved.h5"})
      originals_.push_back(bytes_of(directory_ / name));
  }

  // Damages `copies` files, and calls use(path) for each that HDF5 alone survives.
  void for_each_copy(index_t copies, bool writes,
                     const std::function<void(const std::filesystem::path&)>& use) {
    const auto path = directory_ / "damaged.h5";
    Random random(static_cast<unsigned>(setting("TESSERA_TEST_SEED", 1)));
    index_t left_out = 0;
    for (index_t copy = 0; copy < copies; ++copy) {
      SCOPED_TRACE(copy);
      std::string bytes = originals_[at(copy % static_cast<index_t>(originals_.size()))];
      const index_t where = pick(random, 0, 5) == 0 ? 100 : static_cast<index_t>(bytes.size());
      for (index_t n = pick(random, 1, 3); n > 0; --n) {
        const index_t byte = pick(random, 0, where - 1), value = pick(random, 0, 3);
        bytes[at(byte)] = value == 0 ? '\xff' : static_cast<char>(pick(random, 0, 255));
      }
      int lives = 1;
      on_rank_0([&] {
        std::filesystem::remove(path);
        std::ofstream(path, std::ios::binary) << bytes;
        lives = static_cast<int>(survives(path, writes));
        std::ofstream(path, std::ios::binary) << bytes;
        if (std::getenv("TESSERA_TEST_KEEP") != nullptr) {
          std::ofstream("/tmp/tessera-damaged.h5", std::ios::binary) << bytes;
          std::fprintf(stderr, "%d: %d\n", static_cast<int>(copy), lives);
        }
      });
      lives = world().broadcast(lives, 0);
      left_out += 1 - lives;
      if (lives != 0) use(path);
    }
    if (world().rank() == 0)
      std::printf("HDF5 itself crashes over %d of %d copies\n", static_cast<int>(left_out),
                  static_cast<int>(copies));
    EXPECT_LT(10 * left_out, copies + 50);
  }

  const Directory directory_;
  std::vector<std::string> originals_;
};

TEST_F(Damaged, files_that_are_read_give_all_ranks_the_same_kind_of_error) {
  for_each_copy(setting("TESSERA_TEST_DAMAGED", 40), false, [](const std::filesystem::path& path) {
    expect_agreement("load", [&] { io::load<double, 2>(world(), path, "a"); });
    expect_agreement("load of a patch", [&] {
      io::load<float, 2>(world(), path, "g/b", Patch<2>{{1, 0}, {4, 2}});
    });
    expect_agreement("File", [&] {
      File file(world(), path, Mode::read);
      Array<double, 2> part(world(), {2, 2});
      expect_agreement("datasets", [&] { file.datasets(); });
      expect_agreement("attribute", [&] { file.attribute("a", "unit"); });
      expect_agreement("read", [&] { file.read("g/b", {{0, 0}, {2, 2}}, part); });
      expect_agreement("steps", [&] { file.steps("g/b"); });
      file.close();
    });
  });
}

TEST_F(Damaged, files_that_are_written_give_all_ranks_the_same_kind_of_error) {
  for_each_copy(setting("TESSERA_TEST_DAMAGED", 40) / 2, true, [](const std::filesystem::path& path) {
    expect_agreement("File", [&] {
      File file(world(), path, Mode::read_write);
      Array<double, 2> part(world(), {2, 2});
      fill(part, 1.0);
      expect_agreement("read", [&] { file.read("g/b", {{0, 0}, {2, 2}}, part); });
      expect_agreement("write", [&] { file.write("a", {{0, 0}, {2, 2}}, part); });
      expect_agreement("attribute", [&] { file.set_attribute("a", "new", 1); });
      file.close();
    });
  });
}

}  // namespace
}  // namespace tessera::test
