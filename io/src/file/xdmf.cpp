// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/xdmf.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <list>
#include <optional>

#include <tessera/core/operations.hpp>
#include <tessera/io/save.hpp>
#include <tessera/layout.hpp>

#include "base/collectively.hpp"
#include "file/save_items.hpp"
#include "file/xdmf_steps.hpp"
#include "format.hpp"
#include "posix/atomic_file.hpp"
#include "posix/file_paths.hpp"
#include "printable.hpp"

namespace tessera::io {
namespace {

using detail::step_begin, detail::step_end;
using tessera::detail::ArrayCore;
using tessera::detail::SliceCore;

constexpr std::uintmax_t max_bytes = std::uintmax_t{1} << 30;  // of a list of steps

std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : text) {
    if (c == '&')
      all += "&amp;";
    else if (c == '<')
      all += "&lt;";
    else if (c == '>')
      all += "&gt;";
    else if (c == '"')
      all += "&quot;";
    else
      all += c;
  }
  return all;
}

// What XDMF says about a field.
struct Shape {
  bool is_vector = false, is_of_cells = false;
};

std::vector<index_t> extents_of(const SliceCore& slice) {
  return {slice.extents().begin(), slice.extents().begin() + slice.rank()};
}

Shape shape_of(const std::string& context, const XdmfField& field, const std::vector<index_t>& points) {
  const SliceCore& first = field.parts().front();
  // XML cannot represent control characters.
  if (std::any_of(field.name().begin(), field.name().end(),
                  [](char c) { return static_cast<unsigned char>(c) < 32; }))
    throw UsageError(
        formatted("{}: the name of field \"{}\" has control characters", context, printable(field.name())));
  auto extents = extents_of(first);
  const auto fail = [&](const std::string& what) {
    throw UsageError(formatted("{}: field \"{}\" {}", context, field.name(), what));
  };
  if (first.type().kind == ElementKind::bytes || first.type().kind == ElementKind::complex64 ||
      first.type().kind == ElementKind::complex128)
    fail(formatted("has elements of {}; ParaView wants real numbers", to_string(first.type())));
  for (const SliceCore& part : field.parts()) {
    if (extents_of(part) != extents || !(part.type() == first.type()))
      fail("has components of different shapes or types");
  }
  Shape shape{.is_vector = field.parts().size() > 1};
  if (!shape.is_vector && extents.size() == points.size() + 1) {
    shape.is_vector = true;
    if (extents.back() != 3) fail(formatted("has vectors of {} components, not 3", extents.back()));
    extents.pop_back();
  }
  auto cells = points;
  for (index_t& n : cells) --n;
  shape.is_of_cells = extents == cells;
  if (extents != points && !shape.is_of_cells)
    fail(formatted("has extents {}, the grid {} points", joined(extents, " x "), joined(points, " x ")));
  return shape;
}

// Merges the components into one array; a missing component is zero.
ArrayCore merged(const std::vector<SliceCore>& parts) {
  const ArrayCore& first = parts.front().array();
  auto extents = parts.front().extents();
  const int rank = parts.front().rank();
  extents[static_cast<std::size_t>(rank)] = 3;
  const tessera::detail::Coordinates no_minimum{};
  ArrayCore all(
      first.group(),
      tessera::detail::make_blocked(rank + 1, extents.data(), first.group().size(), no_minimum.data(), nullptr),
      parts.front().type(), tessera::detail::CoreOptions{.name = first.name()});
  const SliceCore whole(all);
  for (std::size_t c = 0; c < 3; ++c) {
    const SliceCore component = whole.fixed(rank, static_cast<index_t>(c));
    const std::array<std::byte, 16> zero{};
    c < parts.size() ? tessera::detail::copy(parts[c], component)
                     : tessera::detail::fill(component, zero.data());
  }
  return all;
}

std::string attribute_xml(const XdmfField& field, const Shape& shape, const SliceCore& values,
                          const std::string& file) {
  const auto& type = values.type();
  const bool is_integer = type.kind == ElementKind::int32 || type.kind == ElementKind::int64;
  return formatted(
      "        <Attribute Name=\"{0}\" AttributeType=\"{1}\" Center=\"{2}\">\n"
      "          <DataItem Dimensions=\"{3}\" NumberType=\"{4}\" Precision=\"{5}\" Format=\"HDF\">"
      "{6}:/{0}</DataItem>\n"
      "        </Attribute>\n",
      escaped(field.name()), shape.is_vector ? "Vector" : "Scalar", shape.is_of_cells ? "Cell" : "Node",
      joined(extents_of(values), " "), is_integer ? "Int" : "Float", type.size, escaped(file));
}

}  // namespace

XdmfSeries::XdmfSeries(const Group& group, const std::filesystem::path& file, std::vector<index_t> points,
                       std::vector<double> origin, std::vector<double> spacing, const XdmfOptions& options)
    : group_(group),
      path_(detail::absolute_path(file)),
      points_(std::move(points)),
      origin_(std::move(origin)),
      spacing_(std::move(spacing)),
      is_resumed_(options.resume) {
  const std::string context = formatted("steps in {}", path_.string());
  for (std::size_t d = 0; d < points_.size(); ++d) {
    if (points_[d] < 2 || !std::isfinite(origin_[d]) || !(spacing_[d] > 0) || !std::isfinite(spacing_[d])) {
      throw UsageError(formatted("{}: a grid of {} points with spacing {} has no cells", context,
                                 joined(points_, " x "), joined(spacing_, ", ")));
    }
  }
  if (is_resumed_) read_steps(context);
}

// Reads the steps of a list that this class has written.
void XdmfSeries::read_steps(const std::string& context) {
  detail::collectively(group_, context, [&] {
    if (group_.rank() != 0 || !std::filesystem::exists(path_)) return;
    if (!std::filesystem::is_regular_file(path_) || std::filesystem::file_size(path_) > max_bytes)
      throw IoError("this is no list of steps: no file, or one of more than a GiB");
    std::ifstream file(path_);
    std::string text(static_cast<std::size_t>(std::filesystem::file_size(path_)), ' ');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file) throw IoError("the file cannot be read");
    for (detail::XdmfStep& step : detail::parse_xdmf_steps(text))
      steps_.push_back({step.time, std::move(step.xml)});
  });
  steps_.resize(static_cast<std::size_t>(group_.broadcast(steps(), 0)));
  for (Step& step : steps_) step.time = group_.broadcast(step.time, 0);
}

void XdmfSeries::write(double time, std::span<const XdmfField> fields) {
  const std::string context = formatted("step in {}", path_.string());
  if (fields.empty()) throw UsageError(context + ": there are no fields");
  if (!std::isfinite(time)) throw UsageError(formatted("{}: the time is {}", context, time));
  std::size_t kept = steps_.size();
  while (is_resumed_ && kept > 0 && steps_[kept - 1].time >= time) --kept;
  if (kept > 0 && time <= steps_[kept - 1].time) {
    throw UsageError(formatted("{}: the time {} is not after that of the last step, {}", context, time,
                               steps_[kept - 1].time));
  }
  std::vector<Shape> shapes;
  for (const XdmfField& field : fields) shapes.push_back(shape_of(context, field, points_));
  const std::string stem = formatted("{}.step{:06}.h5", path_.stem().string(), kept);
  std::list<ArrayCore> vectors;
  std::vector<Item> items;
  std::string xml = formatted("{} {}\" GridType=\"Uniform\">\n        <Time Value=\"{}\"/>\n{}", step_begin,
                              kept, time, grid_xml());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto& parts = fields[i].parts();
    const SliceCore values = parts.size() == 1 ? parts.front() : SliceCore(vectors.emplace_back(merged(parts)));
    items.emplace_back(fields[i].name(), values);
    xml += attribute_xml(fields[i], shapes[i], values, stem);
  }
  xml += step_end;
  detail::check_items(context, items);
  if (is_first_) withdraw_steps(context, kept);
  steps_.resize(kept);  // as in the list
  save(path_.parent_path() / stem, items);
  for (ArrayCore& vector : vectors) vector.close();
  replace_list(context, kept, xml);
  steps_.push_back({time, std::move(xml)});
  is_resumed_ = is_first_ = false;
}

// The list of an earlier run must not name a file whose data are about to be replaced.
void XdmfSeries::withdraw_steps(const std::string& context, std::size_t kept) const {
  std::error_code ignored;
  const bool exists = group_.broadcast(group_.rank() == 0 && std::filesystem::exists(path_, ignored), 0);
  if (exists && !(is_resumed_ && kept == steps_.size())) replace_list(context, kept, "");
}

std::string XdmfSeries::grid_xml() const {
  const bool is_solid = points_.size() == 3;
  const std::string item =
      formatted("          <DataItem Dimensions=\"{}\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">",
                points_.size());
  return formatted(
      "        <Topology TopologyType=\"{}\" Dimensions=\"{}\"/>\n"
      "        <Geometry GeometryType=\"{}\">\n{}{}</DataItem>\n{}{}</DataItem>\n        </Geometry>\n",
      is_solid ? "3DCoRectMesh" : "2DCoRectMesh", joined(points_, " "),
      is_solid ? "ORIGIN_DXDYDZ" : "ORIGIN_DXDY", item, joined(origin_, " "), item, joined(spacing_, " "));
}

void XdmfSeries::replace_list(const std::string& context, std::size_t kept, const std::string& newest) const {
  detail::collectively(group_, context, [&] {
    if (group_.rank() != 0) return;
    std::string text =
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Xdmf Version=\"2.0\">\n  <Domain>\n"
        "    <Grid Name=\"steps\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
    for (std::size_t i = 0; i < kept; ++i) text += steps_[i].xml;
    text += newest;
    text += "    </Grid>\n  </Domain>\n</Xdmf>\n";
    detail::replace_file(path_, std::as_bytes(std::span(text)));
  });
}

}  // namespace tessera::io
