// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>

#include <tessera/runtime/types.hpp>

// Large slices of shared memory lie in huge pages where the kernel has some. Processes then take one page fault
// for 2 MiB instead of 512, and the processor finds addresses faster.
namespace tessera::detail {

/// Whether memory made from now on takes huge pages; the same on all processes of a machine. @local
void choose_huge_pages(bool wanted) noexcept;

/// The bytes of a huge page; 0 if the kernel has none, or if they are not wanted. @local
index_t huge_page_size() noexcept;

/// To what multiple the place of `bytes` of shared memory is rounded: to a huge page if they fill one, or else
/// to a page. @local
index_t page_size_for(index_t bytes) noexcept;

/// Makes huge pages of what is whole among [offset, offset + bytes) of a file without contents, which is mapped
/// at `start`. `offset` and `start` are multiples of page_size_for(bytes). It does nothing where the kernel
/// cannot: Linux before 6.1, or memory in pieces. Then small pages serve. @local
void take_huge_pages(int fd, index_t offset, std::byte* start, index_t bytes) noexcept;

}  // namespace tessera::detail
