// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "agents/agent_server.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <tessera/runtime/detail/runs.hpp>
#include <tessera/runtime/error.hpp>

#include "agents/moving_parts.hpp"
#include "agents/operation_list.hpp"
#include "format.hpp"
#include "kernels/elements.hpp"
#include "kernels/kernels.hpp"
#include "kernels/striped_accumulate.hpp"

namespace tessera::detail {
namespace {

Action action_of(const Header& header) noexcept {
  return {header.verb, header.kind, header.update, header.value.data()};
}

KeptVector<std::byte> copy_of(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const std::byte*>(data);
  return {from, from + bytes};
}

}  // namespace

// A request that takes more than one step.
struct AgentServer::Task {
  int source = 0;
  Header header;
  Strided shape;
  Exposed memory;
  index_t low = 0, high = 0;      // the bytes it touches
  KeptVector<std::byte> payload;  // data of a request that has to wait
  bool started = false;
  Parts parts;
  MovingParts moving;
  std::int32_t ungranted = 0;  // parts of a write that it waits for, and may not yet come

  bool is_bulk() const noexcept {
    if (header.message != Message::transfer) return header.outlined > 0;
    return header.verb == Verb::get || header.inlined == 0;
  }
  std::byte* at(index_t remote) const noexcept { return memory.base + header.position + remote; }
};

AgentServer::AgentServer(const AgentComms& comms, const LockStripes& locks, ExposedRegions& regions)
    : comms_(comms),
      locks_(locks),
      regions_(regions),
      slots_(new std::byte[max_incoming * static_cast<std::size_t>(message_bytes)]),
      heard_(static_cast<std::size_t>(mpi::size(comms.requests.get()))),
      moved_(heard_.size()) {
  for (std::size_t i = 0; i < max_incoming; ++i) {
    incoming_[i].data = slots_.get() + i * static_cast<std::size_t>(message_bytes);
    post(incoming_[i]);
  }
}

AgentServer::~AgentServer() {
  if (mpi::finalized()) return;
  for (Incoming& slot : incoming_) mpi::cancel(slot.request);
  for (SentAnswer& one : answers_) mpi::complete(one.request);
}

void AgentServer::post(Incoming& slot) {
  slot.request = mpi::irecv(comms_.requests.get(), slot.data, message_bytes, mpi::any_source, 0);
}

bool AgentServer::step() {
  bool worked = false;
  mpi::Arrived message;
  // Takes one message, so that a wait for it ends at once: to look for another one takes microseconds.
  if (Incoming& slot = incoming_[next_]; mpi::test(slot.request, &message)) {
    hear(message.source);
    take(slot.data, message.bytes, message.source);
    post(slot);
    next_ = (next_ + 1) % max_incoming;
    worked = true;
  }
  for (std::size_t i = 0; i < tasks_.size();) {
    Task& task = *tasks_[i];
    if (!task.started) {
      if (must_wait(task)) {
        ++i;
        continue;
      }
      worked = task.started = true;
    }
    const std::size_t before = task.moving.steps();
    const bool done = advance(task);
    worked |= done || task.moving.steps() != before;
    done ? static_cast<void>(tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(i)))
         : static_cast<void>(++i);
  }
  const std::size_t waiting = answers_.size();
  if (waiting > 0) {
    std::erase_if(answers_, [](SentAnswer& one) { return mpi::test(one.request); });
    worked |= answers_.size() != waiting;
  }
  return worked;
}

bool AgentServer::is_needed() const noexcept {
  return !answers_.empty() || std::any_of(tasks_.begin(), tasks_.end(),
                                          [](const auto& task) { return task->header.notify_region == 0; });
}

bool AgentServer::notifies_soon() const noexcept {
  return std::any_of(tasks_.begin(), tasks_.end(), [](const auto& task) {
    return task->header.notify_region != 0 && task->is_bulk() && task->started;
  });
}

// Finds the memory of a request and the bytes it touches.
void AgentServer::place(Task& task) const {
  const Header& header = task.header;
  const bool maps = header.message == Message::attach || header.message == Message::detach;
  if (header.region == 0 || header.message == Message::flush || maps) {
    task.high = std::numeric_limits<index_t>::max();
    return;
  }
  task.low = task.high = header.position;
  if (header.message == Message::operations) {
    task.high += header.run;
  } else {
    for (std::size_t l = 0; l < header.levels; ++l) {
      const index_t reach = (task.shape.count[l] - 1) * task.shape.remote_stride[l];
      (reach < 0 ? task.low : task.high) += reach;
    }
    task.high += header.run;
  }
  task.memory = regions_.at(header.region, task.low, task.high);
  // A notification says that all earlier requests in its region are done: it waits for all of them.
  if (header.notify_region != 0) {
    task.low = 0;
    task.high = std::numeric_limits<index_t>::max();
  }
}

// Whether the data of a long get leaves when all of an earlier one of the same process has left. The process
// mostly waits for that first, and together both would come late. A much shorter one would wait too long.
bool AgentServer::comes_behind(const Task& task, const Task& earlier) {
  const index_t bytes = task.shape.bytes(), before = earlier.shape.bytes();
  return is_transfer(task.header, Verb::get) && is_transfer(earlier.header, Verb::get) && bytes > max_unasked &&
         before > max_unasked && bytes >= before / 8 && !earlier.parts.is_over();
}

// Whether an earlier request of the same process has to be done first.
bool AgentServer::must_wait(const Task& task) const {
  for (const auto& earlier : tasks_) {
    if (earlier.get() == &task) return false;
    if (earlier->source != task.source) continue;
    if (comes_behind(task, *earlier)) return true;
    const Header &a = earlier->header, &b = task.header;
    // A request with a notification counts as a request on the flag, too.
    const bool shared =
        a.region == b.region || a.region == 0 || b.region == 0 ||
        (a.notify_region != 0 && (a.notify_region == b.region || a.notify_region == b.notify_region)) ||
        (b.notify_region != 0 && b.notify_region == a.region);
    if (!shared) continue;
    if (earlier->high <= task.low || task.high <= earlier->low) continue;
    if (is_transfer(a, Verb::get) && is_transfer(b, Verb::get)) continue;
    const bool both_add = is_transfer(a, Verb::accumulate) && is_transfer(b, Verb::accumulate);
    if (both_add && a.update == b.update && a.kind == b.kind) continue;
    return true;
  }
  return false;
}

void AgentServer::take(const std::byte* message, index_t bytes, int source) {
  for (const std::byte* const end = message + bytes; message < end;) {
    Task task;
    task.source = source;
    const index_t begin = read_request(message, task.header, task.shape);
    const index_t length = begin + task.header.inlined;
    if (length > end - message) {
      throw LogicError(
          formatted("an agent got {} bytes of a request that should have {}", end - message, length));
    }
    take(std::move(task), message + begin);
    message += length + padding(length);
  }
}

void AgentServer::take(Task&& task, const std::byte* data) {
  if (task.header.message == Message::leave) return static_cast<void>(++left_);
  place(task);
  task.started = tasks_.empty() || !must_wait(task);
  if (task.started && !task.is_bulk()) return do_at_once(task, data);
  if (task.is_bulk() && task.header.message == Message::transfer) {
    task.parts = Parts(task.shape, task.header.part);
    task.moving = MovingParts(parts_under_way(task.header.part));
  } else if (!task.is_bulk()) {
    task.payload.assign(data, data + task.header.inlined);
  }
  if (task.started && advance(task)) return;
  tasks_.push_back(std::make_unique<Task>(std::move(task)));
}

// One step of a request that has started; returns whether it is done.
bool AgentServer::advance(Task& task) {
  if (!task.is_bulk()) return do_at_once(task, task.payload.data()), true;
  if (task.header.message == Message::transfer && task.shape.bytes() > max_unasked)
    moved_[static_cast<std::size_t>(task.source)].store(std::chrono::steady_clock::now(),
                                                        std::memory_order_relaxed);
  if (is_transfer(task.header, Verb::get)) return send(task);
  return receive(task);
}

bool AgentServer::receive(Task& task) {
  const Header& header = task.header;
  const bool has_operations = header.message == Message::operations, has_grants = header.grants >= 0;
  Buffers& buffers = has_grants ? written_buffers_ : buffers_;
  while (!task.moving.is_full() &&
         (has_operations ? header.outlined > 0 && task.moving.is_empty() : !task.parts.is_over())) {
    std::byte* buffer = nullptr;
    MovingPart next;
    const Parts before = task.parts;
    if (!has_operations) next.part = task.parts.next();
    const bool straight = is_transfer(header, Verb::put) && next.part.shape.levels == 0;
    if (!straight && (buffer = buffers.take()) == nullptr) {
      task.parts = before;
      grant(task);  // as no part of it might come before it gets another buffer
      break;
    }
    next.buffer = buffer;
    const index_t bytes = has_operations ? header.outlined : next.part.shape.bytes();
    next.request = mpi::irecv(comms_.data.get(), straight ? task.at(next.part.remote) : buffer, bytes,
                              task.source, AgentComms::data_tag(header.tag));
    task.moving.push(next);
    ++task.ungranted;
    if (task.ungranted == parts_per_grant || task.parts.is_over()) grant(task);
  }
  while (!task.moving.is_empty() && mpi::test(task.moving.oldest().request)) {
    hear(task.source);
    MovingPart& part = task.moving.oldest();
    if (has_operations) {
      run(task, part.buffer);
    } else if (is_transfer(header, Verb::accumulate)) {
      accumulate_on_node(stripes(task.memory), task.at(part.part.remote), packed(part.part.shape),
                         action_of(header), part.buffer);
    } else if (part.buffer != nullptr) {
      copy_strided(task.at(part.part.remote), part.buffer, packed(part.part.shape), Direction::local_to_remote);
    }
    task.moving.pop(buffers);
    if (has_operations) return finish(task), true;
  }
  if (has_operations || !task.moving.is_empty() || !task.parts.is_over()) return false;
  return finish(task), true;
}

void AgentServer::grant(Task& task) {
  const std::int32_t parts = std::exchange(task.ungranted, 0);
  if (task.header.grants >= 0 && parts > 0) answer(task, task.header.grants, copy_of(&parts, sizeof parts));
}

// A long transfer must not keep the agent from other requests, even if MPI takes each part at once.
bool AgentServer::send(Task& task) {
  Buffers& buffers = task.header.part <= mpi::eager_bytes ? read_buffers_ : buffers_;
  for (std::size_t sent = 0;; ++sent) {
    while (!task.moving.is_empty() && mpi::test(task.moving.oldest().request)) task.moving.pop(buffers);
    if (task.parts.is_over()) return task.moving.is_empty();
    if (task.moving.is_full() || sent == task.moving.most()) return false;
    const Parts before = task.parts;
    MovingPart next;
    next.part = task.parts.next();
    const std::byte* from = task.at(next.part.remote);
    if (next.part.shape.levels > 0) {
      next.buffer = buffers.take();
      if (next.buffer == nullptr) {
        task.parts = before;
        return false;
      }
      copy_strided(next.buffer, from, packed(next.part.shape), Direction::remote_to_local);
      from = next.buffer;
    }
    next.request = mpi::isend(comms_.data.get(), from, next.part.shape.bytes(), task.source,
                              AgentComms::answer_tag(task.header.tag));
    task.moving.push(next);
  }
}

void AgentServer::do_at_once(Task& task, const std::byte* data) {
  const Header& header = task.header;
  std::byte* where = task.memory.base + header.position;
  std::array<std::byte, 16> result{};
  switch (header.message) {
    case Message::transfer:
      header.verb == Verb::put
          ? copy_strided(where, data, task.shape, Direction::local_to_remote)
          : accumulate_on_node(stripes(task.memory), where, task.shape, action_of(header), data);
      break;
    case Message::element:
    case Message::scalar:
      result = change(task, where);
      answer(task, result.data(), sizeof result);
      break;
    case Message::operations:
      run(task, data);
      break;
    case Message::flush:
      std::atomic_thread_fence(std::memory_order_seq_cst);
      answer(task, KeptVector<std::byte>());
      break;
    case Message::attach:
    case Message::attach_locks:
      result[0] = std::byte{attach(header, data)};
      answer(task, result.data(), sizeof result);
      break;
    case Message::detach:
      regions_.remove(header.region);
      attached_.erase(header.region);
      answer(task, result.data(), sizeof result);
      break;
    case Message::leave:
      break;
  }
  finish(task);
}

// Returns the old value and, behind it, for compare_exchange whether the element or scalar was changed.
std::array<std::byte, 16> AgentServer::change(const Task& task, std::byte* where) const {
  const Header& header = task.header;
  const bool is_scalar = header.message == Message::scalar;
  std::array<std::byte, 16> result{};
  if (header.verb == Verb::update) {
    is_scalar ? update_scalar(where, header.kind, header.update, header.value.data(), result.data())
              : update_element(stripes(task.memory), where, header.kind, header.update, header.value.data(),
                               result.data());
    return result;
  }
  std::memcpy(result.data(), header.value.data(), 8);
  std::array<std::byte, 8> desired{};
  std::memcpy(desired.data(), header.value.data() + 8, 8);
  result[8] = std::byte{is_scalar ? compare_exchange_scalar(where, header.kind, result.data(), desired.data())
                                  : compare_exchange_element(stripes(task.memory), where, header.kind,
                                                             result.data(), desired.data())};
  return result;
}

bool AgentServer::attach(const Header& header, const std::byte* data) {
  Attachment what;
  std::memcpy(&what, data, sizeof what);
  std::string problem;
  NodeMemory memory = NodeMemory::attach(what.file, what.bytes, problem);
  if (!memory) return false;
  if (header.message == Message::attach_locks) {
    locks_ = LockStripes(memory.base());
  } else {
    regions_.add(header.region, {memory.base(), what.bytes, what.salt});
  }
  attached_[header.region] = std::move(memory);
  return true;
}

void AgentServer::run(const Task& task, const std::byte* operations) {
  const index_t bytes = task.header.inlined + task.header.outlined, answered = task.header.answer;
  KeptVector<std::byte> results(static_cast<std::size_t>(answered));
  run_operations(regions_, locks_, {operations, static_cast<std::size_t>(bytes)}, results.data());
  if (answered > 0) answer(task, std::move(results));
}

void AgentServer::answer(const Task& task, const void* data, std::size_t bytes) {
  answer(task, copy_of(data, bytes));
}

void AgentServer::answer(const Task& task, KeptVector<std::byte>&& data) {
  answer(task, task.header.tag, std::move(data));
}

void AgentServer::answer(const Task& task, std::int32_t tag, KeptVector<std::byte>&& data) {
  answered_.fetch_add(1, std::memory_order_release);
  SentAnswer one{mpi::isend(comms_.data.get(), data.data(), static_cast<index_t>(data.size()), task.source,
                            AgentComms::answer_tag(tag)),
                 std::move(data)};
  if (!mpi::test(one.request)) answers_.push_back(std::move(one));
}

void AgentServer::finish(const Task& task) {
  const Header& header = task.header;
  if (header.acknowledge) answer(task, KeptVector<std::byte>());
  if (header.notify_region == 0) return;
  const Exposed there = regions_.at(header.notify_region, header.notify_position,
                                    header.notify_position + static_cast<index_t>(sizeof(std::int64_t)));
  std::int64_t one = 1, before;
  update_scalar(there.base + header.notify_position, ElementKind::int64, Update::sum, &one, &before);
}

}  // namespace tessera::detail
