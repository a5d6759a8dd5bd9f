// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/contract.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "products/distributed_product.hpp"
#include "scalapack/scalapack_matrix.hpp"
#include "tensors/diagonal.hpp"
#include "tensors/term.hpp"

namespace tessera::linalg::detail {
namespace {

// A factor after diagonals and sums of its own. Then it is a temporary, of which only the shape is known.
struct Reduced {
  std::string names;
  std::vector<index_t> extents;
  std::optional<TensorView> tensor;

  index_t size() const {
    index_t product = 1;
    for (const index_t extent : extents) product *= extent;
    return product;
  }
};

// Follows the steps of contract().
template <class T>
class Needs {
 public:
  Needs(const SliceCore& c, std::string_view names) : c_(c), names_(names) {}

  void add(const TermFactors& term) {
    const Reduced a = reduced(term.a, term.b.names), b = reduced(term.b, a.names);
    const Contraction kinds = contraction_of(a.names, b.names, names_);
    const std::size_t fixed = kinds.fixed_of_c.size();
    if (a.size() == 0 || b.size() == 0) return;
    if (fixed == std::max({names_.size(), a.names.size(), b.names.size()})) {
      for (const Reduced* factor : {&a, &b})
        if (factor->tensor && factor->tensor->stored() == nullptr) temporary(factor->extents);
    } else if (!a.tensor || !b.tensor) {
      index_t inner = 1;
      for (const int d : kinds.inner_of_a) inner *= a.extents[static_cast<std::size_t>(d)];
      multiply(most_memory<T>(result_of(c_, kinds), inner));
    } else if (fixed == 0) {
      const auto [left, right, result] = matrices_of(*a.tensor, *b.tensor, c_, kinds);
      multiply(product_memory<T>(product_of(term, left, right), result, left.columns()));
    } else {
      for_each_position(c_.extents(), kinds.fixed_of_c, [&](const std::vector<index_t>& at) {
        const auto part = [&](const auto& tensor, const std::vector<int>& dimensions) {
          return tensor.patch(box_at(tensor.extents(), dimensions, at));
        };
        const auto [left, right, result] =
            matrices_of(part(*a.tensor, kinds.fixed_of_a), part(*b.tensor, kinds.fixed_of_b),
                        part(c_, kinds.fixed_of_c), kinds);
        multiply(own_memory<T>(product_of(term, left, right), result, left.columns()));
      });
    }
  }
  index_t bytes() const noexcept { return temporaries_ + products_; }

 private:
  static LocalProduct<T> product_of(const TermFactors& term, const FusedMatrix& left,
                                    const FusedMatrix& right) {
    constexpr bool is_complex = !std::is_floating_point_v<T>;
    return {T{1}, left, is_complex && term.a.is_conjugated, right, is_complex && term.b.is_conjugated};
  }
  static FusedMatrix result_of(const SliceCore& c, const Contraction& kinds) {
    const std::vector<int> rows = joined({&kinds.fixed_of_c, &kinds.rows_of_c});
    return {c.permuted(joined({&rows, &kinds.columns_of_c}).data()), static_cast<int>(rows.size())};
  }
  // Temporaries live until the end, and products follow each other.
  void temporary(const std::vector<index_t>& dims) {
    const Group& group = c_.array().group();
    temporaries_ +=
        temporary_layout(dims, group.size()).local(group.rank()).size * static_cast<index_t>(sizeof(T));
  }
  void multiply(index_t bytes) { products_ = std::max(products_, bytes); }

  Reduced reduced(const Named& factor, std::string_view other) {
    const Diagonal diagonal(factor.tensor, factor.names);
    Reduced result{diagonal.names, diagonal.extents, factor.tensor};
    if (diagonal.names.size() != factor.names.size()) {
      temporary(result.extents);
      result.tensor.reset();
    }
    std::vector<index_t> kept, summed;
    std::string names;
    for (std::size_t i = 0; i < result.names.size(); ++i) {
      const bool is_alone = !lone_dimensions(std::string(1, result.names[i]), other, names_).empty();
      if (is_alone && result.extents[i] != 1) {
        summed.push_back(result.extents[i]);
      } else {
        kept.push_back(result.extents[i]);
        names += result.names[i];
      }
    }
    if (summed.empty()) return result;
    result = {names, kept, {}};
    const index_t count = Reduced{{}, summed, {}}.size();
    temporary(kept.empty() ? std::vector<index_t>{1} : kept), temporary(summed);
    multiply((result.size() * static_cast<index_t>(sizeof(T))) +
             LocalProduct<T>::most_memory(result.size(), 1, count));
    return result;
  }

  const SliceCore c_;
  const std::string names_;
  index_t temporaries_ = 0, products_ = 0;
};

}  // namespace

index_t contract_memory(std::span<const TermCore> terms, const SliceCore& c, std::string_view c_names) {
  const std::vector<TermFactors> factors = factors_of(terms);
  require_terms(factors, c, c_names);
  index_t bytes = 0;
  with_scalar("contract", c, [&]<class T>(T) {
    if (c.size() == 0) return;
    Needs<T> needs(c, c_names);
    for (const TermFactors& term : factors) needs.add(term);
    bytes = needs.bytes();
  });
  return bytes;
}

}  // namespace tessera::linalg::detail
