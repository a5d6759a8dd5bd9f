// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

namespace tessera::linalg::blas {

/// Checks once that OpenBLAS can have the buffer that its first call maps. OpenBLAS 0.3.21 asks for ever if it
/// is refused. @local @throws MemoryError
void require_buffer();

}  // namespace tessera::linalg::blas
