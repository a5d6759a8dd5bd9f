// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "node/huge_pages.hpp"

#include <fstream>

#include <fcntl.h>
#include <sys/mman.h>

#include "node/node_memory.hpp"

namespace tessera::detail {
namespace {

bool are_wanted = true;

// 0 if the kernel has none.
index_t size_of_kernel() {
  static const index_t size = [] {
    index_t bytes = 0;
    std::ifstream("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") >> bytes;
    return bytes > page_size() && bytes % page_size() == 0 ? bytes : 0;
  }();
  return size;
}

}  // namespace

void choose_huge_pages(bool wanted) noexcept { are_wanted = wanted; }

index_t huge_page_size() noexcept { return are_wanted ? size_of_kernel() : 0; }

index_t page_size_for(index_t bytes) noexcept {
  const index_t huge = huge_page_size();
  return huge > 0 && bytes >= huge ? huge : page_size();
}

void take_huge_pages(int fd, index_t offset, std::byte* start, index_t bytes) noexcept {
  const index_t huge = page_size_for(bytes), whole = bytes / huge * huge;
  if (huge == page_size()) return;
  // The kernel collapses only what has a small page already. One is enough: it adds zeroes where none are.
  for (index_t at = 0; at < whole; at += huge) {
    if (posix_fallocate(fd, offset + at, page_size()) != 0) return;
  }
  constexpr int collapse = 25;  // MADV_COLLAPSE, which glibc 2.36 does not name. Administrators' settings for
                                // automatic huge pages do not concern it.
  madvise(start, static_cast<std::size_t>(whole), collapse);
}

}  // namespace tessera::detail
