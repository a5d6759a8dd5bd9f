// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "products/tensor_view.hpp"

namespace tessera::linalg::detail {

/// The elements of a tensor at which indices with the same name are equal. If no name is there twice, these are
/// all.
struct Diagonal {
  Diagonal(const TensorView& tensor, std::string_view all_names);

  std::string names;                                 // each once
  std::vector<std::vector<std::size_t>> dimensions;  // of the tensor, for each name
  std::vector<index_t> extents;
};

/// Sets the elements of a slice to those of the diagonal. Each process puts what it owns of an array, or gets
/// what it owns of the slice from a source. @onesided
template <class T>
void set_to_diagonal(const tessera::detail::SliceCore& into, const Diagonal& diagonal,
                     const TensorView& tensor);

}  // namespace tessera::linalg::detail
