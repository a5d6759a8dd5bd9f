// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "hdf5/hdf5.hpp"
#include "hdf5/hdf5_check.hpp"

// What names in a file lead to.
namespace tessera::io::hdf5 {
namespace {

unsigned long file_of(hid_t object) {
  H5O_info_t info;
  check(H5Oget_info(object, &info), "H5Oget_info");
  return info.fileno;
}

// Visits one part of a path after the other: "a", "a/b", "a/b/c" of "a/b/c". Ends when `visit` returns false.
template <class Visit>
void for_each_part(const std::string& path, Visit&& visit) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (!visit(path.substr(0, slash))) return;
  }
  visit(path);
}

bool is_file_itself(const std::string& name) { return name.find_first_not_of('/') == std::string::npos; }

}  // namespace

Properties following_links(hid_t kind) {
  // Each rank opens the other file by itself, to read. By default the ranks open it together, and wait for a
  // rank that does not.
  const Properties alone(check(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"));
  check(H5Pset_file_locking(alone.get(), false, true), "H5Pset_file_locking");
  Properties properties(check(H5Pcreate(kind), "H5Pcreate"));
  check(H5Pset_elink_fapl(properties.get(), alone.get()), "H5Pset_elink_fapl");
  check(H5Pset_elink_acc_flags(properties.get(), H5F_ACC_RDONLY), "H5Pset_elink_acc_flags");
  return properties;
}

bool has_object(const File& file, const std::string& name) {
  if (is_file_itself(name)) return true;
  const Properties links = following_links(H5P_LINK_ACCESS);
  bool found = true;
  // Each part of the path must exist before we may ask for the next.
  for_each_part(name, [&](const std::string& part) {
    return found = H5Lexists(file.get(), part.c_str(), links.get()) > 0;
  });
  return found;
}

bool has_dataset(const File& file, const std::string& name) {
  const Properties links = following_links(H5P_LINK_ACCESS);
  H5O_info_t info;
  return !name.empty() && has_object(file, name) &&
         H5Oget_info_by_name(file.get(), name.c_str(), &info, links.get()) >= 0 &&
         info.type == H5O_TYPE_DATASET;
}

bool leads_outside(const File& file, const std::string& name) {
  if (is_file_itself(name)) return false;
  const Properties links = following_links(H5P_LINK_ACCESS);
  const unsigned long here = file_of(file.get());
  bool outside = false;
  for_each_part(name, [&](const std::string& part) {
    H5O_info_t info;
    if (H5Lexists(file.get(), part.c_str(), links.get()) <= 0) return false;
    const bool is_known = H5Oget_info_by_name(file.get(), part.c_str(), &info, links.get()) >= 0;
    outside = is_known && info.fileno != here;
    return is_known && !outside;
  });
  return outside;
}

Dataset open_dataset(const File& file, const std::string& name) {
  const Properties links = following_links(H5P_DATASET_ACCESS);
  return Dataset(check(H5Dopen2(file.get(), name.c_str(), links.get()),
                       formatted("dataset \"{}\" cannot be opened", name)));
}

Object open_object(const File& file, const std::string& name) {
  const Properties links = following_links(H5P_LINK_ACCESS);
  return Object(
      check(H5Oopen(file.get(), is_file_itself(name) ? "/" : name.c_str(), links.get()), "cannot be opened"));
}

}  // namespace tessera::io::hdf5
