// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdlib>

#include <tessera/linalg/backend.hpp>

#include "mpi_test.hpp"

// The report on the BLAS in use, in the environment that the tests give it.
namespace tessera::test {
namespace {

bool warns_of(const linalg::BackendReport& report, std::string_view what) {
  for (const std::string& warning : report.warnings) {
    if (warning.find(what) != std::string::npos) return true;
  }
  return false;
}

TEST(Backend, names_the_library_and_counts_threads) {
  const auto report = linalg::backend_report(world());
  const char* threads = std::getenv("OPENBLAS_NUM_THREADS");
  ASSERT_NE(threads, nullptr);
  EXPECT_NE(report.text().find(report.blas), std::string::npos);
  int here = 0;
  for (int rank = 0; rank < world().size(); ++rank) here += world().on_node(rank) ? 1 : 0;
  EXPECT_EQ(report.processes, here);
  EXPECT_GE(report.processors, 1);
  if (report.blas.find("OpenBLAS") == std::string::npos)
    GTEST_SKIP() << "the rest is for OpenBLAS: " << report.blas;
  EXPECT_FALSE(report.kernels.empty());
  // OpenBLAS takes no more threads than there are processors.
  EXPECT_EQ(report.threads, std::min(std::atoi(threads), report.processors));
  EXPECT_EQ(warns_of(report, "OPENBLAS_NUM_THREADS=1"), report.threads * here > report.processors);
}

TEST(Backend, warns_of_old_kernels) {
  const char* core = std::getenv("OPENBLAS_CORETYPE");
  const auto report = linalg::backend_report(world());
  if (core == nullptr || report.blas.find("OpenBLAS") == std::string::npos)
    GTEST_SKIP() << "no kernels were asked for";
  EXPECT_EQ(report.kernels, core);
#if defined(__x86_64__)
  if (std::string_view(core) == "Nehalem" && __builtin_cpu_supports("avx")) {
    EXPECT_TRUE(warns_of(report, "OPENBLAS_CORETYPE"));
  }
#endif
}

}  // namespace
}  // namespace tessera::test
