// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/vector.hpp>

#include <algorithm>
#include <cstring>

#include "adder.hpp"
#include "format.hpp"
#include "progress.hpp"
#include "state.hpp"
#include "vector_runs.hpp"
#include "window_transfer.hpp"

namespace tessera {
namespace detail {

namespace {

template <std::size_t bytes>
void copy_fixed(const Run* run, const Run* end, Kind kind) noexcept {
  if (kind == Kind::put) {
    for (; run != end; ++run) std::memcpy(run->place, run->local, bytes);
  } else {
    for (; run != end; ++run) std::memcpy(run->local, run->place, bytes);
  }
}

void copy_runs(const Run* run, const Run* end, index_t bytes, Kind kind) noexcept {
  switch (bytes) {
    case 4:
      return copy_fixed<4>(run, end, kind);
    case 8:
      return copy_fixed<8>(run, end, kind);
    case 16:
      return copy_fixed<16>(run, end, kind);
    case 32:
      return copy_fixed<32>(run, end, kind);
    case 64:
      return copy_fixed<64>(run, end, kind);
    default:
      const auto n = static_cast<std::size_t>(bytes);
      for (; run != end; ++run) {
        std::byte *to = kind == Kind::put ? run->place : run->local,
                  *from = kind == Kind::put ? run->local : run->place;
        std::memcpy(to, from, n);
      }
  }
}

// A vector transfer on its way.
class Transfer {
 public:
  Transfer(std::vector<Run> runs, index_t run, Kind kind, const Combine& combine)
      : runs_(std::move(runs)), run_(run), kind_(kind), combine_(combine) {}

  void conservative() {
    for (const Run& run : runs_) {
      one(run, nullptr);
      run.segment->complete(run.rank, SegmentState::all_marks);
    }
  }

  // Together: those on the node in one loop; those elsewhere as MPI operations of their own, or few of many
  // runs.
  Request together(VectorMethod method, bool wait) {
    Request request;
    if (needs_grouping()) {
      if (method == VectorMethod::direct)
        std::sort(runs_.begin(), runs_.end(), before);
      else if (!std::is_sorted(runs_.begin(), runs_.end(), to_other_target))
        std::stable_sort(runs_.begin(), runs_.end(), to_other_target);
    }
    for (auto begin = runs_.cbegin(), end = begin; begin != runs_.cend(); begin = end) {
      const Run& first = *begin;
      const bool here = on_node(first, kind_);
      end = std::find_if(begin + 1, runs_.cend(), [&](const Run& run) {
        return here ? run.segment != first.segment || !on_node(run, kind_) : !same_target(run, first);
      });
      const std::span<const Run> group(begin, end);
      if (here) {
        to_node(group);
      } else {
        request += by_window(*first.segment, kind_) ? to_window(group, method, wait) : to_agent(group, wait);
      }
    }
    return request;
  }

 private:
  // Runs to several targets between nodes travel by target.
  bool needs_grouping() const noexcept {
    return std::any_of(runs_.begin(), runs_.end(), [&](const Run& run) { return !on_node(run, kind_); });
  }

  void one(const Run& run, Pending* pending) {
    const Strided shape = Strided::contiguous(run_);
    if (kind_ == Kind::put) return transfer_put(*run.segment, run.rank, run.offset, shape, run.local, pending);
    if (kind_ == Kind::get) return transfer_get(*run.segment, run.rank, run.offset, shape, run.local, pending);
    transfer_accumulate(*run.segment, run.rank, run.offset, shape, combine_, run.local, pending);
  }

  // Of one segment, of any owner: in the order of the list.
  void to_node(std::span<const Run> group) {
    SegmentState& segment = *group.front().segment;
    const int rank = group.front().rank;
    const index_t others = count_others(segment, group);
    const Counted counted(segment, segment.tallies, rank, Path::node, operation(),
                          run_ * (static_cast<index_t>(group.size()) - others));
    segment.complete(rank, SegmentState::acc_mark);
    if (kind_ != Kind::accumulate) return copy_runs(group.data(), group.data() + group.size(), run_, kind_);
    Adder adder(segment.stripes(), combine_);
    constexpr std::size_t ahead = 8;
    for (std::size_t i = 0; i < group.size(); ++i) {
      // The lock of a run that is elsewhere than the last keeps the processor from looking ahead.
      if (i + ahead < group.size()) __builtin_prefetch(group[i + ahead].place, 1);
      adder.run(group[i].place, group[i].local, run_);
    }
  }

  // Counts the runs at other ranks than the first's, one operation for each rank; the first's takes the time.
  index_t count_others(SegmentState& segment, std::span<const Run> group) const {
    const int first = group.front().rank;
    if (std::all_of(group.begin(), group.end(), [&](const Run& run) { return run.rank == first; })) return 0;
    const GroupState& members = *segment.group;
    std::vector<index_t> runs(static_cast<std::size_t>(members.node_ranks()), 0);
    for (const Run& run : group)
      ++runs[static_cast<std::size_t>(members.slot[static_cast<std::size_t>(run.rank)])];
    index_t others = 0;
    for (std::size_t place = 0; place < runs.size(); ++place) {
      const int rank = members.rank_of_slot(static_cast<index_t>(place));
      if (runs[place] == 0 || rank == first) continue;
      segment.complete(rank, SegmentState::acc_mark);
      segment.tallies.of(segment.number, rank)
          .of[static_cast<std::size_t>(Path::node)][static_cast<std::size_t>(operation())]
          .add(static_cast<std::uint64_t>(run_ * runs[place]));
      others += runs[place];
    }
    return others;
  }

  Operation operation() const noexcept {
    return kind_ == Kind::put ? Operation::put : kind_ == Kind::get ? Operation::get : Operation::accumulate;
  }

  // By the agent of the target, which keeps the order: packed, or each by itself where that saves a copy.
  Request to_agent(std::span<const Run> group, bool wait) {
    SegmentState& segment = *group.front().segment;
    RuntimeState& runtime = *segment.group->runtime;
    const int rank = group.front().rank;
    const WindowLock lock(runtime);
    const Counted counted(segment, segment.tallies, rank, Path::agent, operation(),
                          run_ * static_cast<index_t>(group.size()));
    segment.complete(rank, kind_ == Kind::get ? SegmentState::put_mark | SegmentState::acc_mark
                                              : SegmentState::window_marks);
    segment.mark(rank, kind_ == Kind::get ? SegmentState::agent_get_mark : SegmentState::agent_write_mark);
    Courier& courier = runtime.progress->courier();
    Request request;
    auto pending = std::make_shared<Pending>(runtime, segment, rank);
    auto launch = [&] { request += Pending::launch(std::exchange(pending, nullptr)); };
    const int agent = segment.remote(rank, 0).agent;
    if (run_ >= largest_packed) {
      const Strided shape = Strided::contiguous(run_);
      for (const Run& run : group) {
        if (!pending) pending = std::make_shared<Pending>(runtime, segment, rank);
        const Address place = segment.remote(rank, run.offset);
        if (kind_ == Kind::put) courier.put(place, shape, run.local, pending.get());
        if (kind_ == Kind::get) courier.get(place, shape, run.local, pending.get());
        if (kind_ == Kind::accumulate) courier.accumulate(place, shape, combine_, run.local, pending.get());
        launch();
      }
    } else {
      RunGroup alike{.verb = kind_ == Kind::put   ? Verb::put
                             : kind_ == Kind::get ? Verb::get
                                                  : Verb::accumulate,
                     .kind = combine_.kind,
                     .update = combine_.update,
                     .region = segment.region->number,
                     .run = run_};
      if (combine_.alpha != nullptr)
        std::memcpy(alike.value.data(), combine_.alpha, static_cast<std::size_t>(size_of(combine_.kind)));
      Program program;
      auto send = [&] {
        if (!pending) pending = std::make_shared<Pending>(runtime, segment, rank);
        courier.run(agent, program, *pending);
        launch();
      };
      for (const Run& run : group) {
        if (!program.has_room(alike)) send();
        program.add(alike, segment.remote(rank, run.offset).position, run.local, run.local);
      }
      send();
    }
    if (wait) request.wait();
    return request;
  }

  // Runs of this size and more are sent from where they are.
  static constexpr index_t largest_packed = index_t{8} << 10;
  static constexpr index_t most_staged = index_t{4} << 20;  // bytes of scaled copies in one pending transfer

  // Program order against earlier operations is kept by the first run; the others do not overlap it.
  Request to_window(std::span<const Run> group, VectorMethod method, bool wait) {
    SegmentState& segment = *group.front().segment;
    RuntimeState& runtime = *segment.group->runtime;
    const int rank = group.front().rank;
    const WindowLock lock(runtime);
    const bool typed = method == VectorMethod::direct && kind_ != Kind::accumulate && mpi::datatypes_work &&
                       run_ <= mpi::max_bytes;
    const Counted counted(segment, segment.tallies, rank, Path::window, operation(),
                          run_ * static_cast<index_t>(group.size()));
    segment.complete(rank, kind_ == Kind::accumulate ? SegmentState::put_mark | SegmentState::get_mark
                           : kind_ == Kind::put      ? SegmentState::all_marks
                                                     : SegmentState::put_mark | SegmentState::acc_mark |
                                                      SegmentState::agent_write_mark);
    if (typed && wait) {
      segment.mark(rank, kind_ == Kind::put ? SegmentState::put_mark : SegmentState::get_mark);
      send_typed(segment, rank, group);
      return {};
    }
    Request request;
    const Strided shape = Strided::contiguous(run_);
    auto pending = std::make_shared<Pending>(runtime, segment, rank);
    auto stage = std::make_unique<WindowStage>();
    auto launch = [&] {
      pending->add(std::exchange(stage, std::make_unique<WindowStage>()));
      request += Pending::launch(std::exchange(pending, std::make_shared<Pending>(runtime, segment, rank)));
    };
    for (const Run& run : group) {
      if (stage->kept() >= most_staged) launch();
      if (kind_ == Kind::put) window_put(segment, rank, run.offset, shape, run.local, stage.get());
      if (kind_ == Kind::get) window_get(segment, rank, run.offset, shape, run.local, stage.get());
      if (kind_ == Kind::accumulate)
        window_accumulate(segment, rank, run.offset, shape, combine_, run.local, stage.get());
    }
    segment.mark(rank, kind_ == Kind::put   ? SegmentState::put_mark
                       : kind_ == Kind::get ? SegmentState::get_mark
                                            : SegmentState::acc_mark);
    launch();
    if (wait) request.wait();
    return request;
  }

  void send_typed(const SegmentState& segment, int rank, std::span<const Run> group) {
    std::vector<index_t> offsets;
    std::vector<std::byte*> locals;
    const std::size_t at_once = std::min(mpi::most_indexed, static_cast<std::size_t>(mpi::max_bytes / run_));
    for (std::size_t begin = 0; begin < group.size(); begin += at_once) {
      offsets.clear();
      locals.clear();
      for (const Run& run : group.subspan(begin, std::min(at_once, group.size() - begin))) {
        offsets.push_back(segment.offset + run.offset);
        locals.push_back(run.local);
      }
      MPI_Win win = segment.region->window.get();
      kind_ == Kind::put ? mpi::put_indexed(win, rank, offsets, locals, run_)
                         : mpi::get_indexed(win, rank, offsets, locals, run_);
    }
    mpi::flush_local(segment.region->window.get(), rank);
  }

  std::vector<Run> runs_;
  index_t run_;
  Kind kind_;
  Combine combine_;
};

Request transfer(const Vector& vector, VectorMethod method, Kind kind, bool wait, const Combine& combine = {}) {
  std::vector<Run> runs = resolve(vector);
  if (runs.empty()) return {};
  if (kind == Kind::accumulate) require_whole_elements(vector, runs, combine.kind);
#ifdef TESSERA_CHECKS
  const bool promised = method == VectorMethod::batched || method == VectorMethod::direct;
  if (promised && overlaps(runs, vector.run, kind)) {
    throw UsageError(
        formatted("runs of a vector transfer by the method {} overlap (what comes last would be left to "
                  "chance); use automatic or conservative",
                  to_string(method)));
  }
#endif
  if (method == VectorMethod::automatic) {
    const bool batched = order_is_kept(runs, vector.run, kind) || agents_keep_order(runs, kind) ||
                         !overlaps(runs, vector.run, kind);
    method = batched ? VectorMethod::batched : VectorMethod::conservative;
  }
  Transfer transfer(std::move(runs), vector.run, kind, combine);
  if (method != VectorMethod::conservative) return transfer.together(method, wait);
  transfer.conservative();
  return {};
}

Combine sum_of(ElementKind kind, const void* alpha) {
  if (kind == ElementKind::bytes) throw UsageError("accumulate is not defined for bytes");
  return {.kind = kind, .update = Update::sum, .alpha = alpha};
}

}  // namespace
}  // namespace detail

using detail::Kind;

const char* to_string(VectorMethod method) noexcept {
  constexpr const char* names[] = {"automatic", "conservative", "batched", "direct"};
  return names[static_cast<std::size_t>(method)];
}

void put(const Vector& vector, VectorMethod method) {
  detail::transfer(vector, method, Kind::put, true).wait();
}
void get(const Vector& vector, VectorMethod method) {
  detail::transfer(vector, method, Kind::get, true).wait();
}
void accumulate(const Vector& vector, ElementKind kind, const void* alpha, VectorMethod method) {
  detail::transfer(vector, method, Kind::accumulate, true, detail::sum_of(kind, alpha)).wait();
}

Request put_async(const Vector& vector, VectorMethod method) {
  return detail::transfer(vector, method, Kind::put, false);
}
Request get_async(const Vector& vector, VectorMethod method) {
  return detail::transfer(vector, method, Kind::get, false);
}
Request accumulate_async(const Vector& vector, ElementKind kind, const void* alpha, VectorMethod method) {
  return detail::transfer(vector, method, Kind::accumulate, false, detail::sum_of(kind, alpha));
}

}  // namespace tessera
