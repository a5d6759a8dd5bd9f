// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/disk_array.hpp>

#include <algorithm>

#include <unistd.h>

#include <tessera/core/agreed.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>

#include "base/collectively.hpp"
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

// Throws on every rank if the arguments are wrong on one.
std::shared_ptr<DiskState> make_state(const Group& group, const std::filesystem::path& path,
                                      std::string_view dataset, const ElementType& type, std::size_t rank,
                                      Mode mode, const DiskOptions& options,
                                      const std::vector<index_t>& dims = {}) {
  const std::string call = formatted("disk array \"{}\" in {}", dataset, path.string());
  require_agreement(group, call,
                    tessera::detail::Fingerprint()
                        .add(static_cast<int>(mode))
                        .add(options.buffer)
                        .add(joined(options.chunks, " x "))
                        .add(joined(dims, " x ")));
  return tessera::detail::made_by_all(group, call, [&] {
    return std::make_shared<DiskState>(group, path, dataset, type, rank, mode, options);
  });
}

}  // namespace

DiskArrayCore::DiskArrayCore(const Group& group, const std::filesystem::path& path, std::string_view dataset,
                             const ElementType& type, const std::vector<index_t>& dims,
                             const DiskOptions& options)
    : state_(make_state(group, path, dataset, type, dims.size(), Mode::read_write, options, dims)) {
  std::error_code unknown;  // then making the file says why
  const bool exists = group.broadcast(static_cast<int>(std::filesystem::exists(path, unknown)), 0) != 0;
  File file(group, path, exists ? Mode::read_write : Mode::create);
  try {
    file.create_dataset(
        dataset, type, dims,
        {.chunks = options.chunks, .deflate = 0, .shuffle = false, .checksum = false, .in_order = true});
    file.close();
    open(static_cast<int>(dims.size()));
  } catch (const Error&) {  // on every rank
    try {
      file.close();
    } catch (const IoError&) {  // the first error tells more
    }
    if (!exists && group.rank() == 0)
      std::filesystem::remove(std::filesystem::canonical(path, unknown), unknown);
    group.barrier();  // it is gone
    throw;
  }
}

DiskArrayCore::DiskArrayCore(const Group& group, const std::filesystem::path& path, std::string_view dataset,
                             const ElementType& type, int rank, Mode mode, const DiskOptions& options)
    : state_(make_state(group, path, dataset, type, static_cast<std::size_t>(rank), mode, options)) {
  open(rank);
}

DiskArrayCore::~DiskArrayCore() = default;

void DiskArrayCore::open(int rank) {
  DiskState& s = *state_;
  File file(s.group, s.path, s.is_writable ? Mode::read_write : Mode::read);
  const std::string context = s.context("opening of");
  auto& opened = file.state();
  // The node that exports a file sees no NFS, and all nodes must go one way.
  const bool may_see_old = s.is_writable && s.group.node_count() > 1 &&
                           s.group.all_reduce(static_cast<int>(!is_coherent(opened.bytes())), Reduce::max) != 0;
  try {
    opened.step(context, [&] {
      const hdf5::Dataset dataset = find_dataset(opened.file(), s.name);
      const auto dims = hdf5::extents(dataset);
      require_rank(dims, rank);
      s.dims.assign(dims.begin(), dims.end());
      hdf5::memory_to_read(dataset, s.type);
      if (std::ranges::count(dims, 0U) > 0) {  // nothing of it is in the file
        s.places = {s.dims, 0, s.type.size};
        return;
      }
      const auto found = hdf5::places_in_file(opened.file(), dataset, s.type);
      s.only_hdf5_because = found.unknown_because;
      // MPI-IO has locks for it.
      if (may_see_old)
        s.only_hdf5_because = "the file is on NFS, where a node may not see what another node has written";
      if (!s.only_hdf5_because.empty()) return;
      s.places = {found.tile, found.offset, s.type.size};
      if (s.is_writable) s.writer = OnlyWriter(opened.bytes(), found.offset);
    });
  } catch (const IoError&) {
    file.close();
    throw;
  }
  s.is_open = true;
  if (!s.places.are_known()) return void(s.through_hdf5.emplace(std::move(file)));
  s.file = opened.take_bytes();
  file.close();
}

DiskRequest DiskArrayCore::move(DiskDirection direction, const Box& section, const SliceCore& slice) {
  DiskState& s = *state_;
  s.begin(direction, section, slice);
  if (s.through_hdf5) {
    direction == DiskDirection::write ? s.through_hdf5->write(s.name, &section, slice)
                                      : s.through_hdf5->read(s.name, &section, slice);
    return {};
  }
  return DiskRequest(std::make_unique<DiskTransfer>(state_, direction, section, slice));
}

void DiskArrayCore::sync() {
  DiskState& s = *state_;
  const std::string context = s.context("sync of");
  if (!s.is_open) throw UsageError(context + ": it is closed");
  s.sections.wait_for_independent();
  throw_on_all(s.group, context, s.sections.lost(), Source::file, {});
  s.group.barrier();
}

void DiskArrayCore::flush() {
  DiskState& s = *state_;
  const std::string context = s.context("flush of");
  if (!s.is_open) throw UsageError(context + ": it is closed");
  if (s.through_hdf5) return s.through_hdf5->flush();
  s.sections.wait_for_independent();
  s.group.barrier();  // what other ranks have written is in the file
  collectively(s.group, context, [&] {
    const std::string lost = s.sections.lost();
    if (s.is_writable && s.group.node().rank() == 0) flush_data(s.file);
    if (!lost.empty()) throw IoError(lost);
  });
}

void DiskArrayCore::close() {
  DiskState& s = *state_;
  const std::string context = s.context("closing of");
  tessera::detail::agreed(s.group, context, [&] {
    if (const std::size_t left = s.sections.collective_count(); left > 0) {
      throw UsageError(
          formatted("{}: {} request{} not waited for", context, left, left == 1 ? " was" : "s were"));
    }
  });
  s.sections.wait_for_independent();
  s.is_open = false;
  if (s.through_hdf5) s.through_hdf5->close();
  s.through_hdf5.reset();
  s.writer.release();
  std::string problem = s.sections.lost();
  // On NFS, what was written may be found to be lost when the file is closed.
  if (s.file && ::close(s.file.release()) != 0 && s.is_writable && problem.empty())
    problem = formatted("elements may be lost: the file cannot be closed: {}", last_system_error());
  throw_on_all(s.group, context, problem, Source::file, {});
  s.group.barrier();
}

const std::vector<index_t>& DiskArrayCore::dims() const noexcept { return state_->dims; }
const Group& DiskArrayCore::group() const noexcept { return state_->group; }
const std::filesystem::path& DiskArrayCore::path() const noexcept { return state_->path; }
const std::string& DiskArrayCore::name() const noexcept { return state_->name; }
bool DiskArrayCore::is_asynchronous() const noexcept { return state_->places.are_known(); }

}  // namespace detail
}  // namespace tessera::io
