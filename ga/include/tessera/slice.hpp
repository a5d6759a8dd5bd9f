// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <initializer_list>
#include <optional>
#include <type_traits>

#include <tessera/array.hpp>
#include <tessera/core/slice_core.hpp>
#include <tessera/indexed.hpp>

namespace tessera {

template <class T>
class Fused;

/// A part of an array that can be used like an array. It is a patch, or every k-th element of one. Dimensions
/// may be in another order, or held at one position. A value that points to its array, which must outlive it. A
/// slice may be passed wherever an array may. T is const for a read-only slice.
template <class T, std::size_t N>
class Slice {
 public:
  using value_type = std::remove_const_t<T>;

  /// All of an array. @local
  Slice(Array<value_type, N>& array) requires(!std::is_const_v<T>) : core_(array.core()) {}
  Slice(const Array<value_type, N>& array) requires(std::is_const_v<T>) : core_(array.core()) {}
  Slice(const Slice<value_type, N>& other) requires(std::is_const_v<T>) : core_(other.core()) {}
  Slice(const Slice&) = default;
  Slice& operator=(const Slice&) = default;

  static constexpr std::size_t rank() noexcept { return N; }
  Extents<N> dims() const noexcept {
    Extents<N> dims;
    for (std::size_t d = 0; d < N; ++d) dims[d] = core_.extents()[d];
    return dims;
  }
  index_t size() const noexcept { return core_.size(); }
  const Group& group() const noexcept { return core_.array().group(); }

  /// A patch of the slice; with steps, every steps[d]-th element of the patch along dimension d. @local @throws
  /// UsageError for a patch that leaves the slice, or a step below 1
  Slice slice(const Patch<N>& patch) const { return Slice(core_.patch(box(patch))); }
  Slice slice(const Patch<N>& patch, const Extents<N>& steps) const { return slice(patch).every(steps); }
  Slice every(const Extents<N>& steps) const { return Slice(core_.every(steps.data())); }
  /// Dimension k of the result is dimension order[k] of this slice. Element (i, j, ...) of the result is the
  /// one whose coordinate order[0] is i here, order[1] is j, and so on. @local @throws UsageError if `order` is
  /// no permutation
  Slice permuted(const DimensionOrder<N>& order) const { return Slice(core_.permuted(order.data())); }
  /// The slice as a matrix, whose rows are the dimensions of one list and whose columns are those of the other:
  /// `t.slice().fused({0, 1}, {2, 3})`. With <tessera/fused.hpp>. @local @throws UsageError unless each
  /// dimension is listed once
  Fused<T> fused(std::initializer_list<int> rows, std::initializer_list<int> columns) const;
  /// Exchanges rows and columns. @local
  Slice transposed() const requires(N == 2) { return permuted({1, 0}); }
  /// One member of each element, if the elements are structures: `state.slice().member(&State::energy)` may be
  /// passed wherever an array of such members may, except to routines of linalg that say otherwise. A member of
  /// a member is taken in two steps. @local
  template <std::same_as<value_type> S, Element F>
  auto member(F S::*which) const {
    static_assert(sizeof(S) % sizeof(F) == 0,
                  "the size of the structure must be a multiple of the member's; pad the structure (alignas)");
    using Member = std::conditional_t<std::is_const_v<T>, const F, F>;
    return Slice<Member, N>(core_.member(detail::field_of(which), element_kind<F>()));
  }
  /// The slice without dimension d, which is held at a position: a row or a plane, for example. @local @throws
  /// UsageError if dimension d does not exist or the position is outside
  Slice<T, N - 1> fix(int d, index_t at) const requires(N > 1) { return Slice<T, N - 1>(core_.fixed(d, at)); }

  /// As Array::operator(). @local
  template <class... I>
  detail::HeldSlice<T, N, I...> operator()(I... at) const {
    const std::optional<index_t> held[] = {detail::held(at)...};
    detail::SliceCore core = core_;
    for (std::size_t d = N; d-- > 0;)
      if (held[d]) core = core.fixed(static_cast<int>(d), *held[d]);
    return Slice<T, detail::dimensions_left<I...>>(core);
  }
  Indexed<T> operator()(std::string_view indices) const { return {core_, indices}; }

  /// As the members of Array, for patches of the slice or all of it. @onesided @throws and @completion likewise
  void put(const Patch<N>& patch, View<const value_type, N> from) const requires(!std::is_const_v<T>) {
    core_.put(box(patch), detail::buffer_of(from));
  }
  void put(View<const value_type, N> from) const requires(!std::is_const_v<T>) { put(whole(), from); }
  void get(const Patch<N>& patch, View<value_type, N> into) const {
    core_.get(box(patch), detail::buffer_of(into));
  }
  void get(View<value_type, N> into) const { get(whole(), into); }
  LocalArray<value_type, N> get(const Patch<N>& patch) const {
    slice(patch);  // throws before memory is allocated for a patch that is outside
    LocalArray<value_type, N> elements(patch.extents());
    get(patch, elements);
    return elements;
  }
  LocalArray<value_type, N> get() const { return get(whole()); }
  LocalTransfer<value_type, N> get_async(const Patch<N>& patch) const {
    slice(patch);  // throws before memory is allocated for a patch that is outside
    LocalTransfer<value_type, N> transfer{LocalArray<value_type, N>(patch.extents())};
    transfer.request = get_async(patch, transfer.data);
    return transfer;
  }
  void acc(const Patch<N>& patch, View<const value_type, N> from, value_type alpha = value_type{1}) const
      requires(!std::is_const_v<T> && Arithmetic<value_type>) {
    core_.accumulate(box(patch), detail::buffer_of(from), &alpha);
  }
  void acc(View<const value_type, N> from, value_type alpha = value_type{1}) const
      requires(!std::is_const_v<T> && Arithmetic<value_type>) {
    acc(whole(), from, alpha);
  }
  Request put_async(const Patch<N>& patch, View<const value_type, N> from) const requires(!std::is_const_v<T>) {
    return core_.put_async(box(patch), detail::buffer_of(from));
  }
  Request get_async(const Patch<N>& patch, View<value_type, N> into) const {
    return core_.get_async(box(patch), detail::buffer_of(into));
  }
  Request acc_async(const Patch<N>& patch, View<const value_type, N> from,
                    value_type alpha = value_type{1}) const
      requires(!std::is_const_v<T> && Arithmetic<value_type>) {
    return core_.accumulate_async(box(patch), detail::buffer_of(from), &alpha);
  }

  /// The compiled slice behind the type; for Tessera's own modules. @local
  const detail::SliceCore& core() const noexcept { return core_; }
  explicit Slice(const detail::SliceCore& core) : core_(core) {}

 private:
  Patch<N> whole() const { return Patch<N>::whole(dims()); }
  static detail::Box box(const Patch<N>& patch) { return detail::box_of(patch); }

  detail::SliceCore core_;
};

namespace detail {

template <class A>
struct OperandOf : std::false_type {
  static constexpr std::size_t rank = 0;  // Clang 14 asks for it before it finds that A is no operand
};
template <class T, std::size_t N>
struct OperandOf<Array<T, N>> : std::true_type {
  using value_type = T;
  static constexpr std::size_t rank = N;
};
template <class T, std::size_t N>
struct OperandOf<Slice<T, N>> : std::true_type {
  using value_type = std::remove_const_t<T>;
  static constexpr std::size_t rank = N;
};

template <class A>
inline constexpr bool is_writable = false;
template <class T, std::size_t N>
inline constexpr bool is_writable<Array<T, N>> = true;
template <class T, std::size_t N>
inline constexpr bool is_writable<Slice<T, N>> = !std::is_const_v<T>;
template <class T, std::size_t N>
inline constexpr bool is_writable<const Slice<T, N>> = !std::is_const_v<T>;

}  // namespace detail

/// The element type and the number of dimensions of an array or slice.
template <class A>
using value_t = typename detail::OperandOf<std::remove_cvref_t<A>>::value_type;
template <class A>
inline constexpr std::size_t rank_v = detail::OperandOf<std::remove_cvref_t<A>>::rank;

/// What operations read: an array, or a slice of one.
template <class A>
concept Operand = detail::OperandOf<std::remove_cvref_t<A>>::value;
/// What operations write: an array that is not const, or a slice of elements that are not.
template <class A>
concept WritableOperand = detail::is_writable<std::remove_reference_t<A>>;
/// An operand of arithmetic elements.
template <class A>
concept ArithmeticOperand = Operand<A> && Arithmetic<value_t<A>>;
namespace detail {
template <class A, std::size_t N>
inline constexpr bool has_rank = rank_v<A> == N;
}  // namespace detail

/// Two operands with the same number of dimensions.
template <class A, class B>
concept OfSameRank = Operand<A> && Operand<B> && detail::has_rank<A, rank_v<B>>;
/// Two operands with the same number of dimensions and the same element type.
template <class A, class B>
concept Like = OfSameRank<A, B> && std::is_same_v<value_t<A>, value_t<B>>;

namespace detail {

/// The type of a local element of an operand: const unless the operand may be written.
template <class A>
using LocalElement = std::conditional_t<WritableOperand<A>, value_t<A>, const value_t<A>>;

}  // namespace detail

template <Element T, std::size_t N>
template <class... I>
detail::HeldSlice<T, N, I...> Array<T, N>::operator()(I... at) {
  return slice()(at...);
}
template <Element T, std::size_t N>
template <class... I>
detail::HeldSlice<const T, N, I...> Array<T, N>::operator()(I... at) const {
  return slice()(at...);
}
template <Element T, std::size_t N>
Indexed<T> Array<T, N>::operator()(std::string_view indices) {
  return {*core_, indices};
}
template <Element T, std::size_t N>
Indexed<const T> Array<T, N>::operator()(std::string_view indices) const {
  return {*core_, indices};
}
template <Element T, std::size_t N>
Slice<T, N> Array<T, N>::slice() {
  return *this;
}
template <Element T, std::size_t N>
Slice<const T, N> Array<T, N>::slice() const {
  return *this;
}
template <Element T, std::size_t N>
Slice<T, N> Array<T, N>::slice(const Patch<N>& patch) {
  return slice().slice(patch);
}
template <Element T, std::size_t N>
Slice<const T, N> Array<T, N>::slice(const Patch<N>& patch) const {
  return slice().slice(patch);
}
template <Element T, std::size_t N>
Slice<T, N> Array<T, N>::slice(const Patch<N>& patch, const Extents<N>& steps) {
  return slice().slice(patch, steps);
}
template <Element T, std::size_t N>
Slice<const T, N> Array<T, N>::slice(const Patch<N>& patch, const Extents<N>& steps) const {
  return slice().slice(patch, steps);
}

/// All of an array, or a slice as it is. @local
template <Element T, std::size_t N>
Slice<T, N> slice_of(Array<T, N>& array) {
  return array;
}
template <Element T, std::size_t N>
Slice<const T, N> slice_of(const Array<T, N>& array) {
  return array;
}
template <class T, std::size_t N>
Slice<T, N> slice_of(const Slice<T, N>& slice) {
  return slice;
}

}  // namespace tessera
