// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "ghosts/ghosts.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <tessera/core/agreed.hpp>
#include <tessera/runtime/vector.hpp>

#include "base/dispatch.hpp"
#include "format.hpp"
#include "ghosts/own_access.hpp"

namespace tessera::detail {

GhostField whole_field(const ArrayCore& array) {
  const LayoutCore& layout = array.layout();
  const HaloShape all{layout.ghosts(), layout.ghosts(), Corners::with, {{}, layout.dims()}};
  return {GhostPieces(*layout.grid(), array.periodic(), all),
          array.type(),
          {0, array.type().size},
          array.type().kind};
}

Ghosts::Ghosts(const Group& group, std::vector<GhostField> fields, std::string_view name)
    : group_(group), fields_(std::move(fields)) {
  const int me = group_.rank();
  auto place = [](const std::vector<Wanted>& list, int rank) {
    std::pair<index_t, index_t> found{0, 0};  // its index, and where its landing places begin
    for (; list[static_cast<std::size_t>(found.first)].rank != rank; ++found.first)
      found.second += 2 * list[static_cast<std::size_t>(found.first)].bytes;
    return found;
  };
  const auto mine = neighbours(me);
  index_t landing = 0;
  for (const Wanted& next : mine) {
    const auto theirs = neighbours(next.rank);
    const auto [there, begin] = place(theirs, me);
    peers_.push_back({.rank = next.rank,
                      .here = static_cast<index_t>(peers_.size()),
                      .there = there,
                      .landing = begin,
                      .bytes = theirs[static_cast<std::size_t>(there)].bytes,
                      .own_landing = landing,
                      .own_bytes = next.bytes,
                      .outstanding = {}});
    landing += 2 * next.bytes;
  }
  const auto count = group_.all_reduce(static_cast<std::int64_t>(peers_.size()), Reduce::max);
  flags_.emplace(group_, std::max<index_t>(1, count * words),
                 formatted("flags of the ghost cells of {}", name));
  if (group_.node_count() > 1) {
    landing_.emplace(group_, landing, formatted("halos of {}", name));
    messages_.emplace(group_);
    index_t outgoing = 0;
    for (const Peer& peer : peers_) outgoing += group_.on_node(peer.rank) ? 0 : peer.bytes;
    agreed(group_, formatted("halos of {}", name), [&] {
      sent_.resize(static_cast<std::size_t>(outgoing));
      received_.resize(static_cast<std::size_t>(landing / 2));
    });
  }
  // All ranks exchange in the same way: the faster way for the slowest rank.
  if (!may_go_by_dimension()) return;
  const double once = group_.all_reduce(cost(plan({}, false).rounds), Reduce::max);
  const double in_turn = group_.all_reduce(cost(plan({}, true).rounds), Reduce::max);
  by_dimension_pays_ = in_turn < once;
}

// Otherwise corners would be filled that are not to be touched.
bool Ghosts::may_go_by_dimension() const noexcept {
  return std::all_of(fields_.begin(), fields_.end(),
                     [](const GhostField& field) { return field.pieces.has_corners(); });
}

void Ghosts::close() {
  if (landing_) landing_->close();
  flags_->close();
}

void Ghosts::update(Segments elements, const GhostSides& what, GhostMethod method) {
  const KnownAtEntry known;
  const bool whole = what == GhostSides{};
  const bool by_dimension =
      whole && may_go_by_dimension() &&
      (method == GhostMethod::by_dimension || (method == GhostMethod::automatic && by_dimension_pays_));
  for (Round& round : plan(what, by_dimension).rounds) {
    prepare(elements, round.to, round.from);
    // First, as processes that have sent should wait: that is when MPI moves long messages.
    copy_own(elements, round.from);
    send(elements, round, Wait::yes);
    receive(elements, round, Wait::yes);
  }
}

void Ghosts::begin(Segments elements, const GhostSides& what) {
  const KnownAtEntry known;
  under_way_ = &plan(what, false);
  Round& round = under_way_->rounds.front();
  prepare(elements, round.to, round.from);
  send(elements, round, Wait::no);
}

bool Ghosts::test(Segments elements) {
  if (under_way_ == nullptr) return true;
  const KnownAtEntry known;
  if (!receive(elements, under_way_->rounds.front(), Wait::no)) return false;
  under_way_ = nullptr;
  return true;
}

void Ghosts::end(Segments elements) {
  if (test(elements)) return;
  const KnownAtEntry known;
  receive(elements, under_way_->rounds.front(), Wait::yes);
  under_way_ = nullptr;
}

// This rank adds before it waits for those that add its cells: they may wait for it likewise.
void Ghosts::accumulate(Segments elements) {
  const KnownAtEntry known;
  Round& round = plan({}, false).rounds.front();
  prepare(elements, round.from, round.to);
  notify(elements, round.from);
  for (const Partner& taker : round.from) {
    if (!taker.on_node) send_packed(elements, taker);
  }
  wait_for(round.to, come);
  for (const Partner& self : round.from) {
    if (self.rank == group_.rank()) add_from(elements, self);
  }
  for (const Partner& giver : round.to) {
    giver.on_node ? add_from(elements, giver) : unpack_from(elements, giver, Unpack::add);
    acknowledge(giver);
  }
  wait_for(round.from, told);
  make_visible(elements);
}

void Ghosts::make_visible(Segments elements) {
  for (Segment* const one : elements) {
    one->complete_and_order();
    one->resume_local_accesses();
  }
}

void Ghosts::prepare(Segments elements, std::vector<Partner>& takers, std::vector<Partner>& givers) {
  for (Segment* const one : elements) {
    // To the checker, too, this rank's own operations on its slice are complete.
    if (one->face().checked != 0) one->flush(one->group().rank());
    one->complete_and_order();
    one->suspend_local_accesses();
  }
  for (Partner& giver : givers) giver.done = false;
  for (Partner& taker : takers) taker.done = !taker.on_node;
}

void Ghosts::copy_own(Segments elements, std::vector<Partner>& givers) {
  for (Partner& giver : givers) {
    if (giver.rank == group_.rank()) take(elements, giver, come);
  }
}

void Ghosts::notify(Segments elements, const std::vector<Partner>& takers) {
  for (const Partner& taker : takers) {
    if (taker.rank == group_.rank() || !taker.on_node) continue;
    note_reads(elements, taker);
    flags_->notify(taker.rank, peers_[taker.number].there * words + come);
  }
}

// `wait`: whether the ranks wait for what is sent, and do not compute meanwhile.
void Ghosts::send(Segments elements, Round& round, Wait wait) {
  if (messages_) {
    choose_ways(round, wait);
    begin_messages(elements, round);
  }
  notify(elements, round.to);
  for (const Partner& taker : round.to) {
    if (!taker.on_node && !taker.by_message) send_packed(elements, taker);
  }
}

// To the checker, this rank reads what it gives, so that the same programs are wrong on a node and between
// nodes.
void Ghosts::note_reads(Segments elements, const Partner& taker) const {
  for (const Transfer& next : taker.transfers) {
    const Segment& field = segment_of(elements, next);
    if (field.face().checked == 0) continue;
    Strided shape = next.shape;
    std::swap(shape.remote_stride, shape.local_stride);
    const OwnAccess access(field, next.here, shape, Segment::LocalUse::read);
  }
}

void Ghosts::wait_for(const std::vector<Partner>& partners, index_t flag) {
  awaited_.clear();
  for (const Partner& partner : partners) {
    const bool tells = partner.rank != group_.rank() && (flag == come || partner.on_node);
    if (tells) awaited_.push_back(peers_[partner.number].here * words + flag);
  }
  while (!awaited_.empty()) std::erase(awaited_, flags_->wait_any(awaited_));
}

// Does what the flag of a partner allows, after it has been waited for.
void Ghosts::take(Segments elements, Partner& partner, index_t flag) {
  partner.done = true;
  if (flag == told) return;
  partner.on_node ? copy_from(elements, partner) : unpack_from(elements, partner, Unpack::put);
  acknowledge(partner);
}

// Between nodes, a partner that we also send to needs no flag: our next message shows that we have read its
// earlier ones.
void Ghosts::acknowledge(const Partner& partner) {
  if (partner.rank != group_.rank() && (partner.on_node || !partner.mutual))
    flags_->notify(partner.rank, peers_[partner.number].there * words + told);
}

bool Ghosts::receive(Segments elements, Round& round, Wait wait) {
  awaited_.clear();
  auto await = [&](std::vector<Partner>& partners, index_t flag) {
    for (Partner& partner : partners) {
      const index_t index = peers_[partner.number].here * words + flag;
      if (partner.done || (flag == come && partner.by_message)) continue;
      if (partner.rank == group_.rank() || flags_->test(index))
        take(elements, partner, flag);
      else
        awaited_.push_back(index);
    }
  };
  await(round.from, come);
  await(round.to, told);
  if (wait == Wait::no && (!awaited_.empty() || (messages_ && !messages_->test()))) return false;
  // Serve the flags in the order in which they come, so that this rank does not hold up a rank that it waits
  // for.
  while (!awaited_.empty()) {
    const index_t index = flags_->wait_any(awaited_), flag = index % words;
    std::erase(awaited_, index);
    for (Partner& partner : flag == come ? round.from : round.to) {
      if (peers_[partner.number].here == index / words) take(elements, partner, flag);
    }
  }
  if (messages_) {
    messages_->wait();
    take_messages(elements, round);
  }
  make_visible(elements);
  return true;
}

void Ghosts::copy_from(Segments elements, const Partner& from) {
  for (const Transfer& next : from.transfers) {
    Segment& field = segment_of(elements, next);
    field.get(from.rank, next.there, next.shape, field.address(group_.rank()) + next.here);
  }
}

// The cells of a rank on the node into this rank's elements. Of its own, the cells are `here`.
void Ghosts::add_from(Segments elements, const Partner& from) {
  const int me = group_.rank();
  for (const Transfer& next : from.transfers) {
    Segment& field = segment_of(elements, next);
    if (from.rank == me) {
      add(field, next.field, next.there, next.shape, field.address(me) + next.here);
      continue;
    }
    Strided shape = next.shape;
    std::swap(shape.remote_stride, shape.local_stride);
    add(field, next.field, next.here, shape, field.address(from.rank) + next.there);
  }
}

void Ghosts::add(Segment& elements, std::size_t number, index_t to, const Strided& shape,
                 const std::byte* from) {
  with_kind(fields_[number].kind, "add_ghosts", [&]<class T>(T) {
    const T one{1};
    const OwnAccess access(elements, to, shape, Segment::LocalUse::write);
    elements.accumulate(group_.rank(), to, shape, fields_[number].kind, &one, from);
  });
}

void Ghosts::send_packed(Segments elements, const Partner& to) {
  Peer& peer = peers_[to.number];
  if (peer.outstanding.size() == 2) {
    // Both places may be in use. At least one of the two messages is acknowledged by a flag, since messages of
    // mutual partners were answered by theirs.
    const auto next = std::find(peer.outstanding.begin(), peer.outstanding.end(), true);
    flags_->wait(peer.here * words + told, 1 + std::exchange(peer.told_too, 0));
    peer.outstanding.erase(peer.outstanding.begin(), next + 1);
  }
  message_.resize(static_cast<std::size_t>(peer.bytes));
  pack(elements, to, message_.data());
  const index_t place = peer.landing + (peer.sent++ % 2) * peer.bytes;
  put_notify(*landing_, peer.rank, place, Strided::contiguous(to.message_bytes()), message_.data(),
             flags_->at(peer.rank, peer.there * words + come));
  peer.outstanding.push_back(!to.mutual);
}

void Ghosts::unpack_from(Segments elements, const Partner& from, Unpack how) {
  Peer& peer = peers_[from.number];
  const std::byte* message =
      landing_->address(group_.rank()) + peer.own_landing + (peer.received++ % 2) * peer.own_bytes;
  if (how == Unpack::put) unpack(elements, from, message);
  if (how == Unpack::add) {
    for (const Transfer& next : from.transfers)
      add(segment_of(elements, next), next.field, next.here, next.shape, message + next.there);
  }
  note_round_of(from);
}

// A partner that we also send to has begun this round, so it has read our messages of earlier rounds.
void Ghosts::note_round_of(const Partner& from) {
  if (!from.mutual) return;
  Peer& peer = peers_[from.number];
  while (peer.outstanding.size() > 1) {
    peer.told_too += static_cast<std::int64_t>(peer.outstanding.front());
    peer.outstanding.erase(peer.outstanding.begin());
  }
}

}  // namespace tessera::detail
