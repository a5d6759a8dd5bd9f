// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "products/index_set.hpp"

#include <algorithm>

namespace tessera::linalg::detail {

void IndexSet::add(IndexRun run) {
  if (run.count <= 0) return;
  size_ += run.count;
  if (!runs_.empty() && runs_.back().end() == run.begin)
    runs_.back().count += run.count;
  else
    runs_.push_back(run);
}

IndexSet IndexSet::intersection(const IndexSet& other) const {
  IndexSet both;
  for (auto a = runs_.begin(), b = other.runs_.begin(); a != runs_.end() && b != other.runs_.end();) {
    const index_t begin = std::max(a->begin, b->begin), end = std::min(a->end(), b->end());
    both.add({begin, end - begin});
    a->end() < b->end() ? ++a : ++b;
  }
  return both;
}

IndexSet IndexSet::part(index_t offset, index_t count) const {
  IndexSet part;
  for (const IndexRun& run : runs_) {
    const index_t skipped = std::min(offset, run.count), taken = std::min(count, run.count - skipped);
    part.add({run.begin + skipped, taken});
    offset -= skipped;
    count -= taken;
  }
  return part;
}

std::vector<IndexSet> IndexSet::split(index_t parts) const {
  std::vector<IndexSet> all;
  // size_ * i / parts without a product that overflows; i and parts have 31 bits.
  const auto begin = [&](index_t i) { return size_ / parts * i + size_ % parts * i / parts; };
  for (index_t i = 0; i < parts; ++i) all.push_back(part(begin(i), begin(i + 1) - begin(i)));
  return all;
}

std::optional<index_t> IndexSet::find(const IndexSet& part) const {
  if (part.empty()) return 0;
  index_t before = 0;
  for (const IndexRun& run : runs_) {
    const index_t first = part.runs_.front().begin;
    if (first >= run.begin && first < run.end()) {
      before += first - run.begin;
      if (this->part(before, part.size()) == part) return before;
      return std::nullopt;
    }
    before += run.count;
  }
  return std::nullopt;
}

}  // namespace tessera::linalg::detail
