// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/contract.hpp>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include <tessera/core/operand_walk.hpp>
#include <tessera/core/operations.hpp>
#include <tessera/layout.hpp>

#include "format.hpp"
#include "products/distributed_product.hpp"
#include "scalapack/scalapack_matrix.hpp"
#include "tensors/contraction.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::ArrayCore;
using tessera::detail::Box;
using tessera::detail::Coordinates;
using tessera::detail::LocalPiece;
using tessera::detail::Shapes;

// A name that no user gives: of the only dimension of a temporary for a single number.
constexpr char no_name = '\0';

// A tensor and the names of its indices.
struct Named {
  SliceCore slice;
  std::string names;

  index_t extent(int d) const { return slice.extents()[static_cast<std::size_t>(d)]; }
};

std::vector<int> joined(std::initializer_list<const std::vector<int>*> lists) {
  std::vector<int> all;
  for (const auto* list : lists) all.insert(all.end(), list->begin(), list->end());
  return all;
}
int count(const std::vector<int>& list) { return static_cast<int>(list.size()); }

// Refuses operands of which the same letter has several extents.
void require_extents(const Named& a, const Named& b, const Named& c) {
  const Named* all[] = {&a, &b, &c};
  for (const Named* one : all) {
    for (const Named* other : all) {
      for (int d = 0; d < one->slice.rank(); ++d) {
        for (int e = 0; e < other->slice.rank(); ++e) {
          const auto at = static_cast<std::size_t>(d), in = static_cast<std::size_t>(e);
          if (one->names[at] != other->names[in] || one->extent(d) == other->extent(e)) continue;
          throw UsageError(
              formatted("contract: index '{}' has {} values in \"{}\" of {}, but {} in \"{}\" of {}",
                        one->names[at], one->extent(d), one->names, one->slice.description(), other->extent(e),
                        other->names, other->slice.description()));
        }
      }
    }
  }
}

// How far apart the elements of a slice are along each dimension, at the first rank that has some.
Coordinates strides_of(const SliceCore& slice) {
  Coordinates strides{};
  bool found = false;
  for (int rank = 0; rank < slice.array().group().size() && !found; ++rank) {
    slice.for_each_piece_of(rank, [&](const LocalPiece& piece) {
      strides = piece.strides;
      found = true;
    });
  }
  return strides;
}

// The dimensions, the closest last.
std::vector<int> by_strides(std::vector<int> dimensions, const Coordinates& strides) {
  std::stable_sort(dimensions.begin(), dimensions.end(), [&](int x, int y) {
    return strides[static_cast<std::size_t>(x)] > strides[static_cast<std::size_t>(y)];
  });
  return dimensions;
}

// Those of all dimensions that are in no list.
std::vector<int> others(int rank, std::initializer_list<const std::vector<int>*> lists) {
  const std::vector<int> listed = joined(lists);
  std::vector<int> rest;
  for (int d = 0; d < rank; ++d)
    if (std::find(listed.begin(), listed.end(), d) == listed.end()) rest.push_back(d);
  return rest;
}

// One term after another of a result.
template <class T>
class Summation {
 public:
  explicit Summation(const Named& c) : c_(c), group_(c.slice.array().group()) {}

  // c = alpha * a * b + beta * c. The result is not yet visible to other ranks.
  void add(T alpha, Named a, bool conjugate_a, Named b, bool conjugate_b, T beta) {
    if (alpha == T{0}) return multiply_by(beta);
    a = without_lone(diagonal(a), b.names);
    b = without_lone(diagonal(b), a.names);
    const Contraction kinds = contraction_of(a.names, b.names, c_.names);
    if (a.slice.size() == 0 || b.slice.size() == 0) {
      multiply_by(beta);
    } else if (count(kinds.fixed_of_c) == std::max({c_.slice.rank(), a.slice.rank(), b.slice.rank()})) {
      multiply_elements(alpha, a.slice.permuted(kinds.fixed_of_a.data()), conjugate_a,
                        b.slice.permuted(kinds.fixed_of_b.data()), conjugate_b, beta);
    } else if (kinds.fixed_of_c.empty()) {
      multiply(alpha, a.slice, conjugate_a, b.slice, conjugate_b, beta, c_.slice, kinds);
    } else {
      for_each_position(kinds.fixed_of_c, [&](const std::vector<index_t>& at) {
        multiply(alpha, at_position(a.slice, kinds.fixed_of_a, at), conjugate_a,
                 at_position(b.slice, kinds.fixed_of_b, at), conjugate_b, beta,
                 at_position(c_.slice, kinds.fixed_of_c, at), kinds);
      });
    }
  }

  // c = beta * c. A beta of zero clears NaN, too.
  void multiply_by(T beta) {
    beta == T{0} ? tessera::detail::fill(c_.slice, &beta) : tessera::detail::scale(c_.slice, &beta);
  }

 private:
  static constexpr bool is_complex = !std::is_floating_point_v<T>;

  // A product of matrices. Fixed dimensions have one position here; they are with the rows and columns.
  // Dimensions of one factor alone are as long as 1; they are with the inner ones.
  void multiply(T alpha, const SliceCore& a, bool conjugate_a, const SliceCore& b, bool conjugate_b, T beta,
                const SliceCore& c, const Contraction& kinds) {
    const auto matrix = [](const SliceCore& slice, const std::vector<int>& outer,
                           const std::vector<int>& inner) {
      return FusedMatrix(slice.permuted(joined({&outer, &inner}).data()), count(outer));
    };
    const std::vector<int> rows_of_c = joined({&kinds.fixed_of_c, &kinds.rows_of_c}),
                           rows_of_a = joined({&kinds.fixed_of_a, &kinds.rows_of_a}),
                           columns_of_b = joined({&kinds.fixed_of_b, &kinds.columns_of_b});
    auto [inner_of_a, inner_of_b] = inner_order(a, b, kinds);
    for (const int d : others(a.rank(), {&rows_of_a, &inner_of_a})) inner_of_a.push_back(d);
    for (const int d : others(b.rank(), {&columns_of_b, &inner_of_b})) inner_of_b.push_back(d);
    const FusedMatrix left = matrix(a, rows_of_a, inner_of_a), right = matrix(b, columns_of_b, inner_of_b),
                      result = matrix(c, rows_of_c, kinds.columns_of_c);
    LocalProduct<T> product(alpha, left, is_complex && conjugate_a, right, is_complex && conjugate_b);
    if (!kinds.fixed_of_c.empty())
      multiply_own(product, result, left.columns(), beta, {});
    else if (distributed_product(product, result, left.columns(), beta, {}).in_parts)
      tessera::detail::end_operation(c);
  }

  // The inner dimensions in the order in which they are fused: as both factors lie in memory, or else the
  // larger one of them.
  static std::pair<std::vector<int>, std::vector<int>> inner_order(const SliceCore& a, const SliceCore& b,
                                                                   const Contraction& kinds) {
    const bool as_a = a.size() >= b.size();
    const std::vector<int>& from = as_a ? kinds.inner_of_a : kinds.inner_of_b;
    const std::vector<int> order = by_strides(from, strides_of(as_a ? a : b));
    std::vector<int> others_order;
    for (const int d : order) {
      const auto place = static_cast<std::size_t>(std::find(from.begin(), from.end(), d) - from.begin());
      others_order.push_back((as_a ? kinds.inner_of_b : kinds.inner_of_a)[place]);
    }
    return as_a ? std::pair(order, others_order) : std::pair(others_order, order);
  }

  // c = alpha * a * b + beta * c element by element.
  void multiply_elements(T alpha, const SliceCore& a, bool conjugate_a, const SliceCore& b, bool conjugate_b,
                         T beta) {
    const auto product = [=](const T& x, const T& y) {
      return alpha * (conjugate_a ? conjugate(x) : x) * (conjugate_b ? conjugate(y) : y);
    };
    if (beta == T{0}) {
      auto f = [product](const T& x, const T& y) { return product(x, y); };
      tessera::detail::transform<T, T, T>(f, c_.slice, a, b);
    } else {
      auto f = [product, beta](const T& x, const T& y, const T& old) { return product(x, y) + beta * old; };
      tessera::detail::transform<T, T, T, T>(f, c_.slice, a, b, c_.slice);
    }
  }

  template <class F>
  void for_each_position(const std::vector<int>& dimensions, F&& f) const {
    std::vector<index_t> at(dimensions.size());
    for (;;) {
      f(static_cast<const std::vector<index_t>&>(at));
      std::size_t i = at.size();
      while (i > 0 && ++at[i - 1] == c_.extent(dimensions[i - 1])) at[--i] = 0;
      if (i == 0) return;
    }
  }
  static SliceCore at_position(const SliceCore& slice, const std::vector<int>& dimensions,
                               const std::vector<index_t>& at) {
    Box box{{}, slice.extents()};
    for (std::size_t i = 0; i < at.size(); ++i) {
      const auto d = static_cast<std::size_t>(dimensions[i]);
      box.lo[d] = at[i], box.hi[d] = at[i] + 1;
    }
    return slice.patch(box);
  }

  // The elements at which indices with the same name are equal, in a temporary; the tensor itself if no name is
  // there twice.
  Named diagonal(const Named& tensor) {
    std::string names;
    std::vector<std::vector<std::size_t>> dimensions;  // of the tensor, for each name
    std::vector<index_t> dims;
    for (std::size_t d = 0; d < tensor.names.size(); ++d) {
      const auto place = names.find(tensor.names[d]);
      if (place != std::string::npos) {
        dimensions[place].push_back(d);
        continue;
      }
      names += tensor.names[d];
      dims.push_back(tensor.extent(static_cast<int>(d)));
      dimensions.push_back({d});
    }
    if (names.size() == tensor.names.size()) return tensor;
    const SliceCore into(temporary(dims));
    tensor.slice.for_each_piece_of(group_.rank(), [&](const LocalPiece& piece) {
      const auto* data = reinterpret_cast<const T*>(piece.data);
      Box box{};
      Coordinates strides{}, extents{};
      for (std::size_t i = 0; i < names.size(); ++i) {
        box.hi[i] = dims[i];
        for (const std::size_t d : dimensions[i]) {
          box.lo[i] = std::max(box.lo[i], piece.box.lo[d]), box.hi[i] = std::min(box.hi[i], piece.box.hi[d]);
          strides[i] += piece.strides[d];
        }
        if (box.lo[i] >= box.hi[i]) return;
        extents[i] = box.hi[i] - box.lo[i];
        for (const std::size_t d : dimensions[i]) data += (box.lo[i] - piece.box.lo[d]) * piece.strides[d];
      }
      into.put(box, {data, extents.data(), strides.data()});
    });
    tessera::detail::end_operation(into);
    return {into, names};
  }

  // The sums over those indices of a factor that are nowhere else, in a temporary; the tensor itself if there
  // are none with more than one value.
  Named without_lone(const Named& tensor, std::string_view other) {
    std::vector<int> lone;
    for (const int d : lone_dimensions(tensor.names, other, c_.names))
      if (tensor.extent(d) != 1) lone.push_back(d);
    if (lone.empty()) return tensor;
    const std::vector<int> kept = others(tensor.slice.rank(), {&lone});
    std::string names;
    std::vector<index_t> dims, lone_dims;
    for (const int d : kept) {
      names += tensor.names[static_cast<std::size_t>(d)];
      dims.push_back(tensor.extent(d));
    }
    for (const int d : lone) lone_dims.push_back(tensor.extent(d));
    if (kept.empty()) dims.push_back(1), names += no_name;
    const T one{1}, zero{0};
    const SliceCore sums(temporary(dims)), ones(temporary(lone_dims));
    if (tensor.slice.size() == 0) {
      tessera::detail::fill(sums, &zero);
      return {sums, names};
    }
    tessera::detail::fill(ones, &one);
    const FusedMatrix rows(tensor.slice.permuted(joined({&kept, &lone}).data()), count(kept));
    LocalProduct<T> product(one, rows, false, FusedMatrix(ones, 0), false);
    distributed_product(product, FusedMatrix(sums, sums.rank()), rows.columns(), zero, {});
    tessera::detail::end_operation(sums);
    return {sums, names};
  }

  ArrayCore& temporary(const std::vector<index_t>& dims) {
    const Coordinates none{};
    const tessera::detail::Periodic periodic{};
    return temporaries_.emplace_back(
        group_,
        tessera::detail::make_blocked(static_cast<int>(dims.size()), dims.data(), group_.size(), none.data(),
                                      nullptr, periodic.data()),
        c_.slice.type(), tessera::detail::CoreOptions{.name = "temporary of contract"});
  }

  const Named& c_;
  Group group_;
  std::deque<ArrayCore> temporaries_;
};

}  // namespace

void contract(std::span<const TermCore> terms, const void* beta, const SliceCore& c, std::string_view c_names) {
  std::vector<SliceCore> all{c};
  for (const TermCore& term : terms) all.insert(all.end(), {term.a, term.b});
  tessera::detail::begin_operation("contract", all, Shapes::any);
  const Named result{c, std::string(c_names)};
  require_different(c_names, "contract: the result " + c.description());
  for (const TermCore& term : terms) {
    const Named a{term.a, std::string(term.a_names)}, b{term.b, std::string(term.b_names)};
    require_extents(a, b, result);
    contraction_of(a.names, b.names, result.names);  // throws
    for (const SliceCore& factor : {term.a, term.b}) {
      if (factor.may_overlap(c))
        throw UsageError(
            formatted("contract: the result {} is also a factor, {}", c.description(), factor.description()));
    }
  }
  with_scalar("contract", c, [&]<class T>(T) {
    T old = *static_cast<const T*>(beta);
    if (c.size() == 0) return;
    Summation<T> sum(result);
    if (terms.empty()) sum.multiply_by(old);
    for (const TermCore& term : terms) {
      sum.add(*static_cast<const T*>(term.alpha), {term.a, std::string(term.a_names)}, term.conjugate_a,
              {term.b, std::string(term.b_names)}, term.conjugate_b, old);
      old = T{1};
    }
    tessera::detail::end_operation(c);
  });
}

}  // namespace tessera::linalg::detail
