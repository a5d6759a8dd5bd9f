// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>

#include "format.hpp"
#include "posix/atomic_file.hpp"
#include "posix/descriptor.hpp"
#include "posix/disk_space.hpp"
#include "posix/links.hpp"
#include "printable.hpp"
#include "probes/sample_file.hpp"

namespace tessera::io::detail {
namespace {

using tessera::detail::ElementType;

constexpr index_t csv_piece_bytes = index_t{1} << 20;

// As RFC 4180 wants it.
std::string csv_quoted(const std::string& text) {
  std::string all(1, '"');
  for (const char c : text) all.append(c == '"' ? 2 : 1, c);
  all += '"';
  return all;
}

template <class T>
std::string number_text(const std::byte* at) {
  T x{};
  std::memcpy(&x, at, sizeof(T));
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x)) return "nan";  // without a sign
  }
  return formatted("{}", x);
}

std::string element_text(const std::byte* at, const ElementType& type) {
  switch (type.kind) {
    case ElementKind::int32:
      return number_text<std::int32_t>(at);
    case ElementKind::int64:
      return number_text<std::int64_t>(at);
    case ElementKind::float32:
      return number_text<float>(at);
    default:
      return number_text<double>(at);
  }
}

// Calls f(line) for each whole line from the beginning of the file on, until f returns false.
template <class F>
void for_each_line(const Descriptor& file, F&& f) {
  const index_t size = size_of_file(file);
  std::string text;
  for (index_t at = 0; at < size;) {
    const index_t count = std::min(csv_piece_bytes, size - at);
    const std::size_t before = text.size();
    text.resize(before + static_cast<std::size_t>(count));
    read_at(file, std::as_writable_bytes(std::span(text)).subspan(before), at);
    at += count;
    std::size_t begin = 0;
    for (std::size_t end = before; (end = text.find('\n', end)) != std::string::npos; begin = ++end) {
      if (!f(std::string_view(text).substr(begin, end - begin))) return;
    }
    text.erase(0, begin);
  }
}

class CsvSamples final : public SampleFile {
 public:
  using SampleFile::SampleFile;

  void check_columns(const std::string&) const override {}

  void check() const override {
    bool is_right = false;
    for_each_line(open_to_change(), [&](std::string_view line) {
      is_right = line == header();
      return false;
    });
    if (!is_right) throw IoError("the file has other columns; was it written for other points?");
  }

  index_t cut(double time, const ElementType&) override {
    const Descriptor file = open_to_change();
    index_t lines = 0, bytes = 0;
    for_each_line(file, [&](std::string_view line) {
      if (lines > 0 && time_of(line, lines + 1) >= time) return false;
      ++lines;
      bytes += static_cast<index_t>(line.size()) + 1;
      return true;
    });
    truncate_to(file, bytes);
    return lines - 1;
  }

  void create(const Samples& samples) override {
    const std::string text = header() + "\n" + lines(samples);
    replace_file(path(), std::as_bytes(std::span(text)));
  }

  void append(const Samples& samples) override {
    const std::string text = lines(samples);
    const Descriptor file = open_to_change();
    const index_t size = size_of_file(file);
    check_file_size(size + static_cast<index_t>(text.size()));
    try {
      write_at(file, std::as_bytes(std::span(text)), size);
    } catch (const IoError&) {
      truncate_to(file, size);
      throw;
    }
  }

 private:
  Descriptor open_to_change() const { return open_regular(safe_to_change(path()), Use::write, Links::refuse); }

  std::string header() const {
    std::string text = "time";
    for (const std::string& label : columns().labels()) {
      text += ',';
      text += csv_quoted(label);
    }
    return text;
  }

  std::string lines(const Samples& samples) const {
    std::string text;
    const std::byte* at = samples.elements.data();
    for (const double time : samples.times) {
      text += formatted("{}", time);
      for (std::size_t i = 0; i < columns().count(); ++i, at += samples.type.size) {
        text += ',';
        text += element_text(at, samples.type);
      }
      text += '\n';
    }
    return text;
  }

  static double time_of(std::string_view line, index_t number) {
    double time = 0;
    const std::size_t end = std::min(line.find(','), line.size());
    const auto read = std::from_chars(line.data(), line.data() + end, time);
    if (read.ec != std::errc() || read.ptr != line.data() + end || !std::isfinite(time))
      throw IoError(
          formatted("line {} does not begin with a time: \"{}\"", number, printable(line.substr(0, 40))));
    return time;
  }
};

}  // namespace

std::unique_ptr<SampleFile> csv_samples(const std::filesystem::path& path, const ProbeColumns& columns) {
  return std::make_unique<CsvSamples>(path, columns);
}

}  // namespace tessera::io::detail
