// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "disk_array/independent_transfer.hpp"

#include <exception>

#include "format.hpp"
#include "printable.hpp"

namespace tessera::io {

IndependentDiskRequest::IndependentDiskRequest() = default;
IndependentDiskRequest::IndependentDiskRequest(std::unique_ptr<detail::IndependentTransfer> transfer)
    : transfer_(std::move(transfer)) {}
IndependentDiskRequest::~IndependentDiskRequest() = default;
IndependentDiskRequest::IndependentDiskRequest(IndependentDiskRequest&&) noexcept = default;
IndependentDiskRequest& IndependentDiskRequest::operator=(IndependentDiskRequest&&) noexcept = default;
void IndependentDiskRequest::wait() {
  if (const auto transfer = std::exchange(transfer_, nullptr)) transfer->wait();
}
bool IndependentDiskRequest::test() const { return !transfer_ || transfer_->test(); }

namespace detail {
namespace {

using tessera::detail::Box;
using tessera::detail::Buffer;

std::string context_of(const DiskState& state, DiskDirection direction) {
  return formatted("{} by rank {} alone",
                   state.context(direction == DiskDirection::write ? "write to" : "read from"),
                   state.group.rank());
}

// Checks the arguments. Returns where the section lies in memory.
SectionMemory checked(DiskState& state, DiskDirection direction, const Box& section,
                      const Buffer<const void*>& memory) {
  std::string problem = state.misuse(direction, section, memory.extents, "local memory");
  if (problem.empty()) problem = state.conflict(direction, section);
  if (problem.empty() && state.through_hdf5 && !is_empty(section, state.dims.size())) {
    problem = formatted(
        "only HDF5 can move its elements, with all ranks together ({}); move a distributed array, or copy the "
        "data to a new DiskArray",
        state.only_hdf5_because);
  }
  if (!problem.empty()) throw UsageError(formatted("{}: {}", context_of(state, direction), problem));
  SectionMemory found{static_cast<std::byte*>(const_cast<void*>(memory.data)), {}};
  for (std::size_t d = 0; d < state.dims.size(); ++d) found.strides[d] = memory.strides[d] * state.type.size;
  return found;
}

// Moves the section. Returns the problem, or nothing.
std::string outcome_of(const DiskState& state, DiskDirection direction, const Box& section,
                       const SectionMemory& memory) {
  const std::string problem = state.transfer(direction, section, memory);
  if (problem.empty()) return {};
  const bool writes = direction == DiskDirection::write;
  return printable(formatted("{}: section {}: {} (part of the section may have been {}); {}",
                             context_of(state, direction), state.text(section), problem,
                             writes ? "written" : "read",
                             writes ? "remove the cause, and write it again" : "is the file complete?"));
}

}  // namespace

IndependentTransfer::IndependentTransfer(std::shared_ptr<DiskState> state, DiskDirection direction,
                                         const Box& section, const SectionMemory& memory)
    : state_(std::move(state)), place_(state_->sections.add({direction, section, outcome_})) {
  try {
    // The thread does one job after the other, so transfers that overlap keep their order.
    state_->worker.add([state = state_.get(), direction, section, memory, outcome = outcome_] {
      outcome->tell(outcome_of(*state, direction, section, memory));
    });
  } catch (const std::exception& error) {
    state_->sections.remove(place_);
    throw IoError(formatted("{}: there can be no thread for the disk: {}; {} needs none",
                            context_of(*state_, direction), error.what(),
                            direction == DiskDirection::write ? "write()" : "read()"));
  }
}

IndependentTransfer::~IndependentTransfer() {
  outcome_->wait();
  state_->sections.remove(place_);
}

void IndependentTransfer::wait() {
  const std::string& problem = outcome_->wait();
  state_->sections.tell(place_);
  if (!problem.empty()) throw IoError(problem);
}

IndependentDiskRequest DiskArrayCore::move_alone_async(DiskDirection direction, const Box& section,
                                                       const Buffer<const void*>& memory) {
  const SectionMemory place = checked(*state_, direction, section, memory);
  if (is_empty(section, state_->dims.size())) return {};
  return IndependentDiskRequest(std::make_unique<IndependentTransfer>(state_, direction, section, place));
}

void DiskArrayCore::move_alone(DiskDirection direction, const Box& section, const Buffer<const void*>& memory) {
  const SectionMemory place = checked(*state_, direction, section, memory);
  if (is_empty(section, state_->dims.size())) return;
  state_->sections.wait_for_conflicts(direction, section);
  const std::string problem = outcome_of(*state_, direction, section, place);
  if (!problem.empty()) throw IoError(problem);
}

}  // namespace detail
}  // namespace tessera::io
