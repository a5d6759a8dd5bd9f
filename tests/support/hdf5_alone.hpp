// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <vector>

#include <hdf5.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

// HDF5 1.10 crashes over some damaged files, or never ends. No test of Tessera can use these.
namespace tessera::test {
namespace hdf5_alone {

inline herr_t read_attribute(hid_t object, const char* name, const H5A_info_t*, void*) {
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
  const hid_t space = H5Aget_space(attribute);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  std::vector<char> bytes(4096);
  if (count > 0 && static_cast<std::size_t>(count) * H5Tget_size(type) <= bytes.size())
    H5Aread(attribute, type, bytes.data());
  return 0;
}

// All HDF5 calls that a reader or writer makes, without Tessera.
inline herr_t use_object(hid_t root, const char* name, const H5O_info_t* info, void* writes) {
  const hid_t object = H5Oopen(root, name, H5P_DEFAULT);
  if (object >= 0) {
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, read_attribute, nullptr);
    H5Oclose(object);
  }
  if (info->type != H5O_TYPE_DATASET) return 0;
  const hid_t set = H5Dopen2(root, name, H5P_DEFAULT);
  if (set < 0) return 0;
  H5D_space_status_t status{};
  H5Dget_space_status(set, &status);
  H5Dget_offset(set);
  const hid_t space = H5Dget_space(set), type = H5Dget_type(set), creation = H5Dget_create_plist(set);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  std::vector<double> values(static_cast<std::size_t>(std::clamp<hssize_t>(count, 1, 1 << 20)));
  if (count < 1 << 20) H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  std::fill(values.begin(), values.end(), 1.0);
  if (count < 1 << 20 && writes != nullptr)
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Tget_native_type(type, H5T_DIR_ASCEND);
  for (const hid_t id : {space, type, creation, set}) H5Idec_ref(id);
  return 0;
}

}  // namespace hdf5_alone

/// Whether HDF5 alone survives the file, within a few seconds. A process of its own finds out. @local
inline bool survives(const std::filesystem::path& path, bool writes) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(4);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    // HDF5 may free pointers that it never set. Here they are never null, which they may be on some ranks.
    mallopt(M_PERTURB, 0x5a);
    H5set_free_list_limits(0, 0, 0, 0, 0, 0);
    for (const int number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS}) std::signal(number, SIG_DFL);
    const hid_t file = H5Fopen(path.c_str(), writes ? H5F_ACC_RDWR : H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file >= 0) {
      H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, hdf5_alone::use_object, writes ? &writes : nullptr);
      H5Fclose(file);
    }
    _exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace tessera::test
