// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <complex>
#include <cstring>
#include <sstream>

#include <tessera/runtime/error.hpp>

#include "fuzz.hpp"
#include "sparse/matrix_market.hpp"

namespace {

using tessera::index_t;
using tessera::Triplet;
using tessera::UsageError;
using tessera::detail::MatrixShare;
using tessera::detail::parse_matrix_market;
using tessera::fuzz::require;

template <class T>
bool is_same(const std::vector<Triplet<T>>& a, const std::vector<Triplet<T>>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].row != b[i].row || a[i].column != b[i].column) return false;
    if (a[i].value != b[i].value && a[i].value == a[i].value) return false;  // NaN differs from itself
  }
  return true;
}

template <class T>
bool read(const std::string& text, int part, int parts, MatrixShare<T>& share) {
  try {
    std::istringstream in(text);
    share = parse_matrix_market<T>(in, part, parts);
    return true;
  } catch (const UsageError& error) {
    const std::string message = error.what();
    require(!message.empty() && message.size() < 200, "a message is short");
    return false;
  }
}

// Several ranks read what one rank reads, and refuse what one rank refuses.
template <class T>
void check_shares(const std::string& text, bool is_accepted, const MatrixShare<T>& whole) {
  for (const int parts : {2, 5}) {
    bool all_accept = true;
    index_t lines = 0;
    std::vector<Triplet<T>> triplets;
    for (int part = 0; part < parts; ++part) {
      MatrixShare<T> share;
      all_accept = read(text, part, parts, share) && all_accept;
      lines += share.lines;
      triplets.insert(triplets.end(), share.triplets.begin(), share.triplets.end());
    }
    require(all_accept == is_accepted, "several ranks accept what one rank accepts");
    if (!is_accepted) continue;
    require(lines == whole.lines, "each line belongs to one share");
    require(is_same(triplets, whole.triplets), "the shares have all entries in their order");
  }
}

void check_round_trip(const MatrixShare<double>& matrix) {
  std::ostringstream out;
  out.precision(17);
  out << "%%MatrixMarket matrix coordinate real general\n"
      << matrix.rows << ' ' << matrix.columns << ' ' << matrix.triplets.size() << '\n';
  for (const auto& [row, column, value] : matrix.triplets)
    out << row + 1 << ' ' << column + 1 << ' ' << value << '\n';
  MatrixShare<double> again;
  require(read(out.str(), 0, 1, again), "a matrix that was written can be read");
  require(is_same(again.triplets, matrix.triplets), "a matrix that was written is the same");
}

template <class T>
void check(const std::string& text) {
  MatrixShare<T> whole;
  const bool is_accepted = read(text, 0, 1, whole);
  check_shares(text, is_accepted, whole);
  if (!is_accepted) return;
  for (const auto& triplet : whole.triplets) {
    require(triplet.row >= 0 && triplet.row < whole.rows, "a row is one of the matrix");
    require(triplet.column >= 0 && triplet.column < whole.columns, "a column is one of the matrix");
  }
  if constexpr (std::is_same_v<T, double>) check_round_trip(whole);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = tessera::fuzz::text_of(data, size);
  check<double>(text);
  check<std::int32_t>(text);
  check<std::complex<float>>(text);
  return 0;
}
