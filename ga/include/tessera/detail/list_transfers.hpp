// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>

#include <tessera/core/array_core.hpp>
#include <tessera/index.hpp>
#include <tessera/runtime/vector.hpp>

// Transfers between elements at a list of positions and local memory. `at` holds `count` positions one after
// another, each with one number per dimension of the array.
namespace tessera::detail {

/// @onesided @throws UsageError for a position outside the array @completion as get, put and accumulate
void gather(const ArrayCore& array, const index_t* at, void* into, index_t count, const VectorOptions& options);
void scatter(ArrayCore& array, const index_t* at, const void* from, index_t count,
             const VectorOptions& options);
void scatter_accumulate(ArrayCore& array, const index_t* at, const void* from, const void* alpha, index_t count,
                        const VectorOptions& options);

/// A list in the form that the functions above take. @local
template <std::size_t N>
const index_t* indices_of(std::span<const Index<N>> at) noexcept {
  return reinterpret_cast<const index_t*>(at.data());
}

/// The common length of two lists. @local @throws UsageError if they differ in length
index_t list_length(const ArrayCore& array, std::size_t positions, std::size_t values);

}  // namespace tessera::detail
