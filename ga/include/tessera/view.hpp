// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <type_traits>
#include <vector>

#include <tessera/patch.hpp>
#include <tessera/runtime/detail/product.hpp>
#include <tessera/runtime/error.hpp>

namespace tessera {

/// How the elements of dense storage follow one another: row_major has the last index fastest (C), column_major
/// the first (Fortran, ScaLAPACK).
enum class StorageOrder : std::uint8_t { row_major, column_major };

/// The strides, in elements, of dense storage. @local
template <std::size_t N>
constexpr std::array<index_t, N> dense_strides(const Extents<N>& extents,
                                               StorageOrder order = StorageOrder::row_major) {
  std::array<index_t, N> strides{};
  index_t stride = 1;
  for (std::size_t i = 0; i < N; ++i) {
    const std::size_t d = order == StorageOrder::row_major ? N - 1 - i : i;
    strides[d] = stride;
    stride *= extents[d];
  }
  return strides;
}

/// Anything with the members of an mdspan of rank N over elements that convert to T (std::mdspan,
/// Kokkos::mdspan, ...).
template <class M, class T, std::size_t N>
concept MdspanLike = requires(const M& m, std::size_t d) {
  { m.data_handle() } -> std::convertible_to<T*>;
  { m.extent(d) } -> std::convertible_to<index_t>;
  { m.stride(d) } -> std::convertible_to<index_t>;
  requires M::rank()
  == N;
};

/// An mdspan of rank N over elements T that takes any strides: std::mdspan<T, std::dextents<index_t, N>,
/// std::layout_stride>, and those of other libraries.
template <class M, class T, std::size_t N>
concept StridedMdspan = requires(T* data, const std::array<index_t, N>& numbers) {
  M(data, typename M::mapping_type(typename M::extents_type(numbers), numbers));
  requires M::rank()
  == N;
};

/// A view of local elements in N dimensions at any strides (in elements, may be negative). It owns nothing, and
/// is copied freely. @local
template <class T, std::size_t N>
class View {
 public:
  using value_type = std::remove_cv_t<T>;

  constexpr View() = default;
  /// Dense, row-major.
  constexpr View(T* data, const Extents<N>& extents) : View(data, extents, dense_strides(extents)) {}
  constexpr View(T* data, const Extents<N>& extents, const std::array<index_t, N>& strides)
      : data_(data), extents_(extents), strides_(strides) {}
  template <MdspanLike<T, N> M>
  constexpr View(const M& other) : data_(other.data_handle()) {
    for (std::size_t d = 0; d < N; ++d) {
      extents_[d] = static_cast<index_t>(other.extent(d));
      strides_[d] = static_cast<index_t>(other.stride(d));
    }
  }

  template <std::integral... I>
  requires(sizeof...(I) == N) constexpr T& operator()(I... i) const { return (*this)[Index<N>(i...)]; }
  constexpr T& operator[](const Index<N>& at) const {
    index_t offset = 0;
    for (std::size_t d = 0; d < N; ++d) offset += at[d] * strides_[d];
    return data_[offset];
  }
  static constexpr std::size_t rank() noexcept { return N; }
  constexpr const Extents<N>& extents() const noexcept { return extents_; }
  constexpr index_t extent(std::size_t d) const { return extents_[d]; }
  constexpr index_t stride(std::size_t d) const { return strides_[d]; }
  constexpr const std::array<index_t, N>& strides() const noexcept { return strides_; }
  constexpr T* data_handle() const noexcept { return data_; }
  constexpr index_t size() const noexcept { return extents_.size(); }
  /// The same elements for functions that take an mdspan. @local
  template <StridedMdspan<T, N> M>
  constexpr operator M() const {
    return M(data_, typename M::mapping_type(typename M::extents_type(extents_.values()), strides_));
  }
  /// The part of this view inside a patch of it. @local
  constexpr View subview(const Patch<N>& patch) const {
    return {&(*this)[patch.lo], patch.extents(), strides_};
  }

 private:
  T* data_ = nullptr;
  Extents<N> extents_{};
  std::array<index_t, N> strides_{};
};

/// An array of local elements that owns its memory: dense, row-major, first value-initialised. It may be passed
/// wherever a View may. @local
template <class T, std::size_t N>
class LocalArray {
  static_assert(!std::is_same_v<T, bool>, "use char: std::vector<bool> has no elements that can be pointed to");

 public:
  using value_type = T;

  LocalArray() = default;
  /// @throws UsageError if an extent is negative, or there are more elements than 64 bits can count
  explicit LocalArray(const Extents<N>& extents) : extents_(extents), elements_(count_of(extents)) {}

  template <std::integral... I>
  requires(sizeof...(I) == N) T& operator()(I... i) { return view()(i...); }
  template <std::integral... I>
  requires(sizeof...(I) == N) const T& operator()(I... i) const { return view()(i...); }
  T& operator[](const Index<N>& at) { return view()[at]; }
  const T& operator[](const Index<N>& at) const { return view()[at]; }
  View<T, N> view() { return {elements_.data(), extents_}; }
  View<const T, N> view() const { return {elements_.data(), extents_}; }
  static constexpr std::size_t rank() noexcept { return N; }
  const Extents<N>& extents() const noexcept { return extents_; }
  index_t extent(std::size_t d) const { return extents_[d]; }
  index_t size() const noexcept { return static_cast<index_t>(elements_.size()); }
  T* data() noexcept { return elements_.data(); }
  const T* data() const noexcept { return elements_.data(); }
  operator View<T, N>() { return view(); }
  operator View<const T, N>() const { return view(); }
  auto begin() { return elements_.begin(); }
  auto end() { return elements_.end(); }
  auto begin() const { return elements_.begin(); }
  auto end() const { return elements_.end(); }

 private:
  static std::size_t count_of(const Extents<N>& extents) {
    const bool is_size =
        std::all_of(extents.begin(), extents.end(), [](index_t extent) { return extent >= 0; });
    const auto count = is_size ? detail::checked_product(extents.values()) : std::nullopt;
    if (!count)
      throw UsageError("a local array of negative extents, or of more elements than 64 bits can count");
    return static_cast<std::size_t>(*count);
  }
  Extents<N> extents_{};
  std::vector<T> elements_;
};

}  // namespace tessera
