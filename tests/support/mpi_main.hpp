// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/runtime.hpp>

namespace tessera::test {

/// Runs all tests: failures of every rank are printed with the rank, progress by rank 0 only, ranks wait for
/// each other after every test. 0 if at least one test ran and none failed on any rank. @collective
int run_all(const Runtime& runtime);

}  // namespace tessera::test
