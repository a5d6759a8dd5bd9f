// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>

#include <tessera/runtime/detail/runs.hpp>

#include "kernels.hpp"
#include "state.hpp"
#include "window_transfer.hpp"

// Between nodes: contiguous MPI operations on the window, batched; what is not contiguous on the local side
// goes through a packed buffer.
namespace tessera::detail {
namespace {

constexpr index_t most_staged = index_t{4} << 20;  // bytes packed at a time
constexpr std::size_t most_requests = 256;         // of one transfer
constexpr int most_pending = 512;                  // operations before their local completion is waited for

// Calls f(part, remote, local) for parts of a merged shape that fit the packing buffer.
template <class F>
void in_parts(const Strided& m, index_t element, index_t remote, index_t local, F& f) {
  if (m.bytes() <= most_staged) return f(m, remote, local);
  Strided half = m, rest = m;
  if (m.levels == 0) {
    half.run = m.run / 2 / element * element;
    rest.run = m.run - half.run;
    in_parts(half, element, remote, local, f);
    return in_parts(rest, element, remote + half.run, local + half.run, f);
  }
  const auto last = static_cast<std::size_t>(m.levels - 1);
  half.count[last] = m.count[last] / 2;
  rest.count[last] = m.count[last] - half.count[last];
  in_parts(half.merged(), element, remote, local, f);
  in_parts(rest.merged(), element, remote + half.count[last] * m.remote_stride[last],
           local + half.count[last] * m.local_stride[last], f);
}

// Issues one MPI operation for each run: with a Pending it keeps their requests, without it waits until local
// memory is free again.
class Issue {
 public:
  Issue(const SegmentState& segment, int rank, WindowStage* stage)
      : win_(segment.region->window.get()), rank_(rank), stage_(stage) {}
  template <class Blocking, class Requested>
  void runs(const Strided& shape, index_t offset, Blocking&& blocking, Requested&& requested) {
    for_each_run(shape, [&](index_t remote, index_t local) {
      for (index_t done = 0; done < shape.run; done += mpi::max_bytes) {
        const index_t bytes = std::min(mpi::max_bytes, shape.run - done);
        if (stage_ != nullptr) {
          stage_->add(requested(win_, offset + remote + done, local + done, bytes));
        } else {
          blocking(win_, offset + remote + done, local + done, bytes);
          if (++count_ % most_pending == 0) mpi::flush_local(win_, rank_);
        }
      }
    });
    if (stage_ == nullptr) mpi::flush_local(win_, rank_);
  }

 private:
  MPI_Win win_;
  int rank_;
  WindowStage* stage_;
  int count_ = 0;
};

std::byte* scratch(const SegmentState& segment, index_t bytes) {
  auto& buffer = segment.group->runtime->scratch;
  if (static_cast<index_t>(buffer.size()) < bytes) buffer.resize(static_cast<std::size_t>(bytes));
  return buffer.data();
}

std::byte* packing_buffer(const SegmentState& segment, WindowStage* stage, index_t bytes) {
  return stage != nullptr ? stage->buffer(bytes) : scratch(segment, bytes);
}

// Whether a shape travels as one operation. MPICH 4.0 gives none a request that is not contiguous.
bool is_direct(const SegmentState& segment, const Strided& merged, const WindowStage* stage) noexcept {
  return mpi::datatypes_work && segment.method == TransferMethod::direct && stage == nullptr &&
         merged.levels > 0 && mpi::is_one_datatype(merged);
}

// A transfer that would have to keep too large a buffer does not stay stage.
WindowStage* if_small(const Strided& shape, WindowStage* stage) {
  return shape.bytes() <= most_staged || (shape.levels == 0) ? stage : nullptr;
}

}  // namespace

void WindowStage::add(MPI_Request request) {
  if (requests_.size() == most_requests) mpi::wait_all(requests_);
  requests_.push_back(request);
}

std::byte* WindowStage::buffer(index_t bytes) {
  kept_ += bytes;
  return buffers_.emplace_back(new std::byte[static_cast<std::size_t>(bytes)]).get();
}

bool WindowStage::advance() {
  if (!requests_.empty() && !mpi::test_all(requests_)) return false;
  for (const auto& action : actions_) action();
  actions_.clear();
  buffers_.clear();
  return true;
}

void window_put(SegmentState& segment, int rank, index_t offset, const Strided& shape, const std::byte* source,
                WindowStage* stage) {
  const Strided merged = shape.merged();
  stage = if_small(merged, stage);
  const index_t begin = segment.offset + offset;
  auto send = [&](const Strided& runs, index_t remote, const std::byte* from) {
    Issue(segment, rank, stage)
        .runs(
            runs, begin + remote,
            [&](MPI_Win win, index_t there, index_t here, index_t bytes) {
              mpi::put(win, rank, there, from + here, bytes);
            },
            [&](MPI_Win win, index_t there, index_t here, index_t bytes) {
              return mpi::rput(win, rank, there, from + here, bytes);
            });
  };
  if (merged.levels == 0) return send(merged, 0, source);
  if (is_direct(segment, merged, stage)) {
    MPI_Win win = segment.region->window.get();
    mpi::put_strided(win, rank, begin, source, merged);
    return mpi::flush_local(win, rank);
  }
  auto part = [&](const Strided& m, index_t remote, index_t local) {
    const Strided dense = packed(m).merged();
    if (dense.run <= m.run) return send(m, remote, source + local);
    std::byte* buffer = packing_buffer(segment, stage, m.bytes());
    copy_strided(buffer, source + local, packing(m), Direction::local_to_remote);
    send(dense, remote, buffer);
  };
  in_parts(merged, 1, 0, 0, part);
}

void window_get(SegmentState& segment, int rank, index_t offset, const Strided& shape, std::byte* target,
                WindowStage* stage) {
  const Strided merged = shape.merged();
  stage = if_small(merged, stage);
  const index_t begin = segment.offset + offset;
  auto fetch = [&](const Strided& runs, index_t remote, std::byte* to) {
    Issue(segment, rank, stage)
        .runs(
            runs, begin + remote,
            [&](MPI_Win win, index_t there, index_t here, index_t bytes) {
              mpi::get(win, rank, there, to + here, bytes);
            },
            [&](MPI_Win win, index_t there, index_t here, index_t bytes) {
              return mpi::rget(win, rank, there, to + here, bytes);
            });
  };
  if (merged.levels == 0) return fetch(merged, 0, target);
  if (is_direct(segment, merged, stage)) {
    MPI_Win win = segment.region->window.get();
    mpi::get_strided(win, rank, begin, target, merged);
    return mpi::flush_local(win, rank);
  }
  auto part = [&](const Strided& m, index_t remote, index_t local) {
    const Strided dense = packed(m).merged();
    if (dense.run <= m.run) return fetch(m, remote, target + local);
    std::byte* buffer = packing_buffer(segment, stage, m.bytes());
    fetch(dense, remote, buffer);
    auto unpack = [to = target + local, buffer, m] {
      copy_strided(to, buffer, packing(m), Direction::remote_to_local);
    };
    stage != nullptr ? stage->finally(unpack) : unpack();
  };
  in_parts(merged, 1, 0, 0, part);
}

void window_accumulate(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                       const Combine& combine, const std::byte* source, WindowStage* stage) {
  const Strided merged = shape.merged();
  const index_t element = size_of(combine.kind), begin = segment.offset + offset;
  const bool scaled = combine.alpha != nullptr && !is_one(combine.kind, combine.alpha);
  if (merged.bytes() > most_staged) stage = nullptr;
  auto part = [&](const Strided& m, index_t remote, index_t local) {
    const Strided dense = packed(m).merged();
    const bool staged = scaled || dense.run > m.run;
    const std::byte* from = source + local;
    if (staged) {
      std::byte* buffer = packing_buffer(segment, stage, m.bytes());
      copy_strided(buffer, from, packing(m), Direction::local_to_remote);
      if (scaled) scale(combine.kind, buffer, m.bytes() / element, combine.alpha);
      from = buffer;
    }
    Issue(segment, rank, stage)
        .runs(
            staged ? dense : m, begin + remote,
            [&](MPI_Win win, index_t there, index_t here, index_t bytes) {
              mpi::accumulate(win, rank, there, combine.kind, combine.update, from + here, bytes);
            },
            [&](MPI_Win win, index_t there, index_t here, index_t bytes) {
              return mpi::raccumulate(win, rank, there, combine.kind, combine.update, from + here, bytes);
            });
  };
  in_parts(merged, element, 0, 0, part);
}

}  // namespace tessera::detail
