// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/reductions.hpp>
#include <tessera/scan.hpp>
#include <tessera/sparse.hpp>

#include "typed_array.hpp"

namespace tessera::stress {

template <class T, std::size_t N>
Slice<T, N> slice_of_operand(const Operand& operand) {
  if (auto* same = dynamic_cast<TypedArray<T, N>*>(operand.array)) return same->slice(operand.part);
  if constexpr (N < most_dimensions) {
    if (auto* larger = dynamic_cast<TypedArray<T, N + 1>*>(operand.array))
      return larger->fixed_slice(operand.part);
  }
  throw std::invalid_argument("an operand of another type or number of dimensions");
}

template <class T, std::size_t N>
Values compute_extremum(const std::string& verb, const Slice<T, N>& x) {
  if constexpr (RealElement<T>) {
    const auto found = verb == "min_element" ? min_element(x) : max_element(x);
    Values all{number(found.value)};
    for (const index_t at : found.at) all.emplace_back(static_cast<double>(at));
    return all;
  }
  return {};
}

// What real numbers alone have.
template <class T, std::size_t N>
void compute_real(const std::string& verb, T alpha, T beta, const std::vector<Slice<T, N>>& s) {
  if constexpr (RealElement<T>) {
    if (verb == "clamp") return clamp(s[0], alpha, beta);
    if (verb == "abs") return abs(s[0], s[1]);
    if (verb == "minimum") return minimum(s[0], s[1], s[2]);
    if (verb == "maximum") return maximum(s[0], s[1], s[2]);
    if constexpr (N == 1) {
      if (verb == "sort") return sort(s[0]);
    }
  }
  throw std::invalid_argument("this type or number of dimensions has no " + verb);
}

template <class T, std::size_t N>
void write_whole(const Line& line, const std::vector<Operand>& operands, const std::vector<Slice<T, N>>& s) {
  const std::string& verb = line.verb;
  const T alpha = element<T>(static_cast<double>(line.number("alpha")));
  const T beta = element<T>(static_cast<double>(line.number("beta")));
  if (verb == "fill") return fill(s[0], alpha);
  if (verb == "scale") return scale(s[0], alpha);
  if (verb == "add_constant") return add_constant(s[0], alpha);
  if (verb == "copy") return copy(s[0], s[1]);
  if (verb == "reshape") return reshape(s[0], s[1]);
  if (verb == "permute") {
    Operand plain = operands[0];
    if (plain.part.order.empty()) return copy(s[0], s[1]);
    const auto order = to<DimensionOrder<N>>(plain.part.order);
    plain.part.order.clear();
    return permute(slice_of_operand<T, N>(plain), order, s[1]);
  }
  if (verb == "axpby") return axpby(alpha, s[0], beta, s[1], s[2]);
  if (verb == "axpby_in_place") return axpby(alpha, s[0], beta, s[1]);
  if (verb == "multiply") return multiply(s[0], s[1], s[2]);
  if (verb == "transform") return transform(s[0], [](const T& x) { return T{2} - x; });
  if (verb == "transform2") return transform(s[0], s[1], [](const T& x) { return x + x + T{1}; });
  if (verb == "transform3") return transform(s[0], s[1], s[2], [](const T& x, const T& y) { return x - y; });
  if constexpr (N == 1) {
    if (verb == "enumerate") return enumerate(s[0], alpha, beta);
    if (verb == "scan") return scan(s[0], s[1], line.number("kind") == 1 ? Scan::exclusive : Scan::inclusive);
  }
  compute_real(verb, alpha, beta, s);
}

/// y = A x for the sparse matrix of a line. Gives the number of its elements, and those of one row: columns and
/// values.
template <class T, std::size_t N>
Values multiply_sparse(const Line& line, const std::vector<Operand>& operands) {
  if constexpr (N <= 2) {
    auto* x = dynamic_cast<TypedArray<T, N>*>(operands.at(0).array);
    auto* y = dynamic_cast<TypedArray<T, N>*>(operands.at(1).array);
    if (x == nullptr || y == nullptr) throw std::invalid_argument("operands of another type");
    const Group& group = x->array().group();
    const index_t rows = y->array().dims()[0], columns = x->array().dims()[0];
    std::vector<Triplet<T>> mine;
    for (const SparseElement& one :
         sparse_elements(line, group.rank(), rows, columns, !std::is_arithmetic_v<T>))
      mine.push_back({one.row, one.column, element<T>(one.value)});
    SparseMatrix<T> a(group, rows, columns, mine);
    a.multiply(x->array(), y->array());
    Values found{static_cast<double>(a.nonzeros())};
    if (rows > 0)
      for (const Triplet<T>& one : a.row(random_below(line.number("seed"), 0, rows))) {
        found.push_back(static_cast<double>(one.column));
        found.push_back(number(one.value));
      }
    a.close();
    return found;
  }
  throw std::invalid_argument("sparse matrices multiply one or two dimensions");
}

template <class T, std::size_t N = 1>
Values compute_typed(std::size_t rank, const Line& line, const std::vector<Operand>& operands) {
  if constexpr (N < most_dimensions) {
    if (rank != N) return compute_typed<T, N + 1>(rank, line, operands);
  }
  const std::string& verb = line.verb;
  if (verb == "multiply_sparse") return multiply_sparse<T, N>(line, operands);
  std::vector<Slice<T, N>> s;
  for (const Operand& operand : operands) s.push_back(slice_of_operand<T, N>(operand));
  if (verb == "dot") return {number(dot(s[0], s[1]))};
  if (verb == "dot_unconjugated") return {number(dot_unconjugated(s[0], s[1]))};
  if (verb == "transform_reduce")
    return {number(tessera::transform_reduce(
        s[0], s[1], T{0}, [](const T& x, const T& y) { return x + y; },
        [](const T& x, const T& y) { return x * y; }))};
  if (verb == "norm1") return {norm1(s[0])};
  if (verb == "norm2") return {norm2(s[0])};
  if (verb == "norm_inf") return {norm_inf(s[0])};
  if (verb == "reduce") {
    const std::string operation = line.word("op", "sum");
    return {number(reduce(s[0], operation == "min"   ? Reduce::min
                                : operation == "max" ? Reduce::max
                                                     : Reduce::sum))};
  }
  if (verb == "min_element" || verb == "max_element") return compute_extremum<T, N>(verb, s[0]);
  write_whole<T, N>(line, operands, s);
  return {};
}

}  // namespace tessera::stress
