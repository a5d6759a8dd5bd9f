// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/contract.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/operand_walk.hpp>

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

// Whether BLAS can read the whole matrix where it lies.
bool lies_ready(const FusedMatrix& matrix) {
  if (matrix.tensor().stored() == nullptr || matrix.array().group().size() > 1) return false;
  const std::vector<OwnedSubmatrix> shares = shares_of(matrix, 0);
  return shares.size() == 1 && shares[0].is_even &&
         blas::order_of(shares[0].row_stride, shares[0].column_stride, matrix.rows(), matrix.columns()) !=
             blas::Order::neither;
}

// Follows the steps of contract().
template <class T>
class Needs {
 public:
  Needs(const SliceCore& c, std::string_view names) : c_(c), names_(names) {}

  void add(const TermFactors& term) {
    if (term.a.tensor.size() == 0 || term.b.tensor.size() == 0) return;
    const Reduced a = reduced(term.a, term.b.names), b = reduced(term.b, a.names);
    const Contraction kinds = contraction_of(a.names, b.names, names_);
    const std::size_t fixed = kinds.fixed_of_c.size();
    if (fixed == std::max({names_.size(), a.names.size(), b.names.size()})) {
      compute_products();
      for (const Reduced* factor : {&a, &b})
        if (factor->tensor && factor->tensor->stored() == nullptr) temporary(factor->extents);
    } else if (!a.tensor || !b.tensor) {
      index_t inner = 1;
      for (const int d : kinds.inner_of_a) inner *= a.extents[static_cast<std::size_t>(d)];
      estimated_ = std::max(estimated_, most_memory<T>(result_of(c_, kinds), inner));
    } else if (fixed == 0) {
      const TermMatrices matrices = matrices_of(*a.tensor, *b.tensor, c_, kinds);
      const auto product = product_of(term, matrices);
      const bool may_split = can_split<T>(matrices.result, product->inner());
      const Split split = may_split ? split_of(*product, matrices.result) : Split{};
      if (split.empty())
        add_own_part(products_, product, matrices.result, T{1}, {});
      else
        in_parts_ = std::max(in_parts_, part_of_sums_memory(product, matrices.result, split));
    } else {
      compute_products();
      for_each_position(c_.extents(), kinds.fixed_of_c, [&](const std::vector<index_t>& at) {
        const auto part = [&](const auto& tensor, const std::vector<int>& dimensions) {
          return tensor.patch(box_at(tensor.extents(), dimensions, at));
        };
        const TermMatrices matrices =
            matrices_of(part(*a.tensor, kinds.fixed_of_a), part(*b.tensor, kinds.fixed_of_b),
                        part(c_, kinds.fixed_of_c), kinds);
        add_own_part(products_, product_of(term, matrices), matrices.result, T{1}, {});
        if (products_.is_long()) compute_products();
      });
      compute_products();
    }
  }
  index_t bytes() {
    compute_products();
    return most_;
  }

 private:
  static std::shared_ptr<const LocalProduct<T>> product_of(const TermFactors& term,
                                                           const TermMatrices& matrices) {
    constexpr bool is_complex = !std::is_floating_point_v<T>;
    return std::make_shared<const LocalProduct<T>>(
        ProductFactors<T>{T{1}, matrices.left, is_complex && term.a.is_conjugated, matrices.right,
                          is_complex && term.b.is_conjugated});
  }
  static FusedMatrix result_of(const SliceCore& c, const Contraction& kinds) {
    const std::vector<int> rows = joined({&kinds.fixed_of_c, &kinds.rows_of_c});
    return {c.permuted(joined({&rows, &kinds.columns_of_c}).data()), static_cast<int>(rows.size())};
  }
  // Temporaries live until the end, and products follow each other.
  void multiply(index_t bytes) { most_ = std::max(most_, temporaries_ + bytes); }
  void compute_products() {
    multiply(std::max(products_.memory() + estimated_, in_parts_));
    products_ = {}, estimated_ = in_parts_ = 0;
  }
  void temporary(const std::vector<index_t>& dims) {
    temporaries_ += own_size(dims) * size;
    multiply(0);
  }
  // Of this rank, in a temporary.
  index_t own_size(const std::vector<index_t>& dims) const {
    const Group& group = c_.array().group();
    return temporary_layout(dims, group.size()).local(group.rank()).size;
  }

  Reduced reduced(const Named& factor, std::string_view other) {
    const Diagonal diagonal(factor.tensor, factor.names);
    Reduced result{diagonal.names, diagonal.extents, factor.tensor};
    if (diagonal.names.size() != factor.names.size()) {
      temporary(result.extents);
      result.tensor.reset();
    }
    for (;;) {
      const std::vector<int> lone = summed_alone(result.names, result.extents, other, names_);
      if (lone.empty()) return result;
      sum_up(result, others(static_cast<int>(result.names.size()), {&lone}), lone);
    }
  }

  // The sums over letters of one factor alone: a product with a vector of ones. How the sums lie is not known
  // before they are there, so this is an estimate.
  void sum_up(Reduced& factor, const std::vector<int>& kept, const std::vector<int>& summed) {
    const auto extents_of = [&](const std::vector<int>& dimensions) {
      std::vector<index_t> extents;
      for (const int d : dimensions) extents.push_back(factor.extents[static_cast<std::size_t>(d)]);
      return extents;
    };
    Reduced sums{{}, extents_of(kept), {}};
    const Reduced ones{{}, extents_of(summed), {}};
    for (const int d : kept) sums.names += factor.names[static_cast<std::size_t>(d)];
    temporary(kept.empty() ? std::vector<index_t>{1} : sums.extents), temporary(ones.extents);
    const index_t rows = kept.empty() ? 1 : own_size(sums.extents);
    const bool is_ready = factor.tensor && lies_ready({factor.tensor->permuted(joined({&kept, &summed}).data()),
                                                       static_cast<int>(kept.size())});
    multiply(rows * size + (is_ready ? 0 : ProductQueue<T>::most_memory(rows, 1, ones.size())));
    factor = std::move(sums);
  }

  static constexpr auto size = static_cast<index_t>(sizeof(T));
  const SliceCore c_;
  const std::string names_;
  index_t temporaries_ = 0, most_ = 0;
  // Of products that wait for others: those of known factors, the most of the others, and parts of sums.
  ProductQueue<T> products_;
  index_t estimated_ = 0, in_parts_ = 0;
};

}  // namespace

index_t contract_memory(std::span<const TermCore> terms, const SliceCore& c, std::string_view c_names) {
  const std::vector<TermFactors> factors = factors_of(terms);
  tessera::detail::require_operands("contract", stored_operands(factors, c), tessera::detail::Shapes::any);
  require_terms(factors, c, c_names);
  index_t bytes = 0;
  with_scalar("contract", c, [&]<class T>(T) {
    if (c.size() == 0) return;
    Needs<T> needs(c, c_names);
    for (std::size_t i = 0; i < factors.size(); ++i)
      if (*static_cast<const T*>(terms[i].alpha) != T{0}) needs.add(factors[i]);
    bytes = needs.bytes();
  });
  return bytes;
}

}  // namespace tessera::linalg::detail
