// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "disk_array/disk_transfer.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <system_error>

#include <tessera/core/operations.hpp>
#include <tessera/layout.hpp>

#include "base/collectively.hpp"
#include "base/progress.hpp"
#include "file/file_order.hpp"
#include "format.hpp"

namespace tessera::io::detail {
namespace {

using tessera::detail::ArrayCore;
using tessera::detail::Box;
using tessera::detail::Coordinates;
using tessera::detail::SliceCore;

Coordinates extents_of(const Box& box, int rank) {
  Coordinates extents{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) extents[d] = box.hi[d] - box.lo[d];
  return extents;
}

// A section in pieces of which no process's part is larger than the buffer. The parts of a piece differ, as
// they are whole rows if they can be.
BoxChunks pieces_of(const DiskState& state, const Box& section, int rank) {
  const index_t size = state.type.size, buffer = state.options.buffer, ranks = state.group.size();
  // Limited so that the product does not overflow.
  index_t bytes = std::min(buffer, std::numeric_limits<index_t>::max() / ranks) * ranks;
  for (;;) {
    const BoxChunks pieces(section, rank, size, bytes);
    const Box first = pieces.piece(0);  // none is larger
    const auto layout = file_layout(rank, extents_of(first, rank), static_cast<int>(ranks));
    index_t largest = 0;
    for (int r = 0; r < ranks; ++r) largest = std::max(largest, layout.local(r).size * size);
    if (largest <= buffer || pieces.size(first) <= 1) return pieces;
    bytes = pieces.size(first) * size;
    bytes -= std::max<index_t>(
        1, static_cast<index_t>(static_cast<double>(bytes) * static_cast<double>(largest - buffer) /
                                static_cast<double>(largest)));
  }
}

}  // namespace

DiskTransfer::DiskTransfer(std::shared_ptr<DiskState> state, DiskDirection direction, const Box& section,
                           const SliceCore& slice)
    : state_(std::move(state)),
      direction_(direction),
      section_(section),
      slice_(slice),
      pieces_(pieces_of(*state_, section, slice.rank())),
      place_(state_->sections.add({direction, section, nullptr})) {
  try {
    if (direction_ == DiskDirection::write) {
      Progress progress(state_->group, state_->context("write to"), pieces_.count());
      while (next_ < pieces_.count()) {
        if (outcome_) {
          finish();
          progress.advance(1);
        }
        stage(next_++);
        tessera::detail::copy(part(pieces_.piece(next_ - 1)), *buffer_);
        start();
      }
    } else if (pieces_.count() > 0) {
      stage(next_++);
      start();
    }
  } catch (...) {
    if (outcome_) outcome_->wait();
    state_->sections.remove(*place_);
    throw;
  }
}

DiskTransfer::~DiskTransfer() {
  const std::string problem = outcome_ ? outcome_->wait() : std::string();
  if (direction_ == DiskDirection::write && !problem.empty()) {
    state_->sections.lose(formatted("{}: section {}: {} (part of the section may have been written)",
                                    state_->context("write to"), state_->text(section_), problem));
  }
  if (place_) state_->sections.remove(*place_);
}

void DiskTransfer::wait() {
  if (!place_) return;
  if (outcome_) finish();
  if (direction_ == DiskDirection::read && pieces_.count() > 0) {
    Progress progress(state_->group, state_->context("read from"), pieces_.count());
    for (;;) {
      progress.advance(1);
      tessera::detail::copy(*buffer_, part(pieces_.piece(next_ - 1)));
      if (next_ == pieces_.count()) break;
      stage(next_++);
      start();
      finish();
    }
  }
  state_->sections.remove(*std::exchange(place_, std::nullopt));
  if (buffer_) buffer_->close();
  buffer_.reset();
}

SliceCore DiskTransfer::part(const Box& piece) const {
  Box box{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(slice_.rank()); ++d) {
    box.lo[d] = piece.lo[d] - section_.lo[d];
    box.hi[d] = piece.hi[d] - section_.lo[d];
  }
  return slice_.patch(box);
}

// Prepares the buffer for a piece.
void DiskTransfer::stage(index_t piece) {
  const Box box = pieces_.piece(piece);
  const Group& group = state_->group;
  auto layout = file_layout(slice_.rank(), extents_of(box, slice_.rank()), group.size());
  if (!buffer_ || !(buffer_->layout() == layout)) {
    if (buffer_) buffer_->close();
    buffer_.emplace(group, std::move(layout), state_->type,
                    tessera::detail::CoreOptions{.name = "buffer of a disk array"});
  }
  here_ = {};
  if (buffer_->layout().block_count(group.rank()) == 0) return;
  here_ = buffer_->layout().block(group.rank(), 0).box;
  for (std::size_t d = 0; d < static_cast<std::size_t>(slice_.rank()); ++d) {
    here_.lo[d] += box.lo[d];
    here_.hi[d] += box.lo[d];
  }
}

void DiskTransfer::start() {
  outcome_ = std::make_unique<Outcome>();
  if (pieces_.size(here_) == 0) return outcome_->tell({});
  auto job = [state = state_.get(), direction = direction_, box = here_,
              memory = dense_memory(here_, state_->dims.size(), state_->type.size,
                                    static_cast<std::byte*>(buffer_->local_data())),
              outcome = outcome_.get()] { outcome->tell(state->transfer(direction, box, memory)); };
  try {
    state_->worker.add(std::move(job));
  } catch (const std::system_error& error) {  // finish() reports it on all ranks
    outcome_->tell(formatted("there can be no thread for the disk: {}", error.what()));
  } catch (const std::bad_alloc&) {
    outcome_->tell("lack of memory");
  }
}

// Waits for this rank's job. An error on one rank is thrown on all.
void DiskTransfer::finish() {
  const std::string problem = std::exchange(outcome_, nullptr)->wait();
  buffer_->complete_and_order();
  throw_on_all(state_->group, state_->context(direction_ == DiskDirection::write ? "write to" : "read from"),
               problem, Source::file, {});
}

}  // namespace tessera::io::detail
