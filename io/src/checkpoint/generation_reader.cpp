// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "checkpoint/generation_reader.hpp"

#include <new>
#include <stdexcept>
#include <utility>

#include <tessera/io/checkpoint_info.hpp>
#include <tessera/io/error.hpp>

#include "base/checksum.hpp"
#include "base/collectively.hpp"
#include "checkpoint/generations.hpp"
#include "format.hpp"
#include "printable.hpp"

namespace tessera::io {
namespace detail {
namespace {

template <class Work>
std::string problem_of(Work&& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    return "there is not enough memory for what it says is in it";
  } catch (const std::length_error&) {
    return "there is not enough memory for what it says is in it";
  } catch (const std::exception& error) {
    return *error.what() != '\0' ? printable(error.what()) : "an error without a message";
  }
  return {};
}

}  // namespace

std::string broadcast_text(const Group& group, std::string text) {
  text.resize(static_cast<std::size_t>(group.broadcast(static_cast<index_t>(text.size()), 0)));
  group.broadcast(std::span<char>(text), 0);
  return text;
}

std::vector<std::filesystem::path> files_of_generations(const Group& group,
                                                        const std::filesystem::path& prefix) {
  std::vector<std::int64_t> numbers;
  collectively(group, "checkpoint " + prefix.string(), [&] {
    if (group.rank() != 0) return;
    for (const Generation& generation : list_generations(prefix)) numbers.push_back(generation.number);
  });
  numbers.resize(static_cast<std::size_t>(group.broadcast(static_cast<index_t>(numbers.size()), 0)));
  group.broadcast(std::span<std::int64_t>(numbers), 0);
  std::vector<std::filesystem::path> files;
  for (const auto number : numbers) files.push_back(generation_path(prefix, number));
  return files;
}

GenerationReader::GenerationReader(const Group& group, std::filesystem::path file)
    : group_(group), file_(std::move(file)) {
  const bool reads = group.rank() == 0;
  if (reads) problem_ = problem_of([&] { head_ = read_head(file_); });
  problem_ = broadcast_text(group, problem_);
  if (!problem_.empty()) return;
  const auto everywhere = [&](auto&& work) {
    problem_ = group.agree(problem_of(work));
    return problem_.empty();
  };
  const auto length = static_cast<std::size_t>(group.broadcast(static_cast<index_t>(head_.text.size()), 0));
  head_.file_size = group.broadcast(head_.file_size, 0);
  if (!everywhere([&] { head_.text.resize(length); })) return;
  group.broadcast(std::span<char>(head_.text), 0);
  const bool fits = everywhere([&] {
    if (!reads) head_.manifest = parse_manifest(head_.text);
    head_.checksums.resize(static_cast<std::size_t>(head_.manifest.tiles));
  });
  if (fits) group.broadcast(std::span<std::uint64_t>(head_.checksums), 0);
}

void GenerationReader::read(TileSink sink) {
  sink.check = [this](std::size_t e, const Tile& tile, std::span<const std::byte> bytes) {
    check_tile(e, tile, bytes);
  };
  const std::string mine = problem_of([&] {
    const Descriptor file = open_regular(file_, Use::read, Links::follow);
    read_tiles(group_, "reading of " + file_.string(), file, entries(), sink);
  });
  problem_ = broadcast_text(group_, group_.agree(mine));
}

void GenerationReader::check_tile(std::size_t e, const Tile& tile, std::span<const std::byte> bytes) const {
  if (checksum(bytes) == head_.checksums[static_cast<std::size_t>(tile.number)]) return;
  throw IoError(
      formatted("{} is damaged: elements {} to {} of {}, in row-major order, are not those that were written",
                describe(entries()[e]), tile.first, tile.first + tile.count - 1, entries()[e].size()));
}

}  // namespace detail

namespace {

CheckpointInfo info_of(const detail::GenerationReader& reader) {
  CheckpointInfo info;
  info.file = reader.file();
  info.problem = reader.problem();
  const detail::Manifest& manifest = reader.head().manifest;
  info.generation = manifest.generation;
  info.step = manifest.step;
  info.written = manifest.written;
  info.library = manifest.library;
  info.bytes = reader.head().file_size;
  for (const detail::Entry& entry : manifest.entries) {
    const bool text = entry.kind == detail::EntryKind::text;
    info.entries.push_back(
        {entry.name, text ? "text" : tessera::detail::to_string(entry.type), entry.extents, entry.bytes()});
  }
  return info;
}

}  // namespace

std::vector<std::filesystem::path> checkpoint_files(const Group& group, const std::filesystem::path& prefix) {
  return detail::files_of_generations(group, prefix);
}

CheckpointInfo inspect_checkpoint(const Group& group, const std::filesystem::path& file) {
  return info_of(detail::GenerationReader(group, file));
}

CheckpointInfo verify_checkpoint(const Group& group, const std::filesystem::path& file) {
  detail::GenerationReader reader(group, file);
  const auto nowhere = [](std::size_t, const detail::Tile&) { return static_cast<std::byte*>(nullptr); };
  const auto ignore = [](std::size_t, const detail::Tile&, std::span<const std::byte>) {};
  if (reader.problem().empty()) reader.read({nowhere, {}, ignore});
  return info_of(reader);
}

}  // namespace tessera::io
