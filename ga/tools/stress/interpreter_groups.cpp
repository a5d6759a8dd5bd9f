// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <numeric>

#include "elements.hpp"
#include "interpreter.hpp"
#include "segment_shapes.hpp"

// Collective operations of groups, and groups of groups.
namespace tessera::stress::detail {

namespace {

struct Expectations {
  Values found, expected;
  void add(double one, double other) {
    found.emplace_back(one);
    expected.emplace_back(other);
  }
};

// The result of a reduction of two numbers.
double reduced(Reduce operation, double a, double b) {
  const auto i = static_cast<std::int64_t>(a), j = static_cast<std::int64_t>(b);
  switch (operation) {
    case Reduce::sum:
      return a + b;
    case Reduce::product:
      return a * b;
    case Reduce::min:
      return std::min(a, b);
    case Reduce::max:
      return std::max(a, b);
    case Reduce::absmax:
      return std::max(std::abs(a), std::abs(b));
    case Reduce::absmin:
      return std::min(std::abs(a), std::abs(b));
    case Reduce::logical_and:
      return i != 0 && j != 0 ? 1 : 0;
    case Reduce::logical_or:
      return i != 0 || j != 0 ? 1 : 0;
    case Reduce::bit_and:
      return static_cast<double>(i & j);
    case Reduce::bit_or:
      return static_cast<double>(i | j);
    default:
      return static_cast<double>(i ^ j);
  }
}

template <class T>
void try_reduction(const Group& group, Draws& draws, Expectations& all) {
  const bool is_integer = std::is_integral_v<T>;
  const auto operation = static_cast<Reduce>(draws.below(is_integer ? 11 : std::is_arithmetic_v<T> ? 6 : 2));
  const bool is_magnitude = operation == Reduce::absmax || operation == Reduce::absmin;
  const bool is_logical = operation == Reduce::logical_and || operation == Reduce::logical_or;
  const index_t size = draws.one_in(4) ? 2000 + draws.below(6000) : draws.below(40), seed = draws.below(99999);
  std::vector<T> mine(static_cast<std::size_t>(size));
  Values expected(mine.size());
  for (int member = 0; member < group.size(); ++member)
    for (std::size_t k = 0; k < mine.size(); ++k) {
      const auto value =
          static_cast<double>(random_below(seed + member, k, is_logical ? 2 : 7) - (is_logical ? 0 : 3));
      if (member == group.rank()) mine[k] = element<T>(value);
      expected[k] = member == 0 ? (is_magnitude ? std::abs(value) : value)
                                : reduced(operation, expected[k].real(), value);
    }
  group.all_reduce(std::span(mine), operation);
  for (std::size_t k = 0; k < mine.size(); ++k) {
    all.found.push_back(number(mine[k]));
    all.expected.push_back(expected[k]);
  }
}

void try_broadcast(const Group& group, Draws& draws, Expectations& all) {
  const int root = static_cast<int>(draws.below(group.size()));
  const index_t size = draws.one_in(3) ? 30000 + draws.below(9000) : draws.below(99), seed = draws.below(99999);
  std::vector<std::int16_t> data(static_cast<std::size_t>(size));
  if (group.rank() == root)
    for (std::size_t k = 0; k < data.size(); ++k)
      data[k] = static_cast<std::int16_t>(random_below(seed, k, 30000));
  group.broadcast(std::span(data), root);
  for (std::size_t k = 0; k < data.size(); ++k)
    all.add(data[k], static_cast<double>(random_below(seed, k, 30000)));
}

void try_gather(const Group& group, Expectations& all) {
  struct Odd {
    char bytes[13];
  };
  Odd mine{};
  std::fill(std::begin(mine.bytes), std::end(mine.bytes), static_cast<char>(group.rank() + 1));
  const auto gathered = group.all_gather(mine);
  for (int member = 0; member < group.size(); ++member)
    for (const char byte : gathered[static_cast<std::size_t>(member)].bytes) all.add(byte, member + 1);
}

void try_agreement(const Group& group, Draws& draws, Expectations& all) {
  const auto from =
      static_cast<int>(draws.below(group.size() + 1));  // the problem of this rank, the lowest, is told
  const std::string mine =
      group.rank() >= from ? "problem of " + std::string(static_cast<std::size_t>(group.rank()), '.') : "";
  const std::string told = draws.one_in(2) ? group.agree(mine) : group.sync_and_agree(mine);
  const std::string expected =
      from < group.size() ? "problem of " + std::string(static_cast<std::size_t>(from), '.') : "";
  all.add(told == expected ? 1 : 0, 1);
}

// Groups by color, in the order of keys.
void try_split(const Group& group, Draws& draws, Expectations& all) {
  std::vector<std::pair<int, int>> mine;  // key and rank, of those with my color
  std::vector<int> colors, keys;
  for (int member = 0; member < group.size(); ++member) {
    colors.push_back(static_cast<int>(draws.below(3)) - 1);
    keys.push_back(static_cast<int>(draws.below(4)) - 2);
  }
  const auto me = static_cast<std::size_t>(group.rank());
  for (int member = 0; member < group.size(); ++member) {
    const auto m = static_cast<std::size_t>(member);
    if (colors[m] == colors[me]) mine.emplace_back(keys[m], member);
  }
  std::sort(mine.begin(), mine.end());
  const bool closes = draws.one_in(2);  // drawn by all ranks, members of the part or not
  Group part = group.split(colors[me], keys[me]);
  all.add(part ? 1 : 0, colors[me] == Group::no_color ? 0 : 1);
  if (!part) return;
  all.add(part.size(), static_cast<double>(mine.size()));
  std::vector<int> numbers(mine.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto there = part.translate(numbers, group);
  for (std::size_t k = 0; k < mine.size(); ++k) {
    all.add(there[k], mine[k].second);
    all.add(group.rank_of_world(part.world_rank(static_cast<int>(k))), mine[k].second);
  }
  all.add(part.all_reduce(static_cast<double>(part.rank()), Reduce::sum),
          static_cast<double>(mine.size() * (mine.size() - 1)) / 2);
  if (closes) part.close();
}

// Two groups at the same time, with members in common, under tags of their own.
void try_forming(const Group& group, Expectations& all) {
  std::vector<int> ranks(static_cast<std::size_t>(group.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  const std::vector<int> front(ranks.begin(), ranks.end() - 1), back(ranks.rbegin(), ranks.rend() - 1);
  for (const auto& [members, tag] : {std::pair(front, 3), std::pair(back, 4)}) {
    if (std::find(members.begin(), members.end(), group.rank()) == members.end()) continue;
    Group formed = group.form(members, tag);
    all.add(formed.all_reduce(1.0, Reduce::sum), static_cast<double>(members.size()));
    formed.close();
  }
}

void try_nodes(const Group& group, Expectations& all) {
  const Group node = group.node();
  int members = 0;
  for (int k = 0; k < group.node_count(); ++k)
    for (const int rank : group.ranks_on_node(k)) {
      all.add(group.node_of(rank), k);
      all.add(group.on_node(rank) ? 1 : 0, k == group.node_of(group.rank()) ? 1 : 0);
      ++members;
    }
  all.add(members, group.size());
  all.add(node.size(), static_cast<double>(group.ranks_on_node(group.node_of(group.rank())).size()));
  all.add(node.all_reduce(1.0, Reduce::sum), node.size());
}

}  // namespace

bool Run::collectives(const Line& line) {
  return with_group(line, [&](const Group& group) {
    Draws draws(line.number("seed"));
    for (index_t k = 0; k < line.number("count", 1); ++k) {
      Expectations all;
      const index_t which = draws.below(11);
      if (which == 0) try_reduction<std::int32_t>(group, draws, all);
      if (which == 1) try_reduction<std::int64_t>(group, draws, all);
      if (which == 2) try_reduction<float>(group, draws, all);
      if (which == 3) try_reduction<double>(group, draws, all);
      if (which == 4) try_reduction<std::complex<double>>(group, draws, all);
      if (which == 5) try_broadcast(group, draws, all);
      if (which == 6) try_gather(group, all);
      if (which == 7) try_agreement(group, draws, all);
      if (which == 8) try_split(group, draws, all);
      if (which == 9) try_forming(group, all);
      if (which == 10) try_nodes(group, all);
      compare_values(all.found, all.expected, "collective operation " + std::to_string(which));
    }
  });
}

}  // namespace tessera::stress::detail
