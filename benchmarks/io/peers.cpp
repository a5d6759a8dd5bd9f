// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "peers.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <tessera/runtime/error.hpp>

namespace tessera::benchmark::io {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& call) {
  throw Error(call + " of " + path.string() + " failed: " + std::strerror(errno));
}

int opened(const std::filesystem::path& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (file < 0) fail(path, "open");
  return file;
}

std::filesystem::path temporary(std::filesystem::path path) { return path += ".tmp"; }

void take_space(const std::filesystem::path& path, int flags, index_t bytes) {
  const int file = opened(path, flags);
  if (fallocate(file, 0, 0, bytes) != 0 && errno != EOPNOTSUPP) fail(path, "fallocate");
  ::close(file);
}

void flush(const std::filesystem::path& path, int file) {
  if (fsync(file) != 0) fail(path, "fsync");
  ::close(file);
}

class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id < 0) throw Error("an HDF5 call of the benchmark failed");
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const noexcept { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check(herr_t result) {
  if (result < 0) throw Error("an HDF5 call of the benchmark failed");
}

using Sizes = std::array<hsize_t, 2>;
Sizes sizes(const std::array<index_t, 2>& numbers) {
  return {static_cast<hsize_t>(numbers[0]), static_cast<hsize_t>(numbers[1])};
}

}  // namespace

PlainFile::PlainFile(const Group& group, std::filesystem::path path, index_t own_bytes, bool overwrite)
    : group_(group), path_(std::move(path)), written_(overwrite ? path_ : temporary(path_)) {
  std::vector<index_t> parts(static_cast<std::size_t>(group.size()), 0);
  parts[static_cast<std::size_t>(group.rank())] = own_bytes;
  group.all_reduce(std::span(parts), Reduce::sum);
  total_ = first_ = 0;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    if (rank < static_cast<std::size_t>(group.rank())) first_ += parts[rank];
    total_ += parts[rank];
  }
}

void PlainFile::write(std::span<const std::byte> own) const {
  if (group_.rank() == 0) take_space(written_, O_WRONLY | O_CREAT, total_);
  group_.barrier();
  const int file = opened(written_, O_WRONLY);
  for (index_t at = first_; !own.empty();) {
    const ssize_t moved = pwrite(file, own.data(), own.size(), at);
    if (moved <= 0) fail(written_, "pwrite");
    own = own.subspan(static_cast<std::size_t>(moved));
    at += moved;
  }
  flush(written_, file);
  group_.barrier();
  if (group_.rank() == 0) std::filesystem::rename(written_, path_);
  group_.barrier();
}

void PlainFile::read(std::span<std::byte> own) const {
  const int file = opened(path_, O_RDONLY);
  for (index_t at = first_; !own.empty();) {
    const ssize_t moved = pread(file, own.data(), own.size(), at);
    if (moved <= 0) fail(path_, "pread");
    own = own.subspan(static_cast<std::size_t>(moved));
    at += moved;
  }
  ::close(file);
  group_.barrier();
}

HyperslabFile::HyperslabFile(const Group& group, std::filesystem::path path, const Extents<2>& dims,
                             const Selection& own, int calls)
    : group_(group), path_(std::move(path)), dims_(dims), own_(own), calls_(calls) {}

// Calls move(dataspace in memory, in the file, transfer properties, the first element) for each part of rows.
template <class Move>
void HyperslabFile::move(std::int64_t dataset, Move&& move) const {
  const Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  check(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE));
  const Handle space(H5Dget_space(dataset), H5Sclose);
  // Rows of blocks, or of elements if there is one block.
  const bool blocks = own_.count[0] > 1;
  const index_t units = blocks ? own_.count[0] : own_.count[0] * own_.block[0];
  for (index_t call = 0; call < calls_; ++call) {
    const index_t begin = units * call / calls_, end = units * (call + 1) / calls_;
    Selection part = own_;
    part.start[0] += begin * (blocks ? own_.stride[0] : 1);
    (blocks ? part.count : part.block)[0] = end - begin;
    const bool some = begin < end && part.columns() > 0;
    const std::array<index_t, 2> shape{some ? part.rows() : 1, some ? part.columns() : 1};
    const Handle memory(H5Screate_simple(2, sizes(shape).data(), nullptr), H5Sclose);
    if (some) {
      if (!blocks) part.stride[0] = part.block[0];
      check(H5Sselect_hyperslab(space, H5S_SELECT_SET, sizes(part.start).data(), sizes(part.stride).data(),
                                sizes(part.count).data(), sizes(part.block).data()));
    } else {
      check(H5Sselect_none(space));
      check(H5Sselect_none(memory));
    }
    check(move(memory, space, transfer, begin * (blocks ? own_.block[0] : 1) * own_.columns()));
  }
}

void HyperslabFile::write(const double* own) const {
  const auto written = temporary(path_);
  {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    check(H5Pset_fapl_mpio(access, group_.mpi_comm(), MPI_INFO_NULL));
    const Handle file(H5Fcreate(written.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
    if (group_.rank() == 0) take_space(written, O_WRONLY, dims_[0] * dims_[1] * index_t{sizeof(double)} + 4096);
    group_.barrier();
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER));
    const Handle space(H5Screate_simple(2, sizes({dims_[0], dims_[1]}).data(), nullptr), H5Sclose);
    const Handle dataset(H5Dcreate2(file, "a", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                         H5Dclose);
    move(dataset, [&](hid_t memory, hid_t selected, hid_t transfer, index_t first) {
      return H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, selected, transfer, own + first);
    });
  }
  if (group_.node().rank() == 0) flush(written, opened(written, O_RDONLY));
  group_.barrier();
  if (group_.rank() == 0) std::filesystem::rename(written, path_);
  group_.barrier();
}

void HyperslabFile::read(double* own) const {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check(H5Pset_fapl_mpio(access, group_.mpi_comm(), MPI_INFO_NULL));
  const Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  const Handle dataset(H5Dopen2(file, "a", H5P_DEFAULT), H5Dclose);
  move(dataset, [&](hid_t memory, hid_t selected, hid_t transfer, index_t first) {
    return H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, selected, transfer, own + first);
  });
}

}  // namespace tessera::benchmark::io
