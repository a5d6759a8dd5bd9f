// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/core/operations.hpp>
#include <tessera/slice.hpp>

// Prefix operations, compression and sorting of vectors: arrays or slices of one dimension. They are collective
// like the operations of elementwise.hpp. Results may be stored over the operands. Marks are integers; a mark
// is set if it is not 0. Each rank needs memory for an even share of the elements, or for a few such shares.
// Sorting needs some 60 bytes for each element of such a share.
namespace tessera {

template <class V>
concept Vector1 = Operand<V> && detail::has_rank<V, 1>;
template <class V>
concept Marks = Vector1<V> && IntegerElement<value_t<V>>;

/// y(i) = x(0) + ... + x(i), or, if exclusive, x(0) + ... + x(i - 1). Another operation than the sum works
/// likewise. An exclusive scan begins with the operation's neutral value. @collective @throws UsageError if the
/// lengths differ, or for an operation that the type does not have
template <Vector1 X, WritableOperand Y>
requires ArithmeticOperand<X> && Like<X, Y>
void scan(const X& x, Y&& y, Scan kind = Scan::inclusive, Reduce operation = Reduce::sum) {
  detail::scan(slice_of(x).core(), nullptr, slice_of(y).core(), operation, kind);
}
/// The same, restarting at each element whose mark is set. @collective @throws likewise
template <Vector1 X, Marks M, WritableOperand Y>
requires ArithmeticOperand<X> && Like<X, Y>
void segmented_scan(const X& x, const M& starts, Y&& y, Scan kind = Scan::inclusive,
                    Reduce operation = Reduce::sum) {
  const detail::SliceCore marks = slice_of(starts).core();
  detail::scan(slice_of(x).core(), &marks, slice_of(y).core(), operation, kind);
}
/// y(i) = x(j), where j is the last position up to i whose mark is set. Elements of y before the first mark are
/// not changed. @collective @throws UsageError if the lengths differ
template <Vector1 X, Marks M, WritableOperand Y>
requires Like<X, Y>
void spread(const X& x, const M& starts, Y&& y) {
  detail::spread(slice_of(x).core(), slice_of(starts).core(), slice_of(y).core());
}

/// a(i) = start + i step. @collective
template <WritableOperand A>
requires Vector1<A> && ArithmeticOperand<A>
void enumerate(A&& a, std::type_identity_t<value_t<A>> start = {},
               std::type_identity_t<value_t<A>> step = {1}) {
  detail::enumerate(slice_of(a).core(), &start, &step);
}

/// Copies the elements of x whose mark is set to y(0), y(1), ...; returns how many. @collective @throws
/// UsageError if x and mask differ in length, or y is too short
template <Vector1 X, Marks M, WritableOperand Y>
requires(Like<X, Y>) index_t pack(const X& x, const M& mask, Y&& y) {
  return detail::pack(slice_of(x).core(), slice_of(mask).core(), slice_of(y).core());
}
/// The converse: the elements of y whose mark is set become x(0), x(1), ...; returns how many. @collective
/// @throws UsageError if mask and y differ in length, or x is too short
template <Vector1 X, Marks M, WritableOperand Y>
requires(Like<X, Y>) index_t unpack(const X& x, const M& mask, Y&& y) {
  return detail::unpack(slice_of(x).core(), slice_of(mask).core(), slice_of(y).core());
}

/// Sorts in increasing order; NaN comes last. @collective
template <WritableOperand K>
requires Vector1<K> && RealElement<value_t<K>>
void sort(K&& keys) { detail::sort(slice_of(keys).core(), nullptr); }
/// The same, and moves the values along with their keys. Values of equal keys keep their order. @collective
/// @throws UsageError if the lengths differ
template <WritableOperand K, WritableOperand V>
requires Vector1<K> && Vector1<V> && RealElement<value_t<K>>
void sort(K&& keys, V&& values) {
  const detail::SliceCore moved = slice_of(values).core();
  detail::sort(slice_of(keys).core(), &moved);
}
/// Adds the number of keys that equal k to counts(k). @collective @throws UsageError if a key is not one of the
/// bins
template <Vector1 K, WritableOperand C>
requires IntegerElement<value_t<K>> && Vector1<C> && std::is_same_v<value_t<C>, std::int64_t>
void bin(const K& keys, C&& counts) { detail::bin(slice_of(keys).core(), slice_of(counts).core()); }

}  // namespace tessera
