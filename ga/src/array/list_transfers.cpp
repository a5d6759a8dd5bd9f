// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/list_transfers.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include <tessera/runtime/detail/kept_memory.hpp>

#include "format.hpp"
#include "layout/block_locator.hpp"

namespace tessera::detail {
namespace {

// Positions as places in the segment, and values as runs.
class List {
 public:
  List(const ArrayCore& array, std::size_t size) : array_(array) {
    places_.reserve(size);
    values_.reserve(size);
  }
  void add(int owner, index_t offset, std::byte* value) {
    places_.push_back({&array_.segment(), owner, offset});
    values_.push_back(value);
  }
  void clear() noexcept {
    places_.clear();
    values_.clear();
  }
  bool is_empty() const noexcept { return places_.empty(); }
  operator Vector() const noexcept { return {array_.type().size, places_, values_}; }

 private:
  const ArrayCore& array_;
  KeptVector<Place> places_;
  KeptVector<std::byte*> values_;
};

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

void require_positions(const ArrayCore& array, const index_t* at, index_t count) {
  array.require_open();
  const int rank = array.rank();
  const Coordinates& dims = array.layout().dims();
  bool inside = true;
  for (index_t i = 0; i < count; ++i) {
    const index_t* where = at + i * rank;
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d)
      inside &= static_cast<std::uint64_t>(where[d]) < static_cast<std::uint64_t>(dims[d]);
  }
  for (index_t i = 0; !inside && i < count; ++i) array.require_element(at + i * rank);
}

// Whether elements on this node may be moved before the rest. A position that is listed twice is either on this
// node both times or never, so its order is kept. If the values lie in the array itself, the order of all
// matters.
bool may_go_first(const ArrayCore& array, const void* values, const VectorOptions& options) noexcept {
  return options.method == VectorMethod::automatic && options.batch >= 0 &&
         array.segment().face().direct_ranks > 0 && !array.segment().locate(values);
}

// Moves the elements on this node, some at a time. Each is prefetched when its place is found, and moved while
// the places of the next ones are found. So memory works while places are computed, and the caches hold all
// that is prefetched. Elements on other nodes are put on a list, for one transfer to each owner.
void move_near(const ArrayCore& array, const index_t* at, std::byte* values, index_t count, Operation operation,
               List& far) {
  constexpr index_t part = 48;
  const SegmentAccess& face = array.segment().face();
  const index_t size = array.type().size;
  const int n = array.rank();
  std::array<std::array<std::byte*, part>, 2> places;  // places found now, and before
  std::vector<index_t> elements(static_cast<std::size_t>(face.direct_ranks), 0);
  with_locator(array.layout(), count, [&](const auto& locate) {
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
    if (elements[r] > 0)
      array.segment().count(face.first_direct + static_cast<int>(r), operation, elements[r] * size);
  }
}

// Calls transfer(list) for elements on this node, in parts, and then once for all others. If part is 0, it is
// called once for all elements.
template <class F>
void for_each_list(const ArrayCore& array, const index_t* at, std::byte* values, index_t count, index_t part,
                   F&& transfer) {
  const bool in_parts = part > 0;
  List near(array, static_cast<std::size_t>(std::min(part, count))),
      far(array, in_parts ? 0 : static_cast<std::size_t>(count));
  with_locator(array.layout(), count, [&](const auto& locate) {
    for (index_t i = 0; i < count;) {
      for (const index_t end = in_parts ? std::min(count, i + part) : count; i < end; ++i) {
        index_t offset = 0;
        const int owner = locate(at + i * array.rank(), offset);
        offset *= array.type().size;
        const bool direct =
            in_parts && array.segment().face().reach(owner, offset, array.type().size) != nullptr;
        (direct ? near : far).add(owner, offset, values + i * array.type().size);
      }
      if (!near.is_empty()) transfer(near);
      near.clear();
    }
  });
  if (!far.is_empty()) transfer(far);
}

}  // namespace

void gather(const ArrayCore& array, const index_t* at, void* into, index_t count,
            const VectorOptions& options) {
  array.allow(Mode::read_only, "gather");
  require_positions(array, at, count);
  auto* values = static_cast<std::byte*>(into);
  if (!may_go_first(array, into, options))
    return for_each_list(array, at, values, count, 0, [&](const List& list) { tessera::get(list, options); });
  List far(array, 0);
  move_near(array, at, values, count, Operation::get, far);
  if (!far.is_empty()) tessera::get(far, options);
}

void scatter(ArrayCore& array, const index_t* at, const void* from, index_t count,
             const VectorOptions& options) {
  array.allow(Mode::disjoint_writes, "scatter");
  require_positions(array, at, count);
  auto* values = static_cast<std::byte*>(const_cast<void*>(from));  // only read
  if (!may_go_first(array, from, options))
    return for_each_list(array, at, values, count, 0, [&](const List& list) { tessera::put(list, options); });
  List far(array, 0);
  move_near(array, at, values, count, Operation::put, far);
  if (!far.is_empty()) tessera::put(far, options);
}

void scatter_accumulate(ArrayCore& array, const index_t* at, const void* from, const void* alpha, index_t count,
                        const VectorOptions& options) {
  array.allow(Mode::accumulate_only, "scatter_acc");
  require_positions(array, at, count);
  for_each_list(array, at, static_cast<std::byte*>(const_cast<void*>(from)), count,
                may_go_first(array, from, options) ? 2048 : 0,  // as many as the caches hold
                [&](const List& list) { tessera::accumulate(list, array.type().kind, alpha, options); });
}

index_t list_length(const ArrayCore& array, std::size_t positions, std::size_t values) {
  if (positions == values) return static_cast<index_t>(values);
  throw UsageError(formatted("{} positions and {} values for array \"{}\": there must be one value for each",
                             positions, values, array.name()));
}

}  // namespace tessera::detail
