// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "products/tensor_view.hpp"

#include <numeric>
#include <utility>

namespace tessera::linalg::detail {

using tessera::detail::Box;
using tessera::detail::Buffer;
using tessera::detail::Coordinates;

TensorView::TensorView(std::shared_ptr<const SourceCore> source)
    : source_(std::move(source)), extents_(source_->extents) {
  std::iota(axis_.begin(), axis_.end(), std::size_t{0});
}

index_t TensorView::size() const noexcept {
  if (slice_) return slice_->size();
  return std::accumulate(extents_.begin(), extents_.begin() + source_->rank, index_t{1}, std::multiplies<>());
}

std::string TensorView::description() const {
  return slice_ ? slice_->description() : "source \"" + source_->name + "\"";
}

TensorView TensorView::permuted(const int* order) const {
  if (slice_) return slice_->permuted(order);
  TensorView view = *this;
  for (std::size_t d = 0; d < static_cast<std::size_t>(source_->rank); ++d) {
    const auto from = static_cast<std::size_t>(order[d]);
    view.axis_[d] = axis_[from];
    view.extents_[d] = extents_[from];
  }
  return view;
}

TensorView TensorView::patch(const Box& box) const {
  if (slice_) return slice_->patch(box);
  TensorView view = *this;
  for (std::size_t d = 0; d < static_cast<std::size_t>(source_->rank); ++d) {
    view.origin_[axis_[d]] += box.lo[d];
    view.extents_[d] = box.hi[d] - box.lo[d];
  }
  return view;
}

Coordinates TensorView::strides() const {
  Coordinates strides{};
  if (slice_) {
    bool found = false;
    for (int rank = 0; rank < slice_->array().group().size() && !found; ++rank) {
      slice_->for_each_piece_of(rank, [&](const tessera::detail::LocalPiece& piece) {
        strides = piece.strides;
        found = true;
      });
    }
    return strides;
  }
  Coordinates of_source{};
  index_t stride = 1;
  for (auto d = static_cast<std::size_t>(source_->rank); d-- > 0; stride *= source_->extents[d])
    of_source[d] = stride;
  for (std::size_t d = 0; d < static_cast<std::size_t>(source_->rank); ++d) strides[d] = of_source[axis_[d]];
  return strides;
}

void TensorView::get_async(const Box& box, const Buffer<void*>& into, Fetches& fetches) const {
  if (slice_) {
    fetches.request += slice_->get_async(box, into);
    return;
  }
  Box of_source{};
  Coordinates extents{}, strides{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(source_->rank); ++d) {
    const std::size_t at = axis_[d];
    of_source.lo[at] = origin_[at] + box.lo[d];
    of_source.hi[at] = origin_[at] + box.hi[d];
    extents[at] = into.extents[d];
    strides[at] = into.strides[d];
  }
  if (auto wait = source_->fetch(of_source, {into.data, extents.data(), strides.data()}))
    fetches.from_sources.push_back(std::move(wait));
}

}  // namespace tessera::linalg::detail
