// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi_main.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Tests ask which path was taken, so it must not depend on what the Runtime measures as fastest when it
  // starts. That choice has tests of its own.
  setenv("TESSERA_METHOD", "packed", 0);
  tessera::Runtime runtime(argc, argv);
  return tessera::test::run_all(runtime);
}
