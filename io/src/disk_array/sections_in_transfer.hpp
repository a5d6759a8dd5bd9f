// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <tessera/core/box.hpp>

#include "disk_array/disk_worker.hpp"
#include "disk_array/run_transfer.hpp"

namespace tessera::io::detail {

/// The sections of a disk array that this process is moving. Several threads may use it. @local
class SectionsInTransfer {
 public:
  struct Section {
    DiskDirection direction;
    tessera::detail::Box box;
    /// Of an independent transfer. A collective one has none.
    std::shared_ptr<Outcome> outcome;
    bool is_told = false;  // whether the program knows its error
  };
  using Place = std::list<Section>::iterator;

  explicit SectionsInTransfer(std::size_t rank) : rank_(rank) {}
  Place add(Section section);
  /// Says that the program knows the outcome.
  void tell(Place place);
  /// Removes a section whose transfer is over.
  void remove(Place place);

  /// A section of a collective transfer that must not be in transfer together with this one. They conflict if
  /// they overlap, unless both are read.
  std::optional<tessera::detail::Box> collective_conflict(DiskDirection direction,
                                                          const tessera::detail::Box& box);
  /// Waits for the independent transfers that conflict with this section.
  void wait_for_conflicts(DiskDirection direction, const tessera::detail::Box& box);
  /// Waits for all independent transfers.
  void wait_for_independent();
  std::size_t collective_count();
  /// Keeps the error of a collective write that has been dropped for lost().
  void lose(std::string problem);
  /// The error of a write that the program does not know yet, and then knows; else empty.
  std::string lost();

 private:
  void take_error(Section& section);
  bool conflict(const Section& section, DiskDirection direction, const tessera::detail::Box& box) const;
  template <class Matches>
  void wait_for(Matches&& matches);

  std::size_t rank_;
  std::mutex mutex_;
  std::list<Section> sections_;
  std::string lost_;
};

}  // namespace tessera::io::detail
