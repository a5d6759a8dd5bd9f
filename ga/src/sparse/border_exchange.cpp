// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/border_exchange.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include <tessera/runtime/strided.hpp>

#include "base/at.hpp"
#include "sparse/sparse_assembly.hpp"

namespace tessera::detail {
namespace {

template <std::size_t size>
void pack(std::byte* to, const std::byte* from, std::span<const index_t> positions) {
  for (const index_t i : positions) {
    std::memcpy(to, from + i * static_cast<index_t>(size), size);
    to += size;
  }
}

void pack(std::byte* to, const std::byte* from, std::span<const index_t> positions, index_t size) {
  if (size == 4) return pack<4>(to, from, positions);
  if (size == 8) return pack<8>(to, from, positions);
  pack<16>(to, from, positions);
}

index_t largest_border(const Group& group, const SparsePattern& pattern) {
  return group.all_reduce(static_cast<index_t>(std::ssize(pattern.border_columns)), Reduce::max);
}

}  // namespace

BorderExchange::BorderExchange(const Group& group, const SparsePattern& pattern, index_t size,
                               std::string_view name)
    : size_(size),
      half_(largest_border(group, pattern) * size),
      borders_(group, 2 * half_, name),
      arrived_(group, 2, name) {
  list_links(group, pattern);
}

// Tells each owner which of its elements this rank needs, and in which places.
void BorderExchange::list_links(const Group& group, const SparsePattern& pattern) {
  constexpr std::string_view call = "the border of a sparse matrix";
  const auto needed = made_by_all(group, call, [&] {
    std::vector<Triplet<index_t>> all;
    for (const auto* stretches : {&pattern.near, &pattern.far}) {
      for (const SparsePattern::Stretch& some : *stretches) {
        for (index_t k = 0; k < some.count; ++k) all.push_back({some.column + k, group.rank(), some.place + k});
      }
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
    return all;
  });
  const auto asked = exchange<index_t>(group, call, pattern.column_layout, needed);
  agreed(group, call, [&] {
    for (const Triplet<index_t>& one : asked) {
      const auto rank = static_cast<int>(one.column);
      if (links_.empty() || links_.back().rank != rank) links_.push_back({rank, one.value, {}});
      links_.back().sends.push_back(one.row - pattern.own_columns.begin);
    }
    std::size_t most = 0;
    for (const Link& one : links_) most = std::max(most, one.sends.size());
    packed_.resize(most * at(size_));
    for (const auto* stretches : {&pattern.near, &pattern.far}) {
      for (const SparsePattern::Stretch& some : *stretches) {
        const auto is_it = [&](const Link& one) { return one.rank == some.owner; };
        if (std::none_of(links_.begin(), links_.end(), is_it)) links_.push_back({some.owner, 0, {}});
      }
    }
    // Each rank begins with the next one, so that not all send to the same.
    const auto distance = [&](const Link& one) {
      return (one.rank - group.rank() + group.size()) % group.size();
    };
    std::sort(links_.begin(), links_.end(),
              [&](const Link& a, const Link& b) { return distance(a) < distance(b); });
  });
}

const std::byte* BorderExchange::start(const SparsePattern& pattern, const std::byte* own) {
  std::byte* const border = borders_.address(borders_.group().rank()) + (turn_ % 2) * half_;
  for (const Link& one : links_) send(one, own);
  for (index_t k = pattern.own_border.begin; k < pattern.own_border.end; ++k) {
    const index_t from = pattern.border_columns[at(k)] - pattern.own_columns.begin;
    std::memcpy(border + k * size_, own + from * size_, at(size_));
  }
  return border;
}

void BorderExchange::send(const Link& to, const std::byte* own) {
  const index_t flag = turn_ % 2, place = flag * half_ + to.place * size_;
  const index_t bytes = std::ssize(to.sends) * size_;
  if (std::byte* const there = borders_.address(to.rank)) {
    pack(there + place, own, to.sends, size_);
  } else if (bytes > 0) {
    pack(packed_.data(), own, to.sends, size_);
    return put_notify(borders_, to.rank, place, Strided::contiguous(bytes), packed_.data(),
                      arrived_.at(to.rank, flag));
  }
  arrived_.notify(to.rank, flag);
}

void BorderExchange::wait() {
  arrived_.wait(turn_ % 2, std::ssize(links_));
  ++turn_;
}

void BorderExchange::close() {
  arrived_.close();
  borders_.close();
}

}  // namespace tessera::detail
