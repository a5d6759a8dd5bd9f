// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <utility>

#include "ghosts/ghosts.hpp"
#include "ghosts/own_access.hpp"

// Ghost cells in messages.
namespace tessera::detail {

// Both sides know the length, and so choose the same way.
void Ghosts::choose_ways(Round& round, Wait wait) {
  const auto choose = [&](Partner& partner) {
    partner.by_message =
        !partner.on_node && (wait == Wait::yes || MemberMessages::leaves_at_once(partner.message_bytes()));
  };
  std::for_each(round.from.begin(), round.from.end(), choose);
  std::for_each(round.to.begin(), round.to.end(), choose);
}

// Where a message is in this rank's elements as it travels; null if it has to be packed.
std::byte* Ghosts::in_place(Segments elements, const Partner& partner) const {
  if (partner.transfers.size() != 1 || partner.transfers.front().shape.levels > 0) return nullptr;
  const Transfer& only = partner.transfers.front();
  return segment_of(elements, only).address(group_.rank()) + only.here;
}

void Ghosts::begin_messages(Segments elements, const Round& round) {
  std::byte* free = received_.data();
  for (const Partner& giver : round.from) {
    if (!giver.by_message) continue;
    std::byte* message = in_place(elements, giver);
    if (message == nullptr) message = std::exchange(free, free + giver.message_bytes());
    messages_->receive(giver.rank, Channel::ghosts, message, giver.message_bytes());
  }
  free = sent_.data();
  for (const Partner& taker : round.to) {
    if (!taker.by_message) continue;
    const std::byte* message = in_place(elements, taker);
    if (message == nullptr) {
      pack(elements, taker, free);
      message = std::exchange(free, free + taker.message_bytes());
    } else {
      note_reads(elements, taker);
    }
    messages_->send(taker.rank, Channel::ghosts, message, taker.message_bytes(),
                    taker.mutual ? Pace::answered : Pace::received);
    landing_->count(taker.rank, Operation::put, taker.message_bytes(), Path::message);
  }
}

void Ghosts::take_messages(Segments elements, const Round& round) {
  const std::byte* next = received_.data();
  for (const Partner& giver : round.from) {
    if (!giver.by_message) continue;
    if (in_place(elements, giver) != nullptr) {
      const Transfer& only = giver.transfers.front();
      const OwnAccess access(segment_of(elements, only), only.here, only.shape, Segment::LocalUse::write);
    } else {
      unpack(elements, giver, next);
      next += giver.message_bytes();
    }
    note_round_of(giver);  // what this rank gave may have gone to a landing place
  }
}

void Ghosts::pack(Segments elements, const Partner& to, std::byte* message) const {
  for (const Transfer& next : to.transfers) {
    Segment& field = segment_of(elements, next);
    const OwnAccess access(field, next.here, next.shape, Segment::LocalUse::read);
    field.get(group_.rank(), next.here, next.shape, message + next.there);
  }
}

void Ghosts::unpack(Segments elements, const Partner& from, const std::byte* message) const {
  for (const Transfer& next : from.transfers) {
    Segment& field = segment_of(elements, next);
    const OwnAccess access(field, next.here, next.shape, Segment::LocalUse::write);
    field.put(group_.rank(), next.here, next.shape, message + next.there);
  }
}

}  // namespace tessera::detail
