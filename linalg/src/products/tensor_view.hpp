// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tessera/core/slice_core.hpp>
#include <tessera/linalg/tensor_source.hpp>
#include <tessera/runtime/request.hpp>

namespace tessera::linalg::detail {

/// Elements of tensors on their way to local memory, which must live until wait() has returned, or this object
/// is destroyed.
struct Fetches {
  Request request{};
  std::vector<std::function<void()>> from_sources{};

  /// @throws what a source throws, too
  void wait() {
    request.wait();
    for (const auto& wait_for_source : from_sources) wait_for_source();
    from_sources.clear();
  }
};

/// What a product or contraction reads: a slice of an array, or a source of elements. Refers to the array or
/// source. @local
class TensorView {
 public:
  TensorView(const tessera::detail::SliceCore& slice) : slice_(slice), extents_(slice.extents()) {}
  TensorView(std::shared_ptr<const SourceCore> source);

  int rank() const noexcept { return slice_ ? slice_->rank() : source_->rank; }
  const tessera::detail::Coordinates& extents() const noexcept { return extents_; }
  index_t size() const noexcept;
  std::string description() const;
  /// The slice; null for a source.
  const tessera::detail::SliceCore* stored() const noexcept { return slice_ ? &*slice_ : nullptr; }

  /// As those of SliceCore.
  TensorView permuted(const int* order) const;
  TensorView patch(const tessera::detail::Box& box) const;
  bool may_overlap(const tessera::detail::SliceCore& other) const noexcept {
    return slice_ && slice_->may_overlap(other);
  }
  /// How far apart elements lie along each dimension: at the first rank that has some, or in row-major order.
  tessera::detail::Coordinates strides() const;
  /// Begins to set local memory to the elements of a box. A source may set them before this returns. @onesided
  void get_async(const tessera::detail::Box& box, const tessera::detail::Buffer<void*>& into,
                 Fetches& fetches) const;

 private:
  std::optional<tessera::detail::SliceCore> slice_;
  std::shared_ptr<const SourceCore> source_;
  tessera::detail::Coordinates extents_{};
  // Of a source: its dimension that each one runs along, and where the view begins in it.
  std::array<std::size_t, static_cast<std::size_t>(max_rank)> axis_{};
  tessera::detail::Coordinates origin_{};
};

}  // namespace tessera::linalg::detail
