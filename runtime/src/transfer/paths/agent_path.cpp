// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <cstring>
#include <utility>

#include "agents/operation_list.hpp"
#include "agents/progress.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"
#include "transfer/paths/paths.hpp"

namespace tessera::detail {
namespace {

AgentClient& client_of(const SegmentState& segment) noexcept {
  return segment.group().runtime().progress()->client();
}

// Scalars are changed by atomic instructions, elements under the locks of their stripes.
Message message_for(const SegmentState& segment) noexcept {
  return segment.use() == Use::scalars ? Message::scalar : Message::element;
}

std::array<std::byte, 16> both(const void* expected, const void* desired, index_t bytes) noexcept {
  std::array<std::byte, 16> values{};
  std::memcpy(values.data(), expected, static_cast<std::size_t>(bytes));
  std::memcpy(values.data() + 8, desired, static_cast<std::size_t>(bytes));
  return values;
}

// The transfers of a list. The list's request contains each one that is launched.
class Launches {
 public:
  Launches(SegmentState& segment, int rank, Returns returns)
      : segment_(segment), rank_(rank), returns_(returns) {}
  Pending& next() {
    if (!pending_) pending_ = std::make_shared<Pending>(segment_.whole(), rank_);
    return *pending_;
  }
  void launch() {
    request_ += segment_.group().runtime().outstanding().launch(std::exchange(pending_, nullptr), returns_);
  }
  Request take() { return std::move(request_); }

 private:
  SegmentState& segment_;
  int rank_;
  Returns returns_;
  std::shared_ptr<Pending> pending_;
  Request request_;
};

}  // namespace

void AgentPath::put(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                    const std::byte* source, Pending* pending) {
  client_of(segment).put(segment.remote(rank, offset), shape, source, pending);
}

void AgentPath::get(SegmentState& segment, int rank, index_t offset, const Strided& shape, std::byte* target,
                    Pending* pending) {
  client_of(segment).get(segment.remote(rank, offset), shape, target, pending);
}

void AgentPath::accumulate(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                           const Action& action, const std::byte* source, Pending* pending) {
  client_of(segment).accumulate(segment.remote(rank, offset), shape, action, source, pending);
}

void AgentPath::update(SegmentState& segment, int rank, index_t offset, const Action& action, const void* value,
                       void* result) {
  const auto bytes = static_cast<std::size_t>(size_of(action.kind));
  std::array<std::byte, 16> operand{};
  std::memcpy(operand.data(), value, bytes);
  const auto old = client_of(segment).ask(segment.remote(rank, offset), message_for(segment), action, operand);
  std::memcpy(result, old.data(), bytes);
}

bool AgentPath::compare_exchange(SegmentState& segment, int rank, index_t offset, ElementKind kind,
                                 void* expected, const void* desired) {
  const Action action{.verb = Verb::compare_exchange, .kind = kind};
  const auto answer = client_of(segment).ask(segment.remote(rank, offset), message_for(segment), action,
                                             both(expected, desired, size_of(kind)));
  std::memcpy(expected, answer.data(), static_cast<std::size_t>(size_of(kind)));
  return answer[8] != std::byte{0};
}

// Adds zero atomically, so that it reads what an atomic instruction finds.
void AgentPath::load(SegmentState& segment, int rank, index_t offset, ElementKind kind, void* value) {
  const std::array<std::byte, 8> nothing{};
  update(segment, rank, offset, {.verb = Verb::update, .kind = kind}, nothing.data(), value);
}

// Runs are packed into operation lists, or sent one by one if that saves a copy.
Request AgentPath::list(SegmentState& segment, const RunList& list) {
  const int rank = list.runs.front().rank;
  const Action& action = list.action;
  AgentClient& client = client_of(segment);
  Launches launches(segment, rank, list.returns);
  RunGroup alike{
      .verb = action.verb, .kind = action.kind, .update = action.update, .region = segment.region().number()};
  if (action.alpha != nullptr)
    std::memcpy(alike.value.data(), action.alpha, static_cast<std::size_t>(size_of(action.kind)));
  const int agent = segment.remote(rank, 0).agent;
  OperationList operations;
  auto send = [&] {
    if (operations.is_empty()) return;
    client.run(agent, operations, launches.next());
    launches.launch();
  };
  auto send_alone = [&](const Run& run) {
    const Strided shape = Strided::contiguous(list.lengths.of(run));
    Pending* pending = &launches.next();
    if (action.verb == Verb::put) put(segment, rank, run.offset, shape, run.local, pending);
    if (action.verb == Verb::get) get(segment, rank, run.offset, shape, run.local, pending);
    if (action.verb == Verb::accumulate)
      accumulate(segment, rank, run.offset, shape, action, run.local, pending);
    launches.launch();
  };
  for (const Run& run : list.runs) {
    alike.run = list.lengths.of(run);
    if (alike.run > largest_packed || !operations.has_room(alike)) send();  // in the order of the list
    if (alike.run > largest_packed) {
      send_alone(run);
    } else {
      operations.add(alike, segment.remote(rank, run.offset).position, run.local, run.local);
    }
  }
  send();
  return launches.take();
}

}  // namespace tessera::detail
