// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <deque>
#include <memory>
#include <stdexcept>

#include <tessera/array.hpp>

#include "any_array.hpp"
#include "elements.hpp"

namespace tessera::stress {

/// Bytes that are enough for the elements of any rank, ghost cells included.
template <std::size_t N>
index_t bytes_to_store(const Layout<N>& layout, const ArrayOptions<N>& options, index_t size) {
  index_t most = 0;
  for (int rank = 0; rank < layout.ranks(); ++rank) most = std::max(most, layout.local_size(rank));
  if (options.ghosts == PerDimension<index_t, N>()) return most * size;
  Extents<N> extents = layout.dims();  // a block without elements may have ghost cells
  for (std::size_t d = 0; d < N; ++d) extents[d] += 2 * options.ghosts[d];
  return extents.size() * size;
}

/// The segment with an array of T in it.
template <class T>
class ArrayMemory final : public AnyMemory {
 public:
  /// @collective @throws as Segment
  ArrayMemory(const Group& group, index_t offset, index_t bytes, const SegmentOptions& options)
      : offset_(offset), segment_(group, offset + bytes, options) {}
  /// Another handle to the segment of an array that has memory of its own.
  explicit ArrayMemory(Segment&& segment) : offset_(0), segment_(std::move(segment)) {}
  const Segment& segment() const { return segment_; }
  index_t offset() const { return offset_; }
  /// The number of an element among those that its rank stores.
  index_t number_of(const T* element) const {
    return (segment_.locate(element)->offset - offset_) / index_t{sizeof(T)};
  }

  void add(Batch& batch, const BatchStep& step) override {
    std::vector<T> data;
    for (const Number& value : step.values) data.push_back(element<T>(value));
    const index_t offset = offset_ + step.first * index_t{sizeof(T)};
    const auto bytes = static_cast<index_t>(data.size() * sizeof(T));
    const T alpha = element<T>(static_cast<double>(step.alpha));
    using Kind = BatchStep::Kind;
    if (step.kind == Kind::put) batch.put(segment_, step.rank, offset, data.data(), bytes);
    if (step.kind == Kind::get)
      batch.get(segment_, step.rank, offset, found_.emplace_back(data.size()).data(), bytes);
    if (step.kind == Kind::acc)
      batch.accumulate(segment_, step.rank, offset, element_kind<T>(), &alpha, data.data(), bytes);
    if (step.kind == Kind::fetch_op && step.update == Update::sum)
      batch.fetch_add(segment_, step.rank, offset, element_kind<T>(), data.data(),
                      found_.emplace_back(1).data());
    else if (step.kind == Kind::fetch_op)
      batch.fetch_op(segment_, step.rank, offset, element_kind<T>(), step.update, data.data(),
                     found_.emplace_back(1).data());
    std::fill(data.begin(), data.end(), element<T>(77));  // a batch has copied it
  }
  std::vector<Values> results() override {
    std::vector<Values> all;
    for (const std::vector<T>& one : found_) {
      Values& values = all.emplace_back();
      for (const T& value : one) values.push_back(number(value));
    }
    found_.clear();
    return all;
  }
  void flush() override { segment_.flush(); }
  void close() { segment_.close(); }

 private:
  index_t offset_;
  Segment segment_;
  std::deque<std::vector<T>> found_;  // no vector moves before the batch is sent
};

/// The memory of an array that was not made in a segment, found by one of its elements. Null if none of its
/// elements is on this node.
template <class T, std::size_t N>
std::unique_ptr<ArrayMemory<T>> locate_memory(const Runtime& runtime, const Array<T, N>& array) {
  const Layout<N> layout = array.layout();
  for (int rank = 0; rank < array.group().size(); ++rank)
    for (index_t b = 0; b < layout.block_count(rank) && array.group().on_node(rank); ++b) {
      const Patch<N> block = layout.block(rank, b);
      if (block.empty()) continue;
      auto found = runtime.locate(array.address(block.lo));
      if (!found) throw std::logic_error("an element that is in no segment");
      return std::make_unique<ArrayMemory<T>>(std::move(found->segment));
    }
  return nullptr;
}

}  // namespace tessera::stress
