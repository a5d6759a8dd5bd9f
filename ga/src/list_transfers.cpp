// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include <tessera/detail/array_core.hpp>
#include <tessera/runtime/vector.hpp>

#include "array_state.hpp"
#include "block_locator.hpp"

// Elements at lists of positions.
namespace tessera::detail {

// Positions as places in the segment, and values as runs.
class ArrayCore::List {
 public:
  List(const ArrayCore& array, std::size_t size) : array_(array) {
    places_.reserve(size);
    values_.reserve(size);
  }
  void add(int owner, index_t offset, std::byte* value) {
    places_.push_back({&array_.segment_, owner, offset});
    values_.push_back(value);
  }
  void clear() noexcept {
    places_.clear();
    values_.clear();
  }
  bool is_empty() const noexcept { return places_.empty(); }
  operator Vector() const noexcept { return {array_.type_.size, places_, values_}; }

 private:
  const ArrayCore& array_;
  std::vector<Place> places_;
  std::vector<std::byte*> values_;
};

namespace {

template <index_t fixed>
void move(std::byte* const* places, std::byte* values, index_t count, index_t size,
          Operation operation) noexcept {
  const auto bytes = static_cast<std::size_t>(fixed > 0 ? fixed : size);
  for (index_t i = 0; i < count; ++i, values += bytes) {
    if (places[i] == nullptr) continue;
    operation == Operation::get ? std::memcpy(values, places[i], bytes) : std::memcpy(places[i], values, bytes);
  }
}

void move_elements(std::byte* const* places, std::byte* values, index_t count, index_t size,
                   Operation operation) noexcept {
  if (size == 4) return move<4>(places, values, count, size, operation);
  if (size == 8) return move<8>(places, values, count, size, operation);
  if (size == 16) return move<16>(places, values, count, size, operation);
  move<0>(places, values, count, size, operation);
}

}  // namespace

void ArrayCore::check_positions(const index_t* at, index_t count) const {
  require_open();
  const auto n = static_cast<std::size_t>(rank());
  bool inside = !guarded_;
  for (index_t i = 0; i < count; ++i) {
    const index_t* where = at + i * rank();
    for (std::size_t d = 0; d < n; ++d)
      inside &= static_cast<std::uint64_t>(where[d]) < static_cast<std::uint64_t>(layout_.dims()[d]);
  }
  for (index_t i = 0; !inside && i < count; ++i) look_at_element(at + i * rank());
}

// Whether what is on this node may go before the rest: an element is always in the one or the other, so the
// order of those that are listed twice is kept. Where values are in the array itself, the order of all matters.
bool ArrayCore::may_go_first(const void* values, VectorMethod method) const noexcept {
  return method == VectorMethod::automatic && segment_.face().direct_ranks > 0 && !segment_.locate(values);
}

// Some elements at a time: each is asked for as soon as it is found, and touched when the next ones are, so
// that memory works while positions are computed, and no cache is asked for more than it keeps. What is on
// other nodes is put on a list, for one transfer to each owner.
void ArrayCore::move_near(const index_t* at, std::byte* values, index_t count, Operation operation,
                          List& far) const {
  constexpr index_t part = 48;
  const SegmentFace& face = segment_.face();
  const index_t size = type_.size;
  const int n = rank();
  std::array<std::array<std::byte*, part>, 2> places;  // those found now, and before
  std::vector<index_t> elements(static_cast<std::size_t>(face.direct_ranks), 0);
  with_locator(layout_, count, [&](const auto& locate) {
    index_t waiting = 0;
    std::size_t turn = 0;
    for (index_t begin = 0; begin < count || waiting > 0; begin += part) {
      const index_t length = std::clamp<index_t>(count - begin, 0, part);
      for (index_t i = 0; i < length; ++i) {
        index_t offset = 0;
        const int owner = locate(at + (begin + i) * n, offset);
        std::byte* place = face.reach(owner, offset * size, size);
        places[turn][static_cast<std::size_t>(i)] = place;
        operation == Operation::get ? __builtin_prefetch(place) : __builtin_prefetch(place, 1);
        if (place == nullptr)
          far.add(owner, offset * size, values + (begin + i) * size);
        else
          ++elements[static_cast<std::size_t>(owner - face.first_direct)];
      }
      move_elements(places[turn ^ 1].data(), values + std::max<index_t>(begin - part, 0) * size, waiting, size,
                    operation);
      turn ^= 1;
      waiting = length;
    }
  });
  for (std::size_t r = 0; r < elements.size(); ++r) {
    if (elements[r] > 0) segment_.count(face.first_direct + static_cast<int>(r), operation, elements[r] * size);
  }
}

// Calls transfer(list) for parts of what is on this node, and for all the rest at once; for all at once if part
// is 0.
template <class F>
void ArrayCore::for_each_list(const index_t* at, std::byte* values, index_t count, index_t part,
                              F&& transfer) const {
  const bool in_parts = part > 0;
  List near(*this, static_cast<std::size_t>(std::min(part, count))),
      far(*this, in_parts ? 0 : static_cast<std::size_t>(count));
  with_locator(layout_, count, [&](const auto& locate) {
    for (index_t i = 0; i < count;) {
      for (const index_t end = in_parts ? std::min(count, i + part) : count; i < end; ++i) {
        index_t offset = 0;
        const int owner = locate(at + i * rank(), offset);
        offset *= type_.size;
        const bool direct = in_parts && segment_.face().reach(owner, offset, type_.size) != nullptr;
        (direct ? near : far).add(owner, offset, values + i * type_.size);
      }
      if (!near.is_empty()) transfer(near);
      near.clear();
    }
  });
  if (!far.is_empty()) transfer(far);
}

void ArrayCore::gather(const index_t* at, void* into, index_t count, VectorMethod method) const {
  allow(Mode::read_only, "gather");
  check_positions(at, count);
  auto* values = static_cast<std::byte*>(into);
  if (!may_go_first(into, method))
    return for_each_list(at, values, count, 0, [&](const List& list) { tessera::get(list, method); });
  List far(*this, 0);
  move_near(at, values, count, Operation::get, far);
  if (!far.is_empty()) tessera::get(far, method);
}

void ArrayCore::scatter(const index_t* at, const void* from, index_t count, VectorMethod method) {
  allow(Mode::disjoint_writes, "scatter");
  check_positions(at, count);
  auto* values = static_cast<std::byte*>(const_cast<void*>(from));  // which are only read
  if (!may_go_first(from, method))
    return for_each_list(at, values, count, 0, [&](const List& list) { tessera::put(list, method); });
  List far(*this, 0);
  move_near(at, values, count, Operation::put, far);
  if (!far.is_empty()) tessera::put(far, method);
}

void ArrayCore::scatter_accumulate(const index_t* at, const void* from, const void* alpha, index_t count,
                                   VectorMethod method) {
  allow(Mode::accumulate_only, "scatter_acc");
  check_positions(at, count);
  for_each_list(at, static_cast<std::byte*>(const_cast<void*>(from)), count,
                may_go_first(from, method) ? 2048 : 0,  // which the caches hold
                [&](const List& list) { tessera::accumulate(list, type_.kind, alpha, method); });
}

}  // namespace tessera::detail
