// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/types.hpp>

#include "state/segment_state.hpp"

// Operations on one element: under its stripe's lock where the domain is the CPU's, by MPI where it is MPI's.
namespace tessera::detail {

/// `result` becomes what was there.
void element_update(SegmentState& segment, int rank, index_t offset, ElementKind kind, Update update,
                    const void* value, void* result);
/// Whether `desired` was stored; `expected` becomes what was there.
bool element_compare_exchange(SegmentState& segment, int rank, index_t offset, ElementKind kind, void* expected,
                              const void* desired);

}  // namespace tessera::detail
