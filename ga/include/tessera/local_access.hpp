// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <tessera/core/array_core.hpp>
#include <tessera/offset_view.hpp>
#include <tessera/view.hpp>

namespace tessera {

/// A scope of direct access to the elements that a rank owns, from Array::local(). It sees this process's
/// earlier operations and what others had made visible. After it is released, others see its writes after the
/// next synchronisation. Move-only; the array must outlive it. @local
template <class T, std::size_t N>
class [[nodiscard]] LocalAccess {
 public:
  /// `first`: the array's index of the view's first element; nothing if the view is of several blocks.
  LocalAccess(const detail::ArrayCore& array, index_t block, const View<T, N>& view,
              const std::optional<Index<N>>& first)
      : view_(view), first_(first) {
    array.begin_access(block, access);
    array_ = {&array,
              EndAccess{block, array.begin_checked({view.data_handle(), static_cast<int>(N),
                                                    view.extents().data(), view.strides().data(), sizeof(T)},
                                                   access)}};
  }

  /// The elements; zero-based, local. @local
  const View<T, N>& view() const noexcept { return view_; }
  operator View<T, N>() const noexcept { return view_; }
  template <std::integral... I>
  requires(sizeof...(I) == N) T& operator()(I... i) const { return view_(i...); }
  T& operator[](const Index<N>& at) const { return view_[at]; }
  const Extents<N>& extents() const noexcept { return view_.extents(); }
  index_t extent(std::size_t d) const { return view_.extent(d); }
  index_t size() const noexcept { return view_.size(); }
  T* data() const noexcept { return view_.data_handle(); }

  /// The elements at the indices that the array gives them. Ghost cells continue these beyond the block: they
  /// may be negative. Valid as long as the access. For arrays that are stored by columns:
  /// `global<StorageOrder::column_major>()`. @local @throws UsageError if the access is to several blocks, or
  /// for the other storage order
  template <StorageOrder order = StorageOrder::row_major>
  OffsetView<T, N, order> global() const& {
    if (!first_)
      throw UsageError("global: this access is to several blocks, whose indices do not follow one another");
    return {view_, *first_};
  }
  template <StorageOrder order = StorageOrder::row_major>
  OffsetView<T, N, order> global() const&& = delete;  // the access would end at once

  /// Ends the access; the destructor does so too. @local
  void release() { array_.reset(); }

 private:
  static constexpr auto access =
      std::is_const_v<T> ? detail::ArrayCore::Access::read : detail::ArrayCore::Access::write;
  struct EndAccess {
    index_t block = 0;
    std::uint64_t checked = 0;
    void operator()(const detail::ArrayCore* array) const noexcept {
      array->end_checked(checked);
      array->end_access(block, access);
    }
  };
  std::unique_ptr<const detail::ArrayCore, EndAccess> array_;
  View<T, N> view_;
  std::optional<Index<N>> first_;
};

}  // namespace tessera
