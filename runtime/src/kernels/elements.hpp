// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/types.hpp>

#include "kernels/kernels.hpp"
#include "kernels/lock_stripes.hpp"

// Operations on one value in this process's address space.
namespace tessera::detail {

// Operations on elements, under their stripe. `result` is the old value. Inline: one more call would take a
// tenth of the time.
inline void update_element(const Striped& stripes, std::byte* where, ElementKind kind, Update update,
                           const void* value, void* result) noexcept {
  const std::uint64_t stripe = stripes.of(where);
  stripes.locks.lock(stripe);
  fetch_update(kind, update, where, value, result);
  stripes.locks.unlock(stripe);
}
/// Whether `desired` was stored; `expected` becomes the old value.
bool compare_exchange_element(const Striped& stripes, std::byte* where, ElementKind kind, void* expected,
                              const void* desired) noexcept;

// Operations on scalars, by atomic instructions.
void update_scalar(std::byte* where, ElementKind kind, Update update, const void* value, void* result) noexcept;
bool compare_exchange_scalar(std::byte* where, ElementKind kind, void* expected, const void* desired) noexcept;
void load_scalar(std::byte* where, ElementKind kind, void* value) noexcept;

}  // namespace tessera::detail
