// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/disk_array.hpp>

#include <algorithm>

#include <tessera/core/operations.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>

#include "disk_array/disk_transfer.hpp"
#include "file/file_state.hpp"
#include "file/open_checks.hpp"
#include "file/slice_transfers.hpp"
#include "format.hpp"

namespace tessera::io {

DiskRequest::DiskRequest() = default;
DiskRequest::DiskRequest(std::unique_ptr<detail::DiskTransfer> transfer) : transfer_(std::move(transfer)) {}
DiskRequest::~DiskRequest() = default;
DiskRequest::DiskRequest(DiskRequest&&) noexcept = default;
DiskRequest& DiskRequest::operator=(DiskRequest&&) noexcept = default;
void DiskRequest::wait() {
  if (const auto transfer = std::exchange(transfer_, nullptr)) transfer->wait();
}
bool DiskRequest::test() const { return !transfer_ || transfer_->test(); }

namespace detail {
namespace {

using tessera::detail::Box;
using tessera::detail::ElementType;
using tessera::detail::SliceCore;

bool overlap(const Box& a, const Box& b, std::size_t rank) {
  for (std::size_t d = 0; d < rank; ++d) {
    if (std::max(a.lo[d], b.lo[d]) >= std::min(a.hi[d], b.hi[d])) return false;
  }
  return true;
}

std::string text(const Box& section, std::size_t rank) {
  std::vector<std::string> ranges;
  for (std::size_t d = 0; d < rank; ++d) ranges.push_back(formatted("{}:{}", section.lo[d], section.hi[d]));
  return formatted("[{})", joined(ranges, ", "));
}

void check_options(const DiskState& state) {
  if (state.options.buffer < 1) {
    throw UsageError(formatted("{}: a buffer of {} bytes holds nothing; give it some megabytes",
                               state.context("opening of"), state.options.buffer));
  }
}

void check_section(const DiskState& state, DiskArrayCore::Direction direction, const Box& section,
                   const SliceCore& slice) {
  const bool writes = direction == DiskArrayCore::Direction::write;
  const auto fail = [&](const std::string& what) {
    throw UsageError(state.context(writes ? "write to" : "read from") + ": " + what);
  };
  if (!state.is_open) fail("it is closed");
  if (writes && !state.is_writable) fail("it was opened for reading; use Mode::read_write");
  const std::size_t rank = state.dims.size();
  const std::string where = text(section, rank);
  for (std::size_t d = 0; d < rank; ++d) {
    if (section.lo[d] < 0 || section.lo[d] > section.hi[d] || section.hi[d] > state.dims[d])
      fail(formatted("section {} exceeds its extents {}", where, joined(state.dims, " x ")));
    if (section.hi[d] - section.lo[d] != slice.extents()[d])
      fail(formatted("section {} and {} are of different shapes", where, slice.description()));
  }
  if (!(slice.array().group() == state.group)) fail(formatted("{} is of another group", slice.description()));
  for (const auto& move : state.moves) {
    const bool conflict = writes || move.direction == DiskArrayCore::Direction::write;
    if (conflict && overlap(move.section, section, rank))
      fail(formatted("section {} overlaps {}, which is still being moved; wait() for it first", where,
                     text(move.section, rank)));
  }
}

}  // namespace

DiskArrayCore::DiskArrayCore(const Group& group, const std::filesystem::path& path, std::string_view dataset,
                             const ElementType& type, const std::vector<index_t>& dims,
                             const DiskOptions& options)
    : state_(std::make_shared<DiskState>()) {
  state_->group = group, state_->path = path, state_->name = dataset, state_->options = options;
  check_options(*state_);
  int found = 0;
  collectively(group, state_->context("creation of"), [&] {
    if (group.rank() == 0) found = static_cast<int>(std::filesystem::exists(path));
  });
  const bool exists = group.broadcast(found, 0) != 0;
  File file(group, path, exists ? Mode::read_write : Mode::create);
  try {
    file.create_dataset(dataset, type, dims, {});
    file.close();
  } catch (...) {
    try {
      file.close();
      std::error_code ignored;
      if (!exists && group.rank() == 0) std::filesystem::remove(path, ignored);
    } catch (const IoError&) {  // the first error tells more
    }
    throw;
  }
  open(type, static_cast<int>(dims.size()), true);
}

DiskArrayCore::DiskArrayCore(const Group& group, const std::filesystem::path& path, std::string_view dataset,
                             const ElementType& type, int rank, Mode mode, const DiskOptions& options)
    : state_(std::make_shared<DiskState>()) {
  state_->group = group, state_->path = path, state_->name = dataset, state_->options = options;
  check_options(*state_);
  if (mode != Mode::read && mode != Mode::read_write)
    throw UsageError(state_->context("opening of") +
                     ": the mode is read or read_write; extents make a new one");
  open(type, rank, mode == Mode::read_write);
}

DiskArrayCore::~DiskArrayCore() = default;

void DiskArrayCore::open(const ElementType& type, int rank, bool is_writable) {
  DiskState& s = *state_;
  s.type = type;
  s.is_writable = is_writable;
  File file(s.group, s.path, is_writable ? Mode::read_write : Mode::read);
  const std::string context = s.context("opening of");
  auto& opened = file.state();
  try {
    opened.step(context, [&] {
      const hdf5::Dataset dataset = find_dataset(opened.file(), s.name);
      const auto dims = hdf5::extents(dataset);
      require_rank(dims, rank);
      s.dims.assign(dims.begin(), dims.end());
      hdf5::memory_to_read(dataset, type);
      s.offset = hdf5::offset_in_file(opened.file(), dataset, type);
      // Leave this to HDF5: MPI-IO has locks for it.
      if (is_writable && s.group.node_count() > 1 && !is_coherent(opened.bytes())) s.offset = -1;
    });
  } catch (const IoError&) {
    file.close();
    throw;
  }
  s.is_open = true;
  if (s.offset < 0) return void(s.through_hdf5.emplace(std::move(file)));
  s.file = opened.take_bytes();
  file.close();
}

DiskRequest DiskArrayCore::move(Direction direction, const Box& section, const SliceCore& slice) {
  check_section(*state_, direction, section, slice);
  tessera::detail::Fingerprint print;
  for (std::size_t d = 0; d < state_->dims.size(); ++d) print.add(section.lo[d]).add(section.hi[d]);
  state_->group.check_agreement(state_->context("section of"), print.value());
  if (state_->through_hdf5) {
    direction == Direction::write ? state_->through_hdf5->write(state_->name, &section, slice)
                                  : state_->through_hdf5->read(state_->name, &section, slice);
    return {};
  }
  tessera::detail::begin_operation(direction == Direction::write ? "write to disk" : "read from disk", {slice});
  return DiskRequest(std::make_unique<DiskTransfer>(state_, direction, section, slice));
}

void DiskArrayCore::flush() {
  DiskState& s = *state_;
  if (!s.is_open) throw UsageError(s.context("flush of") + ": it is closed");
  if (s.through_hdf5) return s.through_hdf5->flush();
  s.group.barrier();  // what other ranks have written is in the file
  collectively(s.group, s.context("flush of"), [&] {
    if (s.is_writable && s.group.node().rank() == 0) flush_data(s.file);
  });
}

void DiskArrayCore::close() {
  DiskState& s = *state_;
  if (!s.moves.empty())
    throw UsageError(formatted("{}: {} request{} not waited for", s.context("closing of"), s.moves.size(),
                               s.moves.size() == 1 ? " was" : "s were"));
  s.is_open = false;
  if (s.through_hdf5) s.through_hdf5->close();
  s.through_hdf5.reset();
  s.file.reset();
  s.group.barrier();
}

const std::vector<index_t>& DiskArrayCore::dims() const noexcept { return state_->dims; }
const Group& DiskArrayCore::group() const noexcept { return state_->group; }
const std::filesystem::path& DiskArrayCore::path() const noexcept { return state_->path; }
const std::string& DiskArrayCore::name() const noexcept { return state_->name; }
bool DiskArrayCore::is_asynchronous() const noexcept { return state_->offset >= 0; }

}  // namespace detail
}  // namespace tessera::io
