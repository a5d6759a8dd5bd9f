// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "mpi/unyielding.hpp"

// Open MPI's switch, by its own names.
namespace {

using tessera::detail::mpi::Unyielding;

TEST(Unyielding, leaves_the_users_choice_whatever_threads_do) {
  const auto* const yields =
      static_cast<const volatile bool*>(dlsym(RTLD_DEFAULT, "opal_progress_yield_when_idle"));
  if (yields == nullptr) return;  // MPICH has no such switch
  const auto set = reinterpret_cast<bool (*)(bool)>(dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle"));
  ASSERT_NE(set, nullptr);
  set(true);
  {
    const Unyielding unyielding;
    EXPECT_FALSE(*yields);
  }
  EXPECT_TRUE(*yields);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([] {
        for (int i = 0; i < 20000; ++i) const Unyielding unyielding;
      });
    }
    threads.clear();
    ASSERT_TRUE(*yields) << "after round " << round;
  }
}

}  // namespace
