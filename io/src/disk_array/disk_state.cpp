// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "disk_array/disk_state.hpp"

#include <tessera/core/agreed.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>

#include "base/collectively.hpp"
#include "format.hpp"

namespace tessera::io::detail {

using tessera::detail::Box;
using tessera::detail::SliceCore;

DiskState::DiskState(const Group& its_group, const std::filesystem::path& its_path, std::string_view its_name,
                     const tessera::detail::ElementType& its_type, std::size_t rank, Mode mode,
                     const DiskOptions& its_options)
    : group(its_group),
      path(its_path),
      name(its_name),
      type(its_type),
      is_writable(mode == Mode::read_write),
      options(its_options),
      sections(rank) {
  if (mode != Mode::read && mode != Mode::read_write)
    throw UsageError(context("opening of") + ": the mode is read or read_write; extents make a new one");
  if (options.buffer < 1) {
    throw UsageError(formatted("{}: a buffer of {} bytes holds nothing; give it some megabytes",
                               context("opening of"), options.buffer));
  }
  if (!options.chunks.empty() && options.chunks.size() != rank) {
    throw UsageError(formatted("{}: chunks of {} have {} dimensions, but the array has {}",
                               context("creation of"), joined(options.chunks, " x "), options.chunks.size(),
                               rank));
  }
}

std::string DiskState::context(std::string_view what) const {
  return formatted("{} disk array \"{}\" in {}", what, name, path.string());
}

std::string DiskState::text(const Box& section) const {
  std::vector<std::string> ranges;
  for (std::size_t d = 0; d < dims.size(); ++d)
    ranges.push_back(formatted("{}:{}", section.lo[d], section.hi[d]));
  return formatted("[{})", joined(ranges, ", "));
}

std::string DiskState::misuse(DiskDirection direction, const Box& section, const index_t* extents,
                              std::string_view memory) const {
  if (!is_open) return "it is closed";
  if (direction == DiskDirection::write && !is_writable)
    return "it was opened for reading; use Mode::read_write";
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (section.lo[d] >= 0 && section.lo[d] <= section.hi[d] && section.hi[d] <= dims[d]) continue;
    return formatted(
        "section {} exceeds its extents {} (dimension {}); did you pass inclusive bounds? use Patch::inclusive",
        text(section), joined(dims, " x "), d);
  }
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (section.hi[d] - section.lo[d] == extents[d]) continue;
    const std::vector<index_t> found(extents, extents + dims.size());
    return formatted("section {} and {} of extents {} are of different shapes", text(section), memory,
                     joined(found, " x "));
  }
  return {};
}

void DiskState::begin(DiskDirection direction, const Box& section, const SliceCore& slice) {
  const std::string call = context(direction == DiskDirection::write ? "write to" : "read from");
  // Ranks outside the slice's group may not be here.
  if (!(slice.array().group() == group))
    throw UsageError(formatted("{}: {} is of another group", call, slice.description()));
  tessera::detail::Fingerprint print;
  print.add(slice.fingerprint());
  for (std::size_t d = 0; d < dims.size(); ++d) print.add(section.lo[d]).add(section.hi[d]);
  require_agreement(group, call, print);
  const tessera::detail::Outcome outcome([&] {
    std::string problem = misuse(direction, section, slice.extents().data(), slice.description());
    if (problem.empty()) problem = conflict(direction, section);
    if (!problem.empty()) throw UsageError(call + ": " + problem);
    slice.array().require_open();
    sections.wait_for_independent();  // and then for those of the other ranks
  });
  outcome.agree_and_sync(group, call);
  slice.array().end_epoch();
  slice.array().complete_and_order();
}

std::string DiskState::conflict(DiskDirection direction, const Box& section) {
  const auto other = sections.collective_conflict(direction, section);
  if (!other) return {};
  return formatted("section {} overlaps {}, which is still being moved; wait() for it first", text(section),
                   text(*other));
}

std::string DiskState::transfer(DiskDirection direction, const Box& box, const SectionMemory& memory) const {
  try {
    move_section(direction, {file, places, dims}, box, memory, options.buffer);
  } catch (const std::exception& error) {  // the system's, or too little memory for a buffer
    return error.what();
  }
  return {};
}

}  // namespace tessera::io::detail
