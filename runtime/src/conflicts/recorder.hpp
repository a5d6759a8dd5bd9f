// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "conflicts/accesses.hpp"
#include "conflicts/buffers_in_flight.hpp"
#include "conflicts/uses.hpp"

namespace tessera::detail::conflicts {

/// The number of accesses that are completed together, later; 0: none.
using Ticket = std::uint64_t;

/// When an access is complete at its owner. What a batch has not sent is completed by no flush; afterwards it
/// is.
enum class Completes : std::uint8_t { at_once, by_flush, by_ticket, by_flush_when_sent };

/// What is recorded of one access.
struct Noted {
  Act act;
  std::uint64_t segment;
  int target;
  ByteRange range;         // of a contiguous access
  const Footprint* shape;  // of another one
  Completes completes;
  Ticket ticket = 0;                 // of an access that is asynchronous, local or in a batch
  const std::byte* slice = nullptr;  // the target's, of a local access
  std::uint64_t notice = 0;          // of a put with one
};

/// What a segment is to reports.
struct SegmentFacts {
  std::string name;
  std::uint64_t group = 0;  // a number of this process
  std::vector<int> world_ranks;
  int rank = 0;            // this process's
  std::uint64_t root = 0;  // the segment whose memory it is a part of, or its own number
  index_t offset = 0;      // in that segment's slices
  /// The text of runs of bytes at a member: "patch [0:5, 2:4)". Empty: the bytes are named.
  std::function<std::string(int rank, const std::vector<ByteRange>& runs)> describe;
};

/// The accesses of this process that no synchronisation has dropped yet. Any thread may call.
class Recorder {
 public:
  static Recorder& instance();
  void start(int world_rank, index_t limit);

  void note(const Noted& access);
  /// Notes the local memory of a transfer, and reports it if it is in flight. With a ticket, it is in flight
  /// from now on.
  void note_buffer(Act act, std::uint64_t segment, int target, const Footprint& memory, Ticket ticket);
  /// Whether a buffer is in flight. @local
  bool has_buffers() const noexcept { return has_buffers_.load(std::memory_order_relaxed); }
  Ticket new_ticket();
  /// The call that began the transfers of a ticket returns. `is_done`: they are done.
  void launched(Ticket ticket, bool is_done);
  /// Memory that Tessera gives to the program, and takes back.
  void allocated(const void* memory, index_t bytes);
  void freed(const void* memory);
  void freed(const ByteRange& memory);
  /// Completes accesses by their ticket; frees its buffers.
  void complete(Ticket ticket);
  /// No flush completes the accesses of this ticket, which are fetches of a batch, before sent(ticket).
  void unsent(Ticket ticket);
  /// From now on flushes complete the accesses of a batch.
  void sent(Ticket ticket);
  /// Whether there are complete accesses that were not taken.
  bool holds_accesses() const;
  /// Completes what a flush completes: at one member, or at all (-1).
  void flush(std::uint64_t segment, int target);
  /// The same for all segments of a group, or of all groups (0).
  void flush_all(std::uint64_t group);
  /// Ends the open local accesses to a segment, and begins them anew: around a collective call that orders what
  /// is before and after it.
  void suspend(std::uint64_t segment);
  void resume(std::uint64_t segment);
  /// The same for all segments of a group.
  void suspend_all(std::uint64_t group);
  void resume_all(std::uint64_t group);
  /// A local access that is open when a mutex is released is not protected by it, nor what a batch has not
  /// sent.
  void unlocked(const order::HeldMutex& mutex);
  /// Notes the use of something by which processes may order themselves unseen.
  void use(const Means& means);
  /// The same for a call of MPI that the clocks do not follow.
  void use_call(const std::string& call, bool lasts);

  void add(std::uint64_t segment, SegmentFacts facts);
  void describe(std::uint64_t segment,
                std::function<std::string(int rank, const std::vector<ByteRange>& runs)> describe);
  void forget(std::uint64_t segment);
  /// Null if it was forgotten. @local
  const SegmentFacts* facts(std::uint64_t segment) const;

  /// The accesses to segments of one group, or to all (0), compressed. The complete ones are dropped.
  std::vector<std::shared_ptr<Access>> take(std::uint64_t group);
  /// The uses of this process since the last call of forget_uses().
  std::vector<UnseenUse> uses();
  void forget_uses();
  const std::string& text(Site site);
  std::vector<BufferConflict> take_buffer_conflicts();
  bool has_buffer_conflicts() const;
  /// How many accesses were dropped because the limit was reached. @local
  std::uint64_t dropped() const;

 private:
  using Shared = std::shared_ptr<Access>;
  // Accesses that are alike in all of this are one.
  struct Alike {
    std::uint64_t segment;
    int target;
    Act act;
    Site site;
    std::uint64_t begun;
    const void* seen;
    bool is_async, completes_by_flush;
    Ticket batch;  // that has not sent it; 0: none
    std::uint64_t notice;
    std::vector<order::HeldMutex> mutexes;
    auto operator<=>(const Alike&) const = default;
  };
  // The access that was noted last with some of what makes accesses alike, without mutexes.
  struct Recent {
    Access* access = nullptr;
    std::uint64_t segment = 0;
    int target = 0;
    Site site = 0;
    Act act{};
    bool is_async = false, completes_by_flush = false;
    Ticket batch = 0;
    std::uint64_t notice = 0;
    bool is(const Alike& alike) const noexcept;
  };
  const std::shared_ptr<const order::VectorClock>& now();
  Recent& recent(const Alike& alike) noexcept;
  void forget_recent() noexcept { recent_ = {}; }
  Access& access_like(const Alike& alike);
  Shared new_access(const Alike& alike) const;
  void keep_within_limit();
  // Whether a segment lives, and is of a group; of any group (0).
  bool is_of(std::uint64_t group, std::uint64_t segment) const;
  template <class IsMeant>
  void flush_those(const IsMeant& is_meant);
  template <class IsMeant>
  void suspend_those(const IsMeant& is_meant);
  template <class IsMeant>
  void resume_those(const IsMeant& is_meant);
  template <class Where>
  void add_to(Access& access, const Where& where);
  void keep(const Shared& access, bool completes_by_flush);
  index_t memory() const noexcept { return memory_ + clock_memory_; }
  void finish(const Shared& access);
  void complete_now(Access& access) const noexcept;
  void report_buffer(const BuffersInFlight::FlyingBuffer& buffer, Misuse misuse);
  std::string text_of(const Means& means) const;

  mutable std::mutex mutex_;
  int world_rank_ = 0;
  index_t limit_ = 0, memory_ = 0;        // of accesses
  std::atomic<index_t> clock_memory_{0};  // of the clocks that they share
  std::uint64_t dropped_ = 0;
  Ticket last_ticket_ = 0;
  CallSites sites_;
  BuffersInFlight buffers_;
  std::atomic<bool> has_buffers_{false};
  std::map<const void*, index_t> allocated_;
  std::uint64_t clock_version_ = ~std::uint64_t{0}, recent_version_ = 0;
  std::shared_ptr<const order::VectorClock> clock_;
  std::uint64_t stamp_ = 0;
  std::deque<Shared> accesses_;    // complete, oldest first
  std::deque<Shared> incomplete_;  // to be completed by a flush
  std::map<Ticket, std::vector<Shared>> unsent_;
  std::map<Alike, Shared> alike_;
  std::array<Recent, 16> recent_;
  struct Open {
    Shared access;
    const std::byte* slice = nullptr;  // of a local access
    std::uint64_t contents = 0;        // a hash of what it may change
    bool is_suspended = false;         // then the access is over, and another one will be like it
    bool writes = false;
    bool is_unsent = false;  // of a batch: no flush completes it
    Footprint where() const noexcept;
    bool has_changed() const noexcept;
  };
  std::unordered_map<Ticket, std::vector<Open>> tickets_;  // to be completed by a ticket
  std::map<std::uint64_t, SegmentFacts> segments_;
  Uses uses_;
  std::uint64_t moment_ = 0;  // counts what happens in this process
  std::vector<BufferConflict> buffer_conflicts_;
  std::set<std::pair<Site, Site>> reported_buffers_;
};

}  // namespace tessera::detail::conflicts
