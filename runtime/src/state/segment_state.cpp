// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/segment_state.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/error.hpp>

#include "agents/progress.hpp"
#include "base/cache_line.hpp"
#include "base/memory_check.hpp"
#include "conflicts/conflicts.hpp"
#include "format.hpp"
#include "node/huge_pages.hpp"
#include "state/collectives.hpp"
#include "state/runtime_state.hpp"

namespace tessera::detail {
namespace {

constexpr index_t largest_slice = index_t{1} << 56;  // beyond any machine, and still safe to add up

// The values that the members reduce by minimum before a segment is made. A maximum is sent negated. A
// fingerprint is sent with its complement: if the two minima are not complements, the members differ.
enum Agreed : std::size_t { fingerprint, complement, minus_bytes, bad, settled, agreed_count };

// On one node, MPI's updates would wait until their target calls MPI.
AtomicDomain choose_domain(const GroupState& group, std::optional<AtomicDomain> wish) {
  return group.node_count() == 1 ? AtomicDomain::cpu : wish.value_or(AtomicDomain::cpu);
}

WindowNeed window_need_of(const SegmentState& segment) {
  if (segment.domain() == AtomicDomain::mpi) return WindowNeed::wanted;
  const RuntimeState& runtime = segment.group().runtime();
  if (segment.group().node_count() == 1 || !runtime.window_problem().empty()) return WindowNeed::none;
  if (segment.method() == TransferMethod::automatic)
    return runtime.path_choice().any() ? WindowNeed::wanted : WindowNeed::none;
  return segment.method() == TransferMethod::packed ? WindowNeed::none : WindowNeed::wanted;
}

// Never used again in this process: the threads' caches live longer than any Runtime.
std::uint64_t next_segment_number() {
  static std::atomic<std::uint64_t> segments_made{0};
  return ++segments_made;
}

// The greatest size that a member asks for. Throws if the members ask for different segments.
index_t agree_on_size(GroupState& group, index_t bytes, const SegmentOptions& options,
                      const std::string& what) {
  const auto print = static_cast<std::int64_t>(
      Fingerprint()
          .add(options.name)
          .add(options.fingerprint)
          .add(static_cast<int>(options.domain ? 1 + static_cast<int>(*options.domain) : 0))
          .add(static_cast<int>(options.method))
          .value());
  std::array<std::int64_t, agreed_count> all{print, ~print, -std::max<index_t>(bytes, 0), bytes < 0 ? -1 : 0,
                                             group.settle()};
  group.reduce_min(all.data(), agreed_count);
  if (all[settled] > 0) group.compare_accesses();
  group.reclaim(all[settled]);
  if (all[fingerprint] != ~all[complement]) {
    throw UsageError(
        formatted("{} was created with another name, number, shape, layout, element type or domain on another "
                  "rank (segments "
                  "and arrays are created "
                  "by all members of their group, in the same order)",
                  what));
  }
  if (all[bad] != 0) throw UsageError(formatted("{} was asked for with a negative size on some rank", what));
  const index_t largest = -all[minus_bytes];
  if (largest > largest_slice) {
    throw MemoryError(
        formatted("{} needs {} on one rank, more than any machine has", what, format_bytes(largest)));
  }
  return largest;
}

}  // namespace

std::shared_ptr<SegmentState> SegmentState::create(GroupState& group, index_t bytes,
                                                   const SegmentOptions& options) {
  const std::string what = formatted("segment \"{}\"", options.name);
  const index_t largest = agree_on_size(group, bytes, options, what);
  RuntimeState& runtime = group.runtime();
  auto segment = std::make_shared<SegmentState>(group);
  segment->name_ = options.name;
  segment->domain_ = choose_domain(group, options.domain);
  segment->method_ =
      options.method == TransferMethod::automatic ? runtime.environment().method : options.method;
  segment->slice = round_up(std::max<index_t>(largest, 1), cache_line);
  segment->take_memory(bytes, what);
  segment->number = next_segment_number();
  segment->stride = segment->region_->stride();
  segment->base = segment->region_->base() + segment->offset_;
  // In poll mode every operation has to run the agent, so none may take the direct way.
  segment->polls_ = group.node_count() > 1 && runtime.progress()->mode() == ProgressMode::poll;
  segment->trace();
  segment->check_accesses(nullptr, 0);
  const bool is_seen = segment->traced != nullptr || segment->checked != 0;  // the direct way shows nothing
  if (segment->domain_ == AtomicDomain::cpu && !segment->polls_ && !is_seen) segment->set_direct_ranks();
  segment->locks_ = runtime.locks();
  runtime.registry().add(*segment);
  group.adopt(segment);
  return segment;
}

void SegmentState::take_memory(index_t bytes, const std::string& what) {
  const WindowNeed need = window_need_of(*this);
  const bool must_have_window = domain_ == AtomicDomain::mpi;
  if (slice <= Slab::largest) {
    const Slabs::SlabPlace place = group_.slabs().take(group_, need, must_have_window, slice, what);
    slab_ = place.slab;
    offset_ = place.offset;
    region_ = &slab_->region();
    accounted_ = slice;
  } else {
    own_ = Region::create(group_, round_up(slice, page_size_for(slice)), bytes, need, must_have_window, what);
    region_ = own_.get();
    accounted_ = bytes;
    group_.runtime().reserve(bytes);
  }
  group_.runtime().account(accounted_);
}

// The direct way records nothing, so a segment that is traced has none.
void SegmentState::trace() {
  traced = nullptr;
  if (!group_.runtime().is_traced()) return;
  trace_ = {trace::recorder().name(name_), group_.world_ranks().data()};
  traced = &trace_;
}

// Gives the segment a number that is the same on all members, by which they compare their accesses.
void SegmentState::check_accesses(const SegmentState* whole, index_t offset) {
  checked = 0;
  if (!group_.runtime().keeps_clock()) return;
  std::uint64_t given =
      (static_cast<std::uint64_t>(group_.world_rank(group_.rank())) << 40) + group_.runtime().next_region();
  broadcast(group_, &given, sizeof given, 0);
  checked = given;
  conflicts::Recorder& recorder = conflicts::Recorder::instance();
  const auto* above = whole == nullptr ? nullptr : recorder.facts(whole->checked);
  recorder.add(checked, {.name = name_,
                         .group = group_.number(),
                         .world_ranks = group_.world_ranks(),
                         .rank = group_.rank(),
                         .root = above == nullptr ? checked : above->root,
                         .offset = above == nullptr ? 0 : above->offset + offset,
                         .describe = {}});
}

// Sets the members that loads and stores reach directly: the members on this node, if their ranks are
// consecutive.
void SegmentState::set_direct_ranks() noexcept {
  int first = -1, count = 0;
  for (int r = 0; r < group_.size(); ++r) {
    if (!group_.on_node(r)) continue;
    if (first < 0) first = r;
    if (r != first + count) return;
    ++count;
  }
  first_direct = first;
  direct_ranks = count;
}

std::shared_ptr<SegmentState> SegmentState::create_part(index_t offset, index_t bytes, std::string_view name,
                                                        std::uint64_t fingerprint) {
  const auto print = static_cast<std::int64_t>(
      Fingerprint().add(name).add(fingerprint).add(name_).add(offset_).add(offset).add(bytes).value());
  std::array<std::int64_t, 2> all{print, ~print};
  group_.reduce_min(all.data(), 2);
  if (all[0] != ~all[1]) {
    throw UsageError(formatted(
        "\"{}\" is another part, of another segment, or has another shape, layout or element type on another "
        "rank",
        name));
  }
  constexpr index_t element = 16;  // elements must not lie across the border of two lock stripes
  if (offset < 0 || bytes < 0 || offset % element != 0 || bytes > slice - offset) {
    throw UsageError(formatted(
        "\"{}\": {} bytes from byte {} on are no part of the {} bytes that each rank has in segment "
        "\"{}\"{}",
        name, bytes, offset, slice, name_, offset % element != 0 ? "; parts begin at multiples of 16" : ""));
  }
  auto part = std::make_shared<SegmentState>(group_);
  static_cast<SegmentAccess&>(*part) = *this;
  part->name_ = name;
  part->domain_ = domain_;
  part->method_ = method_;
  part->slice = bytes;
  part->whole_ = handle_.lock();
  part->top_ = top_;
  part->region_ = region_;
  part->offset_ = offset_ + offset;
  part->base = base + offset;
  part->polls_ = polls_;
  part->number = next_segment_number();
  part->check_accesses(this, offset);
  part->locks_ = locks_;
  part->trace();
  group_.runtime().registry().add(*part);
  group_.adopt(part);
  return part;
}

RemoteAddress SegmentState::remote(int rank, index_t distance) const noexcept {
  return {group_.runtime().progress()->agent_of(group_.world_rank(rank)), region_->number(),
          group_.slot(rank) * stride + offset_ + distance};
}

void SegmentState::throw_closed() const {
  throw UsageError(
      formatted("\"{}\" was used after it was closed (by close(), or because its Runtime had ended)", name_));
}

void SegmentState::throw_use(Use wanted) const {
  if (wanted == Use::scalars) throw UsageError(formatted("\"{}\" does not hold scalars", name_));
  throw UsageError(
      formatted("\"{}\" holds scalars, whose memory no transfer may touch (they are not locked); use the "
                "members of Scalars",
                name_));
}

void SegmentState::poll() const { group_.runtime().outstanding().poll(); }

Statistics SegmentState::statistics() const {
  Statistics all = tallies_.statistics();
  all.flushes = flushes_;
  return all;
}

void SegmentState::complete(int rank, unsigned marks) const {
  if (under_way().is_empty()) return;
  RuntimeState& runtime = group_.runtime();
  const NetworkLock lock(runtime.threads());
  const unsigned found = under_way().of(rank);
  if ((found & marks) == 0) return;
  runtime.outstanding().complete_if([&](const Pending& pending) { return pending.is_to(whole(), rank); });
  if ((found & window_writes) != 0) {
    mpi::flush(region_->window(), rank);
    ++flushes_;
  }
  if ((found & agent_write) != 0) {
    ++flushes_;
    const RemoteAddress target = remote(rank, 0);
    runtime.progress()->client().flush({&target, 1});
  }
  under_way().clear(rank);
}

void SegmentState::complete_all() const {
  if (under_way().is_empty()) return;
  RuntimeState& runtime = group_.runtime();
  const NetworkLock lock(runtime.threads());
  runtime.outstanding().complete_if([&](const Pending& pending) { return pending.is_of(whole()); });
  // All agents are asked before the first answer is waited for.
  std::vector<RemoteAddress> agents;
  for (const auto& [rank, marks] : under_way().marks()) {
    if ((marks & window_writes) != 0) {
      mpi::flush(region_->window(), rank);
      ++flushes_;
    }
    if ((marks & agent_write) != 0) agents.push_back(remote(rank, 0));
  }
  flushes_ += agents.size();
  if (!agents.empty()) runtime.progress()->client().flush(agents);
  under_way().clear();
}

bool SegmentState::is_part_of(const SegmentState& other) const noexcept {
  for (const SegmentAccess* above = whole_.get(); above != nullptr;
       above = static_cast<const SegmentState*>(above)->whole_.get()) {
    if (above == &other) return true;
  }
  return false;
}

void SegmentState::forget_accesses() const noexcept {
  conflicts::Recorder& recorder = conflicts::Recorder::instance();
  recorder.forget(checked);
  const auto own = reinterpret_cast<index_t>(address(group_.rank()));
  if (whole_ == nullptr && own != 0) recorder.freed({own, own + slice});
}

std::atomic<std::uint64_t> SegmentState::closed_{0};

void SegmentState::release() noexcept {
  if (region_ == nullptr) return;
  ++closed_;
  direct_ranks = 0;
  if (checked != 0) forget_accesses();
  RuntimeState& runtime = group_.runtime();
  runtime.account(-accounted_);
  if (own_) runtime.reserve(-accounted_);
  for (SegmentState* part : runtime.registry().remove(*this)) part->release();
  if (slab_ != nullptr) slab_->give_back(offset_, slice);
  own_.reset();
  region_ = nullptr;
  top_ = this;
  whole_.reset();
}

void SegmentState::known_as(const Segment& handle) {
  handle_ = handle.state_;
  group_handle_ = handle.group_.state_;
}

std::optional<Segment> SegmentState::handle() const {
  auto face = handle_.lock();
  auto group = group_handle_.lock();
  if (!face || !group) return {};
  return Segment(Group(std::move(group)), std::move(face));
}

}  // namespace tessera::detail
