// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <tessera/runtime/detail/kept_memory.hpp>

#include "agents/exposed_regions.hpp"
#include "agents/messages.hpp"
#include "kernels/lock_stripes.hpp"

// Lists of many runs that an agent does in one go.
namespace tessera::detail {

/// Runs of one kind. In an operation list, each group is followed by its `count` runs. A run is its position
/// and, unless it is read, its data, padded to whole words. The data of an update is its operand. If it
/// fetches, it sends back the old value.
struct RunGroup {
  Verb verb = Verb::put;
  ElementKind kind = ElementKind::bytes;
  Update update = Update::sum;
  bool fetches = true;  // of an update
  std::uint64_t region = 0;
  index_t run = 0;
  index_t count = 0;
  alignas(16) std::array<std::byte, 16> value{};

  bool reads() const noexcept { return verb == Verb::get || (verb == Verb::update && fetches); }
  /// Bytes of a run with its position.
  index_t spacing() const noexcept {
    constexpr auto word = static_cast<index_t>(sizeof(index_t));
    return verb == Verb::get ? word : word + (run + word - 1) / word * word;
  }
  bool is_like(const RunGroup& other) const noexcept {
    // memcmp: two comparisons, where those of std::array are sixteen.
    return verb == other.verb && region == other.region && run == other.run && kind == other.kind &&
           update == other.update && fetches == other.fetches &&
           std::memcmp(value.data(), other.value.data(), sizeof value) == 0;
  }
};
static_assert(sizeof(RunGroup) % 16 == 0);

/// Runs of lists are packed into operation lists up to this length. Longer ones are sent one by one from where
/// they lie.
inline constexpr index_t largest_packed = index_t{8} << 10;

/// Copies a run. Most runs are one element, so 8 bytes have a fixed-size copy.
inline void copy_run(std::byte* to, const void* from, index_t bytes) noexcept {
  if (bytes == 8) return static_cast<void>(std::memcpy(to, from, 8));
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

/// An operation list for one agent, built up as its runs are added.
class OperationList {
 public:
  /// Most bytes of an operation list, and of its answer.
  static constexpr index_t most = index_t{256} << 10;
  static_assert(most <= part_bytes);  // an operation list fits into an agent's buffer
  struct Result {
    void* to;
    index_t bytes;
  };

  /// Whether a run still fits in.
  bool has_room(const RunGroup& group) const noexcept {
    const auto head = static_cast<index_t>(sizeof(RunGroup)) + padding(1);
    const index_t answered = group.reads() ? answer_ + group.run : 0;
    return used_ == 0 || (bytes() + head + group.spacing() <= most && answered <= most);
  }
  /// Adds a run of `group`; it joins the last group if that is alike. A write reads `data` now; a read fills
  /// `result` when the answer has come.
  void add(const RunGroup& group, index_t position, const void* data, void* result) {
    if (used_ == 0 || !last_.is_like(group)) begin(group, position);
    const auto spacing = static_cast<std::size_t>(last_.spacing());
    if (data_.size() - used_ < spacing) grow(spacing);
    ++last_.count;
    std::byte* to = data_.data() + used_;
    used_ += spacing;
    std::memcpy(to, &position, sizeof position);
    if (group.verb != Verb::get) copy_run(to + sizeof position, data, group.run);
    low_ = std::min(low_, position);
    high_ = std::max(high_, position + group.run);
    if (group.reads()) expect(result);
  }
  bool is_empty() const noexcept { return used_ == 0; }
  void clear() noexcept;

  index_t bytes() const noexcept { return static_cast<index_t>(used_); }
  /// The list as it is sent. @local
  const std::byte* finished() noexcept;
  /// The same, moved out: the list is empty afterwards.
  KeptVector<std::byte> take();
  /// Calls f(bytes, data) for lists of at most `limit` bytes, which together do the same. No run reads, and
  /// each fits with its group. @local
  template <class F>
  void in_pieces(index_t limit, F&& f);
  /// Where the parts of the answer go, in order.
  std::span<const Result> results() const noexcept { return results_; }
  index_t answer_bytes() const noexcept { return answer_; }
  bool writes() const noexcept { return writes_; }
  /// Whether a list can be sent in pieces of so many bytes. @local
  bool can_be_split(index_t limit) const noexcept {
    return answer_ == 0 && longest_ + static_cast<index_t>(sizeof(RunGroup)) <= limit;
  }
  std::span<const std::uint64_t> regions() const noexcept { return regions_; }
  /// The region of all its runs, or 0 for several, and [low, high), the bytes that it may touch there.
  std::uint64_t region() const noexcept { return regions_.size() == 1 ? regions_.front() : 0; }
  index_t low() const noexcept { return low_; }
  index_t high() const noexcept { return high_; }

 private:
  void begin(const RunGroup& group, index_t position);
  void grow(std::size_t bytes);
  void expect(void* result);

  KeptVector<std::byte> data_;  // the first used_ bytes are in use
  std::size_t used_ = 0;
  KeptVector<Result> results_;
  RunGroup last_;
  std::size_t last_at_ = 0;
  index_t answer_ = 0, longest_ = 0;  // a run with its position
  bool writes_ = false;
  std::vector<std::uint64_t> regions_;
  index_t low_ = 0, high_ = 0;
};

template <class F>
void OperationList::in_pieces(index_t limit, F&& f) {
  KeptVector<std::byte> piece(static_cast<std::size_t>(limit));
  index_t used = 0;
  const auto append = [&](const void* from, index_t bytes) {
    std::memcpy(piece.data() + used, from, static_cast<std::size_t>(bytes));
    used += bytes;
  };
  finished();
  for (index_t at = 0; at < bytes();) {
    RunGroup group;
    at += padding(at);
    std::memcpy(&group, data_.data() + at, sizeof group);
    at += static_cast<index_t>(sizeof group);
    for (index_t left = group.count; left > 0; left -= group.count) {
      const index_t begin = used + padding(used), room = limit - begin - static_cast<index_t>(sizeof group);
      group.count = std::min(left, std::max<index_t>(room, 0) / group.spacing());
      if (group.count == 0) {
        f(std::exchange(used, 0), piece.data());
        continue;
      }
      used = begin;
      append(&group, static_cast<index_t>(sizeof group));
      append(data_.data() + at, group.count * group.spacing());
      at += group.count * group.spacing();
    }
  }
  if (used > 0) f(used, piece.data());
}

/// Carries out an operation list, and writes its answer to `results`. @local @throws LogicError
void run_operations(const ExposedRegions& regions, const LockStripes& locks,
                    std::span<const std::byte> operations, std::byte* results);

}  // namespace tessera::detail
