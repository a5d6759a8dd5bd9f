// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include <tessera/detail/sparse_pattern.hpp>
#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/segment.hpp>

namespace tessera::detail {

/// Brings the elements of a vector that a rank's border rows need. Their owners send them, into memory that the
/// ranks have for that. A rank waits only for those that it exchanges elements with. Neither the vector's
/// memory nor a barrier is needed.
class BorderExchange {
 public:
  /// For elements of `size` bytes. @collective @throws as Segment
  BorderExchange(const Group& group, const SparsePattern& pattern, index_t size, std::string_view name);

  /// Sends those of this rank's own elements that others need. They may change on return. Returns where the
  /// border columns will be after wait(), until the next call but one: this rank's own ones are there already.
  /// @collective
  const std::byte* start(const SparsePattern& pattern, const std::byte* own);
  /// Waits for the elements of others. @collective
  void wait();
  /// Frees the memory now. @collective
  void close();

 private:
  // A rank that gets elements from here, or sends some: one that only sends is told that its last ones were
  // read.
  struct Link {
    int rank;
    index_t place;               // of the elements in its border
    std::vector<index_t> sends;  // positions among this rank's own elements
  };
  void list_links(const Group& group, const SparsePattern& pattern);
  void send(const Link& to, const std::byte* own);

  index_t size_;
  std::vector<Link> links_;
  std::vector<std::byte> packed_;
  std::array<Segment, 2> borders_;  // used in turn: others are at most one exchange ahead
  Flags arrived_;                   // for each of the two
  index_t turn_ = 0;                // 0 or 1
};

}  // namespace tessera::detail
