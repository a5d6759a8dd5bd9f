// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// A part of each element, in bytes.
struct Field {
  index_t offset, size;
};

/// The place of a member in its structure. @local
template <class S, class F>
Field field_of(F S::*member) noexcept {
  // Computed in storage for which no constructor ran.
  alignas(S) static constexpr std::byte storage[sizeof(S)]{};
  const auto* element = reinterpret_cast<const S*>(storage);
  return {reinterpret_cast<const std::byte*>(&(element->*member)) - storage, sizeof(F)};
}

}  // namespace tessera::detail
