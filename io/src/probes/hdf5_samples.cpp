// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cstring>
#include <optional>

#include "base/names.hpp"
#include "format.hpp"
#include "hdf5/hdf5.hpp"
#include "hdf5/hdf5_losses.hpp"
#include "posix/atomic_file.hpp"
#include "posix/descriptor.hpp"
#include "posix/disk_space.hpp"
#include "posix/links.hpp"
#include "posix/only_writer.hpp"
#include "probes/sample_file.hpp"

namespace tessera::io::detail {
namespace {

using tessera::detail::ElementType;

constexpr index_t sample_chunk_bytes = index_t{1} << 16, most_rows_in_chunk = 1024;
constexpr index_t bytes_of_structure = index_t{1} << 18;  // what HDF5 writes beside elements, and more
constexpr ElementType time_type{ElementKind::float64, sizeof(double)};
constexpr ElementType position_type{ElementKind::int64, sizeof(index_t)};

index_t rows_in_chunk(index_t row_bytes) {
  return std::clamp<index_t>(sample_chunk_bytes / row_bytes, 1, most_rows_in_chunk);
}

// The first and the last row may lie in chunks that have other rows, too.
index_t space_for(index_t rows, index_t row_bytes) {
  const index_t in_chunk = rows_in_chunk(row_bytes);
  return (rows / in_chunk + 2) * in_chunk * row_bytes;
}

// An attribute has at most 64 KiB, of which each name takes 16 bytes, however long it is.
constexpr hsize_t most_with_names = 4000;

class Hdf5Samples final : public SampleFile {
 public:
  using SampleFile::SampleFile;

  void check_columns(const std::string& context) const override {
    std::vector<std::string> all{"time", "positions"};
    for (const std::string& field : columns().fields) {
      for (const std::string& other : all) {
        if (!is_dataset_and_group(field, other)) continue;
        throw UsageError(
            formatted("{}: one of \"{}\" and \"{}\" cannot be a dataset and, for the other, a group", context,
                      other, field));
      }
      all.push_back(field);
    }
    if (!columns().has_names() || points() <= most_with_names) return;
    throw UsageError(formatted(
        "{}: {} points, of which some have names; an HDF5 file takes names of at most {} points, so give "
        "no names, or write a .csv file",
        context, points(), most_with_names));
  }

  void check() const override {
    const hdf5::Silence silence;
    const std::filesystem::path file_path = without_links(path());
    open_regular(file_path, Use::read, Links::refuse);  // HDF5 would wait for the other end of a FIFO
    if (!hdf5::is_hdf5(file_path)) throw IoError("this is no HDF5 file, or it is damaged");
    const hdf5::File file = hdf5::open_alone(file_path);
    bool is_right = hdf5::has_dataset(file, "time") && hdf5::has_dataset(file, "positions");
    for (const std::string& field : columns().fields) is_right = is_right && hdf5::has_dataset(file, field);
    if (!is_right || !has_positions(hdf5::open_dataset(file, "positions")))
      throw IoError("the file has other points or fields; was it written by another program?");
  }

  index_t cut(double time, const ElementType& type) override {
    const hdf5::Silence silence;
    const std::filesystem::path file_path = safe_to_change(path());
    const OnlyWriter writer(open_regular(file_path, Use::write, Links::refuse));
    const hdf5::File file = hdf5::open_alone_to_write(file_path);
    const hdf5::Dataset times = hdf5::open_dataset(file, "time");
    if (const auto extents = hdf5::extents(times); extents.size() != 1)
      throw IoError(formatted("dataset \"time\" has {} dimensions, not one", extents.size()));
    // A run that died may have written some of the datasets only.
    index_t rows = rows_of(times);
    for (const std::string& field : columns().fields) {
      const hdf5::Dataset dataset = hdf5::open_dataset(file, field);
      const auto extents = hdf5::extents(dataset);
      if (!hdf5::has_same_bytes(dataset, type) || extents.size() != 2 || extents[1] != points())
        throw IoError(
            formatted("dataset \"{}\" has elements of {} or another number of points; the arrays have {}",
                      field, hdf5::describe_type(dataset), to_string(type)));
      rows = std::min(rows, rows_of(dataset));
    }
    // Times increase.
    index_t first = 0;
    for (index_t end = rows; first < end;) {
      const index_t middle = first + (end - first) / 2;
      double found = 0;
      hdf5::read_rows(times, time_type, middle, 1, &found);
      found < time ? first = middle + 1 : end = middle;
    }
    hdf5::without_loss([&] {
      hdf5::resize(times, static_cast<hsize_t>(first));
      for (const std::string& field : columns().fields)
        hdf5::resize(hdf5::open_dataset(file, field), static_cast<hsize_t>(first));
      hdf5::flush(file);
    });
    rows_ = first;
    return first;
  }

  void create(const Samples& samples) override {
    const hdf5::Silence silence;
    OnlyWriter::require_none(identity(path()));
    AtomicFile output(path());
    output.begin();
    try {
      const Descriptor bytes = open_regular(output.temporary(), Use::write, Links::refuse);
      // HDF5 gives the space back when it makes the file. But a full disk is told now, and nothing is lost.
      reserve_space(bytes, 0, bytes_for(samples), Size::stays);
      hdf5::without_loss([&] {
        hdf5::File file = hdf5::create_alone(output.temporary());
        reserve_space(bytes, 0, bytes_for(samples), Size::stays);
        make_datasets(file, samples.type);
        write(file, samples, 0);
        hdf5::close(std::move(file));
      });
      release_space(bytes);
      output.flush();
      output.commit();
    } catch (...) {
      output.discard();
      throw;
    }
    rows_ = static_cast<index_t>(samples.times.size());
    output.flush_directory();
  }

  void append(const Samples& samples) override {
    const hdf5::Silence silence;
    const std::filesystem::path file_path = safe_to_change(path());
    // HDF5 does not survive a full disk.
    const Descriptor bytes = open_regular(file_path, Use::write, Links::refuse);
    const OnlyWriter writer(bytes);
    const index_t size = size_of_file(bytes);
    reserve_space(bytes, size, bytes_for(samples), Size::stays);
    hdf5::without_loss([&] {
      hdf5::File file = hdf5::open_alone_to_write(file_path);
      // After a failure there may be rows behind those that are whole.
      if (!rows_) rows_ = rows_of(hdf5::open_dataset(file, "time"));
      write(file, samples, *rows_);
      hdf5::close(std::move(file));
    });
    release_space(bytes);
    *rows_ += static_cast<index_t>(samples.times.size());
  }

 private:
  std::optional<index_t> rows_;  // that are whole; empty: those of the file

  hsize_t points() const noexcept { return columns().points.positions.size(); }
  index_t row_bytes(const ElementType& type) const { return static_cast<index_t>(points()) * type.size; }

  static index_t rows_of(const hdf5::Dataset& dataset) {
    const auto extents = hdf5::extents(dataset);
    return extents.empty() ? 0 : static_cast<index_t>(extents.front());
  }

  index_t bytes_for(const Samples& samples) const {
    const auto rows = static_cast<index_t>(samples.times.size());
    return bytes_of_structure + space_for(rows, sizeof(double)) +
           static_cast<index_t>(columns().fields.size()) * space_for(rows, row_bytes(samples.type)) +
           static_cast<index_t>(points()) * columns().points.rank * position_type.size;
  }

  std::vector<index_t> position_list() const {
    std::vector<index_t> all;
    for (const auto& position : columns().points.positions)
      all.insert(all.end(), position.begin(), position.begin() + columns().points.rank);
    return all;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < points(); ++i) all.push_back(columns().name_of(i));
    return all;
  }

  bool has_positions(const hdf5::Dataset& dataset) const {
    const auto extents = hdf5::extents(dataset);
    const auto rank = static_cast<hsize_t>(columns().points.rank);
    if (!hdf5::has_same_bytes(dataset, position_type) || extents != std::vector<hsize_t>{points(), rank})
      return false;
    std::vector<index_t> found(points() * rank);
    hdf5::read_rows(dataset, position_type, 0, static_cast<index_t>(points()), found.data());
    if (found != position_list()) return false;
    const bool has_names = hdf5::has_attribute(dataset.get(), "names");
    if (!columns().has_names()) return !has_names;
    return has_names && hdf5::get_attribute(dataset.get(), "names").as_list<std::string>() == names();
  }

  void make_datasets(const hdf5::File& file, const ElementType& type) const {
    const auto in_chunk = [](index_t bytes) { return static_cast<hsize_t>(rows_in_chunk(bytes)); };
    const auto rank = static_cast<hsize_t>(columns().points.rank);
    const hdf5::Dataset positions =
        hdf5::create_dataset(file, "positions", hdf5::element_type(position_type), {points(), rank}, {});
    hdf5::write_rows(positions, position_type, 0, static_cast<index_t>(points()), position_list().data());
    if (columns().has_names()) hdf5::set_attribute(positions.get(), "names", names());
    hdf5::create_dataset(file, "time", hdf5::element_type(time_type), {0},
                         {.chunk = {in_chunk(sizeof(double))}, .grows = true});
    for (const std::string& field : columns().fields) {
      hdf5::create_dataset(file, field, hdf5::element_type(type), {0, points()},
                           {.chunk = {in_chunk(row_bytes(type)), points()}, .grows = true});
    }
  }

  // Writes the samples from row `first` on. The times come last, so that each has its elements.
  void write(const hdf5::File& file, const Samples& samples, index_t first) const {
    const auto rows = static_cast<index_t>(samples.times.size());
    const auto all_rows = static_cast<hsize_t>(first) + samples.times.size();
    const auto part = static_cast<std::size_t>(row_bytes(samples.type));
    const std::size_t fields = columns().fields.size();
    std::vector<std::byte> column(samples.times.size() * part);
    for (std::size_t f = 0; f < fields; ++f) {
      for (std::size_t i = 0; i < samples.times.size(); ++i)
        std::memcpy(column.data() + i * part, samples.elements.data() + (i * fields + f) * part, part);
      const hdf5::Dataset dataset = hdf5::open_dataset(file, columns().fields[f]);
      hdf5::resize(dataset, all_rows);
      hdf5::write_rows(dataset, samples.type, first, rows, column.data());
    }
    const hdf5::Dataset times = hdf5::open_dataset(file, "time");
    hdf5::resize(times, all_rows);
    hdf5::write_rows(times, time_type, first, rows, samples.times.data());
  }
};

}  // namespace

std::unique_ptr<SampleFile> hdf5_samples(const std::filesystem::path& path, const ProbeColumns& columns) {
  return std::make_unique<Hdf5Samples>(path, columns);
}

}  // namespace tessera::io::detail
