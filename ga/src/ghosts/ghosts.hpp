// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <tessera/core/field.hpp>
#include <tessera/runtime/detail/member_messages.hpp>
#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/segment.hpp>

#include "ghosts/ghost_pieces.hpp"

namespace tessera::detail {

/// One array, or a member of its elements, in an exchange of ghost cells.
struct GhostField {
  GhostPieces pieces;
  ElementType element;    // of the array
  Field field;            // what travels of each element
  ElementKind kind;       // of that, for sums
  std::size_t array = 0;  // its number among the arrays of the exchange
};

/// All of an array that has ghost cells. @local
GhostField whole_field(const ArrayCore& array);

/// The exchange of ghost cells of one array, or of several together. There is no barrier: a rank waits for its
/// neighbours only.
///
/// On a node, each rank notifies its neighbours that it has come. It copies its ghost cells straight from the
/// blocks of neighbours that have come, and notifies them that it has read. Between nodes, each rank packs what
/// a neighbour needs and sends it:
/// - in a message, if the neighbour waits for it, or if MPI sends it at once. Nobody else has to take it then.
/// - or else by a put into a landing place at the neighbour, which unpacks it from there: the neighbour
/// computes
///   while the data moves. There are two such places, so that a neighbour that is one exchange behind makes
///   nobody wait.
///
/// The reverse exchange adds ghost cells into the elements that they are copies of. It goes the same ways
/// backwards. Each rank adds in the order of its neighbours, so that sums do not depend on the order of
/// arrival.
class Ghosts {
 public:
  /// The segments that hold the arrays of the exchange, by number: several fields may be of one array.
  using Segments = std::span<Segment* const>;

  /// @collective @throws as Segment
  Ghosts(const Group& group, std::vector<GhostField> fields, std::string_view name);
  /// Exchanges; returns when this rank's ghost cells are filled, and its elements may be changed. @collective
  void update(Segments elements, const GhostSides& what, GhostMethod method);
  /// The same in two steps; with all neighbours at once. @collective
  void begin(Segments elements, const GhostSides& what);
  void end(Segments elements);
  bool is_under_way() const noexcept { return under_way_ != nullptr; }
  /// Makes progress with the exchange, and returns whether it is done. @onesided
  bool test(Segments elements);
  /// Adds all ghost cells into their elements; returns when this rank's elements are sums, and its ghost cells
  /// may be changed. @collective
  void accumulate(Segments elements);
  void close();

 private:
  // A part of a field as a transfer. On a node it goes between another rank's storage and this rank's. Between
  // nodes it goes between this rank's storage and a message, which is then the local side.
  struct Transfer {
    std::size_t field;
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
    bool by_message = false;  // in this exchange
    /// Between nodes: of the message with all of them. @local
    index_t message_bytes() const noexcept {
      return transfers.empty() ? 0 : transfers.back().there + transfers.back().bytes;
    }
  };
  // One round: all of its transfers may be in flight at the same time. A rank gets cells from `from`, and gives
  // elements to `to`. In the reverse exchange it gives cells to `from`, and gets them from `to`.
  struct Round {
    std::vector<Partner> from, to;
  };
  struct Plan {
    GhostSides what;
    bool by_dimension;
    std::vector<Round> rounds;
  };
  enum class Wait { no, yes };
  enum class Unpack { put, add };
  // The flags of a neighbour: `come`, it has come (between nodes, its message has); `told`, it has read.
  enum : index_t { come, told, words };
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
  struct Wanted {
    int rank;
    index_t bytes;
  };
  // What one rank needs, by field.
  using Pieces = std::vector<NeededPatches>;

  bool may_go_by_dimension() const noexcept;
  int dimensions() const noexcept;  // of the field with the most
  Pieces wanted(int rank, const GhostSides& what) const;
  Pieces wanted_along(int rank, int d) const;
  std::vector<Wanted> neighbours(int rank) const;
  Round make_round(const std::vector<Pieces>& by_peer, const Pieces& own) const;
  Plan& plan(const GhostSides& what, bool by_dimension);
  double cost(const std::vector<Round>& rounds) const;
  Transfer transfer(std::size_t field, const NeededPatch& piece, const Partner& partner, bool receives) const;
  static void prepare(Segments elements, std::vector<Partner>& takers, std::vector<Partner>& givers);
  static void choose_ways(Round& round, Wait wait);
  void copy_own(Segments elements, std::vector<Partner>& givers);
  void notify(Segments elements, const std::vector<Partner>& takers);
  void send(Segments elements, Round& round, Wait wait);
  void note_reads(Segments elements, const Partner& taker) const;
  static void make_visible(Segments elements);
  bool receive(Segments elements, Round& round, Wait wait);
  void wait_for(const std::vector<Partner>& partners, index_t flag);
  void take(Segments elements, Partner& partner, index_t flag);
  void acknowledge(const Partner& partner);
  /// The segment of the array of a transfer. @local
  Segment& segment_of(Segments elements, const Transfer& one) const noexcept {
    return *elements[fields_[one.field].array];
  }
  void begin_messages(Segments elements, const Round& round);
  void take_messages(Segments elements, const Round& round);
  std::byte* in_place(Segments elements, const Partner& partner) const;
  void pack(Segments elements, const Partner& to, std::byte* message) const;
  void unpack(Segments elements, const Partner& from, const std::byte* message) const;
  void send_packed(Segments elements, const Partner& to);
  void copy_from(Segments elements, const Partner& from);
  void add_from(Segments elements, const Partner& from);
  void add(Segment& elements, std::size_t number, index_t to, const Strided& shape, const std::byte* from);
  void unpack_from(Segments elements, const Partner& from, Unpack how);
  void note_round_of(const Partner& from);

  Group group_;
  std::vector<GhostField> fields_;
  std::vector<Peer> peers_;
  std::vector<std::unique_ptr<Plan>> plans_;
  bool by_dimension_pays_ = false;
  std::optional<Flags> flags_;
  std::optional<Segment> landing_;
  std::vector<index_t> awaited_;            // flags
  std::vector<std::byte> message_;          // the one that is being packed
  std::vector<std::byte> sent_, received_;  // in messages
  std::optional<MemberMessages> messages_;  // destroyed first: it waits for those that use the memory
  Plan* under_way_ = nullptr;
};

}  // namespace tessera::detail
