// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tensors/inner_exchanges.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tessera::linalg::detail {
namespace {

// The symmetry that a dimension is in; null if none.
const IndexSymmetry* symmetry_of(const BlockMap& map, int dimension) {
  for (const IndexSymmetry& symmetry : map.symmetries()) {
    const auto& list = symmetry.dimensions;
    if (std::find(list.begin(), list.end(), dimension) != list.end()) return &symmetry;
  }
  return nullptr;
}

}  // namespace

InnerExchanges::InnerExchanges(const BlockMap* a, const BlockMap* b, const Contraction& kinds) {
  if (a == nullptr || b == nullptr) return;
  std::map<std::pair<const IndexSymmetry*, const IndexSymmetry*>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < kinds.inner_of_a.size(); ++i) {
    const IndexSymmetry *of_a = symmetry_of(*a, kinds.inner_of_a[i]),
                        *of_b = symmetry_of(*b, kinds.inner_of_b[i]);
    if (of_a == nullptr || of_b == nullptr || of_a->sign * of_b->sign != 1) continue;
    groups[{of_a, of_b}].push_back(static_cast<std::size_t>(kinds.inner_of_a[i]));
  }
  for (auto& [symmetries, dimensions] : groups) {
    std::sort(dimensions.begin(), dimensions.end());
    if (dimensions.size() > 1) groups_.push_back(std::move(dimensions));
  }
}

bool InnerExchanges::stand_for_all(const Coordinates& of_a) const noexcept {
  return std::all_of(groups_.begin(), groups_.end(), [&](const std::vector<std::size_t>& group) {
    return std::is_sorted(group.begin(), group.end(),
                          [&](std::size_t d, std::size_t e) { return of_a[d] > of_a[e]; });
  });
}

// For each group the number of different orders of its coordinates: n! over the factorials of how often each
// occurs.
index_t InnerExchanges::images(const Coordinates& of_a) const noexcept {
  index_t images = 1;
  for (const std::vector<std::size_t>& group : groups_) {
    index_t alike = 1;
    for (std::size_t i = 1; i < group.size(); ++i) {
      alike = of_a[group[i]] == of_a[group[i - 1]] ? alike + 1 : 1;
      images = images * static_cast<index_t>(i + 1) / alike;
    }
  }
  return images;
}

}  // namespace tessera::linalg::detail
