// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <map>

#include "ghosts/ghosts.hpp"

#include "base/at.hpp"

// Which transfers an exchange consists of. Each rank computes this for itself and its neighbours, from the
// layouts alone.
namespace tessera::detail {
namespace {

// Costs in microseconds (docs/performance.md). Between nodes: the latency of a message, what each further
// message adds, and what each byte adds. On a node: one notification.
constexpr double latency = 25, further = 8, byte = 0.001, notification = 0.3;

// Elements lie aligned in messages: 16 is enough for every kind of number.
constexpr index_t most_aligned = 16;
index_t aligned(index_t bytes, index_t element_size) noexcept {
  const index_t to = std::min(most_aligned, element_size & -element_size);
  return (bytes + to - 1) / to * to;
}

// The strides of elements or of members of them, in bytes. Of a message, `unit` is what travels of an element.
struct Side {
  Coordinates strides;  // in elements
  index_t unit;
  index_t offset = 0;  // in bytes, of what travels of the first element

  index_t stride(int d) const noexcept { return strides[at(d)] * unit; }
  index_t place(const Coordinates& where, int rank) const noexcept {
    index_t sum = offset;
    for (int d = 0; d < rank; ++d) sum += where[at(d)] * stride(d);
    return sum;
  }
};

Side stored(const GhostField& field, int rank) {
  return {field.pieces.layout().local(rank).strides, field.element.size, field.field.offset};
}

// In a message, pieces are one after another, each dense.
Side packed(const GhostField& field, const NeededPatch& piece) {
  Side side{{}, field.field.size};
  index_t stride = 1;
  for (int d = field.pieces.layout().rank() - 1; d >= 0; --d) {
    side.strides[at(d)] = stride;
    stride *= piece.extents[at(d)];
  }
  return side;
}

Strided shape_of(const GhostField& field, const NeededPatch& piece, const Side& remote, const Side& local) {
  Strided shape;
  shape.run = field.field.size;
  for (int d = field.pieces.layout().rank() - 1; d >= 0; --d) {
    if (piece.extents[at(d)] == 1) continue;
    const index_t there = remote.stride(d), here = local.stride(d);
    if (shape.levels == 0 && there == shape.run && here == shape.run) {
      shape.run *= piece.extents[at(d)];
      continue;
    }
    const std::size_t level = at(shape.levels++);
    shape.count[level] = piece.extents[at(d)];
    shape.remote_stride[level] = there;
    shape.local_stride[level] = here;
  }
  return shape;
}

}  // namespace

int Ghosts::dimensions() const noexcept {
  int most = 0;
  for (const GhostField& field : fields_) most = std::max(most, field.pieces.layout().rank());
  return most;
}

Ghosts::Pieces Ghosts::wanted(int rank, const GhostSides& what) const {
  Pieces all;
  for (const GhostField& field : fields_) all.push_back(field.pieces.wanted(rank, what));
  return all;
}

Ghosts::Pieces Ghosts::wanted_along(int rank, int d) const {
  Pieces all;
  for (const GhostField& field : fields_) all.push_back(field.pieces.wanted_along(rank, d));
  return all;
}

// The ranks that a rank exchanges anything with, and the most bytes that it gets or gives in one round. Each
// rank is a neighbour of its neighbours.
std::vector<Ghosts::Wanted> Ghosts::neighbours(int rank) const {
  std::map<int, index_t> most;
  for (const GhostField& field : fields_) {
    for (const int other : field.pieces.neighbours(rank)) most[other] = 0;
  }
  for (auto& entry : most) {
    const int other = entry.first;
    const auto count = [&](auto&& needed) {
      index_t bytes = 0;
      for (const GhostField& field : fields_) {
        for (const auto& [owner, piece] : needed(field.pieces))
          bytes = aligned(bytes, field.field.size) + field.pieces.volume(piece) * field.field.size;
      }
      entry.second = std::max(entry.second, bytes);
    };
    count([&](const GhostPieces& field) { return field.wanted(rank, {}, other); });
    // Cells travel backwards when they are added to their elements.
    count([&](const GhostPieces& field) { return field.wanted(other, {}, rank); });
    for (int d = 0; may_go_by_dimension() && d < dimensions(); ++d)
      count([&](const GhostPieces& field) { return field.wanted_along(rank, d, other); });
  }
  std::vector<Wanted> list;
  for (const auto& [other, bytes] : most) list.push_back({other, aligned(bytes, most_aligned)});
  return list;
}

Ghosts::Transfer Ghosts::transfer(std::size_t number, const NeededPatch& piece, const Partner& partner,
                                  bool receives) const {
  const GhostField& field = fields_[number];
  const int rank = field.pieces.layout().rank();
  const Side mine = stored(field, group_.rank());
  Transfer transfer;
  transfer.field = number;
  transfer.bytes = field.pieces.volume(piece) * field.field.size;
  transfer.here = mine.place(receives ? piece.target : piece.source, rank);
  if (partner.on_node) {
    const Side theirs = stored(field, partner.rank);
    transfer.shape = shape_of(field, piece, theirs, mine);
    transfer.there = theirs.place(receives ? piece.source : piece.target, rank);
    return transfer;
  }
  transfer.shape = shape_of(field, piece, mine, packed(field, piece)).merged();
  transfer.there = aligned(partner.message_bytes(), field.field.size);
  return transfer;
}

Ghosts::Round Ghosts::make_round(const std::vector<Pieces>& by_peer, const Pieces& own) const {
  Round round;
  const int me = group_.rank();
  for (std::size_t p = 0; p < peers_.size(); ++p) {
    const int rank = peers_[p].rank;
    Partner from{rank, group_.on_node(rank), false, p, {}, false};
    Partner to = from;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      for (const auto& [owner, piece] : own[f]) {
        if (owner == rank) from.transfers.push_back(transfer(f, piece, from, true));
      }
      for (const auto& [owner, piece] : by_peer[p][f]) {
        if (owner == me && rank != me) to.transfers.push_back(transfer(f, piece, to, false));
      }
    }
    from.mutual = to.mutual = !from.transfers.empty() && !to.transfers.empty();
    if (!from.transfers.empty()) round.from.push_back(std::move(from));
    if (!to.transfers.empty()) round.to.push_back(std::move(to));
  }
  return round;
}

Ghosts::Plan& Ghosts::plan(const GhostSides& what, bool by_dimension) {
  for (const auto& known : plans_) {
    if (known->what == what && known->by_dimension == by_dimension) return *known;
  }
  auto plan = std::make_unique<Plan>(Plan{what, by_dimension, {}});
  for (int d = 0; d < (by_dimension ? dimensions() : 1); ++d) {
    auto needed = [&](int rank) { return by_dimension ? wanted_along(rank, d) : wanted(rank, what); };
    std::vector<Pieces> by_peer;
    for (const Peer& peer : peers_) by_peer.push_back(needed(peer.rank));
    plan->rounds.push_back(make_round(by_peer, needed(group_.rank())));
  }
  return *plans_.emplace_back(std::move(plan));
}

double Ghosts::cost(const std::vector<Round>& rounds) const {
  double sum = 0;
  for (const Round& round : rounds) {
    index_t far = 0, bytes = 0;
    for (const Partner& from : round.from) {
      if (from.on_node) continue;
      ++far;
      for (const Transfer& transfer : from.transfers) bytes += transfer.bytes;
    }
    const index_t near = std::ssize(round.from) - far;
    sum += (far > 0 ? latency + further * static_cast<double>(far) + byte * static_cast<double>(bytes) : 0) +
           notification * static_cast<double>(2 * near + 2);
  }
  return sum;
}

}  // namespace tessera::detail
