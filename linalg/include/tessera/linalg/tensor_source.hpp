// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/linalg/operand.hpp>
#include <tessera/runtime/detail/product.hpp>

namespace tessera::linalg {

namespace detail {

/// A tensor that is not stored, with run-time rank and element type.
struct SourceCore {
  tessera::detail::ElementType type;
  int rank;
  tessera::detail::Coordinates extents;
  std::string name;
  /// Begins to set the elements of a box, and returns what waits for the end of it; nothing if they are set.
  std::function<std::function<void()>(const tessera::detail::Box&, const tessera::detail::Buffer<void*>&)>
      fetch;
};

}  // namespace detail

template <MatrixElement T>
class TensorOperand;

/// Sets the local elements of a view to the elements of a patch of a tensor.
template <class F, class T, std::size_t N>
concept TensorFill = std::invocable < F&,
        const Patch<N>
&, const View<T, N>& > ;

/// A tensor that is not stored: a function computes or reads its elements when a contraction needs them. So
/// integrals can be computed on demand, or read from a DiskArray. A source may be any factor of contract().
///
/// fill(patch, into) sets the elements of a patch, as into(i - patch.lo[0], ...). The strides of the view are
/// any. Each process calls it for the patches that it needs, and only on the thread that calls contract(). It
/// may be asked for the same elements several times, also by several processes. If fill returns an object with
/// wait(), such as a Request, the contraction multiplies meanwhile, and waits before it reads the elements. The
/// object waits, too, when it is destroyed. Copies share the function.
template <MatrixElement T, std::size_t N>
class TensorSource {
 public:
  /// @local @throws UsageError if an extent is negative, or there are more elements than 64 bits can count
  template <TensorFill<T, N> F>
  TensorSource(const Extents<N>& dims, F fill, std::string_view name = "unnamed")
      : dims_(dims), core_(std::make_shared<const detail::SourceCore>(core_of(dims, std::move(fill), name))) {}

  const Extents<N>& dims() const noexcept { return dims_; }
  /// The source with a letter for the index of each dimension, as a factor. @local @throws UsageError unless
  /// there is one letter for each dimension
  TensorOperand<T> operator()(std::string_view indices) const { return {core_, indices}; }

 private:
  template <class F>
  static detail::SourceCore core_of(const Extents<N>& dims, F fill, std::string_view name) {
    detail::SourceCore core{
        {element_kind<T>(), static_cast<index_t>(sizeof(T))}, static_cast<int>(N), {}, std::string(name), {}};
    for (std::size_t d = 0; d < N; ++d) {
      if (dims[d] < 0) throw UsageError("source \"" + core.name + "\" has a negative extent");
      core.extents[d] = dims[d];
    }
    if (!tessera::detail::checked_product(dims.values()))
      throw UsageError("source \"" + core.name + "\" has more elements than 64 bits can count");
    core.fetch = [fill = std::move(fill)](const tessera::detail::Box& box,
                                          const tessera::detail::Buffer<void*>& into) mutable {
      Patch<N> patch;
      Extents<N> extents;
      std::array<index_t, N> strides{};
      for (std::size_t d = 0; d < N; ++d) {
        patch.lo[d] = box.lo[d], patch.hi[d] = box.hi[d];
        extents[d] = into.extents[d], strides[d] = into.strides[d];
      }
      const View<T, N> view(static_cast<T*>(into.data), extents, strides);
      using Result = std::invoke_result_t<F&, const Patch<N>&, const View<T, N>&>;
      if constexpr (requires(Result & result) { result.wait(); }) {
        auto result = std::make_shared<Result>(std::invoke(fill, patch, view));
        return std::function<void()>([result] { result->wait(); });
      } else {
        std::invoke(fill, patch, view);
        return std::function<void()>();
      }
    };
    return core;
  }

  Extents<N> dims_;
  std::shared_ptr<const detail::SourceCore> core_;
};

}  // namespace tessera::linalg
