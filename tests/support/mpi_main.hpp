// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/runtime.hpp>

namespace tessera::test {

/// Runs all tests. Every rank prints its failures with its rank; only rank 0 prints progress. All ranks wait
/// for each other after every test. Returns 0 if at least one test ran and none failed on any rank. @collective
int run_all(const Runtime& runtime);

}  // namespace tessera::test
