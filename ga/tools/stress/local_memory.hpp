// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <tessera/elementwise.hpp>
#include <tessera/runtime/local_buffer.hpp>

#include "elements.hpp"
#include "layouts.hpp"

namespace tessera::stress {

/// Local memory of a transfer: dense, "strided" with room between its elements, "reversed", or "registered"
/// with MPI.
template <class T, std::size_t N>
class Memory {
 public:
  Memory(const Extents<N>& extents, const std::string& how) : extents_(extents), how_(how) {
    strides_ = dense_strides(extents);
    size_ = extents.size();
    if (how == "strided") {
      size_ = 1;
      for (std::size_t d = 0; d < N; ++d) {
        strides_[d] = size_ * (d == 0 ? 2 : 1);
        size_ = strides_[d] * (extents[d] + 1);
      }
    }
    if (how == "reversed") {
      first_ = std::max<index_t>(size_ - 1, 0);
      for (index_t& stride : strides_) stride = -stride;
    }
    if (how == "registered")
      registered_.emplace(size_);
    else
      memory_.resize(static_cast<std::size_t>(size_));
    std::fill_n(data(), size_, element<T>(untouched));
  }
  Memory(const Extents<N>& extents, const std::string& how, const Values& values) : Memory(extents, how) {
    std::size_t k = 0;
    for (const Numbers& at : positions(stress::from(extents)))
      view()[to<Index<N>>(at)] = element<T>(values.at(k++));
  }
  /// Overwrites the memory, so that a transfer that still uses it is noticed.
  ~Memory() { std::fill_n(data(), size_, element<T>(untouched + 1)); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  View<T, N> view() { return {data() + first_, extents_, strides_}; }
  /// @throws std::logic_error if something has written between the elements
  Values values() {
    Values all;
    for (const Numbers& at : positions(stress::from(extents_))) {
      T& here = view()[to<Index<N>>(at)];
      all.push_back(number(here));
      if (how_ == "strided") here = element<T>(untouched);
    }
    if (how_ == "strided" &&
        !std::all_of(memory_.begin(), memory_.end(), [](const T& x) { return number(x) == Number(untouched); }))
      throw std::logic_error("a transfer has written between the elements of its local memory");
    return all;
  }

 private:
  static constexpr double untouched = 77;
  T* data() { return registered_ ? registered_->data() : memory_.data(); }

  Extents<N> extents_;
  std::string how_;
  std::array<index_t, N> strides_{};
  index_t size_ = 0, first_ = 0;
  std::vector<T> memory_;
  std::optional<LocalBuffer<T>> registered_;
};

/// A part of a slice, as a script describes it.
template <class T, std::size_t N>
Slice<T, N> refine(Slice<T, N> slice, const Part& part) {
  if (!part.lo.empty()) slice = slice.slice({to<Index<N>>(part.lo), to<Index<N>>(part.hi)});
  if (!part.step.empty()) slice = slice.every(to<Extents<N>>(part.step));
  if (!part.order.empty()) slice = slice.permuted(to<DimensionOrder<N>>(part.order));
  return slice;
}

}  // namespace tessera::stress
