// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "stage_run.hpp"

#include <tessera/layout.hpp>

namespace tessera::fft {
namespace {

// Chunks stay in a core's caches on one node, and make long messages between nodes.
constexpr index_t chunk_on_node = index_t{256} << 10, chunk_between_nodes = index_t{16} << 20;

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool covers(const Box& all, const Box& some, int rank) {
  for (int d = 0; d < rank; ++d) {
    if (all.lo[at(d)] > some.lo[at(d)] || all.hi[at(d)] < some.hi[at(d)]) return false;
  }
  return true;
}

template <class Real>
void scale_run(std::byte* data, index_t count, index_t stride, int parts, double factor) {
  auto* const x = reinterpret_cast<Real*>(data);
  const auto by = static_cast<Real>(factor);
  if (stride == 1) {
    for (index_t i = 0; i < count * parts; ++i) x[i] *= by;
    return;
  }
  for (index_t i = 0; i < count; ++i) {
    for (int part = 0; part < parts; ++part) x[i * stride * parts + part] *= by;
  }
}

}  // namespace

StageRun::StageRun(const StageWork& work, fftw::Plans& plans, ChunkBuffers& buffers)
    : work_(work), rank_(work.in.rank()), in_size_(work.in.type().size), out_size_(work.out.type().size) {
  for (const Box& box : share()) add_share(box, plans, buffers);
}

StageRun::Place StageRun::place_of(const SliceCore& slice, const Box& box) {
  Place place;
  int pieces = 0;
  slice.for_each_piece(box, [&](int, const tessera::detail::LocalPiece& piece) {
    if (pieces++ > 0) return;
    place.strides = piece.strides;
    if (covers(piece.box, box, slice.rank())) place.data = piece.data;
  });
  return place;
}

// The boxes of this rank, of which only the dimensions outside the stage count. They are this rank's blocks of
// an operand that has the stage's dimensions whole; else all elements are divided anew.
std::vector<Box> StageRun::share() const {
  std::vector<Box> boxes;
  if (work_.is_whole_in || work_.is_whole_out) {
    const SliceCore& slice = work_.is_whole_in ? work_.in : work_.out;
    slice.for_each_piece_of(slice.array().group().rank(),
                            [&](const tessera::detail::LocalPiece& piece) { boxes.push_back(piece.box); });
    return boxes;
  }
  const Group& group = work_.in.array().group();
  Coordinates dims = work_.in.extents(), least{}, grid{};
  for (int d = 0; d < rank_; ++d) {
    if (!contains(work_.dimensions, only(d))) continue;
    dims[at(d)] = 1;
    grid[at(d)] = 1;
  }
  const tessera::detail::LayoutCore layout =
      tessera::detail::make_blocked(rank_, dims.data(), group.size(), least.data(), grid.data());
  for (index_t b = 0; b < layout.block_count(group.rank()); ++b)
    boxes.push_back(layout.block(group.rank(), b).box);
  return boxes;
}

Box StageRun::side_box(const Box& chunk, const SliceCore& slice) const {
  Box box = chunk;
  for (int d = 0; d < rank_; ++d) {
    if (!contains(work_.dimensions, only(d))) continue;
    box.lo[at(d)] = 0;
    box.hi[at(d)] = slice.extents()[at(d)];
  }
  return box;
}

void StageRun::add_share(const Box& box, fftw::Plans& plans, ChunkBuffers& buffers) {
  for (int d = 0; d < rank_; ++d) {
    if (!contains(work_.dimensions, only(d)) && box.lo[at(d)] >= box.hi[at(d)]) return;
  }
  const Box in_box = side_box(box, work_.in), out_box = side_box(box, work_.out);
  const Place in = place_of(work_.in, in_box), out = place_of(work_.out, out_box);
  const std::vector<int> order = by_stride(in.strides, rank_);
  const auto part = [&](const SliceCore& slice, const Box& all, const Place& whole, index_t size,
                        const Box& chunk) {
    Side side{side_box(chunk, slice), nullptr, {}};
    if (whole.data == nullptr) {
      const Place found = place_of(slice, side.box);
      side.data = found.data;
      side.strides = found.strides;
      return side;
    }
    side.data = whole.data;
    side.strides = whole.strides;
    for (int d = 0; d < rank_; ++d)
      side.data += (side.box.lo[at(d)] - all.lo[at(d)]) * whole.strides[at(d)] * size;
    return side;
  };
  Chunking(in_box, work_.dimensions, order, std::max(in_size_, out_size_),
           work_.in.array().group().node_count() > 1 ? chunk_between_nodes : chunk_on_node)
      .for_each([&](const Box& chunk) {
        add_chunk(part(work_.in, in_box, in, in_size_, chunk), part(work_.out, out_box, out, out_size_, chunk),
                  order, plans, buffers);
      });
}

void StageRun::add_chunk(const Side& in, const Side& out, std::span<const int> order, fftw::Plans& plans,
                         ChunkBuffers& buffers) {
  Chunk chunk{in, out};
  // FFTW destroys the input of several dimensions that become real.
  const bool is_destroyed = work_.kind == fftw::Kind::complex_to_real && !work_.may_change_input &&
                            (work_.dimensions & (work_.dimensions - 1)) != 0;
  if (is_destroyed) chunk.in.data = nullptr;
  const auto make_room = [&](Scratch& memory, Side& side, index_t size, std::span<const int> closest_first) {
    const DenseChunk dense(side.box, closest_first, size);
    side.strides = dense.strides;
    memory.reserve(static_cast<std::size_t>(dense.size * size));
  };
  const bool is_complex = work_.kind == fftw::Kind::forward || work_.kind == fftw::Kind::backward;
  const bool buffer_out = out.data == nullptr;
  if (chunk.in.data == nullptr) make_room(buffers.in, chunk.in, in_size_, order);
  if (buffer_out) {
    chunk.in_place = is_complex && chunk.in.data == nullptr;
    if (chunk.in_place)
      chunk.out.strides = chunk.in.strides;
    else
      make_room(buffers.out, chunk.out, out_size_, order);
  }
  std::byte* const source = chunk.in.data == nullptr ? buffers.in.data() : chunk.in.data;
  std::byte* const target = !buffer_out ? out.data : chunk.in_place ? source : buffers.out.data();
  fftw::Problem problem = this->problem(chunk);
  problem.input = source == target                                     ? fftw::Input::is_output
                  : chunk.in.data == nullptr || work_.may_change_input ? fftw::Input::may_change
                                                                       : fftw::Input::must_stay;
  problem.in_alignment = fftw::alignment_of(source);
  problem.out_alignment = fftw::alignment_of(target);
  chunk.plan = &plans.get(problem, source, target);
  chunks_.push_back(chunk);
}

fftw::Problem StageRun::problem(const Chunk& chunk) const {
  fftw::Problem problem{.precision = work_.precision, .kind = work_.kind, .effort = work_.effort};
  const auto add = [&](int d) {
    // The real side of a dimension has its extent.
    const index_t extent = std::max(chunk.in.box.hi[at(d)] - chunk.in.box.lo[at(d)],
                                    chunk.out.box.hi[at(d)] - chunk.out.box.lo[at(d)]);
    const fftw::Line line{extent, chunk.in.strides[at(d)], chunk.out.strides[at(d)]};
    if (contains(work_.dimensions, only(d)))
      problem.transforms[problem.transformed++] = line;
    else if (extent > 1)
      problem.batch[problem.batched++] = line;
  };
  for (int d = 0; d < rank_; ++d) {
    if (d != work_.halved) add(d);
  }
  if (work_.halved >= 0) add(work_.halved);
  return problem;
}

// Transfers that this rank waits for at once take half as long as those that go on behind a computation, which
// move in shorter messages. A transform of a chunk is too short to hide them.
void StageRun::work_on(const Chunk& chunk, ChunkBuffers& buffers) const {
  const auto extents_of = [&](const Box& box) {
    Coordinates extents{};
    for (int d = 0; d < rank_; ++d) extents[at(d)] = box.hi[at(d)] - box.lo[at(d)];
    return extents;
  };
  std::byte* source = chunk.in.data;
  if (source == nullptr) {
    source = buffers.in.data();
    work_.in.get(chunk.in.box, {source, extents_of(chunk.in.box).data(), chunk.in.strides.data()});
  }
  std::byte* target = chunk.out.data;
  if (target == nullptr) target = chunk.in_place ? source : buffers.out.data();
  chunk.plan->execute(source, target);
  if (work_.factor != 1) scale(chunk.out, target);
  if (chunk.out.data == nullptr)
    work_.out.put(chunk.out.box, {target, extents_of(chunk.out.box).data(), chunk.out.strides.data()});
}

void StageRun::scale(const Side& out, std::byte* data) const {
  const std::vector<int> order = by_stride(out.strides, rank_);
  const int parts = work_.kind == fftw::Kind::complex_to_real ? 1 : 2;
  const auto run = work_.precision == fftw::Precision::double_precision ? scale_run<double> : scale_run<float>;
  const auto walk = [&](const auto& self, std::size_t levels, std::byte* from) -> void {
    const std::size_t d = at(order[levels - 1]);
    const index_t count = out.box.hi[d] - out.box.lo[d];
    if (levels == 1) return run(from, count, out.strides[d], parts, work_.factor);
    for (index_t i = 0; i < count; ++i) self(self, levels - 1, from + i * out.strides[d] * out_size_);
  };
  walk(walk, order.size(), data);
}

void StageRun::run(ChunkBuffers& buffers) const {
  for (const Chunk& chunk : chunks_) work_on(chunk, buffers);
}

}  // namespace tessera::fft
