// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi_test.hpp"

TEST(Harness, passes) { EXPECT_EQ(tessera::test::on_all(tessera::test::world().rank() == 0), false); }

TEST(Harness, fails) { EXPECT_NE(tessera::test::world().rank(), 1); }
