// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <map>

#include "ghosts/ghosts.hpp"

#include "base/at.hpp"

// Which elements a rank needs from which owners. Each rank computes this for itself and its neighbours, from
// the layout alone.
namespace tessera::detail {
namespace {

// Costs in microseconds (docs/performance.md). Between nodes: the latency of a message, what each further
// message adds, and what each byte adds. On a node: one notification.
constexpr double latency = 25, further = 8, byte = 0.001, notification = 0.3;

}  // namespace

// The elements that the ghost cells on one side of a part's block need along dimension d, and the parts that
// own them.
std::vector<Ghosts::Reach> Ghosts::beside(int part, int d, bool high) const {
  const Axis& axis = layout_.axis(d);
  const index_t extent = axis.extent(), width = layout_.ghosts()[at(d)];
  const Interval own = axis.interval(part, 0);
  const index_t begin = high ? own.end : own.begin - width;
  std::vector<Reach> list;
  for (index_t x = begin; x < begin + width;) {
    index_t there = x;
    if (periodic_[at(d)]) there = ((x % extent) + extent) % extent;
    if (there < 0 || there >= extent) {
      ++x;  // outside a dimension that is not periodic: no owner
      continue;
    }
    const Interval owner = axis.find(there);
    const index_t length = std::min(begin + width - x, owner.end - there);
    list.push_back({owner.part, width + there - owner.begin, width + x - own.begin, length});
    x += length;
  }
  return list;
}

// Along a dimension in which both ranks have the same block: the block, or also those of its ghost cells that
// have an owner.
std::vector<Ghosts::Reach> Ghosts::along(int part, int d, bool with_ghosts) const {
  const index_t width = layout_.ghosts()[at(d)], count = layout_.axis(d).count(part);
  if (!with_ghosts) return {{part, width, width, count}};
  index_t low = width, high = width;
  if (!periodic_[at(d)]) {
    const Interval own = layout_.axis(d).interval(part, 0);
    low = std::min(width, own.begin), high = std::min(width, layout_.axis(d).extent() - own.end);
  }
  return {{part, width - low, width - low, low + count + high}};
}

// Every combination of what is needed along each dimension.
void Ghosts::combine(const Reaches& reaches, Pieces& pieces) const {
  int parts[max_rank] = {};
  NeededPatch piece{};
  auto walk = [&](auto&& self, int d) -> void {
    if (d >= std::min(layout_.rank(), max_rank))
      return pieces.emplace_back(layout_.rank_at(parts), piece), void();
    for (const Reach& here : reaches[at(d)]) {
      parts[d] = here.part;
      piece.source[at(d)] = here.source;
      piece.target[at(d)] = here.target;
      piece.extents[at(d)] = here.length;
      self(self, d + 1);
    }
  };
  walk(walk, 0);
}

// What a rank needs in an exchange with all neighbours at once.
Ghosts::Pieces Ghosts::wanted(int rank, const GhostSides& what) const {
  Pieces pieces;
  int parts[max_rank] = {};
  if (layout_.block_count(rank) == 0 || !layout_.coordinates(rank, parts)) return pieces;
  Reaches reaches;
  auto walk = [&](auto&& self, int d, int sides) -> void {
    if (d >= std::min(layout_.rank(), max_rank)) {
      if (sides > 0) combine(reaches, pieces);
      return;
    }
    const bool here = what.dimension == -1 || what.dimension == d;
    if (!(here && what.dimension == d)) {
      reaches[at(d)] = along(parts[d], d, false);
      self(self, d + 1, sides);
    }
    // A neighbour across a corner is beside the block in two or more dimensions.
    const bool may_leave = what.corners == Corners::with || (here && sides == 0);
    if (!may_leave) return;
    for (const bool high : {false, true}) {
      if (here && what.side == (high ? Side::low : Side::high)) continue;
      reaches[at(d)] = beside(parts[d], d, high);
      self(self, d + 1, sides + 1);
    }
  };
  walk(walk, 0, 0);
  return pieces;
}

// What a rank needs along one dimension, including ghost cells of the dimensions before it, which are already
// filled.
Ghosts::Pieces Ghosts::wanted_along(int rank, int d) const {
  Pieces pieces;
  int parts[max_rank] = {};
  if (layout_.block_count(rank) == 0 || !layout_.coordinates(rank, parts)) return pieces;
  Reaches reaches;
  for (int e = 0; e < layout_.rank(); ++e) reaches[at(e)] = along(parts[e], e, e < d);
  for (const bool high : {false, true}) {
    reaches[at(d)] = beside(parts[d], d, high);
    combine(reaches, pieces);
  }
  return pieces;
}

// The owners from which a rank needs elements in any exchange, and the most bytes in one round. Widths are the
// same on all ranks, so the same ranks need elements of this rank.
std::vector<Ghosts::Wanted> Ghosts::neighbours(int rank) const {
  std::map<int, index_t> most;
  auto count = [&](const Pieces& pieces) {
    std::map<int, index_t> sum;
    for (const auto& [owner, piece] : pieces) sum[owner] += volume(piece) * bytes_;
    for (const auto& [owner, bytes] : sum) most[owner] = std::max(most[owner], bytes);
  };
  count(wanted(rank, {}));
  for (int d = 0; d < layout_.rank(); ++d) count(wanted_along(rank, d));
  std::vector<Wanted> list;
  for (const auto& [owner, bytes] : most) list.push_back({owner, bytes});
  return list;
}

// The shape of a piece, given its strides in elements on either side.
Strided Ghosts::shape(const NeededPatch& piece, const Coordinates& remote, const Coordinates& local) const {
  Strided shape;
  shape.run = bytes_;
  for (int d = layout_.rank() - 1; d >= 0; --d) {
    if (piece.extents[at(d)] == 1) continue;
    const index_t there = remote[at(d)] * bytes_, here = local[at(d)] * bytes_;
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

// The transfer of a piece with a partner. Messages hold pieces one after another, each dense.
Ghosts::Transfer Ghosts::transfer(const NeededPatch& piece, const Partner& partner, bool receives) const {
  auto offset = [&](const Coordinates& where, const Coordinates& strides) {
    index_t sum = 0;
    for (int d = 0; d < layout_.rank(); ++d) sum += where[at(d)] * strides[at(d)];
    return sum * bytes_;
  };
  const Coordinates mine = layout_.local(group_.rank()).strides;
  Transfer transfer;
  transfer.bytes = volume(piece) * bytes_;
  transfer.here = offset(receives ? piece.target : piece.source, mine);
  if (partner.on_node) {
    const Coordinates theirs = layout_.local(partner.rank).strides;
    transfer.shape = shape(piece, theirs, mine);
    transfer.there = offset(piece.source, theirs);
    return transfer;
  }
  Coordinates dense{};
  index_t stride = 1;
  for (int d = layout_.rank() - 1; d >= 0; --d) {
    dense[at(d)] = stride;
    stride *= piece.extents[at(d)];
  }
  transfer.shape = shape(piece, mine, dense);
  transfer.there = 0;
  for (const Transfer& before : partner.transfers) transfer.there += before.bytes;
  return transfer;
}

Ghosts::Round Ghosts::make_round(const std::vector<Pieces>& by_peer, const Pieces& own) const {
  Round round;
  const int me = group_.rank();
  for (std::size_t p = 0; p < peers_.size(); ++p) {
    const int rank = peers_[p].rank;
    Partner from{rank, group_.on_node(rank), false, p, {}, false};
    Partner to = from;
    for (const auto& [owner, piece] : own) {
      if (owner == rank) from.transfers.push_back(transfer(piece, from, true));
    }
    for (const auto& [owner, piece] : by_peer[p]) {
      if (owner == me && rank != me) to.transfers.push_back(transfer(piece, to, false));
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
  for (int d = 0; d < (by_dimension ? layout_.rank() : 1); ++d) {
    auto pieces = [&](int rank) { return by_dimension ? wanted_along(rank, d) : wanted(rank, what); };
    std::vector<Pieces> by_peer;
    for (const Peer& peer : peers_) by_peer.push_back(pieces(peer.rank));
    plan->rounds.push_back(make_round(by_peer, pieces(group_.rank())));
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

index_t Ghosts::volume(const NeededPatch& piece) const {
  index_t product = 1;
  for (int d = 0; d < layout_.rank(); ++d) product *= piece.extents[at(d)];
  return product;
}

}  // namespace tessera::detail
