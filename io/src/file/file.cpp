// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/file.hpp>

#include <algorithm>
#include <utility>

#include "file/file_state.hpp"
#include "file/open_checks.hpp"
#include "file/slice_transfers.hpp"
#include "format.hpp"
#include "hdf5/mpi_io.hpp"

namespace tessera::io {
namespace {

using detail::FileState;
using tessera::detail::Box;
using tessera::detail::Coordinates;
using tessera::detail::ElementType;
using tessera::detail::Fingerprint;
using tessera::detail::SliceCore;

constexpr index_t max_chunk_bytes = index_t{4} << 20;

index_t bytes_of(const std::vector<hsize_t>& dims, index_t element_bytes) {
  index_t bytes = element_bytes;
  for (const hsize_t extent : dims) {
    if (__builtin_mul_overflow(bytes, static_cast<index_t>(extent), &bytes))
      throw UsageError(formatted("a dataset of {} has more bytes than can be counted", joined(dims, " x ")));
  }
  return bytes;
}

// The most that it may take on disk. Chunks at the ends are stored whole, chunks are listed, and compression
// may enlarge them.
index_t bytes_on_disk(std::vector<hsize_t> dims, const hdf5::Storage& storage, index_t element_bytes) {
  if (storage.chunk.empty()) return bytes_of(dims, element_bytes);
  constexpr index_t for_each_chunk = 160;
  hsize_t chunks = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const hsize_t along = (dims[d] + storage.chunk[d] - 1) / storage.chunk[d];
    dims[d] = along * storage.chunk[d];
    chunks *= along;
  }
  const index_t bytes = bytes_of(dims, element_bytes);
  index_t all = 0;
  if (__builtin_mul_overflow(chunks, for_each_chunk, &all) || __builtin_add_overflow(all, bytes, &all) ||
      __builtin_add_overflow(all, storage.deflate > 0 ? bytes / 256 : 0, &all))
    throw UsageError(formatted("a dataset of {} chunks has more bytes than can be counted", chunks));
  return all;
}

// The default chunk: all of the dataset, halved along its first long dimension until it is small enough.
std::vector<hsize_t> chunks_of(std::vector<hsize_t> dims, index_t element_bytes) {
  for (hsize_t& extent : dims) extent = std::max<hsize_t>(extent, 1);
  for (std::size_t d = 0; d < dims.size() && bytes_of(dims, element_bytes) > max_chunk_bytes;)
    dims[d] == 1 ? void(++d) : void(dims[d] = (dims[d] + 1) / 2);
  return dims;
}

// The extents of `first` steps, from the extents of one.
std::vector<hsize_t> with_first(hsize_t first, const std::vector<hsize_t>& dims) {
  std::vector<hsize_t> all(dims.size() + 1, first);
  std::copy(dims.begin(), dims.end(), all.begin() + 1);
  return all;
}

// How HDF5 stores a dataset, or each step of one. Chunks may not exceed extents that are fixed.
hdf5::Storage storage_of(const detail::StorageOptions& options, const std::vector<hsize_t>& dims,
                         index_t element_bytes, bool needs_chunks, const std::string& context) {
  if (options.deflate < 0 || options.deflate > 9)
    throw UsageError(formatted("{}: deflate is 0 (no compression) to 9, not {}", context, options.deflate));
  hdf5::Storage storage{.deflate = options.deflate, .shuffle = options.shuffle, .checksum = options.checksum};
  for (std::size_t d = 0; d < options.chunks.size(); ++d) {
    if (options.chunks[d] < 1)
      throw UsageError(formatted("{}: chunks of {} are empty", context, joined(options.chunks, " x ")));
    storage.chunk.push_back(
        std::clamp<hsize_t>(static_cast<hsize_t>(options.chunks[d]), 1, std::max<hsize_t>(1, dims[d])));
  }
  const bool is_filtered = storage.deflate > 0 || storage.shuffle || storage.checksum;
  if (storage.chunk.empty() && (is_filtered || needs_chunks)) storage.chunk = chunks_of(dims, element_bytes);
  if (!storage.chunk.empty() && bytes_of(storage.chunk, element_bytes) >= index_t{1} << 32)
    throw UsageError(formatted("{}: chunks of {} have 4 GiB or more", context, joined(storage.chunk, " x ")));
  if (is_filtered && bytes_of(storage.chunk, element_bytes) > hdf5::max_packed_chunk) {
    throw UsageError(
        formatted("{}: chunks of {} have more than {} bytes, which HDF5 cannot compress or check in a parallel "
                  "program; take smaller chunks",
                  context, joined(storage.chunk, " x "), hdf5::max_packed_chunk));
  }
  // An empty dataset has nothing to compress, and HDF5 requires chunks inside the extents.
  if (!needs_chunks && bytes_of(dims, 1) == 0) storage = {};
  return storage;
}

Fingerprint fingerprint_of(const std::vector<index_t>& dims, const detail::StorageOptions& options) {
  Fingerprint print;
  for (const index_t extent : dims) print.add(extent);
  for (const index_t extent : options.chunks) print.add(extent);
  return print.add(options.deflate).add(int{options.shuffle}).add(int{options.checksum});
}

DatasetInfo describe(const hdf5::File& file, const std::string& name) {
  const hdf5::Dataset dataset = hdf5::open_dataset(file, name);
  const auto dims = hdf5::extents(dataset);
  const hdf5::Storage storage = hdf5::storage(dataset);
  return {name,
          {dims.begin(), dims.end()},
          hdf5::describe_type(dataset),
          {storage.chunk.begin(), storage.chunk.end()},
          storage.deflate,
          storage.grows};
}

}  // namespace

File::File(const Group& group, const std::filesystem::path& path, Mode mode)
    : state_(std::make_unique<FileState>(group, path, mode)) {}
File::~File() = default;
File::File(File&&) noexcept = default;
File& File::operator=(File&&) noexcept = default;

FileState& File::state() const {
  if (!state_) throw UsageError("this io::File was moved from");
  state_->require_open();
  return *state_;
}

void File::close() {
  if (state_) state_->close();
}
void File::flush() {
  FileState& s = state();
  s.flush("flush of " + s.path().string());
}
bool File::is_open() const noexcept { return state_ && state_->is_open(); }
const std::filesystem::path& File::path() const { return state().path(); }
const Group& File::group() const { return state().group(); }
const TransferReport& File::last_transfer() const { return state().last; }

void File::create_dataset(std::string_view name, const ElementType& type, const std::vector<index_t>& dims,
                          const detail::StorageOptions& options) {
  FileState& s = state();
  const std::string context = s.context("creation", name);
  s.require_writable(context);
  s.require_agreement(context, fingerprint_of(dims, options).add(static_cast<int>(type.kind)).add(type.size));
  if (std::any_of(dims.begin(), dims.end(), [](index_t extent) { return extent < 0; }))
    throw UsageError(formatted("{}: extents {} are negative", context, joined(dims, " x ")));
  const std::vector<hsize_t> extents(dims.begin(), dims.end());
  bytes_of(extents, type.size);
  hdf5::Storage storage = storage_of(options, extents, type.size, false, context);
  storage.in_order = options.in_order && !storage.chunk.empty();
  storage.take_space = storage.chunk.empty() || storage.in_order;
  s.step(context, [&] {
    if (!storage.chunk.empty()) detail::require_chunks();
    detail::require_inside(s.file(), std::string(name));
    if (hdf5::has_object(s.file(), std::string(name))) throw IoError("there is something of this name already");
  });
  s.take_space(bytes_on_disk(extents, storage, type.size),
               storage.deflate > 0 ? FileState::Use::now : FileState::Use::later, context);
  s.step(context, [&] {
    hdf5::create_dataset(s.file(), std::string(name), hdf5::element_type(type), extents, storage);
  });
}

void File::write(std::string_view name, const Box* patch, const SliceCore& from) {
  FileState& s = state();
  const std::string context = s.context("write", name), key(name);
  s.require_writable(context);
  s.begin(context, from, detail::fingerprint_of(patch, from.rank()));
  const hdf5::Silence silence;
  const detail::DatasetPlace place{from.rank(), patch == nullptr ? Coordinates{} : patch->lo};
  hdf5::Dataset dataset;
  bool is_new = false;
  s.step(context, [&] {
    detail::require_inside(s.file(), key);
    is_new = patch == nullptr && !hdf5::has_object(s.file(), key);
    if (is_new) return;
    dataset = detail::find_dataset(s.file(), key);
    hdf5::memory_to_write(dataset, from.type());
    const auto dims = hdf5::extents(dataset);
    patch == nullptr ? detail::require_extents(dims, from) : detail::require_patch(dims, *patch, from);
    s.require_shared(dataset, key);
    detail::try_to_write(s.file(), key, dataset, place, from);
  });
  if (s.agreed(context, is_new)) {
    s.take_space(from.size() * from.type().size, FileState::Use::now, context);
    s.step(context, [&] {
      const auto type = hdf5::element_type(from.type());
      dataset = hdf5::create_dataset(s.file(), key, type, detail::dims_of(from), {});
      detail::write_description(dataset, from);
    });
  }
  const auto account = s.while_whole([&] { return detail::write_slice(dataset, place, from, context); });
  s.last = {account.collective, account.reason};
}

void File::read(std::string_view name, const Box* patch, const SliceCore& into) {
  FileState& s = state();
  const std::string context = s.context("read", name);
  s.begin(context, into, detail::fingerprint_of(patch, into.rank()));
  const hdf5::Silence silence;
  hdf5::Dataset dataset;
  index_t offset = -1;
  s.step(context, [&] {
    dataset = detail::find_dataset(s.file(), std::string(name));
    hdf5::memory_to_read(dataset, into.type());
    const auto dims = hdf5::extents(dataset);
    patch == nullptr ? detail::require_extents(dims, into) : detail::require_patch(dims, *patch, into);
    // In a writable file HDF5 may still hold back data that it was given to write.
    if (patch == nullptr && !s.is_writable()) offset = hdf5::offset_in_file(s.file(), dataset, into.type());
  });
  if (offset >= 0) {
    detail::read_tiles_of(into, s.bytes(), offset, context);
    s.last = {false, "the elements lie in the file as in memory, where each rank reads its part at full speed"};
    return;
  }
  const detail::DatasetPlace place{into.rank(), patch == nullptr ? Coordinates{} : patch->lo};
  const auto account = s.while_whole([&] { return detail::read_slice(dataset, place, into, context); });
  s.last = {account.collective, account.reason};
}

void File::append(std::string_view name, const SliceCore& step, const detail::StorageOptions& options) {
  FileState& s = state();
  const std::string context = s.context("write of a step", name), key(name);
  s.require_writable(context);
  const ElementType type = step.type();
  const auto dims = detail::dims_of(step);
  s.begin(context, step, fingerprint_of({}, options));
  hdf5::Storage storage = storage_of(options, dims, type.size, true, context);
  s.take_space(bytes_on_disk(dims, storage, type.size), FileState::Use::now, context);
  const hdf5::Silence silence;
  hdf5::Dataset dataset;
  detail::DatasetPlace place{step.rank() + 1, {}};
  hsize_t before = 0;
  bool is_new = false;
  s.step(context, [&] {
    detail::require_chunks();
    detail::require_inside(s.file(), key);
    is_new = !hdf5::has_object(s.file(), key);
  });
  s.agreed(context, is_new);
  s.step(context, [&] {
    if (is_new) {
      const auto all = with_first(0, dims);
      storage.chunk = with_first(1, storage.chunk);
      storage.grows = true;
      dataset = hdf5::create_dataset(s.file(), key, hdf5::element_type(type), all, storage);
      return detail::write_description(dataset, step);
    }
    dataset = detail::find_dataset(s.file(), key);
    hdf5::memory_to_write(dataset, type);
    auto found = hdf5::extents(dataset);
    detail::require_rank(found, step.rank() + 1);
    if (!hdf5::storage(dataset).grows) throw IoError("the dataset has a fixed number of steps");
    before = found.front();
    found.erase(found.begin());
    detail::require_extents(found, step);
    place.origin[0] = static_cast<index_t>(before);
    s.require_shared(dataset, key);
    detail::try_to_write(s.file(), key, dataset, place, step);
  });
  s.step(context, [&] { hdf5::resize(dataset, before + 1); });
  try {
    s.step(context, [&] { hdf5::give_space(dataset, before); });
    const auto account = s.while_whole([&] { return detail::write_slice(dataset, place, step, context); });
    s.last = {account.collective, account.reason};
  } catch (const Error&) {  // also without memory
    if (s.is_open()) s.step(context, [&] { hdf5::resize(dataset, before); });
    throw;
  }
}

index_t File::steps(std::string_view name) const {
  FileState& s = state();
  const std::string context = s.context("steps", name);
  index_t steps = 0;
  bool is_there = false;
  s.step(context, [&] {
    if (!hdf5::has_dataset(s.file(), std::string(name))) return;
    const auto dims = hdf5::extents(hdf5::open_dataset(s.file(), std::string(name)));
    if (dims.empty()) throw IoError("the dataset is a single value");
    steps = static_cast<index_t>(dims.front());
    is_there = true;
  });
  s.agreed(context, is_there);
  return steps;
}

void File::read_step(std::string_view name, index_t step, const SliceCore& into) {
  FileState& s = state();
  const std::string context = s.context("read of a step", name);
  s.begin(context, into, Fingerprint().add(step));
  const hdf5::Silence silence;
  hdf5::Dataset dataset;
  s.step(context, [&] {
    dataset = detail::find_dataset(s.file(), std::string(name));
    hdf5::memory_to_read(dataset, into.type());
    auto dims = hdf5::extents(dataset);
    detail::require_rank(dims, into.rank() + 1);
    if (step < 0 || step >= static_cast<index_t>(dims.front()))
      throw IoError(formatted("there is no step {}; there are {}", step, dims.front()));
    dims.erase(dims.begin());
    detail::require_extents(dims, into);
  });
  detail::DatasetPlace place{into.rank() + 1, {}};
  place.origin[0] = step;
  const auto account = s.while_whole([&] { return detail::read_slice(dataset, place, into, context); });
  s.last = {account.collective, account.reason};
}

bool File::contains(std::string_view name) const {
  FileState& s = state();
  const std::string context = s.context("search", name);
  bool found = false;
  s.step(context, [&] { found = hdf5::has_dataset(s.file(), std::string(name)); });
  return s.agreed(context, found);
}

DatasetInfo File::dataset(std::string_view name) const {
  FileState& s = state();
  DatasetInfo info;
  s.step(s.context("description", name), [&] {
    detail::find_dataset(s.file(), std::string(name));
    info = describe(s.file(), std::string(name));
  });
  return info;
}

std::vector<DatasetInfo> File::datasets() const {
  FileState& s = state();
  std::vector<DatasetInfo> list;
  s.step("listing of " + s.path().string(), [&] {
    for (const auto& name : hdf5::dataset_names(s.file())) list.push_back(describe(s.file(), name));
  });
  return list;
}

}  // namespace tessera::io
