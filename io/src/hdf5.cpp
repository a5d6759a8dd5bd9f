// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "hdf5.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <tessera/io/error.hpp>

#include "format.hpp"
#include "pieces.hpp"

namespace tessera::io::hdf5 {
namespace {

using tessera::detail::Box;
using tessera::detail::ElementType;

constexpr index_t most_bytes = index_t{1} << 30;  // in one call: MPI-IO counts in int

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

template <class Result>
Result check(Result result, std::string_view what) {
  if (result < 0) throw Hdf5Error(formatted("{} (HDF5: {})", what, reason()));
  return result;
}

// ROMIO (MPICH) takes what stands before a colon for the name of a file system; Open MPI's OMPIO does not.
std::string mpi_name(const std::filesystem::path& path) {
#ifdef ROMIO_VERSION
  if (path.string().find(':') != std::string::npos) return "ufs:" + path.string();
#endif
  return path.string();
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

struct Selection {
  Space file, memory;
};

// A box of the dataset, and as many elements in a row in memory; nothing of either if it is empty.
Selection select(const Dataset& dataset, const Box& box, int rank, index_t count) {
  const auto elements = static_cast<hsize_t>(count);
  Selection selection{Space(check(H5Dget_space(dataset.get()), "H5Dget_space")),
                      Space(check(H5Screate_simple(1, &elements, nullptr), "H5Screate_simple"))};
  if (count == 0) {
    check(H5Sselect_none(selection.file.get()), "H5Sselect_none");
    check(H5Sselect_none(selection.memory.get()), "H5Sselect_none");
    return selection;
  }
  std::array<hsize_t, static_cast<std::size_t>(max_rank)> start{}, size{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
    start[d] = static_cast<hsize_t>(box.lo[d]);
    size[d] = static_cast<hsize_t>(box.hi[d] - box.lo[d]);
  }
  check(H5Sselect_hyperslab(selection.file.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr),
        "H5Sselect_hyperslab");
  return selection;
}

}  // namespace

Silence::Silence() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}
Silence::~Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

File create(const std::filesystem::path& path, MPI_Comm comm) {
  const Properties access = parallel_access(comm);
  return File(
      check(H5Fcreate(mpi_name(path).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), "cannot be created"));
}

bool is_hdf5(const std::filesystem::path& path) { return H5Fis_hdf5(path.c_str()) > 0; }

File open(const std::filesystem::path& path, MPI_Comm comm) {
  const Properties access = parallel_access(comm);
  return File(check(H5Fopen(mpi_name(path).c_str(), H5F_ACC_RDONLY, access.get()),
                    "cannot be opened as an HDF5 file; is it truncated or damaged?"));
}

void flush(const File& file) { check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), "cannot be completed"); }

void abandon(File file) noexcept { static_cast<void>(file.release()); }

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
      return formatted("{}integers of {} bits", H5Tget_sign(type.get()) == H5T_SGN_NONE ? "unsigned " : "",
                       8 * bytes);
    case H5T_FLOAT:
      return formatted("floating-point numbers of {} bits", 8 * bytes);
    case H5T_COMPOUND:
      return formatted("a compound of {} bytes", bytes);
    case H5T_STRING:
      return "strings";
    case H5T_OPAQUE:
      return formatted("bytes of size {}", bytes);
    default:
      return formatted("something else, of {} bytes", bytes);
  }
}

bool has_type(const Dataset& dataset, const ElementType& type) {
  const Type found(check(H5Dget_type(dataset.get()), "H5Dget_type"));
  if (type.kind == ElementKind::bytes) {  // their tag is only a comment
    return H5Tget_class(found.get()) == H5T_OPAQUE &&
           H5Tget_size(found.get()) == static_cast<std::size_t>(type.size);
  }
  // In this machine's byte order, so that files written elsewhere are accepted, and converted when read.
  const Type here(H5Tget_native_type(found.get(), H5T_DIR_ASCEND));
  if (!here) return false;
  return check(H5Tequal(here.get(), element_type(type).get()), "H5Tequal") > 0;
}

Type memory_type(const Dataset& dataset, const ElementType& type) {
  // HDF5 converts bytes only to bytes with the same tag.
  if (type.kind == ElementKind::bytes) return Type(check(H5Dget_type(dataset.get()), "H5Dget_type"));
  return element_type(type);
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
  check(H5Pset_char_encoding(link.get(), H5T_CSET_UTF8), "H5Pset_char_encoding");
  check(H5Pset_create_intermediate_group(link.get(), 1), "H5Pset_create_intermediate_group");
  return Dataset(check(
      H5Dcreate2(file.get(), name.c_str(), type.get(), space.get(), link.get(), creation.get(), H5P_DEFAULT),
      formatted("dataset \"{}\" cannot be created", name)));
}

void write_attribute(const Dataset& dataset, const char* name, const std::string& value) {
  const Type type(check(H5Tcopy(H5T_C_S1), "H5Tcopy"));
  check(H5Tset_size(type.get(), H5T_VARIABLE), "H5Tset_size");  // a str to h5py, where fixed sizes are bytes
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "H5Tset_cset");
  const Space space(check(H5Screate(H5S_SCALAR), "H5Screate"));
  const Attribute attribute(
      check(H5Acreate2(dataset.get(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), "H5Acreate2"));
  const char* text = value.c_str();
  check(H5Awrite(attribute.get(), type.get(), &text), "H5Awrite");
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
  if (name.empty()) return false;
  // Each part of the path must exist before the next may be asked for.
  for (std::size_t slash = name.find('/', 1); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    if (H5Lexists(file.get(), name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  if (H5Lexists(file.get(), name.c_str(), H5P_DEFAULT) <= 0) return false;
  H5O_info_t info;
  return H5Oget_info_by_name(file.get(), name.c_str(), &info, H5P_DEFAULT) >= 0 &&
         info.type == H5O_TYPE_DATASET;
}

Dataset open_dataset(const File& file, const std::string& name) {
  return Dataset(check(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT),
                       formatted("dataset \"{}\" cannot be opened", name)));
}

std::vector<hsize_t> extents(const Dataset& dataset) {
  const Space space(check(H5Dget_space(dataset.get()), "H5Dget_space"));
  std::vector<hsize_t> dims(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.get()))));
  if (!dims.empty())
    check(H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr), "H5Sget_simple_extent_dims");
  return dims;
}

void transfer(Transfer direction, const Dataset& dataset, const Type& type, const Group& group, const Box& box,
              int rank, void* data) {
  const auto element_bytes = static_cast<index_t>(H5Tget_size(type.get()));
  const detail::Pieces pieces(box, rank, element_bytes, most_bytes);
  const index_t rounds = group.all_reduce(pieces.count(), Reduce::max);
  const Properties collective(check(H5Pcreate(H5P_DATASET_XFER), "H5Pcreate"));
  check(H5Pset_dxpl_mpio(collective.get(), H5FD_MPIO_COLLECTIVE), "H5Pset_dxpl_mpio");
  std::byte nothing{};
  auto* at = static_cast<std::byte*>(data);
  std::string problem;  // of the first call that failed; the others are made too, as all ranks wait there
  for (index_t round = 0; round < rounds; ++round) {
    const Box piece = pieces.piece(round);
    const index_t count = pieces.size(piece);
    const Selection selection = select(dataset, piece, rank, count);
    void* memory = count == 0 ? &nothing : at;
    try {
      if (direction == Transfer::write) {
        check(H5Dwrite(dataset.get(), type.get(), selection.memory.get(), selection.file.get(),
                       collective.get(), memory),
              "the data cannot be written; is there space left?");
      } else {
        check(H5Dread(dataset.get(), type.get(), selection.memory.get(), selection.file.get(), collective.get(),
                      memory),
              "the data cannot be read");
      }
    } catch (const Hdf5Error& error) {
      if (problem.empty()) problem = error.what();
    }
    at += count * element_bytes;
  }
  if (!problem.empty()) throw Hdf5Error(problem);
}

}  // namespace tessera::io::hdf5
