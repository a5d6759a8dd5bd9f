// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <concepts>

#include <tessera/array.hpp>
#include <tessera/detail/whole_array_core.hpp>

namespace tessera {

/// Calls f(Index, T&) for every element this rank owns, with its position in the array. No communication:
/// synchronise with sync() before and after. @local
template <Element T, std::size_t N, std::invocable<Index<N>, T&> F>
void for_each_local(Array<T, N>& a, F&& f) {
  auto access = a.local();
  const auto& layout = a.core().layout();
  const int me = a.group().rank();
  for (index_t b = 0; b < layout.block_count(me); ++b) {
    const detail::Piece block = layout.block(me, b);
    Index<N> at;
    auto walk = [&](auto&& self, std::size_t d, index_t offset) -> void {
      for (index_t i = block.box.lo[d]; i < block.box.hi[d]; ++i) {
        at[d] = i;
        const index_t here = offset + (i - block.box.lo[d]) * block.strides[d];
        if (d + 1 == N)
          f(static_cast<const Index<N>&>(at), access.data()[here]);
        else
          self(self, d + 1, here);
      }
    };
    walk(walk, 0, block.offset);
  }
}

/// Replaces each element x by f(x). @collective
template <Element T, std::size_t N, std::invocable<T> F>
void transform(Array<T, N>& a, F&& f) {
  detail::begin_operation("transform", {&a.core()});
  T* x = static_cast<T*>(a.core().local_data());
  for (index_t i = 0; i < a.core().local_shape().size; ++i) x[i] = f(x[i]);
  detail::end_operation(a.core());
}

/// y = f(x), element by element; the arrays may have different layouts. @collective
template <Element T, std::size_t N, std::invocable<T> F>
void transform(const Array<T, N>& x, Array<T, N>& y, F&& f) {
  detail::begin_operation("transform", {&x.core(), &y.core()});
  const detail::ArrayCore* sources[] = {&x.core()};
  detail::for_each_run(y.core(), sources, [&f](void* target, const void* const* runs, index_t n) {
    const T* from = static_cast<const T*>(runs[0]);
    T* to = static_cast<T*>(target);
    for (index_t i = 0; i < n; ++i) to[i] = f(from[i]);
  });
  detail::end_operation(y.core());
}

/// z = f(x, y), element by element; the arrays may have different layouts. @collective
template <Element T, std::size_t N, std::invocable<T, T> F>
void transform(const Array<T, N>& x, const Array<T, N>& y, Array<T, N>& z, F&& f) {
  detail::begin_operation("transform", {&x.core(), &y.core(), &z.core()});
  const detail::ArrayCore* sources[] = {&x.core(), &y.core()};
  detail::for_each_run(z.core(), sources, [&f](void* target, const void* const* runs, index_t n) {
    const T *first = static_cast<const T*>(runs[0]), *second = static_cast<const T*>(runs[1]);
    T* to = static_cast<T*>(target);
    for (index_t i = 0; i < n; ++i) to[i] = f(first[i], second[i]);
  });
  detail::end_operation(z.core());
}

}  // namespace tessera
