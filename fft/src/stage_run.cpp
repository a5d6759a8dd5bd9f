// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "stage_run.hpp"

#include <algorithm>
#include <utility>

namespace tessera::fft {
namespace {

Coordinates extents_of(const Box& box, int rank) {
  Coordinates extents{};
  for (int d = 0; d < rank; ++d) extents[at(d)] = extent(box, d);
  return extents;
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

// Parcels count with the operations on the array.
void count(const SliceCore& slice, std::span<const Parcel> parcels) {
  for (const Parcel& parcel : parcels)
    slice.array().segment().count(parcel.rank, Operation::put, parcel.bytes(), Path::message);
}

}  // namespace

StageRun::StageRun(const StageWork& work, fftw::Plans& plans, ChunkBuffers& buffers)
    : work_(work),
      rank_(work.in.rank()),
      travels_(work.fetches() || work.returns()),
      in_size_(work.in.type().size),
      out_size_(work.out.type().size) {
  for (const StageShare& share : shares_of(work_, work_.group().rank())) add_share(share, plans, buffers);
  if (!travels_) return;
  add_others();
  make_room(*buffers.mails);
}

StageRun::Place StageRun::place_of(const SliceCore& slice, const Box& box) {
  Place place;
  int pieces = 0;
  slice.for_each_piece(box, [&](int, const LocalPiece& piece) {
    if (pieces++ > 0) return;
    place.strides = piece.strides;
    if (covers(piece.box, box, slice.rank())) place.data = piece.data;
  });
  return place;
}

void StageRun::add_share(const StageShare& share, fftw::Plans& plans, ChunkBuffers& buffers) {
  const Place in = place_of(work_.in, share.in), out = place_of(work_.out, share.out);
  const auto part = [&](const SliceCore& slice, const Box& all, const Place& whole, index_t size,
                        const Box& chunk) {
    Side side{.box = box_in(work_, slice, chunk)};
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
  for (const Box& chunk : share.chunks) {
    add_chunk(part(work_.in, share.in, in, in_size_, chunk), part(work_.out, share.out, out, out_size_, chunk),
              share.closest_first, plans, buffers);
  }
}

void StageRun::add_chunk(Side in, Side out, const std::vector<int>& order, fftw::Plans& plans,
                         ChunkBuffers& buffers) {
  Chunk chunk{std::move(in), std::move(out)};
  // FFTW destroys the input of several dimensions that become real.
  const bool is_destroyed = work_.kind == fftw::Kind::complex_to_real && !work_.may_change_input &&
                            (work_.dimensions & (work_.dimensions - 1)) != 0;
  if (is_destroyed) chunk.in.data = nullptr;
  const std::size_t b = buffer_of(chunks_.size());
  const auto make_room = [&](Scratch& memory, Side& side, index_t size) {
    const DenseChunk dense(side.box, work_.dimensions, order, size);
    side.strides = dense.strides;
    memory.reserve(static_cast<std::size_t>(dense.size * size));
  };
  const bool is_complex = work_.kind == fftw::Kind::forward || work_.kind == fftw::Kind::backward;
  const bool buffer_in = chunk.in.data == nullptr, buffer_out = chunk.out.data == nullptr;
  if (buffer_in) make_room(buffers.in[b], chunk.in, in_size_);
  if (buffer_out) {
    chunk.in_place = is_complex && buffer_in;
    if (chunk.in_place)
      chunk.out.strides = chunk.in.strides;
    else
      make_room(buffers.out[b], chunk.out, out_size_);
  }
  const auto add_parcels = [&](Side& side, const SliceCore& slice, index_t size) {
    side.parcels = parcels_of(slice, side.box, {work_.dimensions, order, size}, side.strides);
  };
  if (buffer_in && work_.fetches()) add_parcels(chunk.in, work_.in, in_size_);
  if (buffer_out && work_.returns()) add_parcels(chunk.out, work_.out, out_size_);
  std::byte* const source = buffer_in ? buffers.in[b].data() : chunk.in.data;
  std::byte* const target = !buffer_out ? chunk.out.data : chunk.in_place ? source : buffers.out[b].data();
  fftw::Problem problem = this->problem(chunk);
  problem.input = source == target                      ? fftw::Input::is_output
                  : buffer_in || work_.may_change_input ? fftw::Input::may_change
                                                        : fftw::Input::must_stay;
  problem.in_alignment = fftw::alignment_of(source);
  problem.out_alignment = fftw::alignment_of(target);
  chunk.plan = &plans.get(problem, source, target);
  chunks_.push_back(std::move(chunk));
}

// This rank's parts of the chunks of ranks on other nodes.
void StageRun::add_others() {
  const Group& group = work_.group();
  const auto own = [&](const SliceCore& slice) {
    std::vector<LocalPiece> pieces;
    slice.for_each_piece_of(group.rank(), [&](const LocalPiece& piece) { pieces.push_back(piece); });
    return pieces;
  };
  std::vector<LocalPiece> in, out;
  if (work_.fetches()) in = own(work_.in);
  if (work_.returns()) out = own(work_.out);
  if (in.empty() && out.empty()) return;
  for (int r = 0; r < group.size(); ++r) {
    if (group.on_node(r)) continue;
    std::size_t number = 0;
    for (const StageShare& share : shares_of(work_, r)) {
      for (const Box& chunk : share.chunks) {
        if (others_.size() == number) others_.emplace_back();
        Others& others = others_[number++];
        const auto add = [&](std::vector<Parcel>& parcels, const SliceCore& slice,
                             const std::vector<LocalPiece>& pieces, index_t size) {
          Parcel parcel = parcel_with(r, pieces, box_in(work_, slice, chunk),
                                      {work_.dimensions, share.closest_first, size});
          if (!parcel.pieces.empty()) parcels.push_back(std::move(parcel));
        };
        add(others.lent, work_.in, in, in_size_);
        add(others.taken, work_.out, out, out_size_);
      }
    }
  }
}

void StageRun::make_room(Mails& mails) const {
  for (std::size_t i = 0; i < others_.size(); ++i) {
    mails.lent.reserve(i, others_[i].lent);
    mails.taken.reserve(i, others_[i].taken);
  }
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    mails.fetched.reserve(i, chunks_[i].in.parcels);
    mails.returned.reserve(i, chunks_[i].out.parcels);
  }
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

// Begins what the chunks of this number need from other nodes.
void StageRun::begin(std::size_t number, ChunkBuffers& buffers) const {
  Mails& mails = *buffers.mails;
  // The buffer must be free of results.
  if (number >= ChunkBuffers::in_flight) mails.returned.finish(number - ChunkBuffers::in_flight);
  if (number < chunks_.size()) {
    const Side& in = chunks_[number].in;
    mails.fetched.receive(number, in.parcels, [&](const LocalPiece& piece) {
      return place_in(in, buffers.in[buffer_of(number)].data(), in_size_, piece.box);
    });
  }
  if (number >= others_.size()) return;
  mails.lent.send(number, others_[number].lent, [](const LocalPiece& piece) { return piece.data; });
  count(work_.in, others_[number].lent);
}

std::byte* StageRun::place_in(const Side& side, std::byte* data, index_t size, const Box& box) const {
  for (int d = 0; d < rank_; ++d) data += (box.lo[at(d)] - side.box.lo[at(d)]) * side.strides[at(d)] * size;
  return data;
}

// Calls move(box) for what this node has of one side of a chunk.
template <class Move>
void StageRun::for_each_box_here(const SliceCore& slice, const Side& side, Move&& move) const {
  if (side.parcels.empty()) return move(side.box);
  slice.for_each_piece(side.box, [&](int rank, const LocalPiece& piece) {
    if (work_.group().on_node(rank)) move(piece.box);
  });
}

void StageRun::read(std::size_t number, std::byte* data, ChunkBuffers& buffers) const {
  const Side& in = chunks_[number].in;
  for_each_box_here(work_.in, in, [&](const Box& box) {
    work_.in.get(box, {place_in(in, data, in_size_, box), extents_of(box, rank_).data(), in.strides.data()});
  });
  if (!travels_) return;
  buffers.mails->fetched.take(number, in.parcels,
                              [&](const LocalPiece& piece) { return place_in(in, data, in_size_, piece.box); });
}

void StageRun::write(std::size_t number, std::byte* data, ChunkBuffers& buffers) const {
  const Side& out = chunks_[number].out;
  if (travels_) {
    buffers.mails->returned.send(number, out.parcels, [&](const LocalPiece& piece) {
      return place_in(out, data, out_size_, piece.box);
    });
    count(work_.out, out.parcels);
  }
  for_each_box_here(work_.out, out, [&](const Box& box) {
    work_.out.put(box,
                  {place_in(out, data, out_size_, box), extents_of(box, rank_).data(), out.strides.data()});
  });
}

void StageRun::work_on(std::size_t number, ChunkBuffers& buffers) const {
  const Chunk& chunk = chunks_[number];
  std::byte* source = chunk.in.data;
  if (source == nullptr) {
    source = buffers.in[buffer_of(number)].data();
    read(number, source, buffers);
  }
  std::byte* target = chunk.out.data;
  if (target == nullptr) target = chunk.in_place ? source : buffers.out[buffer_of(number)].data();
  chunk.plan->execute(source, target);
  if (work_.factor != 1) scale(chunk.out, target);
  if (chunk.out.data == nullptr) write(number, target, buffers);
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
  if (!travels_) {
    for (std::size_t i = 0; i < chunks_.size(); ++i) work_on(i, buffers);
    return;
  }
  Mails& mails = *buffers.mails;
  const auto place = [](const LocalPiece& piece) { return piece.data; };
  const auto await_results = [&](std::size_t number) {
    if (number < others_.size()) mails.taken.receive(number, others_[number].taken, place);
  };
  const auto take_results = [&](std::size_t number) {
    if (number < others_.size()) mails.taken.take(number, others_[number].taken, place);
  };
  const std::size_t numbers = std::max(chunks_.size(), others_.size());
  await_results(0);
  begin(0, buffers);
  for (std::size_t i = 0; i < numbers; ++i) {
    begin(i + 1, buffers);
    if (i < chunks_.size()) work_on(i, buffers);
    if (i > 0) take_results(i - 1);
    await_results(i + 1);
  }
  if (numbers > 0) take_results(numbers - 1);
  mails.lent.finish();
  mails.returned.finish();
}

}  // namespace tessera::fft
