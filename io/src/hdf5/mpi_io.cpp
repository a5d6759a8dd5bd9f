// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "hdf5/mpi_io.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "base/collectively.hpp"
#include "format.hpp"

namespace tessera::io::detail {
namespace {

#ifdef OPEN_MPI
std::string_view setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}
#endif

// Zero, or why the file cannot be locked.
int lock_error(const std::filesystem::path& path) {
  int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  const bool may_write = file >= 0;
  if (!may_write) file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;  // opening it will say why
  struct flock lock {};
  lock.l_type = may_write ? F_WRLCK : F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  const int error = fcntl(file, F_SETLK, &lock) == 0 ? 0 : errno;
  ::close(file);
  return error == EAGAIN || error == EACCES ? 0 : error;  // locked by another process: so locks work
}

}  // namespace

void require_safe_writing([[maybe_unused]] const Group& group) {
#ifdef OPEN_MPI
  // Open MPI 4.1.0 to 4.1.6 and 5.0.0 to 5.0.5 are not safe (its issue 12718).
  constexpr int version = 10000 * OMPI_MAJOR_VERSION + 100 * OMPI_MINOR_VERSION + OMPI_RELEASE_VERSION;
  constexpr bool is_safe = (version >= 40107 && version < 50000) || version >= 50006;
  const std::string_view algorithm = setting("OMPI_MCA_fs_ufs_lock_algorithm");
  if (is_safe || group.size() == 1 || algorithm == "2" || algorithm == "3") return;
  throw IoError(
      formatted("Open MPI {}.{}.{} would write a file of several ranks without locks, and can damage it "
                "so; start MPI by constructing tessera::Runtime, or set "
                "OMPI_MCA_fs_ufs_lock_algorithm=3 in the environment of the job",
                OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION));
#endif
}

void require_chunks() {
#ifdef OPEN_MPI
  if (setting("OMPI_MCA_io").starts_with("romio")) {
    throw IoError(
        "Open MPI's ROMIO crashes where HDF5 writes chunks; use OMPIO (OMPI_MCA_io=ompio, the default), "
        "or no chunks, steps or compression");
  }
#endif
}

hdf5::Locks file_locks(const Group& group, const std::filesystem::path& path, const std::string& context) {
  const int error = group.all_reduce(group.node().rank() == 0 ? lock_error(path) : 0, Reduce::max);
  if (error == 0) return hdf5::Locks::work;
#ifdef OPEN_MPI
  const bool needs_them = group.size() > 1;
#else
  const bool needs_them = group.node_count() > 1;
#endif
  collectively(group, context, [&] {
    if (!needs_them) return;
    throw IoError(
        formatted("the file system of {} has no file locks ({}), without which MPI-IO does not write "
                  "from {}; mount it with locks (NFS: without nolock, Lustre: with flock), or use another",
                  path.string(), std::strerror(error),
                  group.node_count() > 1 ? "several nodes" : "several ranks with Open MPI"));
  });
  return hdf5::Locks::fail;
}

}  // namespace tessera::io::detail
