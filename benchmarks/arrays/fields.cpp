// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The ghost cells of five fields in one exchange, against packed messages by hand and against five updates.
#include <string>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/halo.hpp>

#include "ghost_block.hpp"
#include "packed_fields.hpp"
#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

constexpr const char* section = "fields: a Halo of five fields of blocks with this edge, periodic, no corners";
constexpr int fields = 5;

template <std::size_t N>
class FiveFields {
 public:
  FiveFields(Session& session, index_t edge, index_t width)
      : session_(session), world_(session.world()), edge_(edge), width_(width) {
    const std::vector<int> grid = Halo::grid_of(world_.size(), static_cast<int>(N));
    for (std::size_t d = 0; d < N; ++d) grid_[d] = grid[d], dims_[d] = grid[d] * edge;
  }

  void run() {
    ArrayOptions<N> options{.name = "field"};
    options.ghosts = width_;
    options.periodic = true;
    std::vector<Array<double, N>> arrays;
    for (int f = 0; f < fields; ++f)
      arrays.emplace_back(world_, Layout<N>::blocked(dims_, world_.size(), {.grid = grid_}), options);
    std::vector<HaloPart> parts;
    for (Array<double, N>& array : arrays) parts.push_back(halo_of(array, {.corners = Corners::without}));
    tessera::Halo halo(parts);
    check(arrays, "a Halo", [&] { halo.update(); });
    check(arrays, "five updates", [&] { update_each(arrays); });

    PackedFields<N> packed(world_, fields, edge_, width_);
    check(packed, arrays.front().local_patch().lo);

    const bool is_small = bytes() <= 16 * 1024;
    const double against_five = world_.node_count() > 1 && is_small ? 1.5 : 1.0;
    session_.compare(
        {.section = section,
         .name = title("update"),
         .routine = repeat([&] { halo.update(); }),
         .clock = Clock::joint,
         .others = waiting(world_)},
        {{"packed messages by hand", repeat([&] { packed.exchange(); }), no_slower},
         {"five updates", repeat([&] { update_each(arrays); }), Target{Goal::at_least, against_five}}});
    halo.close();
    for (Array<double, N>& array : arrays) array.close();
  }

 private:
  // What a field sends to one side.
  index_t bytes() const {
    index_t cells = width_;
    for (std::size_t d = 1; d < N; ++d) cells *= edge_;
    return cells * static_cast<index_t>(sizeof(double));
  }
  std::string title(const char* what) const {
    return std::to_string(N) + "-D " + std::to_string(edge_) + ", width " + std::to_string(width_) + ", " +
           what;
  }
  static void update_each(std::vector<Array<double, N>>& arrays) {
    for (Array<double, N>& array : arrays) array.update_ghosts(Corners::without);
  }
  Block<N> block_at(const Index<N>& lo) const {
    Extents<N> extents;
    for (std::size_t d = 0; d < N; ++d) extents[d] = edge_ + 2 * width_;
    return {dims_, extents, lo, width_};
  }
  template <class Update>
  void check(std::vector<Array<double, N>>& arrays, const char* what, Update update) {
    const Block<N> block = block_at(arrays.front().local_patch().lo);
    for (Array<double, N>& array : arrays) block.set(array.local_with_ghosts().view());
    world_.barrier();
    update();
    for (const Array<double, N>& array : arrays)
      require_everywhere(world_, block.holds(array.local_with_ghosts().view(), false), title(what));
  }
  void check(PackedFields<N>& packed, const Index<N>& lo) {
    const Block<N> block = block_at(lo);
    for (int f = 0; f < fields; ++f)
      block.set(View<double, N>(packed.field(static_cast<std::size_t>(f)).data(), block.extents));
    packed.exchange();
    for (int f = 0; f < fields; ++f) {
      const View<const double, N> cells(packed.field(static_cast<std::size_t>(f)).data(), block.extents);
      require_everywhere(world_, block.holds(cells, false), title("packed messages"));
    }
  }

  Session& session_;
  const Group& world_;
  index_t edge_, width_;
  Extents<N> grid_, dims_;
};

}  // namespace

void several_fields(Session& session, const Place&) {
  if (!session.wants(section)) return;
  const bool is_quick = session.is_quick();
  for (const index_t width : {1, 2}) {
    for (const index_t edge : is_quick ? std::vector<index_t>{64} : std::vector<index_t>{64, 256, 1024, 2048})
      FiveFields<2>(session, edge, width).run();
    for (const index_t edge : is_quick ? std::vector<index_t>{16} : std::vector<index_t>{16, 32, 64, 128})
      FiveFields<3>(session, edge, width).run();
  }
}

}  // namespace tessera::benchmark::arrays
