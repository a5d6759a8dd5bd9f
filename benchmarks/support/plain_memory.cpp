// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "plain_memory.hpp"

#include <algorithm>
#include <new>

#include <sys/mman.h>

namespace tessera::benchmark {

PlainMemory::PlainMemory(std::size_t doubles) : size_(doubles) {
  constexpr std::size_t line = 64, huge_page = std::size_t{1} << 21;
  const std::size_t needed = doubles * sizeof(double), page = needed < huge_page ? line : huge_page;
  const std::size_t bytes = (needed + page) / page * page;
  memory_.reset(static_cast<double*>(std::aligned_alloc(page, bytes)));
  if (!memory_) throw std::bad_alloc();
  if (page == huge_page) madvise(memory_.get(), bytes, MADV_HUGEPAGE);
  clear();
}

void PlainMemory::clear() noexcept { std::fill_n(memory_.get(), size_, 0.0); }

}  // namespace tessera::benchmark
