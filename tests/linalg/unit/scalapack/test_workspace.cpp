// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "scalapack/workspace.hpp"

// The workspace of ScaLAPACK's routines.
namespace tessera::test {
namespace {

using linalg::scalapack::answered;
using linalg::scalapack::length_of;
using linalg::scalapack::Memory;

TEST(Workspace, notices_a_write_behind_its_end) {
  for (const int length : {0, 1, 1000}) {
    for (const std::size_t byte : {std::size_t{0}, linalg::blas::room_behind - 1}) {
      Memory<double> memory(length);
      EXPECT_EQ(memory.length(), length);
      std::memset(memory.data(), 0, static_cast<std::size_t>(length) * sizeof(double));
      EXPECT_TRUE(memory.is_intact()) << length;
      reinterpret_cast<char*>(memory.data() + length)[byte] = 1;
      EXPECT_FALSE(memory.is_intact()) << length << ", byte " << byte;
    }
  }
}

// Above 2^24, float holds only every second whole number, and above 2^28 every 32nd.
TEST(Workspace, is_as_long_as_an_answer_that_was_rounded_down) {
  for (const int needed : {1, (1 << 24) + 1, (1 << 28) + 31, (1 << 30) + 127}) {
    const float answer = std::nextafter(static_cast<float>(needed), 0.0F);
    EXPECT_GE(length_of(answered(answer)), needed);
    EXPECT_GE(length_of(answered(std::complex<float>(answer))), needed);
    EXPECT_GE(length_of(answered(static_cast<double>(needed))), needed);
  }
}

TEST(Workspace, has_at_most_as_many_elements_as_an_int_counts) {
  constexpr int most = std::numeric_limits<int>::max();
  EXPECT_EQ(length_of(17.9), 17);
  EXPECT_EQ(length_of(static_cast<double>(most)), most);
  EXPECT_EQ(length_of(1e12), most);
}

}  // namespace
}  // namespace tessera::test
