// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "kernels/accumulate.hpp"
#include "kernels/kernels.hpp"
#include "kernels/lock_stripes.hpp"

namespace tessera::detail {

/// Accumulates on the node: each element under the lock of its stripe. Only single elements are promised to be
/// atomic, so one lock is held at a time, and the order of the stripes is free.
class StripedAccumulate {
 public:
  StripedAccumulate(const Striped& stripes, const Action& action)
      : stripes_(stripes),
        holder_(stripes_.locks),
        kernel_(row_kernel(action.kind, action.update, action.alpha)),
        alpha_(action.update == Update::sum ? action.alpha : one(action.kind)),
        element_(size_of(action.kind)) {}

  // One run, of any length.
  void run(std::byte* target, const std::byte* source, index_t bytes) {
    for (index_t done = 0; done < bytes;) {
      const index_t part = std::min(bytes - done, to_block_end(target + done));
      block(target + done, source + done, part);
      done += part;
    }
  }

  // Equal runs, together if they lie in one stripe.
  void rows(std::byte* target, const std::byte* source, index_t bytes, const Rows& rows) {
    for (index_t row = 0; row < rows.count;) {
      std::byte* where = target + row * rows.to;
      const std::byte* from = source + row * rows.from;
      const index_t room = to_block_end(where) - bytes;
      if (room < 0) {
        run(where, from, bytes);
        ++row;
        continue;
      }
      Rows here = rows;
      here.count = rows.to == 0  ? rows.count - row
                   : rows.to < 0 ? 1
                                 : std::min(rows.count - row, room / rows.to + 1);
      holder_.hold(stripes_.of(where));
      kernel_(where, from, bytes / element_, here, alpha_);
      row += here.count;
    }
  }

  // A run of several stripes. A stripe that another holds is left for later, so that processes that add to the
  // same memory pass each other instead of queueing. The second try does not come soon: while the other's cache
  // holds the lines, it would wait for each line.
  void long_run(std::byte* target, const std::byte* source, index_t bytes) {
    const LockStripes& locks = stripes_.locks;
    constexpr index_t max_left = 512;
    std::array<index_t, max_left + 1> left;  // a run may begin and end inside a stripe
    for (index_t done = 0; done < bytes;) {
      const index_t end = std::min(bytes, done + max_left * LockStripes::block);
      std::size_t n = 0;
      while (done < end) {
        const index_t part = std::min(end - done, to_block_end(target + done));
        const std::uint64_t stripe = stripes_.of(target + done);
        if (locks.try_lock(stripe)) {
          kernel_(target + done, source + done, part / element_, Rows{}, alpha_);
          locks.unlock(stripe);
        } else {
          left[n++] = done;
        }
        done += part;
      }
      for (const index_t begin : std::span(left).first(n))
        block(target + begin, source + begin, std::min(end - begin, to_block_end(target + begin)));
      holder_.release();
    }
  }

 private:
  index_t to_block_end(const std::byte* where) const noexcept {
    return LockStripes::block - (where - stripes_.base) % LockStripes::block;
  }
  void block(std::byte* target, const std::byte* source, index_t bytes) {
    holder_.hold(stripes_.of(target));
    kernel_(target, source, bytes / element_, Rows{}, alpha_);
  }

  Striped stripes_;
  StripeHolder holder_;  // keeps its stripe for the next run, which is mostly in the same
  RowKernel kernel_;
  const void* alpha_;
  index_t element_;
};

}  // namespace tessera::detail
