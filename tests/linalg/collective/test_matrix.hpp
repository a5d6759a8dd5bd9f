// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include "../../ga/onesided_model.hpp"
#include "../../ga/slice_model.hpp"
#include "matrix_model.hpp"

namespace tessera::test {

template <class T>
T small_number(Random& random) {
  return number<T>(pick(random, -9, 9), pick(random, -3, 3));
}

// A matrix that is an array or a slice of a larger one, with a model of its elements.
template <class T>
class TestMatrix {
 public:
  TestMatrix(Random& random, const Extents<2>& dims, const Layout<2>* fixed = nullptr)
      : dims_(dims),
        array_dims_(fixed != nullptr ? dims : larger(random, dims)),
        slice_(random, array_dims_, dims),
        array_(world(),
               fixed != nullptr ? *fixed : any_of(random, layouts_of(random, array_dims_, world().size())),
               {.name = "matrix"}) {
    for (index_t i = 0; i < array_dims_.size(); ++i) all_.push_back(small_number<T>(random));
    set_contents(array_, all_);
    is_whole_ = array_dims_ == dims && (fixed != nullptr || pick(random, 0, 1) == 0);
  }

  T& at(index_t i, index_t j) {
    const index_t number = i * dims_[1] + j;
    return all_[test::at(is_whole_ ? number : slice_.model.numbers[test::at(number)])];
  }
  T element(linalg::Op op, index_t i, index_t j) {
    return op == linalg::Op::none ? at(i, j) : op == linalg::Op::transpose ? at(j, i) : conjugate(at(j, i));
  }
  linalg::Operand<T> operand(linalg::Op op) {
    return is_whole_ ? linalg::Operand<T>(array_, op) : linalg::Operand<T>(slice_.of(array_), op);
  }
  /// Calls f with the array or the slice.
  template <class F>
  void with_result(F&& f) {
    if (is_whole_) return f(array_);
    f(slice_.of(array_));
  }
  /// Writes the elements that were set through `at` to the array. @collective
  void update() { set_contents(array_, all_); }
  /// Whether all elements of the whole array are those of the model. @collective
  testing::AssertionResult equals_model() {
    const std::vector<T> now = contents(array_);
    Comparison compared;
    for_each_index(Patch<2>::whole(array_dims_), [&](const Index<2>& at) {
      const auto i = test::at(number_of(at, array_dims_));
      compared(at, all_[i], now[i]);
    });
    return compared.equal();
  }
  std::string description() const {
    return (is_whole_ ? "all" : slice_.of(array_).core().description()) + " of " +
           array_.layout().description();
  }

 private:
  static Extents<2> larger(Random& random, const Extents<2>& dims) {
    if (pick(random, 0, 1) == 0) return dims;
    const index_t most = std::max(dims[0], dims[1]);
    return {most * pick(random, 1, 2) + pick(random, 0, 5), most + pick(random, 0, 5)};
  }

  Extents<2> dims_, array_dims_;
  bool is_whole_ = false;
  RandomSlice<2> slice_;
  Array<T, 2> array_;
  std::vector<T> all_;
};

}  // namespace tessera::test
