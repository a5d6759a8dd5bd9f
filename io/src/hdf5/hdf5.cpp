// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "hdf5/hdf5.hpp"

#include <algorithm>

#include "hdf5/hdf5_check.hpp"
#include "hdf5/hdf5_losses.hpp"

namespace tessera::io::hdf5 {
namespace {

constexpr const char* cannot_be_opened =
    "cannot be opened as an HDF5 file; is it truncated or damaged, or still being written?";

// ROMIO (MPICH) takes the text before a colon for the name of a file system; Open MPI's OMPIO does not. ROMIO
// locks every access to a file on NFS, but none on "ufs".
std::string mpi_name(const std::filesystem::path& path, [[maybe_unused]] Locks locks) {
#ifdef ROMIO_VERSION
  if (locks == Locks::fail || path.string().find(':') != std::string::npos) return "ufs:" + path.string();
#endif
  return path.string();
}

Properties parallel_access(MPI_Comm comm) {
  Properties access(check(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"));
  const Info info = hints();
  check(H5Pset_fapl_mpio(access.get(), comm, info.get()), "H5Pset_fapl_mpio");
  return access;
}

}  // namespace

// HDF5's error stack as one sentence, from what was asked for to what went wrong.
std::string reason() {
  std::vector<std::string> stack;
  auto add = [](unsigned, const H5E_error2_t* error, void* data) -> herr_t {
    auto& list = *static_cast<std::vector<std::string>*>(data);
    std::string text = error->desc == nullptr ? "" : error->desc;
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, add, &stack);
  return stack.empty() ? "no reason given" : joined(stack, ": ");
}

Silence::Silence() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}
Silence::~Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

File create(const std::filesystem::path& path, MPI_Comm comm, Locks locks) {
  const Properties access = parallel_access(comm);
  const OpenOurs ours(access.get());
  return File(check(H5Fcreate(mpi_name(path, locks).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
                    "cannot be created"));
}

bool is_hdf5(const std::filesystem::path& path) { return H5Fis_hdf5(path.c_str()) > 0; }

File open_alone(const std::filesystem::path& path) {
  const Properties access(check(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"));
  // Lock nothing: a writer's lock does not concern us, and some file systems have no locks.
  check(H5Pset_file_locking(access.get(), false, true), "H5Pset_file_locking");
  const OpenOurs ours(access.get());
  return File(check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), cannot_be_opened));
}

File open(const std::filesystem::path& path, MPI_Comm comm, Locks locks) {
  const Properties access = parallel_access(comm);
  const OpenOurs ours(access.get());
  return File(check(H5Fopen(mpi_name(path, locks).c_str(), H5F_ACC_RDWR, access.get()), cannot_be_opened));
}

void flush(const File& file) { check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), "cannot be completed"); }

void abandon(File file) noexcept { static_cast<void>(file.release()); }

void close(File file) {
  const hid_t handle = file.release();
  const herr_t closed = H5Fclose(handle);
  take_lost_structure();  // the file is closed, so this no longer matters
  without_loss([&] { check(closed, "cannot be completed"); });
}

}  // namespace tessera::io::hdf5
