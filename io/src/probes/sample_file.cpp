// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "probes/sample_file.hpp"

#include <algorithm>

#include "format.hpp"

namespace tessera::io::detail {
namespace {

std::string position_text(const ProbePoints& points, std::size_t point) {
  const auto begin = points.positions[point].begin();
  return formatted("({})", joined(std::vector<index_t>(begin, begin + points.rank), ", "));
}

}  // namespace

std::string ProbeColumns::name_of(std::size_t point) const {
  return points.names[point].empty() ? position_text(points, point) : points.names[point];
}

bool ProbeColumns::has_names() const {
  return std::ranges::any_of(points.names, [](const std::string& name) { return !name.empty(); });
}

std::vector<std::string> ProbeColumns::labels() const {
  std::vector<std::string> all;
  for (const std::string& field : fields) {
    for (std::size_t i = 0; i < points.positions.size(); ++i) {
      const std::string before = fields.size() > 1 ? field + " " : "";
      const std::string name = points.names[i].empty() ? "" : points.names[i] + " ";
      all.push_back(before + name + position_text(points, i));
    }
  }
  return all;
}

std::unique_ptr<SampleFile> sample_file(const std::filesystem::path& path, const ProbeColumns& columns) {
  const std::string kind = path.extension().string();
  if (kind == ".csv") return csv_samples(path, columns);
  if (kind == ".h5" || kind == ".hdf5") return hdf5_samples(path, columns);
  return nullptr;
}

}  // namespace tessera::io::detail
