// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/scalars.hpp>

#include <cstring>

#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/detail/product.hpp>
#include <tessera/runtime/error.hpp>

#include "conflicts/conflicts.hpp"
#include "format.hpp"
#include "transfer/passage.hpp"
#include "transfer/paths/paths.hpp"
#include "transfer/route.hpp"
#include "transfer/transfer.hpp"

namespace tessera {
namespace detail {
namespace {

// Calls operation(way, segment) on the path of the verb.
template <class F>
decltype(auto) on_scalar(const Segment& handle, int rank, index_t offset, ElementKind kind, Verb verb,
                         F&& operation) {
  SegmentState& segment = SegmentState::of(handle);
  segment.require(Use::scalars);
  check_place(segment, rank, offset, size_of(kind));
  if (conflicts::notes(segment.checked))
    conflicts::note_use({conflicts::Means::Is::scalar, segment.checked, rank, offset});
  const Path path = route(segment, rank, verb, size_of(kind));
  const Passage passage(segment, rank, path, verb, size_of(kind), Returns::when_done);
  return by(path, [&](auto way) { return operation(way, segment); });
}

}  // namespace

void scalar_update(const Segment& handle, int rank, index_t offset, ElementKind kind, Update update,
                   const void* value, void* result) {
  const Action action{.verb = Verb::update, .kind = kind, .update = update};
  on_scalar(handle, rank, offset, kind, Verb::update,
            [&](auto way, SegmentState& segment) { way.update(segment, rank, offset, action, value, result); });
}

bool scalar_compare_exchange(const Segment& handle, int rank, index_t offset, ElementKind kind, void* expected,
                             const void* desired) {
  return on_scalar(handle, rank, offset, kind, Verb::compare_exchange, [&](auto way, SegmentState& segment) {
    return way.compare_exchange(segment, rank, offset, kind, expected, desired);
  });
}

void scalar_load(const Segment& handle, int rank, index_t offset, ElementKind kind, void* value) {
  on_scalar(handle, rank, offset, kind, Verb::load,
            [&](auto way, SegmentState& segment) { way.load(segment, rank, offset, kind, value); });
}

void scalar_store(const Segment& handle, int rank, index_t offset, ElementKind kind, const void* value) {
  std::int64_t old;
  scalar_update(handle, rank, offset, kind, Update::replace, value, &old);
}

}  // namespace detail

template <IntegerElement T>
Scalars<T>::Scalars(const Group& group, index_t count, std::string_view name, std::uint64_t fingerprint)
    : segment_(group, detail::size_to_ask(count, spacing),
               {.name = name,
                .fingerprint = detail::Fingerprint().add(sizeof(T)).add(count).add(fingerprint).value()}),
      count_(count) {
  auto& segment = detail::SegmentState::of(segment_);
  std::memset(segment.address(group.rank()), 0, static_cast<std::size_t>(count * spacing));
  segment_.sync();
  segment.holds_scalars();
}

template <IntegerElement T>
T* Scalars<T>::address(int rank, index_t i) const noexcept {
  std::byte* slice = i >= 0 && i < count_ ? segment_.address(rank) : nullptr;
  return slice == nullptr ? nullptr : reinterpret_cast<T*>(slice + i * spacing);
}

template <IntegerElement T>
index_t Scalars<T>::offset(int rank, index_t i) const {
  if (i >= 0 && i < count_ && rank >= 0 && rank < group().size()) return i * spacing;
  throw UsageError(formatted("scalar {} of rank {} is not in \"{}\", which has {} on each of {} ranks", i, rank,
                             name(), count_, group().size()));
}

template class Scalars<std::int32_t>;
template class Scalars<std::int64_t>;

}  // namespace tessera
