// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <tessera/runtime/segment.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

constexpr index_t huge_page = index_t{2} << 20, small_page = 4096;

// Whether this kernel turns a small page of shared memory into a huge one, if it is asked to.
bool kernel_has_huge_pages() {
  constexpr int collapse = 25;  // MADV_COLLAPSE
  const int fd = memfd_create("probe", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(fd, huge_page), 0);
  void* const room = mmap(nullptr, 2 * huge_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto start = (reinterpret_cast<index_t>(room) + huge_page - 1) / huge_page * huge_page;
  auto* const page = static_cast<std::byte*>(
      mmap(reinterpret_cast<void*>(start), huge_page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0));
  *page = std::byte{1};
  const bool done = madvise(page, huge_page, collapse) == 0;
  munmap(room, 2 * huge_page);
  ::close(fd);
  return done;
}

index_t page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

bool is_set(const char* variable, const std::string& value) {
  const char* const found = std::getenv(variable);
  return found != nullptr && found == value;
}

TEST(HugePages, hold_large_slices_where_the_kernel_has_some) {
  const Group& all = world();
  if (is_set("TESSERA_SHARED_MEMORY", "mpi")) GTEST_SKIP() << "MPI makes its own memory";
  if (is_set("TESSERA_HUGE_PAGES", "off")) GTEST_SKIP() << "they are off";
  if (all.all_reduce<index_t>(kernel_has_huge_pages() ? 1 : 0, Reduce::min) == 0)
    GTEST_SKIP() << "this kernel has none";
  constexpr index_t bytes = 4 * huge_page;
  const Segment segment(all, bytes, "large");
  const index_t before = page_faults();
  std::memset(segment.address(all.rank()), 1, bytes);
  const index_t faults = page_faults() - before;
  EXPECT_EQ(reinterpret_cast<index_t>(segment.address(all.rank())) % huge_page, 0);
  EXPECT_LT(faults, bytes / small_page / 4);  // AddressSanitizer keeps an eighth as much memory beside it
  all.sync();
}

// A number that tells rank, place and round apart.
std::int64_t mark(int rank, index_t place, index_t bytes) { return (bytes * 100 + rank) * 100000000 + place; }

// Slices are zero at first. What is put at their ends and at the borders of huge pages is found by all.
void check_slices(const Group& group, index_t bytes_here) {
  Segment segment(group, bytes_here, "of any length");
  const index_t bytes = group.all_reduce(bytes_here, Reduce::max);
  const auto lengths = group.all_gather(bytes_here);
  EXPECT_GE(segment.slice_bytes(), bytes);
  const std::byte* const own = segment.address(group.rank());
  index_t other_than_zero = 0;
  for (index_t i = 0; i < bytes_here; ++i) other_than_zero += own[i] != std::byte{0};
  EXPECT_EQ(other_than_zero, 0);
  group.barrier();
  const auto places = [](index_t length) {
    std::vector<index_t> all;
    for (index_t border = 0; border <= length; border += huge_page) {
      for (const index_t place : {border - small_page, border - 8, border, border + small_page})
        if (place >= 0 && place + 8 <= length) all.push_back(place);
    }
    if (length >= 8) all.push_back((length - 8) / 8 * 8);
    return all;
  };
  const int to = (group.rank() + 1) % group.size();
  for (const index_t place : places(lengths[at(to)])) {
    const std::int64_t value = mark(to, place, bytes);
    segment.put(to, place, Strided::contiguous(8), &value);
  }
  segment.sync();
  for (int from = 0; from < group.size(); ++from) {
    for (const index_t place : places(lengths[at(from)])) {
      std::int64_t value = 0;
      segment.get(from, place, Strided::contiguous(8), &value);
      EXPECT_EQ(value, mark(from, place, bytes)) << "rank " << from << ", byte " << place;
    }
  }
  segment.sync();
}

TEST(HugePages, slices_of_any_length_hold_what_is_put) {
  const Group& all = world();
  for (const index_t bytes :
       {huge_page - 64, huge_page, huge_page + 8, 2 * huge_page - 8, 3 * huge_page + small_page})
    check_slices(all, bytes);
  // Slices of unequal lengths: some ranks have nothing, or less than a huge page.
  check_slices(all, all.rank() % 2 == 0 ? 0 : 2 * huge_page + 24);
  check_slices(all, all.rank() == 0 ? 2 * huge_page : 8 * (all.rank() + 1));
  const Group part = all.split(all.rank() % 2);
  check_slices(part, huge_page + small_page * (part.rank() + 1));
  all.sync();
}

}  // namespace
