// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/vector.hpp>

#include <algorithm>
#include <optional>
#include <span>

#include <tessera/runtime/detail/unchecked.hpp>
#include <tessera/runtime/error.hpp>

#include "conflicts/conflicts.hpp"
#include "format.hpp"
#include "transfer/passage.hpp"
#include "transfer/paths/paths.hpp"
#include "transfer/route.hpp"
#include "transfer/transfer.hpp"
#include "transfer/vector_runs.hpp"

namespace tessera {
namespace detail {

namespace {

// A vector transfer.
class Transfer {
 public:
  // At most `batch` runs are under way to a target on another node; 0 sets no limit.
  Transfer(const RunFacts& list, const Action& action, index_t batch)
      : list_(list), action_(action), batch_(static_cast<std::size_t>(batch)) {}

  void conservative() {
    for (const Run& run : list_.runs) {
      one(run);
      run.segment->complete(run.rank, anything);
    }
  }

  // Moves the runs together: the runs on the node in one loop, the others by target. With Returns::when_done
  // the call waits for all targets at once.
  Request together(VectorMethod method, Returns returns) {
    const std::span<Run> runs = list_.runs;
    if (list_.are_together) return send({runs, list_.lengths, action_, method, returns}, true), Request();
    const auto is_near = [&](const Run& run) { return on_node(run, action_.verb); };
    if (!std::all_of(runs.begin(), runs.end(), is_near)) {
      if (method == VectorMethod::direct)
        std::sort(runs.begin(), runs.end(), before);
      else if (!std::is_sorted(runs.begin(), runs.end(), to_other_target))
        std::stable_sort(runs.begin(), runs.end(), to_other_target);
    }
    for (auto begin = runs.begin(), end = begin; begin != runs.end(); begin = end) {
      const Run& first = *begin;
      const bool here = is_near(first);
      end = std::find_if(begin + 1, runs.end(), [&](const Run& run) {
        return here ? run.segment != first.segment || !is_near(run) : !same_target(run, first);
      });
      const RunList group{{begin, end}, list_.lengths, action_, method, returns};
      if (here)
        send(group, false);
      else
        send_in_batches(group, std::all_of(end, runs.end(), is_near));
    }
    return std::move(under_way_);
  }

 private:
  void one(const Run& run) {
    const Strided shape = Strided::contiguous(list_.lengths.of(run));
    if (action_.verb == Verb::put) return transfer_put(*run.segment, run.rank, run.offset, shape, run.local);
    if (action_.verb == Verb::get) return transfer_get(*run.segment, run.rank, run.offset, shape, run.local);
    transfer_accumulate(*run.segment, run.rank, run.offset, shape, action_, run.local);
  }

  // If the call waits, the last target on another node gets the time of it.
  void send(const RunList& list, bool is_last) {
    SegmentState& segment = *list.runs.front().segment;
    const int rank = list.runs.front().rank;
    const Path path = route(segment, rank, action_.verb, list_.lengths.each, Amount::many);
    index_t bytes = list_.lengths.sum(list.runs);
    if (path == Path::node) bytes -= count_others(segment, list.runs);
    // Returns::early, as a list of gets is under way until its request is waited for. A typed list by the
    // window waits by itself.
    const Passage passage(segment, rank, path, action_.verb, bytes, Returns::early);
    under_way_ += by(path, [&](auto way) { return way.list(segment, list); });
    if (is_last && list.returns == Returns::when_done) under_way_.wait();
  }

  // Sends the runs of one target, a batch when the one before is complete.
  void send_in_batches(RunList list, bool is_last) {
    std::span<const Run> left = list.runs;
    while (batch_ > 0 && left.size() > batch_) {
      list.runs = left.first(batch_);
      left = left.subspan(batch_);
      send(list, false);
      under_way_.wait();
      if (action_.verb != Verb::get) list.runs.front().segment->complete(list.runs.front().rank, anything);
    }
    list.runs = left;
    send(list, is_last);
  }

  // Counts and orders the runs at other ranks of the node than the first run's, one operation for each rank.
  // The first run's rank gets the time. Returns how many bytes the other ranks have.
  index_t count_others(SegmentState& segment, std::span<const Run> group) const {
    if (list_.have_one_rank) return 0;
    const int first = group.front().rank;
    if (std::all_of(group.begin(), group.end(), [&](const Run& run) { return run.rank == first; })) return 0;
    const GroupState& members = segment.group();
    std::vector<index_t> bytes(static_cast<std::size_t>(members.node_ranks()), 0);
    for (const Run& run : group)
      bytes[static_cast<std::size_t>(members.slot(run.rank))] += list_.lengths.of(run);
    index_t others = 0;
    for (std::size_t place = 0; place < bytes.size(); ++place) {
      const int rank = members.rank_of_slot(static_cast<index_t>(place));
      if (bytes[place] == 0 || rank == first) continue;
      const Operation operation = counted_as(action_.verb);
      Passage::order(segment, rank, Path::node, operation, Returns::early);
      count_untimed(segment, segment.tallies(), rank, Path::node, operation, bytes[place]);
      others += bytes[place];
    }
    return others;
  }

  const RunFacts& list_;
  Action action_;
  std::size_t batch_;
  Request under_way_;
};

// The same, checked for conflicts.
Request checked(const RunFacts& list, const Action& action, const VectorOptions& options, Returns returns) {
  const auto act = action.verb == Verb::put   ? conflicts::Act::put
                   : action.verb == Verb::get ? conflicts::Act::get
                                              : conflicts::Act::accumulate;
  std::optional<conflicts::Asynchronous> access;
  if (returns == Returns::early) access.emplace();
  for (const Run& run : list.runs) {
    conflicts::note_transfer(act, run.segment->checked, run.rank, run.offset,
                             Strided::contiguous(list.lengths.of(run)), run.local);
  }
  const Unchecked noted;
  Request request = transfer_runs(list, action, options, returns);
  if (access) Outstanding::add_ticket(request, access->hand_over());
  return request;
}

Request transfer(const Vector& vector, const VectorOptions& options, const Action& action, Returns returns) {
  if (options.batch < 0)
    throw UsageError(formatted("a vector transfer has batches of {} runs (0 sets no limit)", options.batch));
  RunBuffer buffer;
  const RunFacts list = resolve(vector, action.verb, buffer);
  if (list.runs.empty()) return {};
  if (action.verb == Verb::accumulate) require_whole_elements(list.runs, list.lengths, action.kind);
  if (conflicts::notes(list.runs.front().segment->checked)) return checked(list, action, options, returns);
  return transfer_runs(list, action, options, returns);
}

Action sum_of(ElementKind kind, const void* alpha) {
  if (kind == ElementKind::bytes) throw UsageError("accumulate is not defined for bytes");
  return {.verb = Verb::accumulate, .kind = kind, .update = Update::sum, .alpha = alpha};
}

}  // namespace

Request transfer_runs(const RunFacts& list, const Action& action, const VectorOptions& options,
                      Returns returns) {
  VectorMethod method = options.method;
  const Verb verb = action.verb;
  const std::span<Run> runs = list.runs;
  const RunLengths& lengths = list.lengths;
#ifdef TESSERA_CHECKS
  const bool promised = method == VectorMethod::batched || method == VectorMethod::direct;
  if (promised && overlaps(runs, lengths, verb)) {
    throw UsageError(
        formatted("runs of a vector transfer by the method {} overlap (what comes last would be left to "
                  "chance); use automatic or conservative",
                  to_string(method)));
  }
#endif
  if (method == VectorMethod::automatic) {
    // On a node, runs are copied one after another in list order. So only a run that overlaps itself can
    // differ.
    const bool batched =
        list.are_apart || agents_keep_order(runs, lengths, verb) || !overlaps(runs, lengths, verb);
    method = batched ? VectorMethod::batched : VectorMethod::conservative;
  }
  Transfer transfer(list, action, options.batch);
  if (method != VectorMethod::conservative) return transfer.together(method, returns);
  transfer.conservative();
  return {};
}

}  // namespace detail

using detail::Returns;
using detail::Verb;

const char* to_string(VectorMethod method) noexcept {
  constexpr const char* names[] = {"automatic", "conservative", "batched", "direct"};
  return names[static_cast<std::size_t>(method)];
}

void put(const Vector& vector, const VectorOptions& options) {
  detail::transfer(vector, options, {.verb = Verb::put}, Returns::when_done).wait();
}
void get(const Vector& vector, const VectorOptions& options) {
  detail::transfer(vector, options, {.verb = Verb::get}, Returns::when_done).wait();
}
void accumulate(const Vector& vector, ElementKind kind, const void* alpha, const VectorOptions& options) {
  detail::transfer(vector, options, detail::sum_of(kind, alpha), Returns::when_done).wait();
}

Request put_async(const Vector& vector, const VectorOptions& options) {
  return detail::transfer(vector, options, {.verb = Verb::put}, Returns::early);
}
Request get_async(const Vector& vector, const VectorOptions& options) {
  return detail::transfer(vector, options, {.verb = Verb::get}, Returns::early);
}
Request accumulate_async(const Vector& vector, ElementKind kind, const void* alpha,
                         const VectorOptions& options) {
  return detail::transfer(vector, options, detail::sum_of(kind, alpha), Returns::early);
}

}  // namespace tessera
