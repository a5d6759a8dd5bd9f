// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <sys/types.h>

#include "checkpoint_model.hpp"

// Records which pages of its file each process writes. No page may have two writers. On a network file system,
// a page that two nodes write may keep old bytes of one of them.
namespace {

constexpr tessera::index_t page = 4096;
bool watched = false;
std::set<tessera::index_t> pages;

using Write = ssize_t (*)(int, const void*, size_t, off_t);
ssize_t watched_write(const char* name, int file, const void* data, size_t size, off_t at) {
  static const auto real = reinterpret_cast<Write>(dlsym(RTLD_NEXT, name));
  for (tessera::index_t p = at / page; watched && p * page < at + static_cast<off_t>(size); ++p)
    pages.insert(p);
  return real(file, data, size, at);
}

}  // namespace

// Replace the system's functions, for the library and for HDF5.
extern "C" ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  return watched_write("pwrite", file, data, size, at);
}
extern "C" ssize_t pwrite64(int file, const void* data, size_t size, off_t at) {
  return watched_write("pwrite64", file, data, size, at);
}

namespace {

using namespace tessera;
using namespace tessera::test;

// How many pages are written by more than one process. @collective
index_t pages_of_two() {
  std::vector<index_t> writers(4096, 0);
  for (const index_t p : pages) ++writers.at(static_cast<std::size_t>(p));
  world().all_reduce(std::span<index_t>(writers), Reduce::sum);
  EXPECT_GT(std::count(writers.begin(), writers.end(), 1), 2000) << "it looked";
  return std::count_if(writers.begin(), writers.end(), [](index_t n) { return n > 1; });
}

struct Odd {
  unsigned char bytes[20001];  // no multiple of this size that fits a tile is whole pages
};

unsigned char odd_byte(const Index<1>& at, int step, std::size_t i) {
  return static_cast<unsigned char>(static_cast<std::size_t>(at[0] * 7 + step) + i * i);
}

TEST(CheckpointPages, have_one_writer_each) {
  const Directory directory;
  Array<double, 2> a(world(), {300, 700}), b(world(), {701, 299});
  Array<Bytes, 1> c(world(), {1'400'001});
  Array<std::int32_t, 1> d(world(), {1'025});  // some bytes more than a page
  Array<Odd, 1> odd(world(), {201});
  std::vector<double> list(1000);
  double x = 1;
  std::string text(5000, 'x');
  io::Checkpoint checkpoint(world(), directory / "run");
  checkpoint.add("a", a);
  checkpoint.add("b", b);
  checkpoint.add("c", c);
  checkpoint.add("d", d);
  checkpoint.add("odd", odd);
  checkpoint.add("list", list);
  checkpoint.add("deep/down/x", x);
  checkpoint.add("text", text);
  const auto set_odd = [&](int step) {
    for_each_local(odd, [&](const Index<1>& at, Odd& o) {
      for (std::size_t i = 0; i < sizeof o.bytes; ++i) o.bytes[i] = odd_byte(at, step, i);
    });
    odd.sync();
  };
  for (int step = 1; step <= 2; ++step) {
    number_elements(a, step);
    number_elements(b, step + 1);
    number_elements(c, step + 2);
    number_elements(d, step + 3);
    set_odd(step);
    pages.clear();
    watched = true;
    step == 1 ? checkpoint.write(step) : checkpoint.write_async(step).wait();
    watched = false;
    EXPECT_EQ(pages_of_two(), 0);
    set_odd(0);
    fill(a, 0.0);
    TESSERA_ASSERT_ALL(checkpoint.restore().has_value());
    EXPECT_TRUE(is_numbered(a, step));
    EXPECT_TRUE(is_numbered(b, step + 1));
    EXPECT_TRUE(is_numbered(c, step + 2));
    EXPECT_TRUE(is_numbered(d, step + 3));
    Comparison compared;
    for_each_local(odd, [&](const Index<1>& at, Odd& o) {
      for (std::size_t i = 0; i < sizeof o.bytes; ++i)
        compared(std::pair(at, i), odd_byte(at, step, i), o.bytes[i]);
    });
    EXPECT_TRUE(compared.equal());
    world().barrier();
    expect_raw<double>(generation(directory / "run", step), "b", b.dims(), step + 1);
  }
}

}  // namespace
