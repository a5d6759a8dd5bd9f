// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include <unistd.h>

#include <tessera/runtime/detail/unique_handle.hpp>
#include <tessera/runtime/types.hpp>

// Files by their bytes: the system's calls, checked. All @local; failures throw IoError with the system's
// reason.
namespace tessera::io::detail {

struct DescriptorTraits {
  using Handle = int;
  static Handle null() noexcept { return -1; }
  static void free(Handle handle) noexcept { ::close(handle); }
};
using Descriptor = tessera::detail::UniqueHandle<DescriptorTraits>;

Descriptor open_to_write(const std::filesystem::path& path);
Descriptor open_to_read(const std::filesystem::path& path);
/// A file of bytes where others may have put anything else: a directory, a FIFO, a device and so on are
/// refused, and nothing waits for whatever is at their other end. Links::refuse: so are symbolic links.
enum class Links : std::uint8_t { follow, refuse };
enum class Use : std::uint8_t { read, write };
Descriptor open_regular(const std::filesystem::path& path, Use use, Links links);
index_t size_of_file(const Descriptor& file);
/// Whether a node sees at once what another one writes; not on NFS, which keeps what it has read.
bool is_coherent(const Descriptor& file) noexcept;
/// Writes or reads all of it, however many calls that takes.
void write_at(const Descriptor& file, std::span<const std::byte> bytes, index_t offset);
void read_at(const Descriptor& file, std::span<std::byte> bytes, index_t offset);
/// Asks the system to begin to write to disk what was written there. Only a hint: flush_data says what fails.
void begin_flush(const Descriptor& file, index_t offset, index_t bytes) noexcept;
/// Returns when what was written to the file, by anybody on this node, is on disk.
void flush_data(const Descriptor& file);

}  // namespace tessera::io::detail
