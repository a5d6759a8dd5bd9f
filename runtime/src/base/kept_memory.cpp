// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/detail/kept_memory.hpp>

#include <array>
#include <bit>
#include <mutex>

namespace tessera::detail {
namespace {

// Blocks have powers of two bytes. Smaller ones matter little, and filling larger ones takes long anyway.
constexpr std::size_t least = std::size_t{16} << 10, most = std::size_t{2} << 20;
constexpr std::size_t sizes = std::bit_width(most) - std::bit_width(least) + 1;
constexpr std::size_t of_each = 8, in_all = std::size_t{6} << 20;
// The address sanitizer is to see each block freed.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps = false;
#else
constexpr bool keeps = true;
#endif

constexpr bool is_kept(std::size_t bytes) noexcept { return keeps && bytes >= least && bytes <= most; }

// The freed blocks of one size.
struct Blocks {
  std::array<void*, of_each> memory;
  std::size_t count = 0;
};

// Never destroyed: threads may free memory until the process ends.
struct Shelf {
  std::mutex mutex;
  std::array<Blocks, sizes> blocks;
  std::size_t bytes = 0;  // of all blocks
  Blocks& of(std::size_t size) noexcept { return blocks[std::bit_width(size) - std::bit_width(least)]; }
};

Shelf& shelf() {
  static auto& one = *new Shelf;
  return one;
}

}  // namespace

void* allocate_kept(std::size_t bytes) {
  if (!is_kept(bytes)) return ::operator new(bytes);
  bytes = std::bit_ceil(bytes);
  {
    Shelf& here = shelf();
    const std::lock_guard lock(here.mutex);
    if (Blocks& blocks = here.of(bytes); blocks.count > 0) {
      here.bytes -= bytes;
      return blocks.memory[--blocks.count];
    }
  }
  return ::operator new(bytes);
}

void free_kept(void* memory, std::size_t bytes) noexcept {
  if (memory != nullptr && is_kept(bytes)) {
    bytes = std::bit_ceil(bytes);
    Shelf& here = shelf();
    const std::lock_guard lock(here.mutex);
    Blocks& blocks = here.of(bytes);
    if (blocks.count < of_each && here.bytes + bytes <= in_all) {
      blocks.memory[blocks.count++] = memory;
      here.bytes += bytes;
      return;
    }
  }
  ::operator delete(memory);
}

}  // namespace tessera::detail
