// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <string>

#include "disk_array/disk_state.hpp"

namespace tessera::io::detail {

/// The transfer of a section between the file and local memory by this rank alone, in the array's thread.
/// @onesided
class IndependentTransfer {
 public:
  IndependentTransfer(std::shared_ptr<DiskState> state, DiskDirection direction,
                      const tessera::detail::Box& section, const SectionMemory& memory);
  ~IndependentTransfer();
  IndependentTransfer(const IndependentTransfer&) = delete;
  IndependentTransfer& operator=(const IndependentTransfer&) = delete;
  void wait();
  bool test() { return outcome_->is_known(); }

 private:
  std::shared_ptr<DiskState> state_;
  std::shared_ptr<Outcome> outcome_ = std::make_shared<Outcome>();
  SectionsInTransfer::Place place_;
};

}  // namespace tessera::io::detail
