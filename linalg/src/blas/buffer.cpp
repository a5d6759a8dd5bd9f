// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "blas/buffer.hpp"

#include <cstddef>

#include <dlfcn.h>
#include <sys/mman.h>

#include <tessera/runtime/error.hpp>

namespace tessera::linalg::blas {
namespace {

bool check_buffer() {
  if (dlsym(RTLD_DEFAULT, "openblas_get_config") == nullptr) return true;
  constexpr std::size_t bytes = std::size_t{130} << 20;  // 128 MiB, and what goes with them
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw MemoryError(
        "OpenBLAS cannot have its buffer of 128 MiB in this process; raise the limit of its address space "
        "(ulimit "
        "-v), or start fewer ranks on each node");
  }
  munmap(memory, bytes);
  return true;
}

}  // namespace

void require_buffer() { [[maybe_unused]] static const bool is_there = check_buffer(); }

}  // namespace tessera::linalg::blas
