// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/strided.hpp>

#include "base/verb.hpp"
#include "kernels/lock_stripes.hpp"

namespace tessera::detail {

/// Accumulates between two places in this process's address space, under the stripe locks:
/// target = target + alpha * source, or the update of both.
void accumulate_on_node(const Striped& stripes, std::byte* target, const Strided& shape, const Action& action,
                        const std::byte* source);

}  // namespace tessera::detail
