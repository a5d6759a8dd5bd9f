// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <limits>
#include <vector>

#include <tessera/core/reduce_values.hpp>
#include <tessera/detail/node_copies.hpp>
#include <tessera/runtime/error.hpp>

#include "base/box_chunks.hpp"
#include "base/dispatch.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

constexpr index_t max_bytes = index_t{4} << 20;  // at once

// Magnitudes and truth values differ from their elements, even if there is nothing to combine them with.
bool changes_elements(Reduce operation) noexcept {
  return operation == Reduce::absmax || operation == Reduce::absmin || operation == Reduce::logical_and ||
         operation == Reduce::logical_or;
}

int smallest_node(const Group& group) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (int node = 0; node < group.node_count(); ++node)
    least = std::min(least, group.ranks_on_node(node).size());
  return static_cast<int>(least);
}

}  // namespace

NodeCopies::NodeCopies(const Group& group)
    : group_(group), share_(group.node().rank()), shares_(smallest_node(group)) {
  peers_ = group.split(share_ < shares_ ? share_ : Group::no_color, group.node_of(group.rank()));
}

// Calls f(elements, how many) for this rank's parts of the copy, and then stores the elements back. On every
// node, the member with the same number has the same parts. Nothing is done with fewer nodes than `least`.
template <class F>
void NodeCopies::for_each_part(const ArrayCore& copy, int least, F&& f) const {
  copy.sync();
  if (peers_ && peers_.size() >= least) {
    const SliceCore all(copy);
    std::vector<std::byte> elements;
    int number = 0;
    const index_t most = std::max<index_t>(1, max_bytes / copy.type().size);
    in_chunks({{}, copy.layout().dims()}, copy.rank(), most, [&](const Box& box) {
      if (number++ % shares_ != share_) return;
      const Dense dense(box, copy.rank());
      elements.resize(static_cast<std::size_t>(dense.size * copy.type().size));
      all.get(box, {elements.data(), dense.extents.data(), dense.strides.data()});
      f(elements.data(), dense.size);
      all.put(box, {elements.data(), dense.extents.data(), dense.strides.data()});
    });
  }
  copy.sync();
}

void NodeCopies::merge(const ArrayCore& copy, Reduce operation) const {
  group_.check_agreement(formatted("merge of the copies \"{}\"", copy.name()),
                         static_cast<std::uint64_t>(operation));
  with_kind(copy.type().kind, "merge", [&]<class T>(T) {
    combine(operation, identity<T>(operation),
            identity<T>(operation));  // throws alike if there is only one node
    for_each_part(copy, changes_elements(operation) ? 1 : 2, [&](std::byte* data, index_t count) {
      peers_.all_reduce(std::span(reinterpret_cast<T*>(data), static_cast<std::size_t>(count)), operation);
    });
  });
}

void NodeCopies::broadcast(const ArrayCore& copy, int node) const {
  if (node < 0 || node >= group_.node_count()) {
    throw UsageError(formatted("broadcast of the copies \"{}\": there is no node {} of {}", copy.name(), node,
                               group_.node_count()));
  }
  group_.check_agreement(formatted("broadcast of the copies \"{}\"", copy.name()),
                         static_cast<std::uint64_t>(node));
  for_each_part(copy, 2, [&](std::byte* data, index_t count) {
    peers_.broadcast(std::span(data, static_cast<std::size_t>(count * copy.type().size)), node);
  });
}

}  // namespace tessera::detail
