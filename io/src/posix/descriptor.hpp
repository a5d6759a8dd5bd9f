// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include <unistd.h>

#include <tessera/runtime/detail/unique_handle.hpp>
#include <tessera/runtime/types.hpp>

// Checked system calls on the bytes of files. All @local; failures throw IoError with the system's reason.
namespace tessera::io::detail {

struct DescriptorTraits {
  using Handle = int;
  static Handle null() noexcept { return -1; }
  static void free(Handle handle) noexcept { ::close(handle); }
};
using Descriptor = tessera::detail::UniqueHandle<DescriptorTraits>;

/// The system's words for errno. @local
std::string last_system_error();

Descriptor open_to_write(const std::filesystem::path& path);
Descriptor open_to_read(const std::filesystem::path& path);
/// Opens a regular file in a place where others may have put something else. Directories, FIFOs, devices and so
/// on are refused, without waiting for their other end. Links::refuse also refuses symbolic links.
enum class Links : std::uint8_t { follow, refuse };
enum class Use : std::uint8_t { read, write };
Descriptor open_regular(const std::filesystem::path& path, Use use, Links links);
index_t size_of_file(const Descriptor& file);
/// Whether a node sees at once what another node writes. False on NFS, which caches what it has read.
bool is_coherent(const Descriptor& file) noexcept;
/// Writes or reads all bytes, in as many calls as that takes.
void write_at(const Descriptor& file, std::span<const std::byte> bytes, index_t offset);
void read_at(const Descriptor& file, std::span<std::byte> bytes, index_t offset);
/// Gives the file another size.
void truncate_to(const Descriptor& file, index_t bytes);
/// Asks the system to start writing this range to disk. Only a hint: flush_data reports failures.
void begin_flush(const Descriptor& file, index_t offset, index_t bytes) noexcept;
/// Returns when everything that this node has written to the file is on disk.
void flush_data(const Descriptor& file);

}  // namespace tessera::io::detail
