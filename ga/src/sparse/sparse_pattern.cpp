// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/sparse_pattern.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <tessera/core/axis.hpp>
#include <tessera/runtime/error.hpp>

#include "base/at.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

constexpr index_t most_places = std::numeric_limits<std::int32_t>::max();

}  // namespace

SparsePattern::Range range_of(const Layout<1>& layout, int rank) {
  const Interval interval = layout.core().grid()->axis(0).interval(rank, 0);
  return {interval.begin, interval.end};
}

SparsePattern::SparsePattern(const Group& group, const Layout<1>& rows, const Layout<1>& columns,
                             std::vector<index_t> row_begins, std::span<const index_t> column_numbers)
    : row_layout(rows),
      column_layout(columns),
      own_rows(range_of(rows, group.rank())),
      own_columns(range_of(columns, group.rank())),
      begins(std::move(row_begins)),
      own_border{} {
  sort_rows(column_numbers);
  list_border(column_numbers);
  find_alike(column_numbers);
  list_stretches(group);
}

void SparsePattern::sort_rows(std::span<const index_t> numbers) {
  const bool places_fit = own_columns.size() <= most_places;
  for (index_t i = 0; i < own_rows.size(); ++i) {
    const index_t first = begins[at(i)], last = begins[at(i + 1)] - 1;
    const bool is_inner = last < first || (places_fit && own_columns.has(numbers[at(first)]) &&
                                           own_columns.has(numbers[at(last)]));
    auto& list = is_inner ? inner : border;
    if (list.empty() || list.back().end < i) list.push_back({i, i});
    ++list.back().end;
  }
}

void SparsePattern::list_border(std::span<const index_t> numbers) {
  const auto for_each_element = [&](const std::vector<Range>& rows, auto&& f) {
    for (const Range& some : rows) {
      for (index_t k = begins[at(some.begin)]; k < begins[at(some.end)]; ++k) f(at(k));
    }
  };
  for_each_element(border, [&](std::size_t k) { border_columns.push_back(numbers[k]); });
  std::sort(border_columns.begin(), border_columns.end());
  border_columns.erase(std::unique(border_columns.begin(), border_columns.end()), border_columns.end());
  if (border_columns.size() > at(most_places))
    throw UsageError(formatted("its rows need {} elements of a vector, more than 2^31", border_columns.size()));
  const auto place_of = [this](index_t column) {
    return std::lower_bound(border_columns.begin(), border_columns.end(), column) - border_columns.begin();
  };
  own_border = {place_of(own_columns.begin), place_of(own_columns.end)};
  places.resize(numbers.size());
  for_each_element(
      inner, [&](std::size_t k) { places[k] = static_cast<std::int32_t>(numbers[k] - own_columns.begin); });
  for_each_element(border, [&](std::size_t k) { places[k] = static_cast<std::int32_t>(place_of(numbers[k])); });
}

// Alike rows are all inner rows or all border rows, so they lie in one range.
void SparsePattern::find_alike(std::span<const index_t> numbers) {
  const auto columns = [&](index_t i) {
    return numbers.subspan(at(begins[at(i)]), at(begins[at(i + 1)] - begins[at(i)]));
  };
  alike.resize(at(own_rows.size()), 1);
  for (index_t i = 0; i < own_rows.size(); i += alike[at(i)]) {
    const index_t end = std::min(own_rows.size(), i + max_alike);
    index_t next = i + 1;
    while (next < end && std::ranges::equal(columns(i), columns(next))) ++next;
    alike[at(i)] = static_cast<std::uint8_t>(next - i);
  }
}

void SparsePattern::list_stretches(const Group& group) {
  const Axis& axis = column_layout.core().grid()->axis(0);
  for (index_t place = 0; place < std::ssize(border_columns); ++place) {
    if (own_border.has(place)) continue;
    const index_t column = border_columns[at(place)];
    const Interval there = axis.find(column);
    auto& list = group.on_node(there.part) ? near : far;
    const bool continues =
        !list.empty() && list.back().owner == there.part && list.back().column + list.back().count == column;
    if (!continues) list.push_back({there.part, column, column - there.begin, place, 0});
    ++list.back().count;
  }
}

}  // namespace tessera::detail
