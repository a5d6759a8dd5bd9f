// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/core/slice_core.hpp>

namespace tessera::detail {

/// The consecutive elements of a vector that this rank works on, of any owner. It is an even share; the share
/// of rank r lies before the share of rank r + 1. @local
struct VectorShare {
  index_t lo, hi;

  VectorShare(const SliceCore& a)
      : VectorShare(a.extents()[0], a.array().group().rank(), a.array().group().size()) {}
  VectorShare(index_t extent, int rank, int ranks)
      : lo(begin(extent, rank, ranks)), hi(begin(extent, rank + 1, ranks)) {}
  index_t size() const noexcept { return hi - lo; }

  template <class T>
  std::vector<T> get(const SliceCore& a) const {
    std::vector<T> elements(static_cast<std::size_t>(size()));
    get_into(a, elements.data());
    return elements;
  }
  void get_into(const SliceCore& a, void* elements) const {
    const index_t extent = size(), stride = 1;
    a.get({{lo}, {hi}}, {elements, &extent, &stride});
  }
  void put(const SliceCore& a, const void* elements) const {
    const index_t extent = size(), stride = 1;
    a.put({{lo}, {hi}}, {elements, &extent, &stride});
  }

 private:
  // The first `extent % ranks` shares have one more element. The product of extent and rank is avoided, since
  // it may overflow.
  static index_t begin(index_t extent, int rank, int ranks) {
    return extent / ranks * rank + std::min<index_t>(rank, extent % ranks);
  }
};

}  // namespace tessera::detail
