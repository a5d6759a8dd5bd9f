// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/group.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// y[i] = y[i] op x[i] for `count` elements that do not overlap.
using Fold = void (*)(void* y, const void* x, index_t count);

/// The kernel of a reduction; null if the kind does not have the operation. Its results are the same on every
/// processor, to the last bit. @local
Fold fold(ElementKind kind, Reduce operation) noexcept;

}  // namespace tessera::detail
