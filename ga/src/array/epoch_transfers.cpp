// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/epoch_transfers.hpp>

#include <tessera/detail/list_transfers.hpp>
#include <tessera/detail/patch_transfers.hpp>
#include <tessera/runtime/detail/product.hpp>

#include "array/epoch_state.hpp"
#include "array/transfers.hpp"

namespace tessera::detail {

void get_cached(const ArrayCore& array, const Lattice& patch, const Buffer<void*>& into) {
  NodeCache* const cache = array.epoch().cache();
  if (cache == nullptr) return get(array, patch, into);
  const Segment& elements = array.segment();
  for_each_transfer(array, patch, into, [&](int rank, index_t offset, const Strided& shape, std::byte* local) {
    const bool near = elements.address(rank) != nullptr;
    const auto filled = [&] { return size_to_ask(array.layout().local(rank).size, array.type().size); };
    if (near || !cache->get(elements, rank, offset, shape, local, filled))
      elements.get(rank, offset, shape, local);
  });
}

void accumulate_cached(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from,
                       const void* alpha) {
  NodeCache* const cache = array.epoch().cache();
  if (cache == nullptr) return accumulate(array, patch, from, alpha);
  Segment& elements = array.segment();
  const ElementKind kind = array.type().kind;
  for_each_transfer(array, patch, from,
                    [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
                      const bool near = elements.address(rank) != nullptr;
                      if (near || !cache->accumulate(rank, offset, shape, kind, alpha, local))
                        elements.accumulate(rank, offset, shape, kind, alpha, local);
                    });
}

void scatter_accumulate_cached(ArrayCore& array, const index_t* at, const void* from, const void* alpha,
                               index_t count) {
  NodeCache* const cache = array.epoch().cache();
  if (cache == nullptr) return scatter_accumulate(array, at, from, alpha, count, VectorMethod::automatic);
  Segment& elements = array.segment();
  const auto [kind, size] = array.type();
  const int rank = array.rank();
  const auto* value = static_cast<const std::byte*>(from);
  for (index_t i = 0; i < count; ++i) array.require_element(at + i * rank);
  for (index_t i = 0; i < count; ++i, at += rank, value += size) {
    index_t offset = 0;
    const int owner = array.layout().locate(at, offset);
    const Strided shape = Strided::contiguous(size);
    const bool near = elements.address(owner) != nullptr;
    if (near || !cache->accumulate(owner, offset * size, shape, kind, alpha, value))
      elements.accumulate(owner, offset * size, shape, kind, alpha, value);
  }
}

void put_disjoint(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from) {
  put(array, patch, from);
#ifdef TESSERA_CHECKS
  array.epoch().add_written({.rank = array.group().rank(), .patch = patch});
#endif
}

}  // namespace tessera::detail
