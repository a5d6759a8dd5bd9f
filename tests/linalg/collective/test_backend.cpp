// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdlib>

#include <tessera/elementwise.hpp>
#include <tessera/linalg/backend.hpp>
#include <tessera/linalg/gemm.hpp>

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

// The routine that comes first prints the warnings of the report, once. Other tests of the program may have
// been first.
TEST(Backend, first_routine_warns_once) {
  Array<double, 2> a(world(), {4, 4}), c(world(), {4, 4});
  fill(a, 1.0);
  testing::internal::CaptureStderr();
  linalg::gemm(1.0, a, a, 0.0, c);
  const std::string first = testing::internal::GetCapturedStderr();
  testing::internal::CaptureStderr();
  linalg::gemm(1.0, a, a, 0.0, c);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  const char* core = std::getenv("OPENBLAS_CORETYPE");
  if (core == nullptr || std::string_view(core) != "Nehalem") GTEST_SKIP() << "this is not linalg_backend";
  const auto report = linalg::backend_report(world());
  for (const std::string& warning : report.warnings)
    EXPECT_EQ(first.find(warning) != std::string::npos, world().rank() == 0) << warning;
}

}  // namespace
}  // namespace tessera::test
