// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/runtime/detail/runs.hpp>

#include "kernels/kernels.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"
#include "transfer/paths/paths.hpp"
#include "transfer/paths/window_stage.hpp"

// Batches of contiguous MPI operations on the window. Local memory that is not contiguous goes through a
// packing buffer.
namespace tessera::detail {
namespace {

constexpr index_t max_staged = index_t{4} << 20;  // bytes packed at a time
constexpr int max_pending = 512;                  // operations between two waits for local completion

// Calls f(part, remote, local) for parts of a merged shape that fit the packing buffer.
template <class F>
void in_parts(const Strided& m, index_t element, index_t remote, index_t local, F& f) {
  if (m.bytes() <= max_staged) return f(m, remote, local);
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

// Issues one MPI operation for each run. With a stage it keeps their requests; without one it waits until local
// memory is free again.
class Issue {
 public:
  Issue(const SegmentState& segment, int rank, WindowStage* stage)
      : win_(segment.region().window()), rank_(rank), stage_(stage) {}
  template <class Blocking, class Requested>
  void runs(const Strided& shape, index_t offset, Blocking&& blocking, Requested&& requested) {
    for_each_run(shape, [&](index_t remote, index_t local) {
      for (index_t done = 0; done < shape.run; done += mpi::max_bytes) {
        const index_t bytes = std::min(mpi::max_bytes, shape.run - done);
        if (stage_ != nullptr) {
          stage_->add(requested(win_, offset + remote + done, local + done, bytes));
        } else {
          blocking(win_, offset + remote + done, local + done, bytes);
          if (++count_ % max_pending == 0) mpi::flush_local(win_, rank_);
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

std::byte* packing_buffer(const SegmentState& segment, WindowStage* stage, index_t bytes) {
  return stage != nullptr ? stage->buffer(bytes) : segment.group().runtime().scratch(bytes);
}

// Whether a shape travels as one operation. With a stage it does not: MPICH 4.0 has no requests for operations
// that are not contiguous.
bool is_direct(const SegmentState& segment, const Strided& merged, const WindowStage* stage) noexcept {
  return mpi::datatypes_work && segment.method() == TransferMethod::direct && stage == nullptr &&
         merged.levels > 0 && mpi::is_one_datatype(merged);
}

// No stage for a transfer that would have to keep too large a buffer: it waits instead.
WindowStage* if_small(const Strided& shape, WindowStage* stage) {
  return shape.bytes() <= max_staged || (shape.levels == 0) ? stage : nullptr;
}

// A put if local memory is const, else a get.
template <class Byte>
void move_by(SegmentState& segment, int rank, index_t offset, const Strided& shape, Byte* memory,
             WindowStage* stage) {
  constexpr bool puts = std::is_const_v<Byte>;
  const Strided merged = shape.merged();
  stage = if_small(merged, stage);
  const index_t begin = segment.offset() + offset;
  auto move = [&](const Strided& runs, index_t remote, Byte* local) {
    Issue(segment, rank, stage)
        .runs(
            runs, begin + remote,
            [&](MPI_Win win, index_t there, index_t here, index_t bytes) {
              if constexpr (puts)
                mpi::put(win, rank, there, local + here, bytes);
              else
                mpi::get(win, rank, there, local + here, bytes);
            },
            [&](MPI_Win win, index_t there, index_t here, index_t bytes) {
              if constexpr (puts)
                return mpi::rput(win, rank, there, local + here, bytes);
              else
                return mpi::rget(win, rank, there, local + here, bytes);
            });
  };
  if (merged.levels == 0) return move(merged, 0, memory);
  if (is_direct(segment, merged, stage)) {
    MPI_Win win = segment.region().window();
    if constexpr (puts)
      mpi::put_strided(win, rank, begin, memory, merged);
    else
      mpi::get_strided(win, rank, begin, memory, merged);
    return mpi::flush_local(win, rank);
  }
  auto part = [&](const Strided& m, index_t remote, index_t local) {
    const Strided dense = packed(m).merged();
    if (dense.run <= m.run) return move(m, remote, memory + local);
    std::byte* buffer = packing_buffer(segment, stage, m.bytes());
    if constexpr (puts) copy_strided(buffer, memory + local, packing(m), Direction::local_to_remote);
    move(dense, remote, buffer);
    if constexpr (!puts) {
      auto unpack = [to = memory + local, buffer, m] {
        copy_strided(to, buffer, packing(m), Direction::remote_to_local);
      };
      stage != nullptr ? stage->finally(unpack) : unpack();
    }
  };
  in_parts(merged, 1, 0, 0, part);
}

void accumulate_by(SegmentState& segment, int rank, index_t offset, const Strided& shape, const Action& action,
                   const std::byte* source, WindowStage* stage) {
  const Strided merged = shape.merged();
  const index_t element = size_of(action.kind), begin = segment.offset() + offset;
  const bool scaled = action.alpha != nullptr && !is_one(action.kind, action.alpha);
  if (merged.bytes() > max_staged) stage = nullptr;
  auto part = [&](const Strided& m, index_t remote, index_t local) {
    const Strided dense = packed(m).merged();
    const bool staged = scaled || dense.run > m.run;
    const std::byte* from = source + local;
    if (staged) {
      std::byte* buffer = packing_buffer(segment, stage, m.bytes());
      copy_strided(buffer, from, packing(m), Direction::local_to_remote);
      if (scaled) scale(action.kind, buffer, m.bytes() / element, action.alpha);
      from = buffer;
    }
    Issue(segment, rank, stage)
        .runs(
            staged ? dense : m, begin + remote,
            [&](MPI_Win win, index_t there, index_t here, index_t bytes) {
              mpi::accumulate(win, rank, there, action.kind, action.update, from + here, bytes);
            },
            [&](MPI_Win win, index_t there, index_t here, index_t bytes) {
              return mpi::raccumulate(win, rank, there, action.kind, action.update, from + here, bytes);
            });
  };
  in_parts(merged, element, 0, 0, part);
}

// Moves runs of one length by operations with one datatype on each side.
void list_typed(const SegmentState& segment, const RunList& list) {
  const int rank = list.runs.front().rank;
  MPI_Win win = segment.region().window();
  std::vector<index_t> offsets;
  std::vector<std::byte*> locals;
  const index_t bytes = list.lengths.each;
  const std::size_t at_once = std::min(mpi::max_indexed, static_cast<std::size_t>(mpi::max_bytes / bytes));
  for (std::size_t begin = 0; begin < list.runs.size(); begin += at_once) {
    offsets.clear();
    locals.clear();
    for (const Run& run : list.runs.subspan(begin, std::min(at_once, list.runs.size() - begin))) {
      offsets.push_back(segment.offset() + run.offset);
      locals.push_back(run.local);
    }
    list.action.verb == Verb::put ? mpi::put_indexed(win, rank, offsets, locals, bytes)
                                  : mpi::get_indexed(win, rank, offsets, locals, bytes);
  }
  mpi::flush_local(win, rank);
}

}  // namespace

void WindowPath::put(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                     const std::byte* source, Pending* pending) {
  as_stage(pending, [&](WindowStage* stage) { move_by(segment, rank, offset, shape, source, stage); });
}

void WindowPath::get(SegmentState& segment, int rank, index_t offset, const Strided& shape, std::byte* target,
                     Pending* pending) {
  as_stage(pending, [&](WindowStage* stage) { move_by(segment, rank, offset, shape, target, stage); });
}

void WindowPath::accumulate(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                            const Action& action, const std::byte* source, Pending* pending) {
  as_stage(pending,
           [&](WindowStage* stage) { accumulate_by(segment, rank, offset, shape, action, source, stage); });
}

// One MPI operation for each run, or few operations of many runs.
Request WindowPath::list(SegmentState& segment, const RunList& list) {
  const int rank = list.runs.front().rank;
  const Action& action = list.action;
  const bool typed = list.method == VectorMethod::direct && action.verb != Verb::accumulate &&
                     mpi::datatypes_work && list.lengths.are_alike() && list.lengths.each <= mpi::max_bytes;
  if (typed && list.returns == Returns::when_done) return list_typed(segment, list), Request();
  Outstanding& outstanding = segment.group().runtime().outstanding();
  Strided shape = Strided::contiguous(0);
  Request request;
  auto pending = std::make_shared<Pending>(segment.whole(), rank);
  auto stage = std::make_unique<WindowStage>();
  auto launch = [&] {
    pending->add(std::exchange(stage, std::make_unique<WindowStage>()));
    request += outstanding.launch(std::exchange(pending, std::make_shared<Pending>(segment.whole(), rank)),
                                  list.returns);
  };
  for (const Run& run : list.runs) {
    if (stage->kept() >= max_staged) launch();
    shape.run = list.lengths.of(run);
    const std::byte* source = run.local;
    if (action.verb == Verb::put) move_by(segment, rank, run.offset, shape, source, stage.get());
    if (action.verb == Verb::get) move_by(segment, rank, run.offset, shape, run.local, stage.get());
    if (action.verb == Verb::accumulate)
      accumulate_by(segment, rank, run.offset, shape, action, source, stage.get());
  }
  launch();
  return request;
}

}  // namespace tessera::detail
