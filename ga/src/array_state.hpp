// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include <tessera/detail/array_core.hpp>
#include <tessera/detail/node_cache.hpp>
#include <tessera/layout.hpp>

#include "format.hpp"
#include "patch_text.hpp"
#include "transfers.hpp"

// What only the files that make up ArrayCore see of it.
namespace tessera::detail {

struct ArrayCore::Scopes {
  std::mutex mutex;
  std::vector<index_t> written;  // blocks, or all_blocks
};

struct ArrayCore::Epoch {
  bool active = false, caches = false;
  Mode mode = Mode::read_only;
  std::uint64_t number = 0;
  std::unique_ptr<NodeCache> cache;
  index_t cache_bytes = 0;
  std::vector<OwnedBox> written;  // by this rank
};

// Checks patch and buffer, and calls f(rank, byte offset, shape, local pointer) for the part of each owner.
template <class Pointer, class F>
void ArrayCore::for_each_transfer(const Lattice& patch, const Field& field, const Buffer<Pointer>& buffer,
                                  F&& f) const {
  if (segment_.face().direct_ranks == 0) require_open();
  using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, const std::byte, std::byte>;
  auto* const data = static_cast<Byte*>(buffer.data);
  const auto transfer = [&](int rank, index_t offset, const Strided& shape, index_t before) {
    f(rank, offset, shape, data + before * field.size);
  };
  detail::for_each_transfer(*this, patch, field, buffer.extents, buffer.strides, std::cref(transfer));
}

}  // namespace tessera::detail
