// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/types.hpp>

#include "state/segment_state.hpp"

// Operations on one element: in the CPU domain under its stripe's lock, in the MPI domain by MPI.
namespace tessera::detail {

/// `result` becomes the old value.
void element_update(SegmentState& segment, int rank, index_t offset, ElementKind kind, Update update,
                    const void* value, void* result);
/// Returns whether `desired` was stored; `expected` becomes the old value.
bool element_compare_exchange(SegmentState& segment, int rank, index_t offset, ElementKind kind, void* expected,
                              const void* desired);

}  // namespace tessera::detail
