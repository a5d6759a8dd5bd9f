// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tensors/diagonal.hpp"

#include <algorithm>

#include "blas/instantiate.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::Box;
using tessera::detail::Coordinates;
using tessera::detail::LocalPiece;
using tessera::detail::SliceCore;

template <class T>
void put_own_part(const Diagonal& diagonal, const SliceCore& from, const SliceCore& into) {
  from.for_each_piece_of(from.array().group().rank(), [&](const LocalPiece& piece) {
    const auto* data = reinterpret_cast<const T*>(piece.data);
    Box box{};
    Coordinates strides{}, extents{};
    for (std::size_t i = 0; i < diagonal.names.size(); ++i) {
      box.hi[i] = diagonal.extents[i];
      for (const std::size_t d : diagonal.dimensions[i]) {
        box.lo[i] = std::max(box.lo[i], piece.box.lo[d]), box.hi[i] = std::min(box.hi[i], piece.box.hi[d]);
        strides[i] += piece.strides[d];
      }
      if (box.lo[i] >= box.hi[i]) return;
      extents[i] = box.hi[i] - box.lo[i];
      for (const std::size_t d : diagonal.dimensions[i])
        data += (box.lo[i] - piece.box.lo[d]) * piece.strides[d];
    }
    into.put(box, {data, extents.data(), strides.data()});
  });
}

// A box for each position of the names that are there more than once.
template <class T>
struct PartFromSource {
  const Diagonal& diagonal;
  const TensorView& source;
  const LocalPiece& piece;
  Box box{};
  Coordinates strides{}, extents{};

  void get(std::size_t name, T* data) {
    if (name == diagonal.names.size()) {
      Fetches fetches;
      source.get_async(box, {data, extents.data(), strides.data()}, fetches);
      return fetches.wait();
    }
    const index_t lo = piece.box.lo[name], hi = piece.box.hi[name];
    const index_t step = diagonal.dimensions[name].size() == 1 ? hi - lo : 1;
    for (index_t at = lo; at < hi; at += step) {
      for (const std::size_t d : diagonal.dimensions[name]) {
        box.lo[d] = at, box.hi[d] = at + step;
        extents[d] = step, strides[d] = piece.strides[name];
      }
      get(name + 1, data + (at - lo) * piece.strides[name]);
    }
  }
};

}  // namespace

Diagonal::Diagonal(const TensorView& tensor, std::string_view all_names) {
  for (std::size_t d = 0; d < all_names.size(); ++d) {
    const auto place = names.find(all_names[d]);
    if (place != std::string::npos) {
      dimensions[place].push_back(d);
      continue;
    }
    names += all_names[d];
    extents.push_back(tensor.extents()[d]);
    dimensions.push_back({d});
  }
}

template <class T>
void set_to_diagonal(const SliceCore& into, const Diagonal& diagonal, const TensorView& tensor) {
  if (const SliceCore* slice = tensor.stored()) return put_own_part<T>(diagonal, *slice, into);
  into.for_each_piece_of(into.array().group().rank(), [&](const LocalPiece& piece) {
    PartFromSource<T>{diagonal, tensor, piece}.get(0, reinterpret_cast<T*>(piece.data));
  });
}

#define TESSERA_DEFINE(T) \
  template void set_to_diagonal<T>(const SliceCore&, const Diagonal&, const TensorView&);
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::detail
