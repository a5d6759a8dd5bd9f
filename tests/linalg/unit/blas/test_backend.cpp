// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <tessera/linalg/backend.hpp>

// The text of the report on the BLAS in use.
namespace tessera::test {
namespace {

TEST(BackendReport, has_one_line_for_each_item) {
  const linalg::BackendReport report{.blas = "OpenBLAS 1.2",
                                     .kernels = "Zen",
                                     .threads = 2,
                                     .processors = 4,
                                     .processes = 3,
                                     .warnings = {"slow", "slower"},
                                     .defects = {"reads too much"}};
  EXPECT_EQ(
      report.text(),
      "OpenBLAS 1.2, kernels for Zen, 2 threads for each call; 3 processes of the group and 4 processors here\n"
      "Warning: slow\n"
      "Warning: slower\n"
      "Known defect: reads too much\n");
}

TEST(BackendReport, leaves_out_what_the_library_does_not_report) {
  linalg::BackendReport report;
  report.blas = "unknown BLAS";
  report.processors = report.processes = 1;
  EXPECT_EQ(report.text(), "unknown BLAS; 1 process of the group and 1 processors here\n");
}

}  // namespace
}  // namespace tessera::test
