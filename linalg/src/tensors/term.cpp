// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tensors/term.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "format.hpp"
#include "products/owned_submatrices.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::Box;
using tessera::detail::Coordinates;
using tessera::detail::LayoutCore;
using tessera::detail::SliceCore;

// The dimensions, the closest last.
std::vector<int> by_strides(std::vector<int> dimensions, const Coordinates& strides) {
  std::stable_sort(dimensions.begin(), dimensions.end(), [&](int x, int y) {
    return strides[static_cast<std::size_t>(x)] > strides[static_cast<std::size_t>(y)];
  });
  return dimensions;
}

// The inner dimensions in the order in which they are fused: as both factors lie in memory, or else the
// larger one of them.
std::pair<std::vector<int>, std::vector<int>> inner_order(const TensorView& a, const TensorView& b,
                                                          const Contraction& kinds) {
  const bool as_a = a.size() >= b.size();
  const std::vector<int>& from = as_a ? kinds.inner_of_a : kinds.inner_of_b;
  const std::vector<int> order = by_strides(from, (as_a ? a : b).strides());
  std::vector<int> others_order;
  for (const int d : order) {
    const auto place = static_cast<std::size_t>(std::find(from.begin(), from.end(), d) - from.begin());
    others_order.push_back((as_a ? kinds.inner_of_b : kinds.inner_of_a)[place]);
  }
  return as_a ? std::pair(order, others_order) : std::pair(others_order, order);
}

FusedMatrix fused(const TensorView& tensor, const std::vector<int>& outer, const std::vector<int>& inner) {
  return {tensor.permuted(joined({&outer, &inner}).data()), static_cast<int>(outer.size())};
}

// The shares of the first rank that stores some of a matrix.
std::vector<OwnedSubmatrix> first_shares(const FusedMatrix& matrix) {
  std::vector<OwnedSubmatrix> shares;
  for (int rank = 0; rank < matrix.array().group().size() && shares.empty(); ++rank)
    shares = shares_of(matrix, rank);
  return shares;
}

// Dimensions of a factor, and the same ones of the result: those along which the factor is divided come first.
// What a node stores of it is then consecutive, so it can be multiplied before the rest has come.
void put_divided_first(const TensorView& factor, std::vector<int>& of_factor, std::vector<int>& of_result) {
  if (factor.stored() == nullptr) return;
  std::vector<std::pair<int, int>> divided, whole;
  const std::vector<OwnedSubmatrix> shares = first_shares({factor, 0});
  for (std::size_t i = 0; i < of_factor.size(); ++i) {
    const auto d = static_cast<std::size_t>(of_factor[i]);
    const bool is_whole = std::ranges::all_of(shares, [&](const OwnedSubmatrix& share) {
      return share.coordinates[d].size() == factor.extents()[d];
    });
    (is_whole ? whole : divided).emplace_back(of_factor[i], of_result[i]);
  }
  divided.insert(divided.end(), whole.begin(), whole.end());
  for (std::size_t i = 0; i < divided.size(); ++i) std::tie(of_factor[i], of_result[i]) = divided[i];
}

NamedFactor factor_of(const FactorCore& core) {
  return {{std::visit([](const auto& tensor) { return TensorView(tensor); }, core.tensor), core.names},
          core.is_conjugated};
}

// Refuses operands of which the same letter has several extents.
void require_extents(const Named& a, const Named& b, const Named& c) {
  const Named* all[] = {&a, &b, &c};
  for (const Named* one : all) {
    for (const Named* other : all) {
      for (int d = 0; d < one->tensor.rank(); ++d) {
        for (int e = 0; e < other->tensor.rank(); ++e) {
          const auto at = static_cast<std::size_t>(d), in = static_cast<std::size_t>(e);
          if (one->names[at] != other->names[in] || one->extent(d) == other->extent(e)) continue;
          throw UsageError(
              formatted("contract: index '{}' has {} values in \"{}\" of {}, but {} in \"{}\" of {}",
                        one->names[at], one->extent(d), one->names, one->tensor.description(), other->extent(e),
                        other->names, other->tensor.description()));
        }
      }
    }
  }
}

}  // namespace

std::vector<TermFactors> factors_of(std::span<const TermCore> terms) {
  std::vector<TermFactors> factors;
  for (const TermCore& term : terms) factors.push_back({factor_of(term.a), factor_of(term.b)});
  return factors;
}

std::vector<SliceCore> stored_operands(const std::vector<TermFactors>& terms, const SliceCore& c) {
  std::vector<SliceCore> stored{c};
  for (const auto& [a, b] : terms) {
    for (const NamedFactor* factor : {&a, &b})
      if (factor->tensor.stored() != nullptr) stored.push_back(*factor->tensor.stored());
  }
  return stored;
}

void require_terms(const std::vector<TermFactors>& terms, const SliceCore& c, std::string_view c_names) {
  require_different(c_names, "contract: the result " + c.description());
  for (const auto& [a, b] : terms) {
    require_extents(a, b, {c, std::string(c_names)});
    contraction_of(a.names, b.names, c_names);  // throws
    for (const NamedFactor* factor : {&a, &b}) {
      if (factor->tensor.may_overlap(c)) {
        throw UsageError(formatted("contract: the result {} is also a factor, {}", c.description(),
                                   factor->tensor.description()));
      }
    }
  }
}

std::vector<int> joined(std::initializer_list<const std::vector<int>*> lists) {
  std::vector<int> all;
  for (const auto* list : lists) all.insert(all.end(), list->begin(), list->end());
  return all;
}

std::vector<int> others(int rank, std::initializer_list<const std::vector<int>*> lists) {
  const std::vector<int> listed = joined(lists);
  std::vector<int> rest;
  for (int d = 0; d < rank; ++d)
    if (std::find(listed.begin(), listed.end(), d) == listed.end()) rest.push_back(d);
  return rest;
}

std::vector<int> summed_alone(std::string_view names, std::span<const index_t> extents, std::string_view other,
                              std::string_view result) {
  constexpr index_t most_at_once = index_t{1} << 20;
  std::vector<int> list = lone_dimensions(names, other, result);
  std::erase_if(list, [&](int d) { return extents[static_cast<std::size_t>(d)] == 1; });
  std::size_t first = list.size();
  for (index_t all = 1; first > 0; --first) {
    const index_t extent = extents[static_cast<std::size_t>(list[first - 1])];
    if (first < list.size() && all > most_at_once / extent) break;
    all *= extent;
  }
  list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(first));
  return list;
}

Box box_at(const Coordinates& extents, const std::vector<int>& dimensions, const std::vector<index_t>& at) {
  Box box{{}, extents};
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto d = static_cast<std::size_t>(dimensions[i]);
    box.lo[d] = at[i], box.hi[d] = at[i] + 1;
  }
  return box;
}

LayoutCore temporary_layout(const std::vector<index_t>& dims, int ranks) {
  const Coordinates none{};
  const tessera::detail::Periodic periodic{};
  return tessera::detail::make_blocked(static_cast<int>(dims.size()), dims.data(), ranks, none.data(), nullptr,
                                       periodic.data());
}

TermMatrices matrices_of(const TensorView& a, const TensorView& b, const SliceCore& c,
                         const Contraction& kinds) {
  Contraction ordered = kinds;
  const auto matrix_of_c = [&] {
    const std::vector<int> rows = joined({&ordered.fixed_of_c, &ordered.rows_of_c});
    return fused(c, rows, ordered.columns_of_c);
  };
  // Where BLAS can write the result in place, that saves more.
  if (c.array().group().node_count() > 1 && !std::ranges::all_of(first_shares(matrix_of_c()), is_panel)) {
    put_divided_first(a, ordered.rows_of_a, ordered.rows_of_c);
    put_divided_first(b, ordered.columns_of_b, ordered.columns_of_c);
  }
  const std::vector<int> rows_of_a = joined({&kinds.fixed_of_a, &ordered.rows_of_a}),
                         columns_of_b = joined({&kinds.fixed_of_b, &ordered.columns_of_b});
  auto [inner_of_a, inner_of_b] = inner_order(a, b, kinds);
  for (const int d : others(a.rank(), {&rows_of_a, &inner_of_a})) inner_of_a.push_back(d);
  for (const int d : others(b.rank(), {&columns_of_b, &inner_of_b})) inner_of_b.push_back(d);
  return {fused(a, rows_of_a, inner_of_a), fused(b, columns_of_b, inner_of_b), matrix_of_c()};
}

}  // namespace tessera::linalg::detail
