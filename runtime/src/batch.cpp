// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/batch.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

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
  Destination* last = nullptr;    // and where the last operation went
  int last_agent = 0;
  Request under_way;
  std::array<std::byte, 16> unwanted{};  // results that nobody asked for

  void send(int agent, Destination& destination) {
    if (destination.program.is_empty()) return;
    const detail::WindowLock lock(*runtime);
    for (const Touched& one : destination.touched) {
      one.segment->complete(one.rank, one.mark == SegmentState::agent_get_mark
                                          ? SegmentState::put_mark | SegmentState::acc_mark
                                          : SegmentState::window_marks);
      one.segment->mark(one.rank, one.mark);
    }
    const Touched& first = destination.touched.front();
    auto pending = std::make_shared<Pending>(*runtime, *first.segment, first.rank);
    runtime->progress->courier().run(agent, destination.program, pending.get());
    under_way += Pending::launch(std::move(pending));
    destination = {};
  }

  void add(SegmentState& segment, int rank, index_t offset, const RunGroup& run, const void* data, void* result,
           Operation operation) {
    runtime = segment.group->runtime;
    const Address place = segment.remote(rank, offset);
    if (last == nullptr || last_agent != place.agent) {
      last = &to[place.agent];
      last_agent = place.agent;
    }
    Destination& destination = *last;
    if (!destination.program.has_room(run)) send(place.agent, destination);
    const detail::Counted counted(segment, segment.tallies, rank, Path::agent, operation, run.run);
    const Touched touched{
        &segment, rank, run.verb == Verb::get ? SegmentState::agent_get_mark : SegmentState::agent_write_mark};
    auto& known = destination.touched;
    if (known.empty() ||
        (known.back() != touched && std::find(known.begin(), known.end(), touched) == known.end()))
      known.push_back(touched);
    destination.program.add(run, place.position, data, result);
  }
};

namespace {

// Whether an operation on that many bytes there can travel in a program.
bool is_for_agent(const SegmentState& segment, int rank, index_t offset, index_t bytes) {
  segment.require(detail::Use::data);
  detail::check_place(segment, rank, offset, bytes);
  return segment.address(rank) == nullptr && segment.domain == AtomicDomain::cpu && bytes <= Program::most / 4;
}

RunGroup group_of(const SegmentState& segment, Verb verb, index_t bytes) {
  RunGroup group;
  group.verb = verb;
  group.region = segment.region->number;
  group.run = bytes;
  return group;
}

}  // namespace

Batch::Batch() : state_(std::make_unique<State>()) {}
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() {
  try {
    if (state_) send();
  } catch (...) {  // a destructor has nobody to tell; the next operation on the segment fails in the same way
  }
}

void Batch::put(Segment& segment, int rank, index_t offset, const void* source, index_t bytes) {
  SegmentState& state = SegmentState::of(segment);
  if (bytes == 0) return;
  if (!is_for_agent(state, rank, offset, bytes)) {
    return segment.put(rank, offset, Strided::contiguous(bytes), source);
  }
  state_->add(state, rank, offset, group_of(state, Verb::put, bytes), source, nullptr, Operation::put);
}

void Batch::get(const Segment& segment, int rank, index_t offset, void* target, index_t bytes) {
  SegmentState& state = SegmentState::of(segment);
  if (bytes == 0) return;
  if (!is_for_agent(state, rank, offset, bytes)) {
    state_->under_way += segment.get_async(rank, offset, Strided::contiguous(bytes), target);
    return;
  }
  state_->add(state, rank, offset, group_of(state, Verb::get, bytes), nullptr, target, Operation::get);
}

void Batch::accumulate(Segment& segment, int rank, index_t offset, ElementKind kind, const void* alpha,
                       const void* source, index_t bytes) {
  SegmentState& state = SegmentState::of(segment);
  if (bytes == 0) return;
  const bool whole = kind != ElementKind::bytes && (offset | bytes) % size_of(kind) == 0;
  // What is wrong with it says the segment's own.
  if (!whole || !is_for_agent(state, rank, offset, bytes)) {
    return segment.accumulate(rank, offset, Strided::contiguous(bytes), kind, alpha, source);
  }
  RunGroup group = group_of(state, Verb::accumulate, bytes);
  group.kind = kind;
  std::memcpy(group.value.data(), alpha, static_cast<std::size_t>(size_of(kind)));
  state_->add(state, rank, offset, group, source, nullptr, Operation::accumulate);
}

void Batch::fetch_op(Segment& segment, int rank, index_t offset, ElementKind kind, Update update,
                     const void* value, void* result) {
  SegmentState& state = SegmentState::of(segment);
  if (result == nullptr) result = state_->unwanted.data();
  const bool sound = is_defined(update, kind) && offset % size_of(kind) == 0;
  if (!sound || !is_for_agent(state, rank, offset, size_of(kind))) {
    return segment.fetch_op(rank, offset, kind, update, value, result);
  }
  RunGroup group = group_of(state, Verb::update, size_of(kind));
  group.kind = kind;
  group.update = update;
  state_->add(state, rank, offset, group, value, result, Operation::atomic);
}

Request Batch::send_async() {
  for (auto& [agent, destination] : state_->to) state_->send(agent, destination);
  return std::exchange(state_->under_way, Request());
}

void Batch::send() { send_async().wait(); }

}  // namespace tessera
