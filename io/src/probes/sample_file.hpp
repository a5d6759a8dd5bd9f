// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <tessera/core/array_core.hpp>
#include <tessera/io/probes.hpp>

namespace tessera::io::detail {

/// What a file of samples says about its columns.
struct ProbeColumns {
  ProbePoints points;
  std::vector<std::string> fields;
  /// The name of a point, or else its position. @local
  std::string name_of(std::size_t point) const;
  /// Whether any point has a name. @local
  bool has_names() const;
  /// Field by field, all points: name and position, and the field if there are several. @local
  std::vector<std::string> labels() const;
  std::size_t count() const noexcept { return points.positions.size() * fields.size(); }
};

/// Samples in memory: for each time one element for each column.
struct Samples {
  tessera::detail::ElementType type{};
  std::vector<double> times = {};
  std::vector<std::byte> elements = {};
};

/// A file of samples. It is open only during each call. @local @throws IoError
class SampleFile {
 public:
  SampleFile(std::filesystem::path path, ProbeColumns columns)
      : path_(std::move(path)), columns_(std::move(columns)) {}
  virtual ~SampleFile() = default;
  SampleFile(const SampleFile&) = delete;
  SampleFile& operator=(const SampleFile&) = delete;

  /// Checks that a new file can have these columns. @throws UsageError that begins with `context`
  virtual void check_columns(const std::string& context) const = 0;
  /// Checks that an existing file has these columns.
  virtual void check() const = 0;
  /// Drops the samples of an existing file from a time on. Returns how many are left.
  virtual index_t cut(double time, const tessera::detail::ElementType& type) = 0;
  /// Replaces the file by a new one with these samples.
  virtual void create(const Samples& samples) = 0;
  /// Appends to the file. If that fails, the samples of the file stay, and the next call appends to these.
  virtual void append(const Samples& samples) = 0;

 protected:
  const std::filesystem::path& path() const noexcept { return path_; }
  const ProbeColumns& columns() const noexcept { return columns_; }

 private:
  std::filesystem::path path_;
  ProbeColumns columns_;
};

/// A file of the kind that its name says; null for another name. @local
std::unique_ptr<SampleFile> sample_file(const std::filesystem::path& path, const ProbeColumns& columns);
std::unique_ptr<SampleFile> csv_samples(const std::filesystem::path& path, const ProbeColumns& columns);
std::unique_ptr<SampleFile> hdf5_samples(const std::filesystem::path& path, const ProbeColumns& columns);

}  // namespace tessera::io::detail
