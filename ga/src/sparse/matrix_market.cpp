// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "sparse/matrix_market.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <complex>
#include <istream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/core/arithmetic.hpp>

#include "format.hpp"

namespace tessera::detail {
namespace {

enum class NumberKind { real, integer, pattern, complex };
enum class Symmetry { general, symmetric, hermitian, skew };

constexpr std::size_t max_quoted = 60;  // characters of the file, in messages

// A file whose header has been read.
class MatrixFile {
 public:
  explicit MatrixFile(std::istream& in);

  NumberKind kind = NumberKind::real;
  Symmetry symmetry = Symmetry::general;
  index_t rows = 0, columns = 0, entries = 0;

  // Calls f for each line with an entry in share `part` of `parts`. A line belongs to the share in which it
  // begins.
  template <class F>
  void for_each_line(int part, int parts, F&& f);

 private:
  bool next_line(std::string& line) {
    do {
      if (!std::getline(in_, line)) return false;
      position_ += std::ssize(line) + 1;
    } while (line.starts_with('%') ||
             std::all_of(line.begin(), line.end(), [](unsigned char c) { return std::isspace(c) != 0; }));
    return true;
  }

  std::istream& in_;
  index_t position_ = 0;
};

template <class Word>
Word word_of(const std::string& text, const std::vector<std::pair<std::string_view, Word>>& words) {
  for (const auto& [name, word] : words) {
    if (text == name) return word;
  }
  if (text.empty())
    throw UsageError("its first line ends before it says numbers and symmetry (\"real general\")");
  throw UsageError(formatted("its kind \"{}\" is unknown", text.substr(0, max_quoted)));
}

MatrixFile::MatrixFile(std::istream& in) : in_(in) {
  std::string line, banner, object, format, numbers, shape;
  std::getline(in_, line);
  position_ = std::ssize(line) + 1;
  std::transform(line.begin(), line.end(), line.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::istringstream(line) >> banner >> object >> format >> numbers >> shape;
  if (banner != "%%matrixmarket" || object != "matrix" || format != "coordinate")
    throw UsageError("it does not begin with \"%%MatrixMarket matrix coordinate\"");
  kind = word_of<NumberKind>(numbers, {{"real", NumberKind::real},
                                       {"integer", NumberKind::integer},
                                       {"pattern", NumberKind::pattern},
                                       {"complex", NumberKind::complex}});
  symmetry = word_of<Symmetry>(shape, {{"general", Symmetry::general},
                                       {"symmetric", Symmetry::symmetric},
                                       {"hermitian", Symmetry::hermitian},
                                       {"skew-symmetric", Symmetry::skew}});
  const bool is_known = kind == NumberKind::complex ? true
                        : kind == NumberKind::pattern
                            ? symmetry == Symmetry::general || symmetry == Symmetry::symmetric
                            : symmetry != Symmetry::hermitian;
  if (!is_known)
    throw UsageError(formatted("the format has no matrices that are both {} and {}", numbers, shape));
  std::string rest;
  const bool has_sizes = next_line(line);
  std::istringstream sizes(line);
  if (!has_sizes || !(sizes >> rows >> columns >> entries) || sizes >> rest || rows < 0 || columns < 0 ||
      entries < 0)
    throw UsageError("it has no line with the numbers of rows, columns and entries");
  if (symmetry != Symmetry::general && rows != columns)
    throw UsageError(formatted("it is said to be {}, and has {} rows and {} columns", shape, rows, columns));
}

template <class F>
void MatrixFile::for_each_line(int part, int parts, F&& f) {
  std::string line;
  const index_t body = position_;
  in_.clear();
  in_.seekg(0, std::ios::end);
  const index_t size = std::max<index_t>(in_.tellg() - std::streamoff{body}, 0);
  const auto border = [&](int k) { return body + size / parts * k + size % parts * k / parts; };
  const index_t begin = border(part), end = border(part + 1);
  position_ = begin;
  in_.seekg(begin);
  if (begin > body) {  // the rest of a line that began before
    in_.seekg(begin - 1);
    std::getline(in_, line);
    position_ = begin + std::ssize(line);
  }
  // Lines without an entry may be the last ones of a share.
  while (next_line(line) && position_ - std::ssize(line) - 1 < end) f(line);
}

// The numbers of a line, one after another.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : line_(line), rest_(line) {}

  template <class Number>
  Number next() {
    skip_spaces();
    if (rest_.starts_with("+-")) fail();
    if (rest_.starts_with('+')) rest_.remove_prefix(1);
    Number number{};
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error == std::errc::result_out_of_range)
      throw UsageError(formatted("a number of its line \"{}\" is too large or too small", shown()));
    if (error != std::errc()) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (!rest_.empty() && spaces.find(rest_.front()) == std::string_view::npos) fail();
    return number;
  }
  void end() {
    skip_spaces();
    if (!rest_.empty()) fail();
  }
  [[noreturn]] void fail() const {
    throw UsageError(
        formatted("its line \"{}\" is no entry of the kind that the file is said to have", shown()));
  }

 private:
  void skip_spaces() noexcept { rest_.remove_prefix(std::min(rest_.find_first_not_of(spaces), rest_.size())); }
  std::string_view shown() const {
    return line_.substr(0, std::min(line_.find_last_not_of(spaces) + 1, max_quoted));
  }
  static constexpr std::string_view spaces = " \t\r";
  std::string_view line_, rest_;
};

template <class T>
void require_fitting(NumberKind kind) {
  constexpr bool real = std::is_arithmetic_v<T>;
  if (real && kind == NumberKind::complex)
    throw UsageError("its numbers are complex, and those of the matrix are not");
  if (std::is_integral_v<T> && kind == NumberKind::real)
    throw UsageError("its numbers are real, and those of the matrix integers");
}

// A number of the file as T's. One that is out of T's range must become neither infinite nor 0, and an integer
// no other one.
template <class Real>
Real real_of(LineReader& numbers, NumberKind kind) {
  if (kind == NumberKind::integer) {
    const auto given = numbers.next<index_t>();
    const auto real = static_cast<Real>(given);
    if (static_cast<long double>(real) != static_cast<long double>(given))
      throw UsageError(formatted("its number {} has too many digits for the elements of the matrix", given));
    return real;
  }
  const auto given = numbers.next<double>();
  const auto real = static_cast<Real>(given);
  if ((std::isfinite(given) && !std::isfinite(real)) || (given != 0 && real == 0)) {
    throw UsageError(formatted("its number {} is too {} for the elements of the matrix", given,
                               real == 0 ? "small" : "large"));
  }
  return real;
}

template <class T>
T negative(T value) {
  if constexpr (std::is_integral_v<T>) {
    if (value == std::numeric_limits<T>::min())
      throw UsageError(formatted("its number {} has no negative among the elements of the matrix", value));
  }
  return static_cast<T>(-value);
}

template <class T>
T value_of(LineReader& numbers, NumberKind kind) {
  if (kind == NumberKind::pattern) return T{1};
  if constexpr (std::is_integral_v<T>) {
    return numbers.next<T>();
  } else if constexpr (std::is_floating_point_v<T>) {
    return real_of<T>(numbers, kind);
  } else {
    using Real = typename T::value_type;
    const Real real = real_of<Real>(numbers, kind);
    return {real, kind == NumberKind::complex ? real_of<Real>(numbers, kind) : Real{0}};
  }
}

// Adds an entry of a line, and the one across the diagonal that the file leaves out.
template <class T>
void add_entry(std::string_view line, const MatrixFile& file, std::vector<Triplet<T>>& triplets) {
  LineReader numbers(line);
  const auto row = numbers.next<index_t>(), column = numbers.next<index_t>();
  const T value = value_of<T>(numbers, file.kind);
  numbers.end();
  if (row < 1 || row > file.rows || column < 1 || column > file.columns)
    throw UsageError(formatted("its entry ({}, {}) is outside {} rows and {} columns", row, column, file.rows,
                               file.columns));
  triplets.push_back({row - 1, column - 1, value});
  if (file.symmetry == Symmetry::general) return;
  if (column > row || (file.symmetry == Symmetry::skew && column == row))
    throw UsageError(formatted(
        "its entry ({}, {}) is not below the diagonal (a file of this symmetry leaves it out)", row, column));
  const bool is_real = conjugate(value) == value || value != value;
  if (column == row && file.symmetry == Symmetry::hermitian && !is_real)
    throw UsageError(
        formatted("its entry ({}, {}) on the diagonal is not real, as in a Hermitian matrix", row, column));
  if (column == row) return;
  const T across = file.symmetry == Symmetry::symmetric   ? value
                   : file.symmetry == Symmetry::hermitian ? conjugate(value)
                                                          : negative(value);
  triplets.push_back({column - 1, row - 1, across});
}

}  // namespace

template <Arithmetic T>
MatrixShare<T> parse_matrix_market(std::istream& in, int part, int parts) {
  MatrixFile file(in);
  require_fitting<T>(file.kind);
  MatrixShare<T> share{file.rows, file.columns, file.entries};
  file.for_each_line(part, parts, [&](const std::string& line) {
    ++share.lines;
    add_entry(line, file, share.triplets);
  });
  return share;
}

template MatrixShare<std::int32_t> parse_matrix_market(std::istream&, int, int);
template MatrixShare<std::int64_t> parse_matrix_market(std::istream&, int, int);
template MatrixShare<float> parse_matrix_market(std::istream&, int, int);
template MatrixShare<double> parse_matrix_market(std::istream&, int, int);
template MatrixShare<std::complex<float>> parse_matrix_market(std::istream&, int, int);
template MatrixShare<std::complex<double>> parse_matrix_market(std::istream&, int, int);

}  // namespace tessera::detail
