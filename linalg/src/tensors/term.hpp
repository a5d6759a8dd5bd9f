// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include <tessera/layout.hpp>
#include <tessera/linalg/contract.hpp>

#include "products/fused_matrix.hpp"
#include "tensors/contraction.hpp"

// A term of a contraction as a product of matrices, without communication.
namespace tessera::linalg::detail {

/// A tensor and the names of its indices.
struct Named {
  TensorView tensor;
  std::string names;

  index_t extent(int d) const { return tensor.extents()[static_cast<std::size_t>(d)]; }
};
struct NamedFactor : Named {
  bool is_conjugated;
};
struct TermFactors {
  NamedFactor a, b;
};
std::vector<TermFactors> factors_of(std::span<const TermCore> terms);
/// The result, and the factors that are no sources.
std::vector<tessera::detail::SliceCore> stored_operands(const std::vector<TermFactors>& terms,
                                                        const tessera::detail::SliceCore& c);

/// @throws UsageError as contract() of these terms
void require_terms(const std::vector<TermFactors>& terms, const tessera::detail::SliceCore& c,
                   std::string_view c_names);

/// All elements of the lists, one list after the other.
std::vector<int> joined(std::initializer_list<const std::vector<int>*> lists);
/// Those of all dimensions that are in no list.
std::vector<int> others(int rank, std::initializer_list<const std::vector<int>*> lists);

/// The dimensions of a factor that are in neither the other factor nor the result, and have more than one
/// value. Sums over them come first, by ones. Of many, these are the last ones that need few ones; sums over
/// the others follow.
std::vector<int> summed_alone(std::string_view names, std::span<const index_t> extents, std::string_view other,
                              std::string_view result);

/// Where the only position of some dimensions is `at`, and the others are whole.
tessera::detail::Box box_at(const tessera::detail::Coordinates& extents, const std::vector<int>& dimensions,
                            const std::vector<index_t>& at);

/// Calls f(at) for each position of some dimensions. All have at least one.
template <class F>
void for_each_position(const tessera::detail::Coordinates& extents, const std::vector<int>& dimensions, F&& f) {
  std::vector<index_t> at(dimensions.size());
  for (;;) {
    f(static_cast<const std::vector<index_t>&>(at));
    std::size_t i = at.size();
    while (i > 0 && ++at[i - 1] == extents[static_cast<std::size_t>(dimensions[i - 1])]) at[--i] = 0;
    if (i == 0) return;
  }
}

/// The layout of a temporary tensor.
tessera::detail::LayoutCore temporary_layout(const std::vector<index_t>& dims, int ranks);

/// The factors as outer x inner, and the result. Fixed dimensions have one position here; they are with the
/// rows and columns. Dimensions of one factor alone are as long as 1; they are with the inner ones.
struct TermMatrices {
  FusedMatrix left, right, result;
};
TermMatrices matrices_of(const TensorView& a, const TensorView& b, const tessera::detail::SliceCore& c,
                         const Contraction& kinds);

}  // namespace tessera::linalg::detail
