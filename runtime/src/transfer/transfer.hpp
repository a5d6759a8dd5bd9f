// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>

#include <tessera/runtime/segment.hpp>
#include <tessera/runtime/strided.hpp>

#include "base/verb.hpp"
#include "completion/pending.hpp"
#include "state/segment_state.hpp"

// The work of Segment's members. With a Pending, a transfer between nodes does not wait.
namespace tessera::detail {

void transfer_put(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                  const std::byte* source, Pending* pending = nullptr);
void transfer_get(SegmentState& segment, int rank, index_t offset, const Strided& shape, std::byte* target,
                  Pending* pending = nullptr);
void transfer_accumulate(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                         const Action& action, const std::byte* source, Pending* pending = nullptr);
/// A put whose agent notifies a flag when it is done, in one message. If no agent does both, returns false and
/// does nothing.
bool put_with_notice(Segment& segment, int rank, index_t offset, const Strided& shape, const std::byte* source,
                     const Segment& flags, int flag_rank, index_t flag_offset);
/// @throws UsageError if there is no such member
void check_rank(const SegmentState& segment, int rank);
/// @throws UsageError if [offset, offset + bytes) is not in the slice of a member
void check_place(const SegmentState& segment, int rank, index_t offset, index_t bytes);

}  // namespace tessera::detail
