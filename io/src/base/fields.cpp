// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/fields.hpp"

#include <algorithm>
#include <charconv>

#include <tessera/io/error.hpp>

#include "format.hpp"
#include "printable.hpp"

namespace tessera::io::detail {
namespace {

constexpr std::size_t max_quoted = 60;

std::string quoted(std::string_view text) {
  return formatted("\"{}{}\"", printable(text.substr(0, max_quoted)), text.size() > max_quoted ? "..." : "");
}

template <class Number>
Number number_of(std::string_view text, int base) {
  Number value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    throw IoError(formatted("{} is no number, where one was expected", quoted(text)));
  return value;
}

index_t count_of(std::string_view text) {
  const auto count = number_of<index_t>(text, 10);
  if (count < 0) throw IoError(formatted("{} is negative, where a count was expected", quoted(text)));
  return count;
}

}  // namespace

std::string_view Fields::next() {
  if (rest_.empty()) throw IoError("a text ends before all of it is there");
  const std::size_t end = std::min(rest_.find(separator_), rest_.size());
  const auto field = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  return field;
}

std::string_view Fields::next(std::string_view name) {
  const auto field = next();
  if (field.size() <= name.size() || field.substr(0, name.size()) != name || field[name.size()] != ' ')
    throw IoError(formatted("there is {} where \"{}\" should be", quoted(field), name));
  return field.substr(name.size() + 1);
}

index_t Fields::count() { return count_of(next()); }
index_t Fields::count(std::string_view name) { return count_of(next(name)); }
std::int64_t Fields::number(std::string_view name) { return number_of<std::int64_t>(next(name), 10); }
std::uint64_t Fields::checksum(std::string_view name) { return number_of<std::uint64_t>(next(name), 16); }

}  // namespace tessera::io::detail
