// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <tessera/core/grid_layout.hpp>
#include <tessera/detail/ghost_sides.hpp>
#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/segment.hpp>

namespace tessera::detail {

/// The exchange of ghost cells of one array. There is no barrier: a rank waits for its neighbours only.
///
/// On a node, each rank notifies its neighbours that it has come. It copies its ghost cells straight from the
/// blocks of neighbours that have come, and notifies them that it has read. Between nodes, each rank packs what
/// a neighbour needs, and puts it into a landing place at the neighbour, which unpacks it from there. There are
/// two such places, so that a neighbour that is one exchange behind makes nobody wait.
class Ghosts {
 public:
  /// @collective @throws as Segment
  Ghosts(const Group& group, const GridLayout& layout, index_t element_bytes,
         const std::array<bool, 8>& periodic, std::string_view name);
  /// Exchanges; returns when this rank's ghost cells are filled, and its elements may be changed. @collective
  void update(Segment& elements, const GhostSides& what, GhostMethod method);
  /// The same in two steps; with all neighbours at once. @collective
  void begin(Segment& elements, const GhostSides& what);
  void end(Segment& elements);
  bool is_under_way() const noexcept { return under_way_ != nullptr; }
  /// Makes progress with the exchange, and returns whether it is done. @onesided
  bool test(Segment& elements);
  void close();

 private:
  // A patch that one rank's ghost cells need from another's storage: where it begins in both storages, and its
  // extents.
  struct NeededPatch {
    Coordinates source, target, extents;
  };
  // The same as a transfer. It goes from another rank's storage to this rank's, or between this rank's storage
  // and a message, which is then the local side.
  struct Transfer {
    Strided shape;
    index_t there, here, bytes;
  };
  // One of the two sides of an exchange with a neighbour.
  struct Partner {
    int rank;
    bool on_node;
    bool mutual;         // whether the rank is on the other side of this exchange too
    std::size_t number;  // in peers_
    std::vector<Transfer> transfers;
    bool done = false;
  };
  // One round: all of its transfers may be in flight at the same time.
  struct Round {
    std::vector<Partner> from, to;
  };
  struct Plan {
    GhostSides what;
    bool by_dimension;
    std::vector<Round> rounds;
  };
  enum class Wait { no, yes };
  // A neighbour, in any exchange.
  struct Peer {
    int rank;
    index_t here, there;     // its index in my peers_, and mine in its peers_
    index_t landing, bytes;  // where my messages land at that rank; the length of each of the two places
    index_t own_landing, own_bytes;  // where its messages land here
    std::int64_t sent = 0, received = 0;
    std::vector<bool> outstanding;  // messages that may be unread: whether a flag will tell that they were read
    std::int64_t told_too = 0;      // such flags that are still to be taken, but tell nothing new
  };
  struct Reach {
    int part;
    index_t source, target, length;
  };
  struct Wanted {
    int rank;
    index_t bytes;
  };

  using Reaches = std::array<std::vector<Reach>, static_cast<std::size_t>(max_rank)>;
  using Pieces = std::vector<std::pair<int, NeededPatch>>;  // with the rank each comes from

  std::vector<Reach> beside(int part, int d, bool high) const;
  std::vector<Reach> along(int part, int d, bool with_ghosts) const;
  void combine(const Reaches& reaches, Pieces& pieces) const;
  Pieces wanted(int rank, const GhostSides& what) const;
  Pieces wanted_along(int rank, int d) const;
  std::vector<Wanted> neighbours(int rank) const;
  Round make_round(const std::vector<Pieces>& by_peer, const Pieces& own) const;
  Plan& plan(const GhostSides& what, bool by_dimension);
  double cost(const std::vector<Round>& rounds) const;
  index_t volume(const NeededPatch& piece) const;
  Strided shape(const NeededPatch& piece, const Coordinates& remote, const Coordinates& local) const;
  Transfer transfer(const NeededPatch& piece, const Partner& partner, bool receives) const;
  void send(Segment& elements, Round& round);
  bool receive(Segment& elements, Round& round, Wait wait);
  void take(Segment& elements, Partner& partner, index_t flag);
  void send_packed(const Segment& elements, const Partner& to);
  void copy_from(Segment& elements, const Partner& from);
  void unpack_from(Segment& elements, const Partner& from);

  Group group_;
  GridLayout layout_;
  index_t bytes_;
  std::array<bool, 8> periodic_;
  std::vector<Peer> peers_;
  std::vector<std::unique_ptr<Plan>> plans_;
  bool by_dimension_pays_ = false;
  std::optional<Flags> flags_;
  std::optional<Segment> landing_;
  std::vector<index_t> awaited_;    // flags
  std::vector<std::byte> message_;  // the one that is being packed
  Plan* under_way_ = nullptr;
};

}  // namespace tessera::detail
