// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/batch.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include <tessera/runtime/detail/unchecked.hpp>
#include <tessera/runtime/error.hpp>

#include "agents/progress.hpp"
#include "conflicts/conflicts.hpp"
#include "format.hpp"
#include "transfer/node_updates.hpp"
#include "transfer/passage.hpp"
#include "transfer/route.hpp"
#include "transfer/transfer.hpp"
#include "transfer/vector_runs.hpp"

namespace tessera {

using detail::Action;
using detail::counted_as;
using detail::OperationList;
using detail::Pending;
using detail::RemoteAddress;
using detail::Returns;
using detail::RunGroup;
using detail::SegmentState;
using detail::Verb;
using detail::conflicts::Act;

namespace {

// Runs of one verb and length that go by the window, kept until they are sent as a list.
class WindowRuns {
 public:
  // `alpha` is a copy, read when the operation is added.
  struct RunKind {
    Verb verb = Verb::put;
    ElementKind element = ElementKind::bytes;
    index_t run = 0;
    std::array<std::byte, 16> alpha{};
    bool operator==(const RunKind&) const = default;
  };
  bool is_empty() const noexcept { return runs_.empty(); }
  bool takes(const RunKind& kind) const noexcept {
    return runs_.empty() ||
           (kind == kind_ && static_cast<index_t>(runs_.size() + 1) * kind.run <= OperationList::most);
  }
  // Copies the data of a write.
  void add(const RunKind& kind, SegmentState& segment, int rank, index_t offset, const void* source,
           void* target) {
    kind_ = kind;
    if (runs_.empty()) data_.resize(static_cast<std::size_t>(OperationList::most));
    auto* local = static_cast<std::byte*>(target);
    if (kind.verb != Verb::get) {
      local = data_.data() + runs_.size() * static_cast<std::size_t>(kind.run);
      std::memcpy(local, source, static_cast<std::size_t>(kind.run));
    }
    std::byte* here = segment.address(rank);
    runs_.push_back({&segment, rank, 0, offset, here == nullptr ? nullptr : here + offset, local});
  }
  // Sends the runs. Gets are filled when the request is done.
  Request send() {
    if (runs_.empty()) return {};
    const bool adds = kind_.verb == Verb::accumulate;
    const Action action{
        .verb = kind_.verb, .kind = kind_.element, .alpha = adds ? kind_.alpha.data() : nullptr};
    detail::KeptVector<detail::Run> runs = std::exchange(runs_, {});
    return detail::transfer_runs({runs, {kind_.run}}, action, VectorMethod::automatic,
                                 kind_.verb == Verb::get ? Returns::early : Returns::when_done);
  }

 private:
  RunKind kind_;
  detail::KeptVector<detail::Run> runs_;
  detail::KeptVector<std::byte> data_;
};

}  // namespace

struct Batch::State {
  detail::RuntimeState* runtime = nullptr;
  struct Touched {
    SegmentState* segment;
    int rank;
    Operation operation;
    bool operator==(const Touched&) const = default;
  };
  struct Destination {
    OperationList list;
    std::vector<Touched> touched;  // marked when the list is sent: an earlier flush finds nothing
  };
  std::map<int, Destination> to;  // by agent
  WindowRuns by_window;
  detail::NodeUpdates on_node;
  // Where the last operation went, as the next mostly goes there too.
  struct Way {
    SegmentState* segment = nullptr;
    std::uint64_t number = 0;  // the segment's, as another segment may later have its address
    int rank = -1;
    Destination* destination = nullptr;  // null unless by an agent
    int agent = 0;
    std::uint64_t region = 0;
    index_t begin = 0;     // of the rank's slice in it
    unsigned touched = 0;  // the operations that the destination knows of, a bit for each
    // The kind of the last operation: its path holds for others of its kind.
    Verb verb = Verb::put;
    index_t bytes = -1;
    Path path = Path::node;
  } way;
  // The segments of operations that may not have been carried out, and how many had been closed at the last
  // look.
  std::map<const SegmentState*, std::shared_ptr<const SegmentState>> kept;
  const SegmentState* last_kept = nullptr;
  std::uint64_t closed = SegmentState::closed();
  Request under_way;
  detail::conflicts::Ticket unsent = 0;              // of what is noted and not sent
  std::vector<detail::conflicts::Ticket> fetches{};  // likewise, of each that fetches

  void send(int agent, Destination& destination, Returns returns = Returns::early) {
    if (destination.list.is_empty()) return;
    const detail::NetworkLock lock(runtime->threads());
    for (const Touched& one : destination.touched)
      detail::Passage::order(*one.segment, one.rank, Path::agent, one.operation, Returns::early);
    auto pending = std::make_shared<Pending>();
    for (const Touched& one : destination.touched) pending->touches(one.segment->whole(), one.rank);
    runtime->progress()->client().run(agent, destination.list, *pending);
    under_way += runtime->outstanding().launch(std::move(pending), returns);
    destination.touched.clear();
    way.touched = 0;
  }

  Request send_all(Returns returns) {
    refuse_closed();
    on_node.carry_out();
    under_way += by_window.send();
    for (auto& [agent, destination] : to) send(agent, destination, returns);
    all_sent();
    return std::exchange(under_way, Request());
  }

  // Of a closed segment, the memory may belong to another one.
  void refuse_closed() {
    if (const std::uint64_t now = SegmentState::closed(); std::exchange(closed, now) == now) return;
    const auto found =
        std::find_if(kept.begin(), kept.end(), [](const auto& one) { return !one.second->is_open(); });
    if (found == kept.end()) return;
    const std::string name = found->second->name();
    on_node = {};
    by_window = {};
    for (auto& [agent, destination] : to) {
      destination.list.clear();
      destination.touched.clear();
    }
    way = {};
    all_sent();
    throw UsageError(
        formatted("segment \"{}\" was closed while a batch held operations on it (those that the batch still "
                  "held are lost, on all segments); send() the batch before close()",
                  name));
  }
  void keep(SegmentState& segment) {
    refuse_closed();
    if (last_kept == &segment) return;
    auto& kept_one = kept[&segment];
    if (!kept_one) kept_one = segment.shared_from_this();
    last_kept = &segment;
  }
  void all_sent() {
    kept.clear();
    last_kept = nullptr;
    if (unsent != 0) detail::conflicts::note_sent(std::exchange(unsent, 0));
    for (const auto fetch : std::exchange(fetches, {})) detail::conflicts::note_sent(fetch);
  }

  void find_way(SegmentState& segment, int rank, index_t offset, index_t bytes) {
    detail::check_place(segment, rank, offset, bytes);
    way = {};
    way.segment = &segment;
    way.number = segment.number;
    way.rank = rank;
    if (segment.address(rank) != nullptr || segment.domain() != AtomicDomain::cpu) return;
    const RemoteAddress place = segment.remote(rank, 0);
    // Agents of different Runtimes may have the same number.
    if (detail::RuntimeState* const its = &segment.group().runtime(); runtime != its) {
      for (auto& [agent, destination] : to) send(agent, destination);
      runtime = its;
    }
    way.destination = &to[place.agent];
    way.agent = place.agent;
    way.region = place.region;
    way.begin = place.position;
  }

  // The path of an operation that can be kept for later; Path::node if it must be done at once. First sends
  // what was kept for another path, as it must come before.
  Path prepare(SegmentState& segment, int rank, index_t offset, index_t bytes, Verb verb) {
    segment.require(detail::Use::data);
    keep(segment);
    if (way.segment != &segment || way.number != segment.number || way.rank != rank)
      find_way(segment, rank, offset, bytes);
    if (bytes < 0 || offset < 0 || offset > segment.slice - bytes)
      detail::check_place(segment, rank, offset, bytes);
    if (way.verb != verb || way.bytes != bytes) {
      way.verb = verb;
      way.bytes = bytes;
      way.path = route(segment, rank, verb, bytes, detail::Amount::many);
    }
    const bool keeps = bytes <= OperationList::most / 4 && (way.path == Path::agent || verb != Verb::update);
    if (!by_window.is_empty() && (!keeps || way.path != Path::window)) under_way += by_window.send();
    if (way.destination != nullptr && (!keeps || way.path != Path::agent)) send(way.agent, *way.destination);
    on_node.carry_out();
    return keeps ? way.path : Path::node;
  }

  // For the check for conflicts: a write is done at some time before it is sent, also where it is done at once.
  void note_write(const SegmentState& segment, int rank, index_t offset, index_t bytes, Act act) {
    using namespace detail::conflicts;
    if (!notes(segment.checked)) return;
    if (unsent == 0) unsent = Recorder::instance().new_ticket();
    note_in_batch(act, segment.checked, rank, offset, bytes, unsent);
  }
  // What fetches is complete when the batch is.
  template <class Note>
  void note_fetch(const SegmentState& segment, Note&& note) {
    using namespace detail::conflicts;
    if (!notes(segment.checked)) return;
    Asynchronous access;
    note();
    const Ticket fetch = access.hand_over();
    if (fetch != 0) {
      note_unsent(fetch);
      fetches.push_back(fetch);
    }
    detail::Outstanding::add_ticket(under_way, fetch, false);
  }

  RunGroup group_of(Verb verb, index_t bytes) const noexcept {
    RunGroup group;
    group.verb = verb;
    group.region = way.region;
    group.run = bytes;
    return group;
  }

  void to_agent(const RunGroup& run, index_t offset, const void* data, void* result) {
    Destination& destination = *way.destination;
    if (!destination.list.has_room(run)) send(way.agent, destination);
    const Operation operation = counted_as(way.verb);
    const unsigned bit = 1U << static_cast<unsigned>(operation);
    if ((way.touched & bit) == 0) {
      auto& known = destination.touched;
      const Touched touched{way.segment, way.rank, operation};
      if (std::find(known.begin(), known.end(), touched) == known.end()) known.push_back(touched);
      way.touched |= bit;
    }
    const SegmentState& segment = *way.segment;
    const detail::Counted counted(segment, segment.tallies(), way.rank, Path::agent, operation, run.run);
    destination.list.add(run, way.begin + offset, data, result);
  }

  void to_window(const WindowRuns::RunKind& kind, index_t offset, const void* source, void* target) {
    if (!by_window.takes(kind)) under_way += by_window.send();
    by_window.add(kind, *way.segment, way.rank, offset, source, target);
  }
};

namespace {

// An operation that is noted as one of the batch, and done at once.
template <class F>
void when_noted(const SegmentState& segment, F&& operate) {
  if (!detail::conflicts::notes(segment.checked)) return operate();
  const detail::Unchecked noted;
  operate();
}

}  // namespace

Batch::Batch() : state_(std::make_unique<State>()) {}
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&& other) noexcept {
  const Batch old(std::move(*this));  // sends what it has
  state_ = std::move(other.state_);
  return *this;
}
Batch::~Batch() {
  try {
    if (state_) send();
  } catch (...) {  // a destructor cannot report it; the next operation on the segment fails in the same way
  }
}

void Batch::put(Segment& segment, int rank, index_t offset, const void* source, index_t bytes) {
  SegmentState& state = SegmentState::of(segment);
  if (bytes == 0) return detail::check_rank(state, rank);
  const Path path = state_->prepare(state, rank, offset, bytes, Verb::put);
  state_->note_write(state, rank, offset, bytes, Act::put);
  switch (path) {
    case Path::agent:
      return state_->to_agent(state_->group_of(Verb::put, bytes), offset, source, nullptr);
    case Path::window:
      return state_->to_window({.verb = Verb::put, .run = bytes}, offset, source, nullptr);
    case Path::node:
    case Path::message:  // of collective calls only
      return when_noted(state, [&] { segment.put(rank, offset, Strided::contiguous(bytes), source); });
  }
}

void Batch::get(const Segment& segment, int rank, index_t offset, void* target, index_t bytes) {
  SegmentState& state = SegmentState::of(segment);
  if (bytes == 0) return detail::check_rank(state, rank);
  const Path path = state_->prepare(state, rank, offset, bytes, Verb::get);
  if (path == Path::node) {
    state_->under_way += segment.get_async(rank, offset, Strided::contiguous(bytes), target);
    return;
  }
  state_->note_fetch(state, [&] {
    detail::conflicts::note_transfer(Act::get, state.checked, rank, offset, Strided::contiguous(bytes), target);
  });
  if (path == Path::agent)
    state_->to_agent(state_->group_of(Verb::get, bytes), offset, nullptr, target);
  else
    state_->to_window({.verb = Verb::get, .run = bytes}, offset, nullptr, target);
}

void Batch::accumulate(Segment& segment, int rank, index_t offset, ElementKind kind, const void* alpha,
                       const void* source, index_t bytes) {
  SegmentState& state = SegmentState::of(segment);
  if (bytes == 0) return detail::check_rank(state, rank);
  const auto at_once = [&] {
    segment.accumulate(rank, offset, Strided::contiguous(bytes), kind, alpha, source);
  };
  // Segment's own member reports the error.
  if (kind == ElementKind::bytes || (offset | bytes) % size_of(kind) != 0) return at_once();
  const Path path = state_->prepare(state, rank, offset, bytes, Verb::accumulate);
  state_->note_write(state, rank, offset, bytes, Act::accumulate);
  if (path == Path::node) return when_noted(state, at_once);
  std::array<std::byte, 16> factor{};
  std::memcpy(factor.data(), alpha, static_cast<std::size_t>(size_of(kind)));
  if (path == Path::window)
    return state_->to_window({Verb::accumulate, kind, bytes, factor}, offset, source, nullptr);
  RunGroup group = state_->group_of(Verb::accumulate, bytes);
  group.kind = kind;
  group.value = factor;
  state_->to_agent(group, offset, source, nullptr);
}

void Batch::fetch_op(Segment& segment, int rank, index_t offset, ElementKind kind, Update update,
                     const void* value, void* result) {
  SegmentState& state = SegmentState::of(segment);
  state.require(detail::Use::data);
  const index_t bytes = size_of(kind);
  const bool is_valid = is_defined(update, kind) && (offset & (bytes - 1)) == 0;
  if (is_valid) {
    if (std::byte* where = state.count(rank, offset, bytes, Operation::atomic)) {
      state_->keep(state);
      return state_->on_node.add(state.stripes(), where, kind, update, value, result);
    }
  }
  std::array<std::byte, 16> unwanted;
  const auto at_once = [&] {
    segment.fetch_op(rank, offset, kind, update, value, result != nullptr ? result : unwanted.data());
  };
  if (!is_valid) return at_once();  // Segment's own member reports the error
  const Path path = state_->prepare(state, rank, offset, bytes, Verb::update);
  if (result == nullptr) {
    state_->note_write(state, rank, offset, bytes, Act::update);
  } else {
    state_->note_fetch(state,
                       [&] { detail::conflicts::note_fetch_in_batch(state.checked, rank, offset, bytes); });
  }
  if (path != Path::agent) return when_noted(state, at_once);
  RunGroup group = state_->group_of(Verb::update, bytes);
  group.kind = kind;
  group.update = update;
  group.fetches = result != nullptr;
  state_->to_agent(group, offset, value, result);
}

Request Batch::send_async() { return state_->send_all(Returns::early); }

void Batch::send() { state_->send_all(Returns::when_done).wait(); }

}  // namespace tessera
