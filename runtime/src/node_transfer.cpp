// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <vector>

#include "kernels.hpp"
#include "runs.hpp"
#include "state.hpp"

namespace tessera::detail {
namespace {

void combine_run(const Combine& combine, std::byte* target, const std::byte* source, index_t bytes) {
  const index_t count = bytes / size_of(combine.kind);
  if (combine.update == Update::sum) return add_scaled(combine.kind, target, source, count, combine.alpha);
  update_all(combine.kind, combine.update, target, source, count);
}

// A contiguous run of several stripes. Any order of its blocks will do, so one that somebody else holds is left for
// later: processes that add to the same memory pass each other instead of queueing.
void combine_long_run(const SegmentState& segment, LockStripes& locks, std::byte* target, const std::byte* source,
                      index_t bytes, const Combine& combine) {
  struct Block {
    index_t begin, end;
  };
  std::vector<Block> left;
  const std::byte* base = segment.region->memory.base();
  auto work = [&](const Block& block) {
    combine_run(combine, target + block.begin, source + block.begin, block.end - block.begin);
    locks.unlock(segment.stripe(target + block.begin));
  };
  for (index_t begin = 0; begin < bytes;) {
    const index_t to_block_end = LockStripes::block - (target + begin - base) % LockStripes::block;
    const Block block{begin, std::min(bytes, begin + to_block_end)};
    if (locks.try_lock(segment.stripe(target + begin))) {
      work(block);
    } else {
      left.push_back(block);
    }
    begin = block.end;
  }
  for (const Block& block : left) {
    locks.lock(segment.stripe(target + block.begin));
    work(block);
  }
}

}  // namespace

void accumulate_on_node(const SegmentState& segment, StripeHolder& holder, std::byte* target, index_t run,
                        const Combine& combine, const std::byte* source) {
  const std::byte* base = segment.region->memory.base();
  for (index_t done = 0; done < run;) {
    std::byte* where = target + done;
    const index_t to_block_end = LockStripes::block - (where - base) % LockStripes::block;
    const index_t bytes = std::min(run - done, to_block_end);
    holder.hold(segment.stripe(where));
    combine_run(combine, where, source + done, bytes);
    done += bytes;
  }
}

void accumulate_on_node(const SegmentState& segment, std::byte* target, const Strided& shape,
                        const Combine& combine, const std::byte* source) {
  LockStripes& locks = segment.group->runtime->locks;
  if (shape.levels == 0 && shape.run > LockStripes::block)
    return combine_long_run(segment, locks, target, source, shape.run, combine);
  StripeHolder holder(locks);  // runs are walked in the order of memory, so the next is mostly in the same stripe
  for_each_run(shape, [&](index_t remote, index_t local) {
    accumulate_on_node(segment, holder, target + remote, shape.run, combine, source + local);
  });
}

}  // namespace tessera::detail
