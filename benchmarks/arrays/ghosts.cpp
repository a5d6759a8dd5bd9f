// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Ghost cells, by each method, against messages by hand on the same periodic grid of processes.
#include <string>
#include <vector>

#include <tessera/array.hpp>

#include "ghost_block.hpp"
#include "halo.hpp"
#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

constexpr const char* section = "ghosts: update_ghosts of blocks with this edge, periodic";

template <std::size_t N>
class Comparison {
 public:
  Comparison(Session& session, index_t edge, index_t width, bool corners)
      : session_(session), world_(session.world()), edge_(edge), width_(width), corners_(corners) {
    grid_ = Halo::grid_of(world_.size(), static_cast<int>(N));
    for (std::size_t d = 0; d < N; ++d) {
      shape_[d] = grid_[d];
      dims_[d] = shape_[d] * edge;
    }
  }

  void run() {
    ArrayOptions<N> options{.name = "cells"};
    options.ghosts = width_;
    options.periodic = true;
    Array<double, N> array(world_, Layout<N>::blocked(dims_, world_.size(), {.grid = shape_}), options);
    const std::vector<int> block(N, static_cast<int>(edge_));
    const int width = static_cast<int>(width_);
    Halo at_once(world_, grid_, block, {width, corners_, false});
    Halo by_dimension(world_, grid_, block, {width, corners_, true});
    check(at_once);
    check(by_dimension);
    for (const GhostMethod method :
         {GhostMethod::automatic, GhostMethod::by_dimension, GhostMethod::all_at_once})
      check(array, method);

    Reference all{"messages to all at once", repeat([&] { at_once.exchange(); })};
    Reference one{"messages by dimension", repeat([&] { by_dimension.exchange(); })};
    row(array, "by_dimension", GhostMethod::by_dimension, one);
    row(array, "all_at_once", GhostMethod::all_at_once, all);
    row(array, "automatic", GhostMethod::automatic, faster(all, one));
    array.close();
  }

 private:
  void check(Halo& halo) {
    Index<N> lo;
    for (std::size_t d = 0; d < N; ++d) lo[d] = halo.coordinates()[d] * edge_;
    const Block<N> block = block_at(lo);
    const View<double, N> cells(halo.memory().data(), block.extents);
    block.set(cells);
    halo.exchange();
    require_everywhere(world_, block.holds(View<const double, N>(cells.data_handle(), block.extents), corners_),
                       title("messages"));
  }
  void check(Array<double, N>& array, GhostMethod method) {
    const Block<N> block = block_at(array.local_patch().lo);
    {
      auto cells = array.local_with_ghosts();
      block.set(cells.view());
    }
    array.sync();
    array.update_ghosts(kind(), method);
    const Array<double, N>& updated = array;
    require_everywhere(world_, block.holds(updated.local_with_ghosts().view(), corners_), title("cells"));
  }
  Block<N> block_at(const Index<N>& lo) const {
    Extents<N> extents;
    for (std::size_t d = 0; d < N; ++d) extents[d] = edge_ + 2 * width_;
    return {dims_, extents, lo, width_};
  }
  std::string title(const char* method) const {
    return std::to_string(N) + "-D " + std::to_string(edge_) + ", width " + std::to_string(width_) +
           (corners_ ? ", corners, " : ", no corners, ") + method;
  }
  // The faster kind of messages, as a programmer would have found out.
  Reference faster(const Reference& all, const Reference& one) {
    const Meter meter(world_, {.pairs = 5, .joint_sample_seconds = session_.is_quick() ? 1e-4 : 2e-3});
    const Measurement trial = meter.compare(all.routine, one.routine, Clock::joint);
    const Reference& best = trial.ratio->value >= 1.0 ? all : one;
    return {"the faster messages by hand", best.routine, no_slower, Counts::every_mpi, {}, best.name};
  }
  void row(Array<double, N>& array, const char* name, GhostMethod method, const Reference& reference) {
    session_.compare(
        {.section = section,
         .name = title(name),
         .routine = repeat([&array, method, corners = kind()] { array.update_ghosts(corners, method); }),
         .clock = Clock::joint,
         .others = waiting(world_)},
        {reference});
  }

  Session& session_;
  const Group& world_;
  index_t edge_, width_;
  Corners kind() const { return corners_ ? Corners::with : Corners::without; }
  bool corners_;
  std::vector<int> grid_;
  Extents<N> shape_, dims_;
};

template <std::size_t N>
void measure(Session& session, const std::vector<index_t>& edges) {
  for (const index_t edge : edges) {
    for (const index_t width : {1, 2}) {
      for (const bool corners : {false, true}) Comparison<N>(session, edge, width, corners).run();
    }
  }
}

}  // namespace

void ghosts(Session& session, const Place&) {
  if (!session.wants(section)) return;
  if (session.is_quick()) {
    measure<2>(session, {64});
    measure<3>(session, {16});
  } else {
    measure<2>(session, {64, 256, 1024, 2048});
    measure<3>(session, {32, 64, 128});
  }
}

}  // namespace tessera::benchmark::arrays
