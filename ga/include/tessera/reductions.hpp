// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <concepts>
#include <functional>
#include <optional>

#include <tessera/core/operations.hpp>
#include <tessera/slice.hpp>

// Reductions over all elements of an array or slice. The result is the same on every rank. All are collective,
// and first make every earlier operation on their operands visible. UsageError is thrown on every rank if
// operands do not fit.
namespace tessera {

/// The sum of conj(x) y over all elements. @collective
template <Operand X, Operand Y>
requires ArithmeticOperand<X> && Like<X, Y> value_t<X> dot(const X& x, const Y& y) {
  value_t<X> result{};
  detail::dot(slice_of(x).core(), slice_of(y).core(), detail::Conjugate::yes, &result);
  return result;
}
/// The sum of x y over all elements, nothing conjugated. @collective
template <Operand X, Operand Y>
requires ArithmeticOperand<X> && Like<X, Y> value_t<X> dot_unconjugated(const X& x, const Y& y) {
  value_t<X> result{};
  detail::dot(slice_of(x).core(), slice_of(y).core(), detail::Conjugate::no, &result);
  return result;
}

/// The sum of all elements, computed without rounding and then rounded once. So it does not depend on the
/// number of ranks or on the layout: a program that continues on another number of ranks gets the same bits.
/// Slower than reduce().
/// @collective (Kulisch and Miranker 1986)
template <Operand A>
requires std::floating_point<value_t<A>>
double exact_sum(const A& a) { return detail::exact_sum(slice_of(a).core()); }
/// The same for the sum of x y over all elements, which neither overflows nor underflows before the end.
/// @collective
template <Operand X, Operand Y>
requires std::floating_point<value_t<X>> && Like<X, Y>
double exact_dot(const X& x, const Y& y) { return detail::exact_dot(slice_of(x).core(), slice_of(y).core()); }

/// The sum of the magnitudes of all elements. @collective
template <Operand A>
requires ArithmeticOperand<A>
double norm1(const A& a) { return detail::norm(slice_of(a).core(), detail::Norm::one); }

/// The square root of the sum of the squared magnitudes of all elements (for matrices, the Frobenius norm). No
/// square overflows or underflows. @collective
template <Operand A>
requires ArithmeticOperand<A>
double norm2(const A& a) { return detail::norm(slice_of(a).core(), detail::Norm::two); }

/// The largest magnitude of any element; NaN if any element is NaN. @collective
template <Operand A>
requires ArithmeticOperand<A>
double norm_inf(const A& a) { return detail::norm(slice_of(a).core(), detail::Norm::infinity); }

/// All elements combined by `operation`. Without elements, the result is the operation's neutral value. If an
/// element is NaN, the result is NaN, for min and max too. @collective @throws UsageError for an operation that
/// the element type does not have.
template <Operand A>
requires ArithmeticOperand<A> value_t<A> reduce(const A& a, Reduce operation) {
  value_t<A> result{};
  detail::reduce(slice_of(a).core(), operation, &result);
  return result;
}

/// A function that takes const references to these types, and whose result converts to U.
template <class F, class U, class... T>
concept Gives = std::is_invocable_r_v<U, F&, const T&...>;

/// All elements combined by f, which must be associative and commutative. f(U, T) adds an element to a result,
/// and f(U, U) joins two results. `start` is a neutral result: it changes no other. @collective @throws on
/// every rank if f throws on one: that rank gets the exception of f, the others an Error that names the rank
template <Operand A, Element U, class F>
requires Gives<F, U, U, value_t<A>> && Gives<F, U, U, U> U reduce(const A& a, const U& start, F&& f) {
  auto take = [&f](U& total, const value_t<A>& x) { total = std::invoke(f, static_cast<const U&>(total), x); };
  return detail::fold<U, value_t<A>>("reduce", start, f, take, slice_of(a).core());
}

/// Applies map(x), map(x, y) or map(x, y, z) to each element, and combines the results by f, which must be
/// associative and commutative. `start` is a neutral result: it changes no other. The element types may differ.
/// TransformReduce is an object: if f is of std, argument-dependent lookup would also find
/// std::transform_reduce, which matches equally well. @collective @throws as reduce, if f or map throws
struct TransformReduce {
  template <Operand X, Element U, class F, class Map>
  requires Gives<F, U, U, U> && Gives<Map, U, value_t<X>> U operator()(const X& x, const U& start, F&& f,
                                                                       Map&& map) const {
    return detail::transform_reduce<U, value_t<X>>(start, f, map, slice_of(x).core());
  }
  template <Operand X, Operand Y, Element U, class F, class Map>
  requires OfSameRank<X, Y> && Gives<F, U, U, U> && Gives<Map, U, value_t<X>, value_t<Y>> U
  operator()(const X& x, const Y& y, const U& start, F&& f, Map&& map) const {
    return detail::transform_reduce<U, value_t<X>, value_t<Y>>(start, f, map, slice_of(x).core(),
                                                               slice_of(y).core());
  }
  template <Operand X, Operand Y, Operand Z, Element U, class F, class Map>
  requires OfSameRank<X, Y> && OfSameRank<X, Z> && Gives<F, U, U, U> &&
      Gives<Map, U, value_t<X>, value_t<Y>, value_t<Z>>
          U operator()(const X& x, const Y& y, const Z& z, const U& start, F&& f, Map&& map) const {
    return detail::transform_reduce<U, value_t<X>, value_t<Y>, value_t<Z>>(
        start, f, map, slice_of(x).core(), slice_of(y).core(), slice_of(z).core());
  }
};
inline constexpr TransformReduce transform_reduce{};

/// An element and where it is.
template <class T, std::size_t N>
struct Extremum {
  T value;
  Index<N> at;
};

/// The least element and its position in `a`. Of equal elements, it is the first in row-major order. A NaN
/// precedes all numbers. @collective @throws UsageError if there are no elements
template <Operand A>
requires RealElement<value_t<A>> Extremum<value_t<A>, rank_v<A>> min_element(const A& a) {
  Extremum<value_t<A>, rank_v<A>> found{};
  detail::extreme(slice_of(a).core(), detail::Extreme::least, &found.value, &found.at[0]);
  return found;
}
/// The greatest element, likewise. @collective
template <Operand A>
requires RealElement<value_t<A>> Extremum<value_t<A>, rank_v<A>> max_element(const A& a) {
  Extremum<value_t<A>, rank_v<A>> found{};
  detail::extreme(slice_of(a).core(), detail::Extreme::greatest, &found.value, &found.at[0]);
  return found;
}

}  // namespace tessera
