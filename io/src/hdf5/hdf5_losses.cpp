// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "hdf5/hdf5_losses.hpp"

#include <functional>
#include <string>
#include <unordered_set>
#include <utility>

#include <mpi.h>
#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>  // since HDF5 1.13
#endif

#include "hdf5/hdf5.hpp"
#include "hdf5/hdf5_check.hpp"

namespace tessera::io::hdf5 {
namespace {

struct Losses {
  std::unordered_set<const H5FD_t*> ours;
  std::string reason;  // of the first loss
  bool is_of_structure = false, structure_was_lost = false;
  int opening = 0;
};
// Never destroyed: HDF5 still closes files when MPI ends.
Losses& losses() {
  static auto& all = *new Losses;
  return all;
}

// Records the loss and clears HDF5's error, so that HDF5 goes on. Returns the reason.
std::string note(H5FD_mem_t type) noexcept {
  Losses& all = losses();
  const bool is_of_structure = type != H5FD_MEM_DRAW;
  std::string why = reason();
  if (all.reason.empty()) all.reason = why;
  all.is_of_structure = all.is_of_structure || is_of_structure;
  all.structure_was_lost = all.structure_was_lost || is_of_structure;
  H5Eclear2(H5E_DEFAULT);
  return why;
}

void free_type(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
  if (MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
      combiner != MPI_COMBINER_NAMED)
    MPI_Type_free(&type);
}

// Resets the view of a file. HDF5's driver has returned before it did so, which all ranks do together.
void take_view_back(const H5FD_class_t& driver, H5FD_t* file, const std::string& why) noexcept {
  void* handle = nullptr;
  if (driver.get_handle(file, H5P_DEFAULT, &handle) < 0 || handle == nullptr) return;
  auto* const opened = static_cast<MPI_File*>(handle);
  MPI_Offset at = 0;
  MPI_Datatype element = MPI_BYTE, layout = MPI_BYTE;
  char representation[MPI_MAX_DATAREP_STRING + 1] = {};
  if (MPI_File_get_view(*opened, &at, &element, &layout, representation) != MPI_SUCCESS) return;
  const bool is_plain = at == 0 && layout == MPI_BYTE;
  free_type(element);
  free_type(layout);
  // In a collective call, a rank without elements has the plain view, too.
  if (is_plain && why.find("_at_all failed") == std::string::npos) return;
  // With the same hints as HDF5, because MPI-IO compares them.
  const Info info = hints();
  MPI_File_set_view(*opened, 0, MPI_BYTE, MPI_BYTE, "native", info.get());
}

// Replaces the functions of a driver.
enum class Kind { together, alone };
template <Kind kind>
struct Driver {
  static inline H5FD_class_t own{};

  static H5FD_t* open(const char* name, unsigned flags, hid_t access, haddr_t most) {
    H5FD_t* const file = own.open(name, flags, access, most);
    if (file != nullptr && losses().opening > 0) losses().ours.insert(file);
    return file;
  }
  static herr_t close(H5FD_t* file) {
    const bool is_ours = losses().ours.erase(file) > 0;
    const herr_t result = own.close(file);
    return result < 0 && is_ours ? lose(H5FD_MEM_DEFAULT) : result;
  }
  static herr_t write(H5FD_t* file, H5FD_mem_t type, hid_t transfer, haddr_t at, std::size_t bytes,
                      const void* data) {
    const herr_t result = own.write(file, type, transfer, at, bytes, data);
    return result < 0 ? lose(file, type) : result;
  }
  // Hides only lost elements. HDF5 must know if it cannot read the file's structure.
  static herr_t read(H5FD_t* file, H5FD_mem_t type, hid_t transfer, haddr_t at, std::size_t bytes, void* data) {
    const herr_t result = own.read(file, type, transfer, at, bytes, data);
    return result < 0 && type == H5FD_MEM_DRAW && kind == Kind::together ? lose(file, type) : result;
  }
  static herr_t flush(H5FD_t* file, hid_t transfer, hbool_t closing) {
    const herr_t result = own.flush(file, transfer, closing);
    return result < 0 && is_ours(file) ? lose(H5FD_MEM_DEFAULT) : result;
  }
  static herr_t truncate(H5FD_t* file, hid_t transfer, hbool_t closing) {
    const herr_t result = own.truncate(file, transfer, closing);
    return result < 0 && is_ours(file) ? lose(H5FD_MEM_DEFAULT) : result;
  }

  // Files that are equal share what HDF5 knows of their structure, which may be older than the file: those that
  // write together are never equal to those that read.
  static int compare(const H5FD_t* a, const H5FD_t* b) {
    if (!is_ours(a) && !is_ours(b)) return own.cmp(a, b);
    return a == b ? 0 : std::less<>()(a, b) ? -1 : 1;
  }

  // HDF5 keeps the functions of a driver in memory that it has allocated. An open file points to them.
  static void enter(hid_t access) {
    if (own.open != nullptr) return;
    H5FD_t* const file = H5FDopen("/dev/null", H5F_ACC_RDONLY, access, HADDR_UNDEF);
    if (file == nullptr) throw Hdf5Error(formatted("HDF5's driver cannot be had (HDF5: {})", reason()));
    auto* const theirs = const_cast<H5FD_class_t*>(file->cls);
    own = *theirs;
    H5FDclose(file);
    theirs->open = open;
    theirs->close = close;
    theirs->write = write;
    theirs->read = read;
    if (kind == Kind::alone && own.cmp != nullptr) theirs->cmp = compare;
    if (own.flush != nullptr) theirs->flush = flush;
    if (own.truncate != nullptr) theirs->truncate = truncate;
  }

 private:
  static bool is_ours(const H5FD_t* file) { return losses().ours.contains(file); }
  static herr_t lose(H5FD_mem_t type) {
    note(type);
    return 0;
  }
  static herr_t lose(H5FD_t* file, H5FD_mem_t type) {
    if (!is_ours(file)) return -1;
    const std::string why = note(type);
    if (kind == Kind::together) take_view_back(own, file, why);
    return 0;
  }
};

}  // namespace

// Each rank moves its own data. By default some ranks move the data of others, in rounds. If one fails, the
// others wait in the next round (ROMIO), or no rank is told (OMPIO). ROMIO must not read, modify and write back
// either. It does so under a lock, which the file system may lack, and which ROMIO keeps if the write fails.
Info hints() {
  constexpr std::pair<const char*, const char*> all[] = {
      {"romio_cb_write", "disable"},
      {"romio_cb_read", "disable"},
      {"romio_ds_write", "disable"},
      {"collective_buffering", "no"}};  // OMPIO: any but "false"
  MPI_Info made = MPI_INFO_NULL;
  bool good = MPI_Info_create(&made) == MPI_SUCCESS;
  Info info(made);
  for (const auto& [name, value] : all) good = good && MPI_Info_set(made, name, value) == MPI_SUCCESS;
  if (!good) throw IoError("MPI_Info_set failed");
  return info;
}

void prepare_to_open_together() {
  if (Driver<Kind::together>::own.open != nullptr) return;
  const Properties by_itself(check(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"));
  check(H5Pset_fapl_mpio(by_itself.get(), MPI_COMM_SELF, MPI_INFO_NULL), "H5Pset_fapl_mpio");
  Driver<Kind::together>::enter(by_itself.get());
}

OpenOurs::OpenOurs(hid_t access) {
  H5Pget_driver(access) == H5FD_MPIO ? prepare_to_open_together() : Driver<Kind::alone>::enter(access);
  ++losses().opening;
}

OpenOurs::~OpenOurs() { --losses().opening; }

bool take_lost_structure() noexcept { return std::exchange(losses().structure_was_lost, false); }

void throw_loss() {
  Losses& all = losses();
  if (all.reason.empty()) return;
  const std::string why = std::exchange(all.reason, {});
  if (std::exchange(all.is_of_structure, false))
    throw LossError(
        formatted("part of the file cannot be written, so that it is closed, and damaged (HDF5: {})", why));
  throw LossError(formatted("elements cannot be written or read (HDF5: {})", why));
}

}  // namespace tessera::io::hdf5
