// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <unistd.h>

#include "mpi_test.hpp"

// The time limit has to end every rank, and the failures found until then must be on record.
TEST(Harness, hangs) {
  EXPECT_NE(tessera::test::world().rank(), 1) << "about to hang";
  while (tessera::test::world().rank() == 1) pause();
}
