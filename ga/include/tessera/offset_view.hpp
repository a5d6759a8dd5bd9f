// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <concepts>
#include <type_traits>

#include <tessera/runtime/error.hpp>
#include <tessera/view.hpp>

namespace tessera {

/// A view of local elements whose indices begin where one likes: mostly the elements of a block, at the indices
/// that the array gives them (LocalAccess::global). The elements of a row are contiguous, or those of a column
/// with StorageOrder::column_major. So loops are as fast as over a plain array. Copied freely. @local
template <class T, std::size_t N, StorageOrder order = StorageOrder::row_major>
class OffsetView {
  static constexpr std::size_t fastest = order == StorageOrder::row_major ? N - 1 : 0;

 public:
  using value_type = std::remove_cv_t<T>;

  constexpr OffsetView() = default;
  /// The first element of `view` has the index `first`. @throws UsageError if neighbours in a row (in a column)
  /// are not neighbours in memory
  constexpr OffsetView(const View<T, N>& view, const Index<N>& first) : view_(view), first_(first) {
    if (view.stride(fastest) != 1 && view.extent(fastest) > 1) {
      throw UsageError(
          order == StorageOrder::row_major
              ? "an OffsetView needs rows that are contiguous; this view is stored by columns or strided"
              : "an OffsetView by columns needs columns that are contiguous; this view has none");
    }
    for (std::size_t d = 0; d < N; ++d) shift_ -= first[d] * (d == fastest ? 1 : view.stride(d));
  }

  template <std::integral... I>
  requires(sizeof...(I) == N) constexpr T& operator()(I... i) const {
    return (*this)[Index<N>(std::array<index_t, N>{static_cast<index_t>(i)...})];
  }
  constexpr T& operator[](const Index<N>& at) const {
    index_t place = shift_ + at[fastest];
    for (std::size_t d = 0; d < N; ++d) {
      if (d != fastest) place += at[d] * view_.stride(d);
    }
    return view_.data_handle()[place];
  }
  /// The indices that there are. @local
  constexpr Patch<N> patch() const { return Patch<N>::at(first_, view_.extents()); }
  constexpr const Extents<N>& extents() const noexcept { return view_.extents(); }
  constexpr index_t extent(std::size_t d) const { return view_.extent(d); }
  static constexpr std::size_t rank() noexcept { return N; }
  /// The same elements with indices from 0. @local
  constexpr const View<T, N>& view() const noexcept { return view_; }
  operator OffsetView<const T, N, order>() const requires(!std::is_const_v<T>) { return {view_, first_}; }

 private:
  View<T, N> view_;
  Index<N> first_{};
  index_t shift_ = 0;  // of element 0, 0, ... from the first element
};

namespace detail {

template <StorageOrder order, std::size_t N, class F, class... I>
constexpr void visit_points(const Patch<N>& patch, F& f, I... i) {
  constexpr std::size_t known = sizeof...(I);
  if constexpr (known == N) {
    f(i...);
  } else if constexpr (order == StorageOrder::row_major) {
    const index_t end = patch.hi[known];
    for (index_t next = patch.lo[known]; next < end; ++next) visit_points<order>(patch, f, i..., next);
  } else {
    constexpr std::size_t d = N - 1 - known;
    const index_t end = patch.hi[d];
    for (index_t next = patch.lo[d]; next < end; ++next) visit_points<order>(patch, f, next, i...);
  }
}

}  // namespace detail

/// Calls f(i, j, ...) for every position of a patch: row by row, or column by column for
/// StorageOrder::column_major. As fast as nested loops. @local
template <StorageOrder order = StorageOrder::row_major, std::size_t N, class F>
constexpr void for_each_point(const Patch<N>& patch, F&& f) {
  detail::visit_points<order>(patch, f);
}

/// Calls f(Index) for the first position of each row of a patch. A row has patch.hi[N - 1] - patch.lo[N - 1]
/// elements, which lie one after another in views in row-major order: for loops over pointers. @local
template <std::size_t N, class F>
constexpr void for_each_row(const Patch<N>& patch, F&& f) {
  if (patch.empty()) return;
  Patch<N> firsts = patch;
  firsts.hi[N - 1] = firsts.lo[N - 1] + 1;
  for_each_point(firsts, [&](auto... at) { f(Index<N>(std::array{at...})); });
}

}  // namespace tessera
