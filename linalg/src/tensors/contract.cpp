// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/contract.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <tessera/core/operand_walk.hpp>
#include <tessera/core/operations.hpp>
#include <tessera/layout.hpp>
#include <tessera/runtime/phase.hpp>

#include "format.hpp"
#include "products/distributed_product.hpp"
#include "scalapack/scalapack_matrix.hpp"
#include "tensors/diagonal.hpp"
#include "tensors/term.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::ArrayCore;
using tessera::detail::Outcome;
using tessera::detail::Shapes;

// A name that no user gives: of the only dimension of a temporary for a single number.
constexpr char no_name = '\0';

int count(const std::vector<int>& list) { return static_cast<int>(list.size()); }

// One term after another of a result. What fails on one process only is kept until the end, because the others
// go on with collective calls.
template <class T>
class Summation {
 public:
  Summation(const SliceCore& c, std::string_view names) : c_(c), names_(names), group_(c.array().group()) {}

  // c = alpha * a * b + beta * c. The result is not yet visible to other ranks.
  void add(T alpha, NamedFactor a, NamedFactor b, T beta) {
    if (alpha == T{0} || a.tensor.size() == 0 || b.tensor.size() == 0) return without_products(beta);
    static_cast<Named&>(a) = without_lone(diagonal(a), b.names);
    static_cast<Named&>(b) = without_lone(diagonal(b), a.names);
    const Contraction kinds = contraction_of(a.names, b.names, names_);
    if (count(kinds.fixed_of_c) == std::max({c_.rank(), a.tensor.rank(), b.tensor.rank()})) {
      compute_products();
      multiply_elements(alpha, stored(a).permuted(kinds.fixed_of_a.data()), a.is_conjugated,
                        stored(b).permuted(kinds.fixed_of_b.data()), b.is_conjugated, beta);
    } else if (kinds.fixed_of_c.empty()) {
      add_product(alpha, a, b, beta, kinds);
    } else {
      compute_products();
      ProductQueue<T> queue;
      for_each_position(c_.extents(), kinds.fixed_of_c, [&](const std::vector<index_t>& at) {
        const auto at_position = [&](NamedFactor factor, const std::vector<int>& dimensions) {
          factor.tensor = factor.tensor.patch(box_at(factor.tensor.extents(), dimensions, at));
          return factor;
        };
        add_at(queue, alpha, at_position(a, kinds.fixed_of_a), at_position(b, kinds.fixed_of_b), beta,
               c_.patch(box_at(c_.extents(), kinds.fixed_of_c, at)), kinds);
      });
      note(Outcome([&] { queue.run(); }));
    }
  }
  // Makes the result visible. @collective @throws on every rank if a step failed on one
  void end() {
    compute_products();
    tessera::detail::end_operation("contract", c_, failure_.value_or(Outcome([] {})));
  }

  // c = beta * c. A beta of zero clears NaN, too.
  void without_products(T beta) {
    if (beta == T{1}) return;
    beta == T{0} ? tessera::detail::fill(c_, &beta) : tessera::detail::scale(c_, &beta);
  }

 private:
  static constexpr bool is_complex = !std::is_floating_point_v<T>;

  // Of a step that may fail on this process alone.
  void note(const Outcome& outcome) {
    if (outcome.failed() && !failure_) failure_ = outcome;
  }

  static ProductFactors<T> factors(T alpha, const TermMatrices& matrices, const NamedFactor& a,
                                   const NamedFactor& b) {
    return {alpha, matrices.left, is_complex && a.is_conjugated, matrices.right, is_complex && b.is_conjugated};
  }

  // Products wait for those that follow, so that one fetches while that before is computed.
  void add_product(T alpha, const NamedFactor& a, const NamedFactor& b, T beta, const Contraction& kinds) {
    const TermMatrices matrices = matrices_of(a.tensor, b.tensor, c_, kinds);
    if (products_.empty()) beta_ = beta;
    products_.add(factors(alpha, matrices, a, b), matrices.result);
  }
  void compute_products() {
    if (products_.empty()) return;
    Computed computed;
    note(products_.run(beta_, computed));
    if (computed.in_parts) tessera::detail::end_operation(c_);
  }
  // A product for one position of the fixed indices. The queue computes it now or later.
  void add_at(ProductQueue<T>& queue, T alpha, const NamedFactor& a, const NamedFactor& b, T beta,
              const SliceCore& c, const Contraction& kinds) {
    note(Outcome([&] {
      const TermMatrices matrices = matrices_of(a.tensor, b.tensor, c, kinds);
      const auto product = std::make_shared<const LocalProduct<T>>(factors(alpha, matrices, a, b));
      add_own_part(queue, product, matrices.result, beta, {});
      if (queue.is_long()) queue.run();
    }));
  }

  // c = alpha * a * b + beta * c element by element.
  void multiply_elements(T alpha, const SliceCore& a, bool conjugate_a, const SliceCore& b, bool conjugate_b,
                         T beta) {
    const auto product = [=](const T& x, const T& y) {
      return alpha * (conjugate_a ? conjugate(x) : x) * (conjugate_b ? conjugate(y) : y);
    };
    if (beta == T{0}) {
      auto f = [product](const T& x, const T& y) { return product(x, y); };
      tessera::detail::transform<T, T, T>(f, c_, a, b);
    } else {
      auto f = [product, beta](const T& x, const T& y, const T& old) {
        return product(x, y) + blas::scaled(beta, old);
      };
      tessera::detail::transform<T, T, T, T>(f, c_, a, b, c_);
    }
  }

  // The elements at which indices with the same name are equal, in a temporary; the tensor itself if no name is
  // there twice.
  Named diagonal(const Named& named) {
    const Diagonal parts(named.tensor, named.names);
    if (parts.names.size() == named.names.size()) return named;
    const SliceCore into(temporary(parts.extents));
    note(Outcome([&] { set_to_diagonal<T>(into, parts, named.tensor); }));
    tessera::detail::end_operation(into);
    return {into, parts.names};
  }
  // A factor as it is, or a temporary with all elements of a source.
  SliceCore stored(const Named& named) {
    if (const SliceCore* slice = named.tensor.stored()) return *slice;
    const Diagonal all(named.tensor, named.names);
    const SliceCore into(temporary(all.extents));
    note(Outcome([&] { set_to_diagonal<T>(into, all, named.tensor); }));
    tessera::detail::end_operation(into);
    return into;
  }
  // The sums over those indices of a factor that are nowhere else, in a temporary; the tensor itself if there
  // are none with more than one value.
  Named without_lone(const Named& named, std::string_view other) {
    const std::vector<int> lone = summed_alone(named.names, named.tensor.extents(), other, names_);
    if (lone.empty()) return named;
    const std::vector<int> kept = others(named.tensor.rank(), {&lone});
    std::string names;
    std::vector<index_t> dims, lone_dims;
    for (const int d : kept) {
      names += named.names[static_cast<std::size_t>(d)];
      dims.push_back(named.extent(d));
    }
    for (const int d : lone) lone_dims.push_back(named.extent(d));
    if (kept.empty()) dims.push_back(1), names += no_name;
    const T one{1}, zero{0};
    const SliceCore sums(temporary(dims)), ones(temporary(lone_dims));
    tessera::detail::fill(ones, &one);
    const FusedMatrix rows(named.tensor.permuted(joined({&kept, &lone}).data()), count(kept));
    const FusedMatrix all_ones(ones, 0);
    Computed computed;
    note(distributed_product<T>("contract", {one, rows, false, all_ones, false}, FusedMatrix(sums, sums.rank()),
                                zero, computed));
    tessera::detail::end_operation(sums);
    return without_lone({sums, names}, other);
  }

  ArrayCore& temporary(const std::vector<index_t>& dims) {
    return temporaries_.emplace_back(group_, temporary_layout(dims, group_.size()), c_.type(),
                                     tessera::detail::CoreOptions{.name = "temporary of contract"});
  }

  const SliceCore c_;
  const std::string names_;
  Group group_;
  std::deque<ArrayCore> temporaries_;
  DistributedSum<T> products_{"contract"};
  T beta_{};  // of the first of them
  std::optional<Outcome> failure_;
};

}  // namespace

void require_names(const SourceCore& source, std::string_view names) {
  if (static_cast<std::size_t>(source.rank) == names.size()) return;
  throw UsageError(formatted(
      "source \"{}\" has {} dimensions, but \"{}\" has {} letters; give one letter for each dimension",
      source.name, source.rank, names, names.size()));
}

void contract(std::span<const TermCore> terms, const void* beta, const SliceCore& c, std::string_view c_names) {
  const Phase phase(c.array().group(), "contract");
  const std::vector<TermFactors> factors = factors_of(terms);
  tessera::detail::begin_operation("contract", stored_operands(factors, c), Shapes::any);
  require_same_letters(c.array().group(), c_names, factors);
  require_terms(factors, c, c_names);
  with_scalar("contract", c, [&]<class T>(T) {
    T old = *static_cast<const T*>(beta);
    if (c.size() == 0) return;
    Summation<T> sum(c, c_names);
    if (terms.empty()) sum.without_products(old);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      sum.add(*static_cast<const T*>(terms[i].alpha), factors[i].a, factors[i].b, old);
      old = T{1};
    }
    sum.end();
  });
}

}  // namespace tessera::linalg::detail
