// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/border_exchange.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

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

index_t border_bytes(const SparsePattern& pattern, index_t size) {
  return std::ssize(pattern.border_columns) * size;
}

}  // namespace

BorderExchange::BorderExchange(const Group& group, const SparsePattern& pattern, index_t size,
                               std::string_view name)
    : size_(size),
      borders_{Segment(group, border_bytes(pattern, size), name),
               Segment(group, border_bytes(pattern, size), name)},
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
    // Owners that need nothing from here. The stretches of an owner follow one another.
    const auto asking = links_.size();
    const auto asks = [&](int rank) {
      return std::any_of(links_.begin(), links_.begin() + static_cast<std::ptrdiff_t>(asking),
                         [rank](const Link& one) { return one.rank == rank; });
    };
    int last = -1;
    for (const auto* stretches : {&pattern.near, &pattern.far}) {
      for (const SparsePattern::Stretch& some : *stretches) {
        if (some.owner != std::exchange(last, some.owner) && !asks(some.owner))
          links_.push_back({some.owner, 0, {}});
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
  const Segment& borders = borders_[at(turn_)];
  std::byte* const border = borders.address(borders.group().rank());
  for (const Link& one : links_) send(one, own);
  for (index_t k = pattern.own_border.begin; k < pattern.own_border.end; ++k) {
    const index_t from = pattern.border_columns[at(k)] - pattern.own_columns.begin;
    std::memcpy(border + k * size_, own + from * size_, at(size_));
  }
  return border;
}

void BorderExchange::send(const Link& to, const std::byte* own) {
  Segment& borders = borders_[at(turn_)];
  const index_t place = to.place * size_, bytes = std::ssize(to.sends) * size_;
  if (std::byte* const there = borders.address(to.rank)) {
    pack(there + place, own, to.sends, size_);
  } else if (bytes > 0) {
    pack(packed_.data(), own, to.sends, size_);
    return put_notify(borders, to.rank, place, Strided::contiguous(bytes), packed_.data(),
                      arrived_.at(to.rank, turn_));
  }
  arrived_.notify(to.rank, turn_);
}

void BorderExchange::wait() {
  arrived_.wait(turn_, std::ssize(links_));
  turn_ = 1 - turn_;
}

void BorderExchange::close() {
  arrived_.close();
  for (Segment& borders : borders_) borders.close();
}

}  // namespace tessera::detail
