// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tessera/linalg/contract.hpp>

#include "test_matrix.hpp"

// Tensors whose indices have names, each with a model of its elements.
namespace tessera::test {

// A value of each index that has one. It is read at every element, and tests are compiled without optimisation.
class Values {
 public:
  Values() { of_.fill(none); }
  Values(std::initializer_list<std::pair<char, index_t>> values) : Values() {
    for (const auto& [name, value] : values) (*this)[name] = value;
  }

  index_t& operator[](char name) {
    index_t& value = of_[static_cast<std::size_t>(name)];
    if (value == none) names_ += name, value = 0;
    return value;
  }
  index_t at(char name) const {
    const index_t value = of_[static_cast<std::size_t>(name)];
    if (value == none) throw std::out_of_range("an index has no value");
    return value;
  }
  const std::string& names() const { return names_; }

 private:
  static constexpr index_t none = -1;
  std::string names_;
  std::array<index_t, 128> of_;
};

// Elements that are set when they are waited for.
class Later {
 public:
  explicit Later(std::function<void()> set) : set_(std::move(set)) {}
  Later(Later&& other) noexcept : set_(std::exchange(other.set_, nullptr)) {}
  ~Later() { wait(); }
  void wait() {
    if (set_) std::exchange(set_, nullptr)();
  }

 private:
  std::function<void()> set_;
};

// An array, or a slice of a larger one in any layout, with a model of its elements.
template <class T, std::size_t N>
class TestTensor {
 public:
  TestTensor(Random& random, std::string names, Values& extents)
      : names_(std::move(names)),
        dims_(dims_of(names_, extents)),
        array_dims_(larger(random, dims_)),
        slice_(random, array_dims_, dims_),
        array_(world(), any_layout(random, array_dims_), {.name = "tensor " + names_}),
        all_(at(array_dims_.size())) {
    for (T& x : all_) x = number<T>(pick(random, -3, 3), pick(random, -1, 1));
    set_contents(array_, all_);
    is_whole_ = array_dims_ == dims_ && pick(random, 0, 1) == 0;
  }

  const std::string& names() const { return names_; }
  T& operator()(const Values& values) {
    Index<N> place;
    for (std::size_t d = 0; d < N; ++d) place[d] = values.at(names_[d]);
    const index_t number = number_of(place, dims_);
    return all_[at(is_whole_ ? number : slice_.model.numbers[at(number)])];
  }
  // The model as a source, which sets elements at once or later.
  linalg::TensorOperand<T> source(bool sets_later) const {
    const auto set = [this](const Patch<N>& patch, const View<T, N>& into) {
      for_each_index(patch, [&](const Index<N>& place) {
        const index_t number = number_of(place, dims_);
        into[minus(place, patch.lo)] = all_[at(is_whole_ ? number : slice_.model.numbers[at(number)])];
      });
    };
    if (!sets_later) return linalg::TensorSource<T, N>(dims_, set)(names_);
    const auto set_later = [set](const Patch<N>& patch, const View<T, N>& into) {
      return Later([=] { set(patch, into); });
    };
    return linalg::TensorSource<T, N>(dims_, set_later)(names_);
  }
  Indexed<T> tensor() { return is_whole_ ? array_(names_) : slice_.of(array_)(names_); }
  testing::AssertionResult equals_model() {
    const std::vector<T> now = contents(array_);
    Comparison compared;
    for_each_index(Patch<N>::whole(array_dims_), [&](const Index<N>& place) {
      const auto i = at(number_of(place, array_dims_));
      compared(place, all_[i], now[i]);
    });
    return compared.equal();
  }
  std::string description() const {
    return names_ + ": " + (is_whole_ ? "all" : slice_.of(array_).core().description()) + " of " +
           array_.layout().description();
  }

 private:
  static Extents<N> dims_of(const std::string& names, Values& extents) {
    Extents<N> dims;
    for (std::size_t d = 0; d < N; ++d) dims[d] = extents.at(names[d]);
    return dims;
  }
  static Extents<N> larger(Random& random, const Extents<N>& dims) {
    if (pick(random, 0, 2) > 0) return dims;
    Extents<N> all;
    const index_t most = *std::max_element(dims.begin(), dims.end());
    for (std::size_t d = 0; d < N; ++d) all[d] = most + pick(random, 0, 2);
    return all;
  }

  std::string names_;
  Extents<N> dims_, array_dims_;
  bool is_whole_ = false;
  RandomSlice<N> slice_;
  Array<T, N> array_;
  std::vector<T> all_;
};

// Calls f(values) for all values of all indices.
template <class F>
void for_all(const Values& extents, F&& f) {
  const std::string& names = extents.names();
  Values values;
  for (const char name : names) {
    if (extents.at(name) == 0) return;
    values[name] = 0;
  }
  for (;;) {
    f(static_cast<const Values&>(values));
    std::size_t next = 0;
    while (next < names.size() && ++values[names[next]] == extents.at(names[next])) values[names[next++]] = 0;
    if (next == names.size()) return;
  }
}

inline Values only(const Values& all, const std::string& names) {
  Values some;
  for (const char name : names) some[name] = all.at(name);
  return some;
}

}  // namespace tessera::test
