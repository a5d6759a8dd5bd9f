// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/strided.hpp>
#include <tessera/runtime/types.hpp>

#include "lock_stripes.hpp"

namespace tessera::detail {

/// What an accumulate does with each element: target = target + alpha * source, or the update of both.
struct Combine {
  ElementKind kind = ElementKind::bytes;
  Update update = Update::sum;
  const void* alpha = nullptr;  // of a sum
};

// node_transfer.cpp: on the node, between any two places of this process's address space.
/// target (op)= source under the stripe locks.
void accumulate_on_node(const Striped& stripes, std::byte* target, const Strided& shape, const Combine& combine,
                        const std::byte* source);

}  // namespace tessera::detail
