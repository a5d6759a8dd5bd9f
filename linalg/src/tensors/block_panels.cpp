// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tensors/block_panels.hpp"

#include <complex>
#include <type_traits>
#include <utility>

#include "scalapack/scalapack_matrix.hpp"

namespace tessera::linalg::detail {
namespace {

// The most memory that the blocks take that are kept of one factor. A single larger block is kept, too.
constexpr index_t most_kept = index_t{32} << 20;

}  // namespace

template <class T>
void BlockPanel<T>::wait() {
  fetches.wait();
  if (!std::exchange(must_conjugate, false)) return;
  for (index_t i = 0; i < count; ++i)
    memory[static_cast<std::size_t>(i)] = conjugate(memory[static_cast<std::size_t>(i)]);
}

// The panel of a stored block on this node that lies in memory as a matrix.
template <class T>
std::shared_ptr<BlockPanel<T>> BlockPanels<T>::in_place(const BlockMap::Image& image) const {
  const BlockMap& map = factor_.blocks->map();
  const auto* storage = static_cast<const T*>(factor_.blocks->elements().storage(image.block->rank));
  if (storage == nullptr || (factor_.is_conjugated && !std::is_floating_point_v<T>)) return nullptr;
  const Coordinates stored = map.strides(image.block->at);
  Coordinates strides{}, extents{};
  for (std::size_t d = 0; d < map.rank(); ++d) {
    strides[image.along[d]] = stored[d];
    extents[image.along[d]] = map.length(d, image.block->at[d]);
  }
  const auto stride_of = [&](const std::vector<int>& dimensions) {
    std::vector<index_t> some_extents, some_strides;
    for (const int d : dimensions) {
      some_extents.push_back(extents[static_cast<std::size_t>(d)]);
      some_strides.push_back(strides[static_cast<std::size_t>(d)]);
    }
    return fused_stride(some_extents, some_strides);
  };
  const auto size_of = [&](const std::vector<int>& dimensions) {
    index_t size = 1;
    for (const int d : dimensions) size *= extents[static_cast<std::size_t>(d)];
    return size;
  };
  const auto rows = stride_of(outer_), columns = stride_of(inner_);
  if (!rows || !columns ||
      blas::order_of(*rows, *columns, size_of(outer_), size_of(inner_)) == blas::Order::neither)
    return nullptr;
  auto panel = std::make_shared<BlockPanel<T>>();
  panel->panel = {storage + image.block->offset, *rows, *columns};
  panel->sign = image.sign;
  return panel;
}

// In row-major order of outer x inner.
template <class T>
std::shared_ptr<BlockPanel<T>> BlockPanels<T>::fetched(const Coordinates& at,
                                                       const BlockMap::Image* image) const {
  const std::size_t rank = factor_.starts.size();
  Coordinates extents{}, strides{};
  tessera::detail::Box box{};
  for (std::size_t d = 0; d < rank; ++d) {
    extents[d] = factor_.length(d, at[d]);
    box.lo[d] = factor_.starts[d][static_cast<std::size_t>(at[d])];
    box.hi[d] = box.lo[d] + extents[d];
  }
  index_t columns = 1, count = 1;
  for (auto d = inner_.rbegin(); d != inner_.rend(); ++d) {
    strides[static_cast<std::size_t>(*d)] = columns;
    columns *= extents[static_cast<std::size_t>(*d)];
  }
  count = columns;
  for (auto d = outer_.rbegin(); d != outer_.rend(); ++d) {
    strides[static_cast<std::size_t>(*d)] = count;
    count *= extents[static_cast<std::size_t>(*d)];
  }
  auto panel = std::make_shared<BlockPanel<T>>();
  panel->memory = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(count));
  panel->panel = {panel->memory.get(), columns, 1};
  panel->count = count;
  panel->bytes = count * static_cast<index_t>(sizeof(T));
  panel->must_conjugate = factor_.is_conjugated && !std::is_floating_point_v<T>;
  if (image != nullptr) {
    panel->sign = image->sign;
    constexpr auto size = static_cast<index_t>(sizeof(T));
    const BlockMap::Block& block = *image->block;
    panel->fetches.request = factor_.blocks->elements().segment().get_async(
        block.rank, block.offset * size, factor_.blocks->map().shape_of(*image, strides.data(), size),
        panel->memory.get());
  } else {
    factor_.dense->get_async(box, {panel->memory.get(), extents.data(), strides.data()}, panel->fetches);
  }
  return panel;
}

template <class T>
std::shared_ptr<BlockPanel<T>> BlockPanels<T>::get(const Coordinates& at) {
  std::optional<BlockMap::Image> image;
  if (factor_.blocks != nullptr) {
    image = factor_.blocks->map().find(at);
    if (auto panel = in_place(*image)) return panel;
  }
  if (const auto place = kept_.find(at); place != kept_.end()) return place->second;
  auto panel = fetched(at, image ? &*image : nullptr);
  if (kept_bytes_ + panel->bytes > most_kept) kept_.clear(), kept_bytes_ = 0;  // those in use live on
  kept_bytes_ += panel->bytes;
  kept_.emplace(at, panel);
  return panel;
}

template struct BlockPanel<float>;
template struct BlockPanel<double>;
template struct BlockPanel<std::complex<float>>;
template struct BlockPanel<std::complex<double>>;
template class BlockPanels<float>;
template class BlockPanels<double>;
template class BlockPanels<std::complex<float>>;
template class BlockPanels<std::complex<double>>;

}  // namespace tessera::linalg::detail
