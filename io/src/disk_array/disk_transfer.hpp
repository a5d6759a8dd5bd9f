// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <tessera/io/disk_array.hpp>

#include "base/box_chunks.hpp"
#include "disk_array/disk_state.hpp"

namespace tessera::io::detail {

/// The transfer of one section, in pieces that fit the buffer.
class DiskTransfer {
 public:
  /// @collective
  DiskTransfer(std::shared_ptr<DiskState> state, DiskDirection direction, const tessera::detail::Box& section,
               const tessera::detail::SliceCore& slice);
  ~DiskTransfer();
  DiskTransfer(const DiskTransfer&) = delete;
  DiskTransfer& operator=(const DiskTransfer&) = delete;
  /// @collective
  void wait();
  bool test() { return !outcome_ || outcome_->is_known(); }

 private:
  void stage(index_t piece);
  void start();
  void finish();
  tessera::detail::SliceCore part(const tessera::detail::Box& piece) const;

  std::shared_ptr<DiskState> state_;
  DiskDirection direction_;
  tessera::detail::Box section_;
  tessera::detail::SliceCore slice_;
  BoxChunks pieces_;
  index_t next_ = 0;                                  // the next piece
  std::optional<SectionsInTransfer::Place> place_;    // none once it is complete
  std::optional<tessera::detail::ArrayCore> buffer_;  // holds the piece before next_
  tessera::detail::Box here_{};                       // this rank's part of that piece, in the disk array
  std::unique_ptr<Outcome> outcome_;                  // of the job that moves it
};

}  // namespace tessera::io::detail
