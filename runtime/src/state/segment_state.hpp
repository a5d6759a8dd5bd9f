// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/runtime/segment.hpp>

#include "base/remote_address.hpp"
#include "base/tallies.hpp"
#include "completion/under_way.hpp"
#include "kernels/lock_stripes.hpp"
#include "node/reclaim.hpp"
#include "state/group_state.hpp"
#include "state/region.hpp"

namespace tessera::detail {

/// What a segment may be used for.
enum class Use { data, scalars };

/// The state behind Segment. Users hold shared pointers to it. release() frees its memory, collectively; any
/// use after that throws.
class SegmentState : public Collective,
                     public SegmentAccess,
                     public std::enable_shared_from_this<SegmentState> {
 public:
  /// @collective @throws as Segment::Segment
  static std::shared_ptr<SegmentState> create(GroupState& group, index_t bytes, const SegmentOptions& options);
  /// @collective @throws as Segment::part
  std::shared_ptr<SegmentState> create_part(index_t offset, index_t bytes, std::string_view name,
                                            std::uint64_t fingerprint);
  explicit SegmentState(GroupState& group) : group_(group) {}
  static SegmentState& of(const Segment& segment) { return segment.state(); }
  /// Remembers the user's handle, and the handle of its group. @local
  void known_as(const Segment& handle);
  /// Another handle; none once the user has given up the last. @local
  std::optional<Segment> handle() const;

  /// The group outlives every open segment.
  GroupState& group() const noexcept { return group_; }
  const std::string& name() const noexcept { return name_; }
  AtomicDomain domain() const noexcept { return domain_; }
  TransferMethod method() const noexcept { return method_; }
  Use use() const noexcept { return use_; }
  /// From now on it holds scalars only. @local
  void holds_scalars() noexcept { use_ = Use::scalars; }
  bool is_open() const noexcept { return region_ != nullptr; }
  /// How many segments of this process have been closed. @local
  static std::uint64_t closed() noexcept { return closed_.load(std::memory_order_relaxed); }
  /// Of an open segment.
  const Region& region() const noexcept { return *region_; }
  /// Within each member's slice of the region.
  index_t offset() const noexcept { return offset_; }
  bool is_part() const noexcept { return whole_ != nullptr; }
  /// Whether it is a part of `other`, or a part of such a part. @local
  bool is_part_of(const SegmentState& other) const noexcept;
  Tallies& tallies() const noexcept { return tallies_; }
  /// The segment that this is a part of, perhaps by way of other parts; or itself.
  const SegmentState& whole() const noexcept { return *top_; }
  /// The same for a segment and its parts, as these have bytes in common.
  UnderWay& under_way() const noexcept { return top_->under_way_; }

  /// A member's slice, if loads and stores reach it; else null.
  std::byte* address(int rank) const noexcept {
    return group_.on_node(rank) ? base + group_.slot(rank) * stride : nullptr;
  }
  /// A place at a member on another node.
  RemoteAddress remote(int rank, index_t offset) const noexcept;
  Striped stripes() const noexcept { return {locks_, region_->base(), region_->salt()}; }
  /// Inline, like require(): every operation begins with both.
  void require_open() const {
    if (region_ == nullptr) throw_closed();
  }
  void require(Use wanted) const {
    if (polls_) poll();
    if (use_ != wanted) throw_use(wanted);
  }
  /// Completes all that is under way to a rank, if any of these marks is set for it. @onesided
  void complete(int rank, unsigned marks) const;
  void complete_all() const;
  Statistics statistics() const;

  void quiesce() override { complete_all(); }
  void release() noexcept override;

 private:
  [[noreturn]] void throw_closed() const;
  [[noreturn]] void throw_use(Use wanted) const;
  void poll() const;
  void take_memory(index_t bytes, const std::string& what);
  void set_direct_ranks() noexcept;
  void trace();
  void check_accesses(const SegmentState* whole, index_t offset);
  void forget_accesses() const noexcept;

  static std::atomic<std::uint64_t> closed_;

  GroupState& group_;
  std::weak_ptr<SegmentAccess> handle_;
  std::weak_ptr<GroupState> group_handle_;
  std::string name_;
  AtomicDomain domain_ = AtomicDomain::cpu;
  TransferMethod method_ = TransferMethod::automatic;
  Use use_ = Use::data;
  std::unique_ptr<Region> own_;           // a large segment's
  Slab* slab_ = nullptr;                  // or the slab that a small one is cut from
  std::shared_ptr<SegmentAccess> whole_;  // or the segment that this is a part of
  const SegmentState* top_ = this;        // the outermost one of these
  Region* region_ = nullptr;              // either; null once released
  index_t offset_ = 0;
  index_t accounted_ = 0;
  bool polls_ = false;  // every operation runs the agent
  LockStripes locks_;   // a copy of the runtime's: close, as an atomic operation takes few nanoseconds
  mutable Tallies tallies_;
  trace::TracedSegment trace_;
  mutable UnderWay under_way_;
  mutable std::atomic<std::uint64_t> flushes_{0};
};

}  // namespace tessera::detail
