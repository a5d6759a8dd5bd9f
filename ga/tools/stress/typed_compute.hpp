// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cmath>
#include <functional>

#include <tessera/reductions.hpp>
#include <tessera/scan.hpp>

#include "typed_array.hpp"
#include "typed_sparse.hpp"
#include "typed_vectors.hpp"

namespace tessera::stress {

template <class T, std::size_t N>
Slice<T, N> slice_of_operand(const Operand& operand) {
  if (auto* same = dynamic_cast<TypedArray<T, N>*>(operand.array)) return same->slice(operand.part);
  if constexpr (N < max_dimensions_of<T>) {
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

// Operations that only real numbers have.
template <class T, std::size_t N>
void compute_real(const std::string& verb, T alpha, T beta, const std::vector<Slice<T, N>>& s) {
  if constexpr (RealElement<T>) {
    if (verb == "clamp") return clamp(s[0], alpha, beta);
    if (verb == "abs") return abs(s[0], s[1]);
    if (verb == "minimum") return minimum(s[0], s[1], s[2]);
    if (verb == "maximum") return maximum(s[0], s[1], s[2]);
    if (verb == "divide") return divide(s[0], s[1], s[2]);
    if (verb == "reciprocal") return reciprocal(s[0], s[1]);
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
    if (verb == "scan" || verb == "segmented_scan" || verb == "bin")
      return compute_vector(line, s[0], s.back());
  }
  if (verb == "transform4")
    return transform(s[0], s[1], s[2], s[3], [](const T& x, const T& y, const T& z) { return x + y - z; });
  compute_real(verb, alpha, beta, s);
}

template <class T>
void compute_matrices(const Line& line, const std::vector<Operand>& operands) {
  if (operands.size() == 1) return compute_matrix<T>(line, slice_of_operand<T, 2>(operands[0]));
  if (line.verb == "transpose")
    return transpose(slice_of_operand<T, 2>(operands[0]), slice_of_operand<T, 2>(operands[1]));
  const bool is_matrix_last = operands[1].dimensions == 2;
  compute_matrix<T>(line.verb, slice_of_operand<T, 2>(operands[is_matrix_last ? 1 : 0]),
                    slice_of_operand<T, 1>(operands[is_matrix_last ? 0 : 1]));
}

/// Reductions of all elements by functions of this tool.
template <class T, std::size_t N>
Values reduce_by(const std::string& verb, const std::vector<Slice<T, N>>& s) {
  const auto plus = [](const T& x, const T& y) { return x + y; };
  if (verb == "reduce_by") return {number(tessera::reduce(s[0], T{0}, plus))};
  if (verb == "transform_reduce")
    return {number(
        tessera::transform_reduce(s[0], s[1], T{0}, plus, [](const T& x, const T& y) { return x * y; }))};
  if (verb == "transform_reduce3")
    return {number(tessera::transform_reduce(s[0], s[1], s[2], T{0}, plus,
                                             [](const T& x, const T& y, const T& z) { return x + y - z; }))};
  // The result has another type than the elements.
  return {number(tessera::transform_reduce(s[0], std::int64_t{0}, std::plus<>(), [](const T& x) {
    return static_cast<std::int64_t>(number(x).real() > 0);
  }))};
}

/// Fills x with random whole numbers, which do not depend on the layout. Returns the numbers that a vector in
/// another layout got. @collective
template <class T, std::size_t N>
Values randomized(const Line& line, const Slice<T, N>& x) {
  const auto seed = static_cast<std::uint64_t>(line.number("seed"));
  const T low = element<T>({-9, -4}), high = element<T>({9, 4});
  auto beside = scratch_vector<T>(x.group(), line.number("seed"), Values(static_cast<std::size_t>(x.size())));
  randomize(beside, seed, low, high);
  randomize(x, seed, low, high);
  const auto whole = [](const T& a) {
    return element<T>({std::floor(number(a).real()), std::floor(number(a).imag())});
  };
  transform(beside, whole);
  transform(x, whole);
  const Values all = values_of(beside);
  beside.close();
  return all;
}

template <class T, std::size_t N = 1>
Values compute_typed(std::size_t rank, const Line& line, const std::vector<Operand>& operands) {
  if constexpr (N < max_dimensions_of<T>) {
    if (rank != N) return compute_typed<T, N + 1>(rank, line, operands);
  }
  const std::string& verb = line.verb;
  if (verb == "multiply_sparse") return multiply_sparse<T, N>(line, operands);
  if (verb == "reshape" && operands[1].dimensions != N) {
    reshape(slice_of_operand<T, N>(operands[0]), slice_of_operand<T, 1>(operands[1]));
    return {};
  }
  if constexpr (N == 2) {
    if (is_of_matrices(verb)) {
      compute_matrices<T>(line, operands);
      return {};
    }
  }
  std::vector<Slice<T, N>> s;
  for (const Operand& operand : operands) s.push_back(slice_of_operand<T, N>(operand));
  if (verb == "dot") return {number(dot(s[0], s[1]))};
  if (verb == "dot_unconjugated") return {number(dot_unconjugated(s[0], s[1]))};
  if (verb == "reduce_by" || verb.find("transform_reduce") == 0) return reduce_by(verb, s);
  if (verb == "randomize") return randomized(line, s[0]);
  if constexpr (N == 1) {
    if (const auto moved = move_vector(line, s[0], s.back())) return *moved;
  }
  if (verb == "norm1") return {norm1(s[0])};
  if (verb == "norm2") return {norm2(s[0])};
  if (verb == "norm_inf") return {norm_inf(s[0])};
  if (verb == "reduce") return {number(reduce(s[0], reduction_of(line)))};
  if (verb == "min_element" || verb == "max_element") return compute_extremum<T, N>(verb, s[0]);
  write_whole<T, N>(line, operands, s);
  return {};
}

}  // namespace tessera::stress
