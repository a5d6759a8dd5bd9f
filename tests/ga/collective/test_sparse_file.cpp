// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <complex>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <unistd.h>

#include <tessera/sparse_file.hpp>

#include "mpi_test.hpp"
#include "onesided_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

// A file that rank 0 writes, until the end of the scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("tessera_matrix_" + std::to_string(world().broadcast(static_cast<index_t>(getpid()), 0)) +
               ".mtx")) {
    if (world().rank() == 0) std::ofstream(path_, std::ios::binary) << text;
    world().barrier();
  }
  ~TemporaryFile() {
    world().barrier();
    if (world().rank() == 0) std::filesystem::remove(path_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

template <class T>
using Elements = std::map<std::pair<index_t, index_t>, T>;

// Reads a file of this text, makes a matrix of it, and compares all its rows with the expected elements.
template <class T>
void expect_matrix(const std::string& text, const Extents<2>& dims, const Elements<T>& expected) {
  const TemporaryFile file(text);
  const auto read = read_matrix_market<T>(world(), file.path());
  EXPECT_EQ(Extents<2>(read.rows, read.columns), dims);
  const SparseMatrix<T> a(world(), read.rows, read.columns, read.triplets);
  Elements<T> found;
  for (index_t i = 0; i < read.rows; ++i) {
    for (const auto& [row, column, value] : a.row(i)) found[{row, column}] = value;
  }
  EXPECT_EQ(found, expected);
  world().sync();
}

std::string head(const std::string& kind) { return "%%MatrixMarket matrix coordinate " + kind + "\n"; }

TEST(SparseFile, every_kind_is_read) {
  expect_matrix<double>(head("real general") + "% a comment\n\n3 4 3\n1 1 2.5\n3 4 -1e-3\n2 1 +7\n", {3, 4},
                        {{{0, 0}, 2.5}, {{2, 3}, -1e-3}, {{1, 0}, 7.0}});
  expect_matrix<std::int32_t>(head("integer symmetric") + "3 3 2\n3 1 -4\n2 2 5", {3, 3},
                              {{{2, 0}, -4}, {{0, 2}, -4}, {{1, 1}, 5}});
  expect_matrix<float>(head("PATTERN general") + "2 2 2\r\n1 2\r\n2 1 \r\n", {2, 2},
                       {{{0, 1}, 1.0F}, {{1, 0}, 1.0F}});
  expect_matrix<double>(head("real skew-symmetric") + "2 2 1\n2 1 3\n", {2, 2},
                        {{{1, 0}, 3.0}, {{0, 1}, -3.0}});
  using Complex = std::complex<double>;
  expect_matrix<Complex>(head("complex hermitian") + "2 2 2\n1 1 4 0\n2 1 1 -2\n", {2, 2},
                         {{{0, 0}, Complex(4)}, {{1, 0}, Complex(1, -2)}, {{0, 1}, Complex(1, 2)}});
  expect_matrix<Complex>(head("real general") + "1 1 1\n1 1 4\n", {1, 1}, {{{0, 0}, Complex(4)}});
  expect_matrix<std::int64_t>(head("integer general") + "5 0 0\n", {5, 0}, {});
}

// Shares of ranks begin and end within lines.
TEST(SparseFile, each_line_is_read_once) {
  for (const index_t count : {1, 2, 5, 40, 301}) {
    std::string text = head("integer general") + std::to_string(count) + " 9 " + std::to_string(count) + "\n";
    Elements<std::int64_t> expected;
    for (index_t i = 0; i < count; ++i) {
      const index_t value = i % 7 == 0 ? 123456789 * i : i;
      text += std::to_string(i + 1) + " " + std::to_string(i % 9 + 1) + "  " + std::to_string(value) + "\n";
      if (i % 11 == 0) text += "\n";
      expected[{i, i % 9}] = value;
    }
    expect_matrix<std::int64_t>(text, {count, 9}, expected);
  }
}

template <class T>
std::string problem_of(const std::string& text) {
  const TemporaryFile file(text);
  return message_of<UsageError>([&] { (void)read_matrix_market<T>(world(), file.path()); });
}

TEST(SparseFile, broken_files_are_told_on_every_rank) {
  const auto expect_told = [](const std::string& problem, const std::string& part) {
    EXPECT_NE(problem.find(part), std::string::npos) << problem;
  };
  const std::string good = head("real general") + "2 2 2\n";
  expect_told(message_of<UsageError>([] { (void)read_matrix_market<double>(world(), "/no/such.mtx"); }),
              "\"/no/such.mtx\": it cannot be opened");
  expect_told(message_of<UsageError>([] { (void)read_matrix_market<double>(world(), "/tmp"); }),
              "is a directory");
  expect_told(problem_of<double>(""), "does not begin with");
  expect_told(problem_of<double>("%%MatrixMarket matrix coordinate real\n1 1 0\n"), "ends before it says");
  expect_told(problem_of<float>(head("real general") + "1 1 1\n1 1 1e-50\n"), "1e-50 is too small");
  expect_told(problem_of<double>(head("integer general") + "1 1 1\n1 1 2.5\n"), "\"1 1 2.5\"");
  expect_told(problem_of<double>(head("integer general") + "1 1 1\n1 1 9007199254740993\n"), "too many digits");
  expect_told(problem_of<std::int32_t>(head("integer skew-symmetric") + "2 2 1\n2 1 -2147483648\n"),
              "-2147483648 has no negative");
  expect_told(problem_of<double>("%%MatrixMarket matrix array real general\n1 1\n1\n"), "does not begin with");
  expect_told(problem_of<double>(head("real diagonal") + "1 1 0\n"), "\"diagonal\" is unknown");
  expect_told(problem_of<double>(head("real general")), "no line with the numbers");
  expect_told(problem_of<double>(head("real general") + "2 -2 1\n"), "no line with the numbers");
  expect_told(problem_of<double>(head("real symmetric") + "2 3 0\n"), "2 rows and 3 columns");
  expect_told(problem_of<double>(good + "1 1 1\n"), "2 entries, and has 1");
  expect_told(problem_of<double>(good + "1 1 1\n2 2 2\n1 2 3\n"), "2 entries, and has 3");
  expect_told(problem_of<double>(good + "1 1 1\n2 2 two\n"), "\"2 2 two\"");
  expect_told(problem_of<double>(good + "1 1 1\n2 2 2 2\n"), "\"2 2 2 2\"");
  expect_told(problem_of<double>(good + "1 1 1\n2 2 +-2\n"), "\"2 2 +-2\"");
  expect_told(problem_of<double>(good + "1 1 1\n3 1 2\n"), "(3, 1) is outside 2 rows");
  expect_told(problem_of<double>(good + "1 1 1\n0 1 2\n"), "(0, 1) is outside");
  expect_told(problem_of<double>(head("real symmetric") + "2 2 1\n1 2 1\n"), "(1, 2) is not below");
  expect_told(problem_of<double>(head("real skew-symmetric") + "2 2 1\n1 1 1\n"), "(1, 1) is not below");
  expect_told(problem_of<std::complex<double>>(head("complex hermitian") + "1 1 1\n1 1 1 2\n"), "is not real");
  expect_told(problem_of<double>(head("pattern skew-symmetric") + "2 2 1\n2 1\n"),
              "both pattern and skew-symmetric");
  expect_told(problem_of<double>(head("real hermitian") + "1 1 1\n1 1 1\n"), "both real and hermitian");
  expect_told(problem_of<double>(head("complex general") + "1 1 1\n1 1 1 1\n"), "are complex");
  expect_told(problem_of<std::int32_t>(head("real general") + "1 1 1\n1 1 1\n"), "are real");
  expect_told(problem_of<std::int32_t>(head("integer general") + "1 1 1\n1 1 4000000000\n"), "4000000000");
  expect_told(problem_of<std::int32_t>(head("integer general") + "1 1 1\n1 1 4000000000\n"), "is too large");
  expect_told(problem_of<double>(head("real general") + "1 1 1\n1 1 1e400\n"), "is too large");
  expect_told(problem_of<float>(head("real general") + "1 1 1\n1 1 1e300\n"), "1e+300 is too large");
  expect_told(problem_of<std::complex<float>>(head("complex general") + "1 1 1\n1 1 0 1e300\n"),
              "1e+300 is too large");
}

}  // namespace
