// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/batch.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "format.hpp"
#include "progress.hpp"
#include "state.hpp"

namespace tessera {

using detail::Address;
using detail::Courier;
using detail::Pending;
using detail::Program;
using detail::RunGroup;
using detail::SegmentState;
using detail::Verb;

struct Batch::State {
  detail::RuntimeState* runtime = nullptr;
  struct Touched {
    SegmentState* segment;
    int rank;
    SegmentState::Mark mark;
    bool operator==(const Touched&) const = default;
  };
  struct Destination {
    Program program;
    std::vector<Touched> touched;  // marked again when it is sent: a flush meanwhile has found nothing
  };
  std::map<int, Destination> to;  // by agent
  // Where the last operation went, as the next mostly goes there too.
  struct Way {
    Touched to{nullptr, -1, SegmentState::agent_write_mark};
    std::uint64_t segment = 0;  // its number, as another may come to lie where it lay
    Destination* destination = nullptr;
    int agent = 0;
    std::uint64_t region = 0;
    index_t begin = 0;        // of the rank's slice in it
    bool is_touched = false;  // known to the destination
  } way;
  Request under_way;

  void send(int agent, Destination& destination) {
    if (destination.program.is_empty()) return;
    const detail::WindowLock lock(*runtime);
    for (const Touched& one : destination.touched) {
      one.segment->complete(one.rank, one.mark == SegmentState::agent_get_mark
                                          ? SegmentState::put_mark | SegmentState::acc_mark
                                          : SegmentState::window_marks);
      one.segment->mark(one.rank, one.mark);
    }
    auto pending = std::make_shared<Pending>(*runtime);
    for (const Touched& one : destination.touched) pending->touches(*one.segment, one.rank);
    runtime->progress->courier().run(agent, destination.program, *pending);
    under_way += Pending::launch(std::move(pending));
    destination.touched.clear();
    way.is_touched = false;
  }

  // Whether an operation on that many bytes there can travel in a program.
  bool finds_way(SegmentState& segment, int rank, index_t offset, index_t bytes, SegmentState::Mark mark) {
    segment.require(detail::Use::data);
    const Touched wanted{&segment, rank, mark};
    if (way.to != wanted || way.segment != segment.number) {
      detail::check_place(segment, rank, offset, bytes);
      if (segment.address(rank) != nullptr || segment.domain != AtomicDomain::cpu) return false;
      const Address place = segment.remote(rank, 0);
      runtime = segment.group->runtime;
      way = {wanted, segment.number, &to[place.agent], place.agent, place.region, place.position};
    }
    if (bytes < 0 || offset < 0 || offset > segment.slice - bytes)
      detail::check_place(segment, rank, offset, bytes);
    if (bytes <= Program::most / 4) return true;
    send(way.agent, *way.destination);  // what came before it stays before it
    return false;
  }

  RunGroup group_of(Verb verb, index_t bytes) const noexcept {
    RunGroup group;
    group.verb = verb;
    group.region = way.region;
    group.run = bytes;
    return group;
  }

  void add(const RunGroup& run, index_t offset, const void* data, void* result, Operation operation) {
    Destination& destination = *way.destination;
    if (!destination.program.has_room(run)) send(way.agent, destination);
    if (!way.is_touched) {
      auto& known = destination.touched;
      if (std::find(known.begin(), known.end(), way.to) == known.end()) known.push_back(way.to);
      way.is_touched = true;
    }
    const SegmentState& segment = *way.to.segment;
    const detail::Counted counted(segment, segment.tallies, way.to.rank, Path::agent, operation, run.run);
    destination.program.add(run, way.begin + offset, data, result);
  }
};

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
  } catch (...) {  // a destructor has nobody to tell; the next operation on the segment fails in the same way
  }
}

void Batch::put(Segment& segment, int rank, index_t offset, const void* source, index_t bytes) {
  SegmentState& state = SegmentState::of(segment);
  if (bytes == 0) return detail::check_rank(state, rank);
  if (!state_->finds_way(state, rank, offset, bytes, SegmentState::agent_write_mark))
    return segment.put(rank, offset, Strided::contiguous(bytes), source);
  state_->add(state_->group_of(Verb::put, bytes), offset, source, nullptr, Operation::put);
}

void Batch::get(const Segment& segment, int rank, index_t offset, void* target, index_t bytes) {
  SegmentState& state = SegmentState::of(segment);
  if (bytes == 0) return detail::check_rank(state, rank);
  if (!state_->finds_way(state, rank, offset, bytes, SegmentState::agent_get_mark)) {
    state_->under_way += segment.get_async(rank, offset, Strided::contiguous(bytes), target);
    return;
  }
  state_->add(state_->group_of(Verb::get, bytes), offset, nullptr, target, Operation::get);
}

void Batch::accumulate(Segment& segment, int rank, index_t offset, ElementKind kind, const void* alpha,
                       const void* source, index_t bytes) {
  SegmentState& state = SegmentState::of(segment);
  if (bytes == 0) return detail::check_rank(state, rank);
  const bool whole = kind != ElementKind::bytes && (offset | bytes) % size_of(kind) == 0;
  // What is wrong with it says the segment's own.
  if (!whole || !state_->finds_way(state, rank, offset, bytes, SegmentState::agent_write_mark))
    return segment.accumulate(rank, offset, Strided::contiguous(bytes), kind, alpha, source);
  RunGroup group = state_->group_of(Verb::accumulate, bytes);
  group.kind = kind;
  std::memcpy(group.value.data(), alpha, static_cast<std::size_t>(size_of(kind)));
  state_->add(group, offset, source, nullptr, Operation::accumulate);
}

void Batch::fetch_op(Segment& segment, int rank, index_t offset, ElementKind kind, Update update,
                     const void* value, void* result) {
  SegmentState& state = SegmentState::of(segment);
  std::array<std::byte, 16> unwanted;
  const bool sound = is_defined(update, kind) && offset % size_of(kind) == 0;
  if (!sound || !state_->finds_way(state, rank, offset, size_of(kind), SegmentState::agent_write_mark))
    return segment.fetch_op(rank, offset, kind, update, value, result != nullptr ? result : unwanted.data());
  RunGroup group = state_->group_of(Verb::update, size_of(kind));
  group.kind = kind;
  group.update = update;
  state_->add(group, offset, value, result, Operation::atomic);
}

Request Batch::send_async() {
  for (auto& [agent, destination] : state_->to) state_->send(agent, destination);
  return std::exchange(state_->under_way, Request());
}

void Batch::send() { send_async().wait(); }

}  // namespace tessera
