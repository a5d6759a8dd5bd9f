// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "agents/agent_client.hpp"

#include <utility>

#include <tessera/runtime/detail/runs.hpp>

#include "agents/agent_host.hpp"
#include "agents/bells.hpp"
#include "agents/client_stages.hpp"
#include "kernels/kernels.hpp"

namespace tessera::detail {

AgentClient::AgentClient(AgentHost& host, Bells& bells, const AgentComms& comms)
    : host_(host),
      bells_(bells),
      comms_(comms),
      slots_(new std::byte[max_outgoing * static_cast<std::size_t>(message_bytes)]),
      buffers_(2 * parts_under_way(part_bytes), part_bytes),
      small_buffers_(4 * parts_under_way(mpi::eager_bytes), mpi::eager_bytes) {
  for (std::size_t i = 0; i < max_outgoing; ++i)
    outgoing_[i].data = slots_.get() + i * static_cast<std::size_t>(message_bytes);
}

AgentClient::~AgentClient() {
  if (mpi::finalized()) return;
  for (auto& [agent, peer] : peers_) {
    mpi::cancel(peer.acknowledgement.request);
    for (auto& [region, written] : peer.written) {
      for (AwaitedAnswer& one : written.acknowledgements) mpi::cancel(one.request);
    }
  }
  for (Outgoing& out : outgoing_) mpi::complete(out.request);
}

AgentClient::Outgoing& AgentClient::slot() {
  Outgoing& next = outgoing_[next_];
  next_ = (next_ + 1) % max_outgoing;
  if (next.peer != nullptr) dispatch(*next.peer, When::now);
  host_.wait_until([&] { return mpi::test(next.request); });
  return next;
}

// Rings the agent, unless it polls: a ring costs as much as a message. It polls for a while after it answered,
// was sent something, or was rung. Its process also polls after a request to this one: it mostly waits for the
// answer, and a ring would take its core from it. Where the agent does not linger, its process may have waited
// when it answered just now, or may wait for what it is sent. wait_for() rings soon if a guess was
// wrong; nothing does while the program overlaps a long transfer. So only long data that moves here counts
// then.
void AgentClient::ring(Peer& peer, When when) {
  const auto now = Clock::now();
  const auto asked = host_.heard(peer.agent);
  const bool lingers = bells_.lingers(peer.agent) && (now - std::max(peer.heard, asked) < awake_after_answer ||
                                                      now - peer.sent < awake_after_request);
  peer.sent = now;
  const auto last = when == When::overlapped ? host_.moved(peer.agent) : asked;
  const bool is_mutual = now - last < awake_after_question;
  const bool may_wait = (when == When::expected && !bells_.lingers(peer.agent)) ||
                        (when == When::awaited && now - peer.heard < awake_after_question);
  peer.is_try = !lingers && !is_mutual && may_wait && peer.attention.is_expected();
  peer.is_unrung = !lingers && (is_mutual || peer.is_try);
  // If it has answered since the last ring, it may sleep again.
  const bool was_rung =
      now - peer.rung < awake_after_answer && (peer.heard < peer.rung || bells_.lingers(peer.agent));
  if (lingers || peer.is_unrung || was_rung) return;
  peer.rung = now;
  bells_.ring(peer.agent);
}

// Rings the agent when the wait takes long, as it may have fallen asleep. The patience doubles each time, as a
// long operation itself takes long. A request from its process extends the patience once: that process is
// awake, but need not serve.
template <class Done>
void AgentClient::wait_for(Peer& peer, Done&& done, index_t bytes) {
  const auto begin = Clock::now();
  auto last = begin;
  std::chrono::nanoseconds patience =
      (peer.is_unrung ? short_patience : first_patience) + std::min(bytes * patience_per_byte, max_patience);
  bool was_late = false;
  host_.wait_until([&] {
    if (done()) return true;
    last = std::max(last, std::min(host_.heard(peer.agent), begin + first_patience));
    if (Clock::now() - last > patience) {
      last = peer.rung = Clock::now();
      patience *= 2;
      was_late = true;
      bells_.ring(peer.agent);
    }
    return false;
  });
  peer.heard = Clock::now();
  if (std::exchange(peer.is_try, false)) peer.attention.learn(!was_late);
}

void AgentClient::wait_for(int agent, const std::function<bool()>& done) { wait_for(peer_of(agent), done); }

// Acknowledgements are otherwise looked at by a flush, or by the next write to the same region.
void AgentClient::free_tags() {
  host_.wait_until([this] {
    for (auto& [agent, peer] : peers_) {
      for (auto& [region, written] : peer.written) forget_arrived(written);
    }
    return !tags_.are_scarce();
  });
}

void AgentClient::forget_arrived(Written& written) {
  std::erase_if(written.acknowledgements, [](AwaitedAnswer& one) { return mpi::test(one.request); });
}

Header AgentClient::header(const RemoteAddress& at, Message message, const Strided& shape) {
  if (tags_.are_scarce()) free_tags();
  Header header;
  header.message = message;
  header.levels = static_cast<std::uint8_t>(shape.levels);
  header.region = at.region;
  header.position = at.position;
  header.run = shape.run;
  header.tag = tags_.next();
  return header;
}

// Asks for an acknowledgement, which admit() does at half the limit, so that it arrives before we must stop
// sending.
void AgentClient::acknowledge(Peer& peer) {
  peer.acknowledged = peer.bytes;
  const Header question = header({peer.agent, 0, 0}, Message::flush, Strided::contiguous(0));
  peer.acknowledgement = expect(question, peer.agent);
  Outgoing& out = slot();
  out.length = write_request(out.data, question, Strided::contiguous(0));
  out.request = mpi::isend(comms_.requests.get(), out.data, out.length, peer.agent, 0);
}

// Expects an answer without bytes.
AgentClient::AwaitedAnswer AgentClient::expect(const Header& request, int agent) {
  return {mpi::irecv(comms_.data.get(), nullptr, 0, agent, AgentComms::answer_tag(request.tag)),
          tags_.hold(request.tag)};
}

bool AgentClient::takes_acknowledgement(Peer& peer) {
  if (peer.acknowledgement.request == MPI_REQUEST_NULL || !mpi::test(peer.acknowledgement.request))
    return false;
  peer.acknowledgement = {};
  peer.bytes -= peer.acknowledged;
  return true;
}

void AgentClient::admit(Peer& peer) {
  auto acknowledged = [&] { return takes_acknowledgement(peer); };
  auto full = [&] { return peer.bytes >= max_bytes; };
  acknowledged();
  do {
    if (peer.bytes >= max_bytes / 2 && peer.acknowledgement.request == MPI_REQUEST_NULL) acknowledge(peer);
    if (!full() || acknowledged()) continue;
    ring(peer, When::awaited);
    wait_for(peer, acknowledged);
  } while (full());
}

template <class Write>
void AgentClient::send(Peer& peer, const Header& header, const Strided& shape, When when, Write&& write) {
  const index_t head = request_length(header.levels), length = head + header.inlined;
  if (peer.open != nullptr && peer.open->length + length > message_bytes) dispatch(peer, When::awaited);
  if (peer.open == nullptr) {
    admit(peer);
    Outgoing& fresh = slot();
    fresh.length = 0;
    fresh.peer = &peer;
    peer.open = &fresh;
    ++gathered_;
  }
  Outgoing& out = *peer.open;
  write_request(out.data + out.length, header, shape);
  write(out.data + out.length + head);
  out.length += length + padding(length);
  if (when != When::with_the_next) dispatch(peer, when);
}

void AgentClient::send(Peer& peer, const Header& header, const Strided& shape, When when) {
  send(peer, header, shape, when, [](std::byte*) {});
}

void AgentClient::dispatch(Peer& peer, When when) {
  Outgoing& out = *std::exchange(peer.open, nullptr);
  out.peer = nullptr;
  --gathered_;
  peer.bytes += out.length + bytes_of_message;
  // The bell comes first, as waking takes as long as sending. An agent that does not linger is rung last, as it
  // might go back to sleep meanwhile.
  const bool rings = when != When::quietly, lingers = bells_.lingers(peer.agent);
  if (rings && lingers) ring(peer, when);
  out.request = mpi::isend(comms_.requests.get(), out.data, out.length, peer.agent, 0);
  if (rings && !lingers) ring(peer, when);
}

void AgentClient::send_gathered() {
  for (Outgoing& out : outgoing_) {
    if (out.peer != nullptr) dispatch(*out.peer, When::now);
  }
}

void AgentClient::finish(PartStream&& stream, const Header& request, index_t bytes, Peer& peer,
                         Pending* pending) {
  const Wire::Sample sample{
      .bytes = bytes, .is_get = request.verb == Verb::get, .is_awaited = pending == nullptr};
  if (pending == nullptr) {
    const auto begin = Clock::now();
    wait_for(
        peer, [&] { return stream.advance(); }, bytes);
    if (bytes > max_unasked) peer.wire.learn(sample, peer.heard - begin);
    return;
  }
  bool is_done = stream.advance();
  // While the program is outside Tessera, MPI alone moves data in this mode, so it must have all of it. Else a
  // transfer would hold an agent's buffers meanwhile, which others may need to come here.
  if (!is_done && host_.mode() == ProgressMode::rank)
    wait_for(peer, [&] { return (is_done = stream.advance()) || stream.is_all_begun(); });
  if (is_done) return;
  TagPool::Held tag, grants;
  if (!request.acknowledge) tag = tags_.hold(request.tag);  // else the acknowledgement holds it, for longer
  if (request.grants >= 0) grants = tags_.hold(request.grants);
  auto stage = std::make_unique<StreamStage>(std::move(stream), std::move(tag), std::move(grants));
  if (sample.is_get && bytes > max_unasked) stage->teach(peer.wire, sample);
  pending->add(std::move(stage));
  pending->needs_agent(peer.agent);
}

void AgentClient::write_inlined(Peer& peer, Header& request, const Strided& shape, const std::byte* source,
                                bool waited_for) {
  peer.written[request.region].is_unanswered = true;
  const std::uint64_t flag = request.notify_region;
  // The owner of the flag waits for it, and runs its own agent meanwhile: a ring would take its core from it.
  const bool quietly = flag != 0 && has_thread(host_.mode());
  const index_t begin = request.position;
  const auto write_part = [&](const Part& part, bool is_last) {
    request.levels = static_cast<std::uint8_t>(part.shape.levels);
    request.position = begin + part.remote;
    request.run = part.shape.run;
    request.inlined = part.shape.bytes();
    request.notify_region = is_last ? flag : 0;
    // If the caller does not wait, long data leaves at once, so that it is under way meanwhile.
    const bool now = flag != 0 || (!waited_for && request.inlined > max_gathered);
    const When when = quietly ? When::quietly : now ? When::now : When::with_the_next;
    send(peer, request, part.shape, when, [&](std::byte* data) {
      copy_strided(data, source + part.local, packing(part.shape), Direction::local_to_remote);
    });
  };
  if (shape.bytes() <= max_inlined) return write_part({shape}, true);
  // Parts of equal size, so that one travels while the next is packed.
  const index_t parts_needed = (shape.bytes() + max_inlined - 1) / max_inlined;
  const index_t limit = (shape.bytes() + parts_needed - 1) / parts_needed;
  for (Parts parts(shape, limit + padding(limit)); !parts.is_over();) {
    const Part part = parts.next();
    write_part(part, parts.is_over());
  }
}

template <class Write>
std::array<std::byte, 16> AgentClient::ask(int agent, const Header& request, const Strided& shape, When when,
                                           Write&& write) {
  std::array<std::byte, 16> answer{};
  MPI_Request answered =
      mpi::irecv(comms_.data.get(), answer.data(), 16, agent, AgentComms::answer_tag(request.tag));
  Peer& peer = peer_of(agent);
  send(peer, request, shape, when, write);
  wait_for(peer, [&] { return mpi::test(answered); });
  return answer;
}

std::array<std::byte, 16> AgentClient::ask(const RemoteAddress& at, Message message, const Action& action,
                                           const std::array<std::byte, 16>& value) {
  const Strided shape = Strided::contiguous(size_of(action.kind));
  Header request = header(at, message, shape);
  request.verb = action.verb;
  request.kind = action.kind;
  request.update = action.update;
  request.value = value;
  return ask(at.agent, request, shape, When::awaited, [](std::byte*) {});
}

bool AgentClient::map(int agent, Message message, std::uint64_t region, const Attachment& what) {
  Header request = header({agent, region, 0}, message, Strided::contiguous(0));
  request.inlined = static_cast<index_t>(sizeof what);
  return ask(agent, request, Strided::contiguous(0), When::now,
             [&](std::byte* data) { std::memcpy(data, &what, sizeof what); })[0] != std::byte{0};
}

void AgentClient::run(int agent, OperationList& list, Pending& pending) {
  if (list.is_empty()) return;
  Peer& peer = peer_of(agent);
  if (list.writes()) {
    for (const std::uint64_t region : list.regions()) peer.written[region].is_unanswered = true;
  }
  const Strided range = Strided::contiguous(list.high() - list.low());
  const index_t bytes = list.bytes();
  const auto request_for_list = [&] {
    return header({agent, list.region(), list.low()}, Message::operations, range);
  };
  if (bytes > max_inlined && bytes <= max_written_unasked && list.can_be_split(max_inlined)) {
    list.in_pieces(max_inlined, [&](index_t length, const std::byte* piece) {
      Header request = request_for_list();
      request.inlined = length;
      send(peer, request, range, When::with_the_next,
           [&](std::byte* data) { std::memcpy(data, piece, static_cast<std::size_t>(length)); });
    });
    return list.clear();
  }
  Header request = request_for_list();
  request.answer = list.answer_bytes();
  auto stage = std::make_unique<OperationsStage>();
  if (request.answer > 0) {
    stage->answer.resize(static_cast<std::size_t>(request.answer));
    stage->results.assign(list.results().begin(), list.results().end());
    stage->answered = mpi::irecv(comms_.data.get(), stage->answer.data(), request.answer, agent,
                                 AgentComms::answer_tag(request.tag));
  }
  if (bytes <= max_inlined) {
    request.inlined = bytes;
    send(peer, request, range, request.answer > 0 ? When::now : When::with_the_next,
         [&](std::byte* data) { std::memcpy(data, list.finished(), static_cast<std::size_t>(bytes)); });
    list.clear();
  } else {
    request.outlined = bytes;
    stage->data = list.take();
    send(peer, request, range, When::now);
    stage->sent =
        mpi::isend(comms_.data.get(), stage->data.data(), bytes, agent, AgentComms::data_tag(request.tag));
  }
  if (stage->advance()) return;
  stage->tag = tags_.hold(request.tag);
  pending.add(std::move(stage));
  pending.needs_agent(agent);
}

void AgentClient::flush(std::span<const RemoteAddress> targets) {
  // Asks all agents before it waits for one. Writes with acknowledgements need no question.
  for (const RemoteAddress& target : targets) {
    Peer& peer = peer_of(target.agent);
    Written& written = peer.written[target.region];
    if (!std::exchange(written.is_unanswered, false)) continue;
    const Header question = header(target, Message::flush, Strided::contiguous(0));
    written.acknowledgements.push_back(expect(question, target.agent));
    send(peer, question, Strided::contiguous(0));
  }
  for (const RemoteAddress& target : targets) {
    Peer& peer = peer_of(target.agent);
    for (AwaitedAnswer& one : peer.written[target.region].acknowledgements)
      wait_for(peer, [&] { return mpi::test(one.request); });
    peer.written.erase(target.region);
  }
}

void AgentClient::settle() {
  for (auto& [agent, peer] : peers_) {
    if (peer.acknowledgement.request == MPI_REQUEST_NULL) continue;
    wait_for(peer, [&one = peer] { return takes_acknowledgement(one); });
  }
}

void AgentClient::leave(int agent) {
  Header goodbye;
  goodbye.message = Message::leave;
  send(peer_of(agent), goodbye, Strided::contiguous(0), When::now);
  for (Outgoing& out : outgoing_) host_.wait_until([&] { return mpi::test(out.request); });
  settle();  // the agent answers what came before
}

}  // namespace tessera::detail
