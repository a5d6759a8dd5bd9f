// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi_main.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // What is fastest is measured when the Runtime starts, and tests ask which path was taken. That choice has
  // tests of its own.
  setenv("TESSERA_METHOD", "packed", 0);
  tessera::Runtime runtime(argc, argv);
  return tessera::test::run_all(runtime);
}
