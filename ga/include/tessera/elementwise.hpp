// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tessera/core/operations.hpp>
#include <tessera/slice.hpp>

// Element-wise operations on arrays and slices. All are collective over the group of the operands, which must
// be the same for all. Each operation first makes every earlier operation on its operands visible. When it
// returns, its results are visible to all. Operands may have different layouts. UsageError is thrown on every
// rank if groups, element types or extents do not fit. It is also thrown if a written operand shares elements
// with another one, but not at the same positions. Only copy, permute and reshape allow that.
namespace tessera {

/// Sets every element. @collective
template <WritableOperand A>
void fill(A&& a, const value_t<A>& value) {
  detail::fill(slice_of(a).core(), &value);
}

/// Fills with uniform random elements (Philox 4x32-10, Salmon et al., SC11): in [low, high) for real types, in
/// [low, high] for integers. Real and imaginary parts of complex numbers are drawn likewise. An element depends
/// only on the seed and its row-major number in `a`, not on ranks or layouts. @collective @throws UsageError if
/// low is greater than high, or one of them is not finite
template <WritableOperand A>
requires ArithmeticOperand<A>
void randomize(A&& a, std::uint64_t seed, value_t<A> low, value_t<A> high) {
  detail::randomize(slice_of(a).core(), seed, &low, &high);
}
/// The same in the unit interval; complex numbers in the unit square. @collective
template <WritableOperand A>
requires ArithmeticOperand<A> &&(!IntegerElement<value_t<A>>)void randomize(A&& a, std::uint64_t seed) {
  value_t<A> high{1};
  if constexpr (!RealElement<value_t<A>>) high = {1, 1};
  randomize(a, seed, value_t<A>{0}, high);
}

/// Copies all elements, from any layout to any other. The operands may overlap in one array; this takes memory
/// for this rank's part of the target. @collective
template <Operand A, WritableOperand B>
requires Like<A, B>
void copy(const A& from, B&& to) { detail::copy(slice_of(from).core(), slice_of(to).core()); }

/// Copies between operands of equal size but any extents and ranks. The k-th element of `from` in row-major
/// order becomes the k-th of `to`. @collective @throws UsageError also if their sizes differ
template <Operand A, WritableOperand B>
requires std::same_as<value_t<A>, value_t<B>>
void reshape(const A& from, B&& to) { detail::reshape(slice_of(from).core(), slice_of(to).core()); }

/// Permutes dimensions: dimension order[d] of `from` becomes dimension d of `to`. So to(i, j, ...) is the
/// element of `from` whose coordinate order[0] is i, order[1] is j, and so on. @collective @throws UsageError
/// if `order` is no permutation
template <Operand A, WritableOperand B>
requires Like<A, B>
void permute(const A& from, const DimensionOrder<rank_v<A>>& order, B&& to) {
  copy(slice_of(from).permuted(order), to);
}

template <Element T, std::size_t N>
void Array<T, N>::redistribute(const Layout<N>& layout) {
  core_->require_open();
  ArrayOptions<N> options{.name = name(), .domain = core_->domain()};
  std::copy_n(core_->periodic().begin(), N, options.periodic.begin());
  if (!layout.core().has_ghosts()) std::copy_n(core_->layout().ghosts().begin(), N, options.ghosts.begin());
  Array other(group(), layout, options);
  copy(*this, other);
  close();
  *core_ = std::move(*other.core_);
}

/// a = alpha a. @collective
template <WritableOperand A>
requires ArithmeticOperand<A>
void scale(A&& a, std::type_identity_t<value_t<A>> alpha) { detail::scale(slice_of(a).core(), &alpha); }

/// a = a + value, for each element. @collective
template <WritableOperand A>
requires ArithmeticOperand<A>
void add_constant(A&& a, std::type_identity_t<value_t<A>> value) {
  detail::add_constant(slice_of(a).core(), &value);
}

/// z = alpha x + beta y. If beta == 0, y is never read, so NaN in it does not propagate. @collective
template <Operand X, Operand Y, WritableOperand Z>
requires ArithmeticOperand<X> && Like<X, Y> && Like<X, Z>
void axpby(value_t<X> alpha, const X& x, value_t<X> beta, const Y& y, Z&& z) {
  detail::axpby(&alpha, slice_of(x).core(), &beta, slice_of(y).core(), slice_of(z).core());
}
/// y = alpha x + beta y. @collective
template <Operand X, WritableOperand Y>
requires ArithmeticOperand<X> && Like<X, Y>
void axpby(value_t<X> alpha, const X& x, value_t<X> beta, Y&& y) { axpby(alpha, x, beta, y, y); }

/// y = |x|. The magnitude of a complex number is stored as a complex number. @collective
template <Operand X, WritableOperand Y>
requires ArithmeticOperand<X> && Like<X, Y>
void abs(const X& x, Y&& y) { detail::unary(detail::Unary::magnitude, slice_of(x).core(), slice_of(y).core()); }
/// y = 1 / x. @collective @throws UsageError if an integer is divided by 0, after all other elements were
/// computed
template <Operand X, WritableOperand Y>
requires ArithmeticOperand<X> && Like<X, Y>
void reciprocal(const X& x, Y&& y) {
  detail::unary(detail::Unary::reciprocal, slice_of(x).core(), slice_of(y).core());
}

/// z = x y, element by element. @collective
template <Operand X, Operand Y, WritableOperand Z>
requires ArithmeticOperand<X> && Like<X, Y> && Like<X, Z>
void multiply(const X& x, const Y& y, Z&& z) {
  detail::binary(detail::Binary::multiply, slice_of(x).core(), slice_of(y).core(), slice_of(z).core());
}
/// z = x / y, element by element. @collective @throws UsageError if an integer is divided by 0, after all other
/// elements were computed
template <Operand X, Operand Y, WritableOperand Z>
requires ArithmeticOperand<X> && Like<X, Y> && Like<X, Z>
void divide(const X& x, const Y& y, Z&& z) {
  detail::binary(detail::Binary::divide, slice_of(x).core(), slice_of(y).core(), slice_of(z).core());
}
/// z = the lesser (greater) of x and y, element by element; NaN if either is NaN. @collective
template <Operand X, Operand Y, WritableOperand Z>
requires RealElement<value_t<X>> && Like<X, Y> && Like<X, Z>
void minimum(const X& x, const Y& y, Z&& z) {
  detail::binary(detail::Binary::minimum, slice_of(x).core(), slice_of(y).core(), slice_of(z).core());
}
template <Operand X, Operand Y, WritableOperand Z>
requires RealElement<value_t<X>> && Like<X, Y> && Like<X, Z>
void maximum(const X& x, const Y& y, Z&& z) {
  detail::binary(detail::Binary::maximum, slice_of(x).core(), slice_of(y).core(), slice_of(z).core());
}
/// Elements below `low` become `low`, elements above `high` become `high`, and NaN stays. @collective @throws
/// UsageError if high < low, or if a bound is NaN
template <WritableOperand A>
requires RealElement<value_t<A>>
void clamp(A&& a, std::type_identity_t<value_t<A>> low, std::type_identity_t<value_t<A>> high) {
  detail::clamp(slice_of(a).core(), &low, &high);
}

namespace detail {

/// Whether F maps elements of the sources to elements of the target.
template <class F, class Target, class... Source>
concept Transforms = WritableOperand<Target> &&(OfSameRank<Target, Source>&&...) &&
                     MapsTo<F, value_t<Target>, value_t<Source>...>;
/// The same of the arguments (sources..., target, F).
template <class Arguments, class Sources>
inline constexpr bool are_of_transform = false;
template <class Arguments, std::size_t... s>
requires(sizeof...(s) >= 1 &&
         sizeof...(s) <=
             max_sources) inline constexpr bool are_of_transform<Arguments, std::index_sequence<s...>> =
    Transforms<std::tuple_element_t<sizeof...(s) + 1, Arguments>, std::tuple_element_t<sizeof...(s), Arguments>,
               std::tuple_element_t<s, Arguments>...>;

}  // namespace detail

/// Applies a function to each element. The function takes elements by value or as const references. Collective
/// like all operations here. Transform is an object: for arrays of complex numbers, argument-dependent lookup
/// would also find std::transform, which matches equally well.
struct Transform {
  /// Replaces each element x by f(x). @collective @throws on every rank if f throws on one: that rank gets the
  /// exception of f, the others an Error that names the rank. Elements that were already written stay changed.
  template <WritableOperand A, class F>
  requires detail::MapsTo<F, value_t<A>, value_t<A>>
  void operator()(A&& a, F&& f) const {
    detail::transform<value_t<A>, value_t<A>>(f, slice_of(a).core(), slice_of(a).core());
  }
  /// transform(x, y, ..., z, f): z = f(x, y, ...), element by element, of up to seven operands. The element
  /// types may differ. @collective @throws likewise
  template <class... Argument>
  requires(sizeof...(Argument) > 2 &&
           detail::are_of_transform<std::tuple<Argument&&...>,
                                    std::make_index_sequence<sizeof...(Argument) - 2>>) void
  operator()(Argument&&... arguments) const {
    const auto split = std::forward_as_tuple(std::forward<Argument>(arguments)...);
    constexpr std::size_t sources = sizeof...(Argument) - 2;
    [&]<std::size_t... s>(std::index_sequence<s...>) {
      auto& target = std::get<sources>(split);
      detail::transform<value_t<decltype(target)>, value_t<decltype(std::get<s>(split))>...>(
          std::get<sources + 1>(split), slice_of(target).core(), slice_of(std::get<s>(split)).core()...);
    }
    (std::make_index_sequence<sources>());
  }
};
inline constexpr Transform transform{};

namespace detail {
inline CheckedAccess checked_piece(const SliceCore& slice, const LocalPiece& piece, ArrayCore::Access access) {
  const index_t members = slice.array().type().size / slice.type().size;
  Coordinates extents{}, strides{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank()); ++d) {
    extents[d] = piece.box.hi[d] - piece.box.lo[d];
    strides[d] = piece.strides[d] / members;
  }
  return {slice.array(), {piece.data, slice.rank(), extents.data(), strides.data(), slice.type().size}, access};
}
template <class T>
inline constexpr auto access_of = std::is_const_v<T> ? ArrayCore::Access::read : ArrayCore::Access::write;

template <class F, class A>
inline constexpr bool visits = std::is_invocable_v<F&, Index<rank_v<A>>, LocalElement<A>&>;
}  // namespace detail

/// A function of a position and an element, for for_each_local.
template <class F, class A>
concept LocalVisitor = detail::visits<F, A>;

/// Calls f(Index, T&) for every element this rank owns, with its position in the array or slice. If elements
/// are read-only, it calls f(Index, const T&). It does not communicate: synchronise with sync() before and
/// after. @local
template <Operand A, LocalVisitor<A> F>
void for_each_local(A&& a, F&& f) {
  const detail::SliceCore core = slice_of(a).core();
  core.array().require_open();
  core.array().order_local_access();
  core.for_each_piece_of(core.array().group().rank(), [&](const detail::LocalPiece& piece) {
    const auto checked = detail::checked_piece(core, piece, detail::access_of<detail::LocalElement<A>>);
    detail::visit<detail::LocalElement<A>, rank_v<A>>(piece, f);
  });
  core.array().order_local_access();
}

}  // namespace tessera
