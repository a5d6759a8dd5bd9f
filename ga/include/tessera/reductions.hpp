// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tessera/core/operations.hpp>
#include <tessera/core/reduce_values.hpp>
#include <tessera/slice.hpp>

// Reductions over all elements of an array or slice. The result is the same on every rank. All are collective,
// and first make every earlier operation on their operands visible. UsageError is thrown on every rank if
// operands do not fit.
namespace tessera {

/// The sum of conj(x) y over all elements. That of float is computed in double; integers wrap. @collective
template <Operand X, Operand Y>
requires ArithmeticOperand<X> && Like<X, Y> value_t<X> dot(const X& x, const Y& y) {
  value_t<X> result{};
  detail::dot(slice_of(x).core(), slice_of(y).core(), detail::Conjugate::yes, &result);
  return result;
}
/// The sum of x y over all elements, nothing conjugated, computed likewise. @collective
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

/// All elements combined by `operation`; sums of float are computed in double. Without elements, the result is
/// the operation's neutral value. If an element is NaN, the result is NaN, for min and max too. @collective
/// @throws UsageError for an operation that the element type does not have.
template <Operand A>
requires ArithmeticOperand<A> value_t<A> reduce(const A& a, Reduce operation) {
  value_t<A> result{};
  detail::reduce(slice_of(a).core(), operation, &result);
  return result;
}

/// A function that takes const references to these types, and whose result converts to U.
template <class F, class U, class... T>
concept Gives = std::is_invocable_r_v<U, F&, const T&...>;

namespace detail {
/// Fails to compile if results of type U would lose the fractions of what is combined.
template <class U, class Given>
constexpr void require_fractions() {
  static_assert(
      !std::is_integral_v<U> || !std::is_floating_point_v<Given>,
      "results have the type of the start value, which has no fractions: begin with 0.0 instead of 0");
}
}  // namespace detail

/// All elements combined by f, which must be associative and commutative. f(U, T) adds an element to a result,
/// and f(U, U) joins two results. `start` is a neutral result: it changes no other. All results have its type.
/// @collective @throws on every rank if f throws on one: that rank gets the exception of f, the others an Error
/// that names the rank
template <Operand A, Element U, class F>
requires Gives<F, U, U, value_t<A>> && Gives<F, U, U, U> U reduce(const A& a, const U& start, F&& f) {
  detail::require_fractions<U, std::remove_cvref_t<std::invoke_result_t<F&, const U&, const value_t<A>&>>>();
  auto take = [&f](U& total, const value_t<A>& x) { total = std::invoke(f, static_cast<const U&>(total), x); };
  return detail::fold<U, value_t<A>>("reduce", start, f, take, slice_of(a).core());
}

namespace detail {

/// What Map makes of the elements of operands.
template <class Map, class... Operands>
using mapped_t = std::remove_cvref_t<std::invoke_result_t<Map&, const value_t<Operands>&...>>;
/// Whether the operands fit each other, and Map takes their elements.
template <class Map, class... Operands>
concept Maps = (Operand<Operands> && ...) &&
               (OfSameRank<std::tuple_element_t<0, std::tuple<Operands...>>, Operands> && ...) &&
               std::invocable<Map&, const value_t<Operands>&...>;
template <class F, class Map, class U, class... Operands>
concept Joins =
    Element<U> && Maps<Map, Operands...> && Gives<F, U, U, U> && Gives<Map, U, value_t<Operands>...>;
template <class Operation, class Map, class... Operands>
concept Combines =
    std::same_as<Operation, Reduce> && Maps<Map, Operands...> && Arithmetic<mapped_t<Map, Operands...>>;

template <std::size_t k, class Arguments>
using plain_t = std::remove_reference_t<std::tuple_element_t<k, Arguments>>;
/// Whether there are arguments (operands..., start, f, map).
template <class Arguments, class Places>
inline constexpr bool join = false;
template <class Arguments, std::size_t... x>
requires(sizeof...(x) <= max_sources) inline constexpr bool join<Arguments, std::index_sequence<x...>> =
    Joins<plain_t<sizeof...(x) + 1, Arguments>, plain_t<sizeof...(x) + 2, Arguments>,
          std::remove_cv_t<plain_t<sizeof...(x), Arguments>>, plain_t<x, Arguments>...>;
/// Whether there are arguments (operands..., Reduce, map).
template <class Arguments, class Places>
inline constexpr bool combine_by_operation = false;
template <class Arguments, std::size_t... x>
requires(sizeof...(x) <=
         max_sources) inline constexpr bool combine_by_operation<Arguments, std::index_sequence<x...>> =
    Combines<std::remove_cv_t<plain_t<sizeof...(x), Arguments>>, plain_t<sizeof...(x) + 1, Arguments>,
             plain_t<x, Arguments>...>;

}  // namespace detail

/// Applies a function to the elements of up to seven operands, position by position, and combines the results.
/// The element types may differ. TransformReduce is an object: if f is of std, argument-dependent lookup would
/// also find std::transform_reduce, which matches equally well. @collective @throws as reduce, if f or map
/// throws
struct TransformReduce {
  /// transform_reduce(x, y, ..., start, f, map): the results of map(x, y, ...) are combined by f, which must be
  /// associative and commutative. `start` is a neutral result: it changes no other. The result is of its type,
  /// and so are all sums on the way: those of many numbers should begin with a double.
  template <class... Argument>
  requires(sizeof...(Argument) > 3 &&
           detail::join<std::tuple<Argument&&...>, std::make_index_sequence<sizeof...(Argument) - 3>>) auto
  operator()(Argument&&... arguments) const {
    const auto split = std::forward_as_tuple(std::forward<Argument>(arguments)...);
    constexpr std::size_t operands = sizeof...(Argument) - 3;
    return combined(split, std::get<operands>(split), std::get<operands + 1>(split),
                    std::get<operands + 2>(split), std::make_index_sequence<operands>());
  }
  /// transform_reduce(x, y, ..., Reduce::max, map): the results are combined by one of the operations of
  /// reduce(a, operation), as there. @throws UsageError for an operation that the results' type does not have
  template <class... Argument>
  requires(sizeof...(Argument) > 2 &&
           detail::combine_by_operation<std::tuple<Argument&&...>,
                                        std::make_index_sequence<sizeof...(Argument) - 2>>) auto
  operator()(Argument&&... arguments) const {
    const auto split = std::forward_as_tuple(std::forward<Argument>(arguments)...);
    constexpr std::size_t operands = sizeof...(Argument) - 2;
    const Reduce operation = std::get<operands>(split);
    auto& map = std::get<operands + 1>(split);
    return [&]<std::size_t... x>(std::index_sequence<x...> places) {
      using U = detail::mapped_t<decltype(map), std::tuple_element_t<x, std::tuple<Argument&&...>>...>;
      using S = detail::sum_t<U>;
      const U neutral = detail::identity<U>(operation);
      static_cast<void>(detail::combine(operation, neutral, neutral));  // throws alike if no rank has elements
      return static_cast<U>(combined(
          split, static_cast<S>(neutral), [operation](S a, S b) { return detail::combine(operation, a, b); },
          map, places));
    }
    (std::make_index_sequence<operands>());
  }

 private:
  template <class Split, class U, class F, class Map, std::size_t... x>
  static U combined(const Split& split, const U& start, F&& f, Map& map, std::index_sequence<x...>) {
    detail::require_fractions<U, detail::mapped_t<Map, std::tuple_element_t<x, Split>...>>();
    return detail::transform_reduce<U, value_t<std::tuple_element_t<x, Split>>...>(
        start, f, map, slice_of(std::get<x>(split)).core()...);
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
