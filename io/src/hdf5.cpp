// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "hdf5.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include <tessera/io/error.hpp>

namespace tessera::io::hdf5 {
namespace {

using tessera::detail::Box;
using tessera::detail::ElementType;

constexpr index_t most_bytes = index_t{1} << 30;  // in one call: MPI-IO counts in int

// The innermost reason that HDF5 gives, in one sentence.
std::string reason() {
  std::string text;
  auto first = [](unsigned, const H5E_error2_t* error, void* data) -> herr_t {
    auto& out = *static_cast<std::string*>(data);
    if (out.empty() && error->desc != nullptr) out = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &text);
  return text.empty() ? "no reason given" : text;
}

template <class Result>
Result check(Result result, std::string_view what) {
  if (result < 0) throw IoError(fmt::format("{}: {}", what, reason()));
  return result;
}

Properties parallel_access(MPI_Comm comm) {
  Properties access(check(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"));
  check(H5Pset_fapl_mpio(access.get(), comm, MPI_INFO_NULL), "H5Pset_fapl_mpio");
  return access;
}

hid_t native(ElementKind kind) {
  switch (kind) {
    case ElementKind::int32:
      return H5T_NATIVE_INT32;
    case ElementKind::int64:
      return H5T_NATIVE_INT64;
    case ElementKind::float32:
    case ElementKind::complex64:
      return H5T_NATIVE_FLOAT;
    default:
      return H5T_NATIVE_DOUBLE;
  }
}

// A box cut along its first dimension that has more than one index; `part` of `parts`.
Box slice(const Box& box, int rank, index_t part, index_t parts) {
  Box piece = box;
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
    const index_t extent = box.hi[d] - box.lo[d];
    if (extent <= 1) continue;
    piece.lo[d] = box.lo[d] + std::min(extent, (extent + parts - 1) / parts * part);
    piece.hi[d] = box.lo[d] + std::min(extent, (extent + parts - 1) / parts * (part + 1));
    return piece;
  }
  if (part > 0) piece.hi[0] = piece.lo[0];
  return piece;
}

index_t volume(const Box& box, int rank) {
  index_t product = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d)
    product *= std::max<index_t>(0, box.hi[d] - box.lo[d]);
  return product;
}

}  // namespace

Silence::Silence() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}
Silence::~Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

File create(const std::filesystem::path& path, MPI_Comm comm) {
  const Properties access = parallel_access(comm);
  return File(check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), "cannot be created"));
}

File open(const std::filesystem::path& path, MPI_Comm comm) {
  const Properties access = parallel_access(comm);
  return File(check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), "is not an HDF5 file, or broken"));
}

void close(File file) {
  const hid_t handle = file.release();
  check(H5Fclose(handle), "cannot be completed");
}

Type element_type(const ElementType& type) {
  if (type.kind == ElementKind::bytes) {
    return Type(check(H5Tcreate(H5T_OPAQUE, static_cast<std::size_t>(type.size)), "H5Tcreate"));
  }
  if (type.kind != ElementKind::complex64 && type.kind != ElementKind::complex128) {
    return Type(check(H5Tcopy(native(type.kind)), "H5Tcopy"));
  }
  Type compound(check(H5Tcreate(H5T_COMPOUND, static_cast<std::size_t>(type.size)), "H5Tcreate"));
  check(H5Tinsert(compound.get(), "r", 0, native(type.kind)), "H5Tinsert");
  check(H5Tinsert(compound.get(), "i", static_cast<std::size_t>(type.size / 2), native(type.kind)),
        "H5Tinsert");
  return compound;
}

std::string describe_type(const Dataset& dataset) {
  const Type type(check(H5Dget_type(dataset.get()), "H5Dget_type"));
  for (const auto kind : {ElementKind::int32, ElementKind::int64, ElementKind::float32, ElementKind::float64,
                          ElementKind::complex64, ElementKind::complex128}) {
    if (has_type(dataset, {kind, size_of(kind)})) return tessera::to_string(kind);
  }
  const std::size_t bytes = H5Tget_size(type.get());
  switch (H5Tget_class(type.get())) {
    case H5T_INTEGER:
      return fmt::format("integers of {} bits", 8 * bytes);
    case H5T_FLOAT:
      return fmt::format("floating-point numbers of {} bits", 8 * bytes);
    case H5T_COMPOUND:
      return fmt::format("a compound of {} bytes", bytes);
    case H5T_STRING:
      return "strings";
    case H5T_OPAQUE:
      return fmt::format("bytes of size {}", bytes);
    default:
      return fmt::format("something else, of {} bytes", bytes);
  }
}

bool has_type(const Dataset& dataset, const ElementType& type) {
  const Type found(check(H5Dget_type(dataset.get()), "H5Dget_type"));
  // In this machine's byte order, so that files written elsewhere are accepted, and converted when read.
  const Type here(H5Tget_native_type(found.get(), H5T_DIR_ASCEND));
  if (!here) return false;
  return check(H5Tequal(here.get(), element_type(type).get()), "H5Tequal") > 0;
}

Dataset create_dataset(const File& file, const std::string& name, const Type& type,
                       const tessera::detail::ArrayCore& array) {
  std::vector<hsize_t> dims;
  for (int d = 0; d < array.rank(); ++d) {
    dims.push_back(static_cast<hsize_t>(array.layout().dims()[static_cast<std::size_t>(d)]));
  }
  const Space space(check(H5Screate_simple(array.rank(), dims.data(), nullptr), "H5Screate_simple"));
  const Properties creation(check(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate"));
  check(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER), "H5Pset_fill_time");  // every element is written
  const Properties link(check(H5Pcreate(H5P_LINK_CREATE), "H5Pcreate"));
  check(H5Pset_create_intermediate_group(link.get(), 1), "H5Pset_create_intermediate_group");
  return Dataset(check(
      H5Dcreate2(file.get(), name.c_str(), type.get(), space.get(), link.get(), creation.get(), H5P_DEFAULT),
      fmt::format("dataset \"{}\" cannot be created", name)));
}

void write_attribute(const Dataset& dataset, const char* name, const std::string& value) {
  const Type type(check(H5Tcopy(H5T_C_S1), "H5Tcopy"));
  check(H5Tset_size(type.get(), value.size() + 1), "H5Tset_size");
  const Space space(check(H5Screate(H5S_SCALAR), "H5Screate"));
  const Attribute attribute(
      check(H5Acreate2(dataset.get(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), "H5Acreate2"));
  check(H5Awrite(attribute.get(), type.get(), value.c_str()), "H5Awrite");
}

std::vector<std::string> dataset_names(const File& file) {
  std::vector<std::string> names;
  auto add = [](hid_t, const char* name, const H5O_info_t* info, void* data) -> herr_t {
    if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  check(H5Ovisit(file.get(), H5_INDEX_NAME, H5_ITER_INC, add, &names), "H5Ovisit");
  return names;
}

bool has_dataset(const File& file, const std::string& name) {
  // Each part of the path must exist before the next may be asked for.
  for (std::size_t slash = name.find('/', 1); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    if (H5Lexists(file.get(), name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return H5Lexists(file.get(), name.c_str(), H5P_DEFAULT) > 0;
}

Dataset open_dataset(const File& file, const std::string& name) {
  return Dataset(check(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT),
                       fmt::format("dataset \"{}\" cannot be opened", name)));
}

std::vector<hsize_t> extents(const Dataset& dataset) {
  const Space space(check(H5Dget_space(dataset.get()), "H5Dget_space"));
  std::vector<hsize_t> dims(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.get()))));
  if (!dims.empty())
    check(H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr), "H5Sget_simple_extent_dims");
  return dims;
}

index_t rounds_needed(const Box& box, int rank, index_t element_bytes) {
  // A slice is at least one index wide, so a second dimension is never cut: a row of it may be larger than the
  // limit only for arrays whose first extent is 1, which slice() cuts along the next.
  return (volume(box, rank) * element_bytes + most_bytes - 1) / most_bytes;
}

void transfer(Transfer direction, const Dataset& dataset, const Type& type, const Box& box, int rank,
              void* data, index_t element_bytes, index_t rounds) {
  const Properties collective(check(H5Pcreate(H5P_DATASET_XFER), "H5Pcreate"));
  check(H5Pset_dxpl_mpio(collective.get(), H5FD_MPIO_COLLECTIVE), "H5Pset_dxpl_mpio");
  static std::byte nothing[16];
  auto* at = static_cast<std::byte*>(data);
  for (index_t round = 0; round < rounds; ++round) {
    const Box piece = slice(box, rank, round, rounds);
    const index_t count = volume(piece, rank);
    const Space in_file(check(H5Dget_space(dataset.get()), "H5Dget_space"));
    const auto elements = static_cast<hsize_t>(count);
    const Space in_memory(check(H5Screate_simple(1, &elements, nullptr), "H5Screate_simple"));
    if (count == 0) {
      check(H5Sselect_none(in_file.get()), "H5Sselect_none");
      check(H5Sselect_none(in_memory.get()), "H5Sselect_none");
    } else {
      std::vector<hsize_t> start, size;
      for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
        start.push_back(static_cast<hsize_t>(piece.lo[d]));
        size.push_back(static_cast<hsize_t>(piece.hi[d] - piece.lo[d]));
      }
      check(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr),
            "H5Sselect_hyperslab");
    }
    void* memory = count == 0 ? static_cast<void*>(nothing) : at;
    if (direction == Transfer::write) {
      check(H5Dwrite(dataset.get(), type.get(), in_memory.get(), in_file.get(), collective.get(), memory),
            "cannot be written");
    } else {
      check(H5Dread(dataset.get(), type.get(), in_memory.get(), in_file.get(), collective.get(), memory),
            "cannot be read");
    }
    at += count * element_bytes;
  }
}

}  // namespace tessera::io::hdf5
