// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "base/box_chunks.hpp"
#include "hdf5/hdf5.hpp"
#include "hdf5/hdf5_check.hpp"

namespace tessera::io::hdf5 {
namespace {

using tessera::detail::Box;

constexpr hsize_t max_elements = hsize_t{1} << 58;       // so that their bytes can be counted
constexpr index_t max_bytes_between = index_t{1} << 24;  // a conversion in two steps needs a buffer

bool is_parallel(const Dataset& dataset) {
  const File file(check(H5Iget_file_id(dataset.get()), "H5Iget_file_id"));
  // Only files that ranks have opened together have atomicity. H5Fget_access_plist would wait for all ranks.
  hbool_t is_atomic = false;
  return H5Fget_mpi_atomicity(file.get(), &is_atomic) >= 0;
}

struct Selection {
  Space file, memory;
};

// Selects a box of the dataset, and as many elements in memory. Selects nothing if the box is empty.
Selection select(const Dataset& dataset, const Box& box, int rank, index_t count, bool every_second) {
  const auto elements = static_cast<hsize_t>(count);
  const hsize_t places = every_second ? 2 * elements : elements;
  Selection selection{Space(check(H5Dget_space(dataset.get()), "H5Dget_space")),
                      Space(check(H5Screate_simple(1, &places, nullptr), "H5Screate_simple"))};
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
  if (every_second) {
    const hsize_t first = 0, step = 2;
    check(H5Sselect_hyperslab(selection.memory.get(), H5S_SELECT_SET, &first, &step, &elements, nullptr),
          "H5Sselect_hyperslab");
  }
  return selection;
}

enum class Way : std::int8_t { none, alone, together };

// Whether all elements of a box have space in the file.
bool has_space(const Dataset& dataset, H5D_layout_t layout, const Box& box, int rank) {
  if (layout == H5D_CHUNKED) return !lacks_chunks(dataset, box, rank);
  H5D_space_status_t status{};
  check(H5Dget_space_status(dataset.get(), &status), "H5Dget_space_status");
  return status == H5D_SPACE_STATUS_ALLOCATED;
}

// Some reads cannot be collective. A rank whose part was never written returns at once, and a rank that cannot
// unpack a chunk returns early. The others would wait for it.
Way way_of(Transfer direction, const Dataset& dataset, const Box& box, int rank) {
  if (!is_parallel(dataset)) return Way::alone;
  if (direction == Transfer::write) return Way::together;
  const Properties creation(check(H5Dget_create_plist(dataset.get()), "H5Dget_create_plist"));
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  const bool is_plain = (layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED) &&
                        check(H5Pget_nfilters(creation.get()), "H5Pget_nfilters") == 0 &&
                        check(H5Pget_external_count(creation.get()), "H5Pget_external_count") == 0;
  return is_plain && has_space(dataset, layout, box, rank) ? Way::together : Way::alone;
}

// Why the last transfer of these properties was not collective: HDF5's causes, as bits, and one of ours.
constexpr std::int64_t chunk_by_chunk = H5D_MPIO_NO_COLLECTIVE_MAX_CAUSE;
std::int64_t causes(const Properties& properties) {
  std::uint32_t here = 0, anywhere = 0;
  H5D_mpio_actual_io_mode_t mode{};
  check(H5Pget_mpio_no_collective_cause(properties.get(), &here, &anywhere), "H5Pget_mpio_no_collective_cause");
  check(H5Pget_mpio_actual_io_mode(properties.get(), &mode), "H5Pget_mpio_actual_io_mode");
  const bool alone = mode == H5D_MPIO_CHUNK_INDEPENDENT || mode == H5D_MPIO_CHUNK_MIXED;
  return std::int64_t{anywhere} | (alone ? chunk_by_chunk : 0);
}

Account account_of(std::int64_t causes) {
  constexpr std::pair<std::int64_t, const char*> words[] = {
      {H5D_MPIO_SET_INDEPENDENT, "independent transfer was asked for"},
      {H5D_MPIO_DATATYPE_CONVERSION, "elements are of another type, or in another byte order, in the file"},
      {H5D_MPIO_DATA_TRANSFORMS, "data is transformed"},
      {H5D_MPIO_MPI_OPT_TYPES_ENV_VAR_DISABLED, "HDF5_MPI_OPT_TYPES forbids it"},
      {H5D_MPIO_NOT_SIMPLE_OR_SCALAR_DATASPACES, "the dataset has no extents"},
      {H5D_MPIO_NOT_CONTIGUOUS_OR_CHUNKED_DATASET, "the dataset is stored neither in one piece nor in chunks"},
      {H5D_MPIO_PARALLEL_FILTERED_WRITES_DISABLED, "this HDF5 does not compress in parallel"},
      {H5D_MPIO_ERROR_WHILE_CHECKING_COLLECTIVE_POSSIBLE, "HDF5 could not find out whether it can be"},
      {chunk_by_chunk, "few ranks share each chunk, so that HDF5 moved chunks one by one"}};
  std::vector<std::string> reasons;
  for (const auto& [cause, text] : words) {
    if ((causes & cause) != 0) reasons.emplace_back(text);
  }
  return {causes == 0, joined(reasons, "; ")};
}

// One call of HDF5.
herr_t call(Transfer direction, const Dataset& dataset, const Type& type, const Selection& selection,
            const Properties& properties, void* data) {
  if (direction == Transfer::write) {
    return H5Dwrite(dataset.get(), type.get(), selection.memory.get(), selection.file.get(), properties.get(),
                    data);
  }
  return H5Dread(dataset.get(), type.get(), selection.memory.get(), selection.file.get(), properties.get(),
                 data);
}

// The same by way of another type. A rank makes the call even if its own elements cannot be converted.
herr_t call_between(Transfer direction, const Dataset& dataset, const Memory& memory,
                    const Selection& selection, const Properties& properties, std::byte* data, index_t count) {
  const std::size_t near = H5Tget_size(memory.type.get()), far = H5Tget_size(memory.between.get());
  const auto elements = static_cast<std::size_t>(count);
  std::vector<std::byte> buffer(std::max<std::size_t>(1, elements * std::max(near, far))),
      background(buffer.size());
  herr_t converted = 0;
  if (direction == Transfer::write) {
    std::memcpy(buffer.data(), data, elements * near);
    converted = H5Tconvert(memory.type.get(), memory.between.get(), elements, buffer.data(), background.data(),
                           properties.get());
    if (converted < 0) {  // the others wait for this rank
      H5Sselect_none(selection.file.get());
      H5Sselect_none(selection.memory.get());
    }
    const herr_t written = call(direction, dataset, memory.between, selection, properties, buffer.data());
    return converted < 0 ? converted : written;
  }
  const herr_t read = call(direction, dataset, memory.between, selection, properties, buffer.data());
  if (read < 0) return read;
  converted = H5Tconvert(memory.between.get(), memory.type.get(), elements, buffer.data(), background.data(),
                         properties.get());
  const auto stride = static_cast<std::size_t>(memory.stride);
  if (converted < 0) return converted;
  if (stride == near)
    std::memcpy(data, buffer.data(), elements * near);
  else
    for (std::size_t i = 0; i < elements; ++i) std::memcpy(data + i * stride, buffer.data() + i * near, near);
  return converted;
}

void move(Transfer direction, const Dataset& dataset, const Memory& memory, const Selection& selection,
          const Properties& properties, std::byte* data, index_t count) {
  const ConversionWatch watch(properties);
  const bool is_write = direction == Transfer::write;
  const herr_t result = memory.between
                            ? call_between(direction, dataset, memory, selection, properties, data, count)
                            : call(direction, dataset, memory.type, selection, properties, data);
  if (result >= 0) return;
  if (*watch.found() != '\0') {
    const std::string file = describe_type(dataset), here = describe_type(memory.type);
    throw IoError(
        is_write ? formatted("the array holds {}, with {} for the dataset's elements of {}", here,
                             watch.found(), file)
                 : formatted("the dataset holds {}, with {} for elements of {}", file, watch.found(), here));
  }
  check(result, is_write ? "the data cannot be written; is there space left?" : "the data cannot be read");
}

}  // namespace

Dataset create_dataset(const File& file, const std::string& name, const Type& type,
                       const std::vector<hsize_t>& dims, const Storage& storage) {
  auto most = dims;
  if (!storage.chunk.empty()) {  // a chunk is at least one element
    for (hsize_t& extent : most) extent = std::max<hsize_t>(extent, 1);
  }
  if (storage.grows) most.front() = H5S_UNLIMITED;
  const auto rank = static_cast<int>(dims.size());
  const Space space(check(H5Screate_simple(rank, dims.data(), most.data()), "H5Screate_simple"));
  const Properties creation(check(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate"));
  // Filtered datasets need the fill value. Without it, a chunk that is written in part keeps what was in HDF5's
  // memory.
  const bool is_filtered = storage.deflate > 0 || storage.checksum || storage.shuffle;
  if (!is_filtered) check(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
  if (storage.take_space) check(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
  if (!storage.chunk.empty()) check(H5Pset_chunk(creation.get(), rank, storage.chunk.data()), "H5Pset_chunk");
  if (storage.shuffle) check(H5Pset_shuffle(creation.get()), "H5Pset_shuffle");
  if (storage.deflate > 0)
    check(H5Pset_deflate(creation.get(), static_cast<unsigned>(storage.deflate)), "H5Pset_deflate");
  if (storage.checksum) check(H5Pset_fletcher32(creation.get()), "H5Pset_fletcher32");
  const Properties link(check(H5Pcreate(H5P_LINK_CREATE), "H5Pcreate"));
  check(H5Pset_char_encoding(link.get(), H5T_CSET_UTF8), "H5Pset_char_encoding");
  check(H5Pset_create_intermediate_group(link.get(), 1), "H5Pset_create_intermediate_group");
  const Properties access = following_links(H5P_DATASET_ACCESS);
  // HDF5 1.8 and older cannot read chunks in this order, so the file stays as it is otherwise.
  const auto allow = [&](H5F_libver_t oldest) {
    if (storage.in_order)
      check(H5Fset_libver_bounds(file.get(), oldest, H5F_LIBVER_LATEST), "H5Fset_libver_bounds");
  };
  allow(H5F_LIBVER_V110);
  Dataset dataset(check(
      H5Dcreate2(file.get(), name.c_str(), type.get(), space.get(), link.get(), creation.get(), access.get()),
      formatted("dataset \"{}\" cannot be created", name)));
  allow(H5F_LIBVER_EARLIEST);
  return dataset;
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

std::vector<hsize_t> extents(const Dataset& dataset) {
  const Space space(check(H5Dget_space(dataset.get()), "H5Dget_space"));
  std::vector<hsize_t> dims(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.get()))));
  if (!dims.empty())
    check(H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr), "H5Sget_simple_extent_dims");
  // A damaged file may have any extents, and their product is used everywhere. An extent of 0 counts as 1, as
  // in a layout: the others may be used without it.
  hsize_t elements = 1;
  for (const hsize_t extent : dims) {
    if (__builtin_mul_overflow(elements, std::max<hsize_t>(extent, 1), &elements) || elements > max_elements)
      throw IoError(
          formatted("the dataset has extents {}, more than can be; is the file damaged?", joined(dims, " x ")));
  }
  return dims;
}

Storage storage(const Dataset& dataset) {
  const Properties creation(check(H5Dget_create_plist(dataset.get()), "H5Dget_create_plist"));
  const auto rank = extents(dataset).size();
  Storage found;
  if (H5Pget_layout(creation.get()) == H5D_CHUNKED) {
    found.chunk.resize(rank);
    check(H5Pget_chunk(creation.get(), static_cast<int>(rank), found.chunk.data()), "H5Pget_chunk");
  }
  const int filters = check(H5Pget_nfilters(creation.get()), "H5Pget_nfilters");
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0, value = 0;
    std::size_t values = 1;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation.get(), static_cast<unsigned>(i), &flags, &values, &value, 0, nullptr, nullptr);
    if (filter == H5Z_FILTER_DEFLATE) found.deflate = static_cast<int>(value);
    if (filter == H5Z_FILTER_SHUFFLE) found.shuffle = true;
    if (filter == H5Z_FILTER_FLETCHER32) found.checksum = true;
  }
  const Space space(check(H5Dget_space(dataset.get()), "H5Dget_space"));
  std::vector<hsize_t> most(rank);
  if (rank > 0) {
    check(H5Sget_simple_extent_dims(space.get(), nullptr, most.data()), "H5Sget_simple_extent_dims");
    found.grows = most.front() == H5S_UNLIMITED;
  }
  return found;
}

bool is_virtual_in_parallel(const Dataset& dataset) {
  const Properties creation(check(H5Dget_create_plist(dataset.get()), "H5Dget_create_plist"));
  return H5Pget_layout(creation.get()) == H5D_VIRTUAL && is_parallel(dataset);
}

bool is_compact(const Dataset& dataset) {
  const Properties creation(check(H5Dget_create_plist(dataset.get()), "H5Dget_create_plist"));
  return H5Pget_layout(creation.get()) == H5D_COMPACT;
}

void resize(const Dataset& dataset, hsize_t extent) {
  auto dims = extents(dataset);
  dims.front() = extent;
  check(H5Dset_extent(dataset.get(), dims.data()), "the dataset cannot grow");
}

Account transfer(Transfer direction, const Dataset& dataset, const Memory& memory, const Group& group,
                 const Box& box, int rank, void* data, const std::function<void(index_t, index_t)>& show) {
  const bool is_every_second = memory.is_every_second && !memory.between;
  const detail::BoxChunks pieces(box, rank, memory.stride, memory.between ? max_bytes_between : max_bytes);
  const index_t rounds = group.all_reduce(pieces.count(), Reduce::max);
  Properties properties;
  std::exception_ptr problem;
  Way way = Way::none;
  try {
    properties = Properties(check(H5Pcreate(H5P_DATASET_XFER), "H5Pcreate"));
    way = way_of(direction, dataset, box, rank);
  } catch (...) {
    problem = std::current_exception();
  }
  way = static_cast<Way>(group.all_reduce(static_cast<int>(way), Reduce::min));
  if (problem) std::rethrow_exception(problem);
  if (way == Way::none) return {};  // another rank has the problem
  // Extends the file as far as HDF5 has allocated space. MPICH reads what lies beyond its end from
  // uninitialised memory.
  if (way == Way::together && direction == Transfer::read)
    check(H5Fflush(dataset.get(), H5F_SCOPE_LOCAL), "H5Fflush");
  if (way == Way::together) check(H5Pset_dxpl_mpio(properties.get(), H5FD_MPIO_COLLECTIVE), "H5Pset_dxpl_mpio");
  // Clears the imaginary parts, and elements that MPI-IO leaves out because they lie beyond the end of the
  // file.
  if (direction == Transfer::read && data != nullptr)
    std::memset(data, 0, static_cast<std::size_t>(pieces.size(box) * memory.stride));
  show(0, rounds);
  std::byte nothing{};
  auto* at = static_cast<std::byte*>(data);
  std::int64_t alone = 0;
  // After a failed call the remaining calls are made, too, because all ranks wait there.
  for (index_t round = 0; round < rounds; ++round) {
    const Box piece = pieces.piece(round);
    const index_t count = pieces.size(piece);
    try {
      if (way == Way::together || count > 0) {
        const Selection selection = select(dataset, piece, rank, count, is_every_second);
        move(direction, dataset, memory, selection, properties, count == 0 ? &nothing : at, count);
      }
      if (way == Way::together) alone |= causes(properties);
    } catch (...) {
      if (!problem) problem = std::current_exception();
    }
    at += count * memory.stride;
    show(round + 1, rounds);
  }
  alone = group.all_reduce(alone, Reduce::bit_or);
  if (problem) std::rethrow_exception(problem);
  if (way == Way::alone)
    return {false, "each rank reads what it needs for itself, as some ranks may fail or be done at once"};
  return account_of(alone);
}

}  // namespace tessera::io::hdf5
