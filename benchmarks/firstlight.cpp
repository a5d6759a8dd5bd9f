// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The basic operations on one node: single elements, patches, accumulates and counters, against what the
// hardware does and against Global Arrays.
#include <atomic>
#include <cstring>
#include <memory>

#include <tessera/tessera.hpp>

#include "by_hand.hpp"
#include "ga_peer.hpp"
#include "session.hpp"

using namespace tessera::benchmark;
using tessera::Array;
using tessera::index_t;
using tessera::LocalArray;
using tessera::Patch;
using tessera::View;

namespace {

// Every rank owns a block of edge x edge elements. The patch is the middle of this block, so its rows are not
// contiguous.
constexpr index_t edge = 1000, side = 512, margin = 200;
constexpr double patch_bytes = double(side * side) * sizeof(double);

// Memory of the same kind as an array's, to be read and written by hand.
class Bare {
 public:
  explicit Bare(const tessera::Group& world)
      : segment_(world, edge * edge * index_t{sizeof(double)}, "bare memory") {
    auto* own = at(world.rank());
    std::fill_n(own, edge * edge, 0.0);
    segment_.sync();
  }
  double* at(int rank) const { return reinterpret_cast<double*>(segment_.address(rank)); }
  double* patch(int rank) const { return at(rank) + margin * edge + margin; }

 private:
  tessera::Segment segment_;
};

tessera::Layout<2> layout(int ranks) {
  return tessera::Layout<2>::blocked({ranks * edge, edge}, ranks, {.grid = tessera::Extents<2>(ranks, 1)});
}

// The patch inside the block of a rank, and an element of it.
Patch<2> patch_of(int rank) { return Patch<2>::at({rank * edge + margin, margin}, {side, side}); }
ga_peer::Patch peer_patch_of(int rank) { return {rank * edge + margin, margin, side, side}; }

struct Place {
  int rank;
  const char* name;
};
std::vector<Place> places(const Session& session) {
  std::vector<Place> places{{0, "own block"}};
  if (session.world().size() > 1) places.push_back({session.world().size() - 1, "other rank's block"});
  return places;
}

std::unique_ptr<ga_peer::Matrix> peer_matrix(const tessera::Group& world) {
  if (!ga_peer::available()) return nullptr;
  return std::make_unique<ga_peer::Matrix>(world.size(), edge, edge);
}

void measure_elements(Session& session) {
  const std::string section = "one element of a 2-D array";
  if (!session.wants(section)) return;
  Array<double, 2> a(session.world(), layout(session.world().size()), {.name = "elements"});
  Bare bare(session.world());
  const auto peer = peer_matrix(session.world());
  const Target quick{Goal::at_most, 50e-9};
  for (const auto& [rank, place] : places(session)) {
    double x = 1.0;
    const Patch<2> patch = Patch<2>::at(patch_of(rank).lo, {1, 1});
    double* element = bare.patch(rank);
    const Routine bare_store = repeat([&x, element] {
      keep(&x);
      *element = x;
      keep(element);
    });
    const Routine bare_load = repeat([&x, element] {
      keep(element);
      x = *element;
      keep(&x);
    });
    auto row = [&](const char* name, const Routine& routine, const std::string& reference, const Routine& other,
                   std::optional<Target> target = {}) {
      session.add({.section = section,
                   .name = std::string(name) + ", " + place,
                   .reference = reference,
                   .measured = session.meter().compare(routine, other, Clock::origin),
                   .target = target});
    };
    const Routine put = repeat([&] { keep(&x), a.put(patch, View<const double, 2>(&x, {1, 1})); });
    const Routine get = repeat([&] { a.get(patch, View<double, 2>(&x, {1, 1})), keep(&x); });
    row("put", put, "a store", bare_store, quick);
    row("get", get, "a load", bare_load, quick);
    row("store", repeat([&] { keep(&x), a.store(patch.lo, x); }), "a store", bare_store);
    row("load", repeat([&] { x = a.load(patch.lo), keep(&x); }), "a load", bare_load);
    if (!peer) continue;
    const ga_peer::Patch one{patch.lo[0], patch.lo[1], 1, 1};
    row("put", put, ga_peer::Library::name(), repeat([&] { keep(&x), peer->put(one, &x); }));
    row("get", get, ga_peer::Library::name(), repeat([&] { peer->get(one, &x), keep(&x); }));
  }
}

void copy_rows(double* to, index_t to_stride, const double* from, index_t from_stride) {
  for (index_t i = 0; i < side; ++i)
    std::memcpy(to + i * to_stride, from + i * from_stride, side * sizeof(double));
  keep(to);
}

void check_patches(Array<double, 2>& a) {
  const int me = a.group().rank(), next = (me + 1) % a.group().size();
  LocalArray<double, 2> sent({side, side});
  for (index_t i = 0; i < sent.size(); ++i) sent.data()[i] = static_cast<double>(i) + 0.5 * me;
  a.put(patch_of(next), sent);
  a.sync();
  const double before = 0.5 * ((me + a.group().size() - 1) % a.group().size());
  const auto own = a.local();
  const auto got = a.get(patch_of(me));
  bool right = true;
  for (index_t i = 0; i < side; ++i) {
    for (index_t j = 0; j < side; ++j) {
      const double expected = static_cast<double>(i * side + j) + before;
      right = right && own(margin + i, margin + j) == expected && got(i, j) == expected;
    }
  }
  require(right, "put and get");
  a.sync();
}

void measure_patches(Session& session) {
  const std::string section = "512 x 512 patch of double inside a block of 1000 x 1000";
  if (!session.wants(section)) return;
  Array<double, 2> a(session.world(), layout(session.world().size()), {.name = "patches"});
  check_patches(a);
  Bare bare(session.world());
  const auto peer = peer_matrix(session.world());
  LocalArray<double, 2> local({side, side});
  for (const auto& [rank, place] : places(session)) {
    const Patch<2> patch = patch_of(rank);
    double* other = bare.patch(rank);
    auto row = [&](const char* name, const Routine& routine, const std::string& reference,
                   const Routine& reference_routine, std::optional<Target> target = {}) {
      session.add({.section = section,
                   .name = std::string(name) + ", " + place,
                   .reference = reference,
                   .measured = session.meter().compare(routine, reference_routine, Clock::origin),
                   .bytes = patch_bytes,
                   .target = target});
    };
    const Target target{Goal::at_least, 0.8};
    const Routine put = repeat([&] { a.put(patch, local); }), get = repeat([&] { a.get(patch, local); });
    row("put", put, "memcpy of the rows", repeat([&] { copy_rows(other, edge, local.data(), side); }), target);
    row("get", get, "memcpy of the rows", repeat([&] { copy_rows(local.data(), side, other, edge); }), target);
    if (!peer) continue;
    const ga_peer::Patch theirs = peer_patch_of(rank);
    row("put", put, ga_peer::Library::name(), repeat([&] { peer->put(theirs, local.data()); }));
    row("get", get, ga_peer::Library::name(), repeat([&] { peer->get(theirs, local.data()); }));
  }
}

// Every rank adds its number plus one to the same patch, and checks the sum.
template <class Accumulate, class Get>
void check_accumulate(const tessera::Group& world, const std::string& who, Accumulate accumulate, Get get) {
  LocalArray<double, 2> local({side, side});
  std::fill(local.begin(), local.end(), world.rank() + 1.0);
  accumulate(local.data());
  get(local.data());
  const double sum = 0.5 * world.size() * (world.size() + 1);
  require(std::all_of(local.begin(), local.end(), [&](double x) { return x == sum; }), who);
  world.barrier();
}

void measure_accumulate(Session& session) {
  const std::string section = "accumulate a 512 x 512 patch of double";
  if (!session.wants(section)) return;
  const tessera::Group& world = session.world();
  Array<double, 2> a(world, layout(world.size()), {.name = "sums"});
  tessera::fill(a, 0.0);
  const Patch<2> last = patch_of(world.size() - 1);
  check_accumulate(
      world, "accumulate",
      [&](const double* x) {
        a.acc(last, View<const double, 2>(x, {side, side})), a.sync();
      },
      [&](double* x) {
        a.get(last, View<double, 2>(x, {side, side}));
      });
  const auto peer = peer_matrix(world);
  if (peer) {
    check_accumulate(
        world, "accumulate of " + ga_peer::Library::name(),
        [&](const double* x) { peer->accumulate(peer_patch_of(world.size() - 1), x, 1.0), ga_peer::sync(); },
        [&](double* x) { peer->get(peer_patch_of(world.size() - 1), x); });
  }

  Bare bare(world);
  LocalArray<double, 2> local({side, side});
  std::fill(local.begin(), local.end(), 1.0);
  auto row = [&](const std::string& name, int rank, Clock clock) {
    std::optional<Target> target;
    if (clock == Clock::origin) target = Target{Goal::at_least, 1.0};
    const Patch<2> patch = patch_of(rank);
    double* y = bare.patch(rank);
    const Routine own = repeat([&a, &local, patch] { a.acc(patch, local); });
    if (peer) {
      const Routine theirs = repeat([&, rank] { peer->accumulate(peer_patch_of(rank), local.data(), 1.0); });
      session.add({.section = section,
                   .name = name,
                   .reference = ga_peer::Library::name(),
                   .measured = session.meter().compare(own, theirs, clock),
                   .bytes = patch_bytes,
                   .target = target,
                   .counts = Counts::where_reference_is_fastest});
    }
    const Routine loop = repeat([&local, y] {
      for (index_t i = 0; i < side; ++i) add(y + i * edge, local.data() + i * side, side);
      keep(y);
    });
    session.add({.section = section,
                 .name = name,
                 .reference = "a loop without locks",
                 .measured = session.meter().compare(own, loop, clock),
                 .bytes = patch_bytes});
  };
  for (const auto& [rank, place] : places(session)) row(place, rank, Clock::origin);
  if (world.size() > 1) row("all ranks into the same patch", world.size() - 1, Clock::joint);
  world.barrier();
}

void measure_counter(Session& session) {
  const std::string section = "shared counter";
  if (!session.wants(section)) return;
  const tessera::Group& world = session.world();
  Array<std::int64_t, 1> counters(world, tessera::Extents<1>(world.size()), {.name = "counters"});
  tessera::fill(counters, 0);
  Bare bare(world);
  std::unique_ptr<ga_peer::Counters> peer;
  if (ga_peer::available()) peer = std::make_unique<ga_peer::Counters>(world.size());

  auto row = [&](const std::string& name, int rank, Clock clock) {
    const Routine own = repeat([&counters, rank] { counters.fetch_add({rank}, 1); });
    if (peer) {
      const Routine theirs = repeat([&peer, rank] { peer->read_increment(rank, 1); });
      session.add({.section = section,
                   .name = name,
                   .reference = ga_peer::Library::name(),
                   .measured = session.meter().compare(own, theirs, clock)});
    }
    auto* word = reinterpret_cast<std::int64_t*>(bare.at(rank));
    const Routine atomic = repeat([word] { std::atomic_ref<std::int64_t>(*word).fetch_add(1); });
    session.add({.section = section,
                 .name = name,
                 .reference = "an atomic instruction",
                 .measured = session.meter().compare(own, atomic, clock)});
  };
  for (const auto& [rank, place] : places(session))
    row(std::string("fetch_add, ") + (rank == 0 ? "own" : "other rank's"), rank, Clock::origin);
  if (world.size() > 1) row("fetch_add, all ranks at once", world.size() - 1, Clock::joint);

  // all ranks at once, each a known number of times: no addition may be lost
  const std::int64_t start = counters.load({0});
  world.barrier();
  for (int i = 0; i < 1000; ++i) counters.fetch_add({0}, 1);
  counters.sync();
  require(counters.load({0}) == start + 1000 * world.size(), "fetch_add");
  world.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  tessera::Runtime runtime(argc, argv);
  const auto parsed = parse_options(
      argc, argv, "The basic operations on one node: single elements, patches, accumulates, counters.",
      runtime.world().rank() == 0);
  if (parsed.exit_status) return *parsed.exit_status;
  if (runtime.world().node_count() > 1)
    throw tessera::UsageError("firstlight measures what happens on one node");

  std::unique_ptr<ga_peer::Library> library;
  Session session(runtime, "firstlight", parsed.options);
  if (ga_peer::available()) {
    library = std::make_unique<ga_peer::Library>();
  } else {
    session.note(ga_peer::why_not());
  }
  measure_elements(session);
  measure_patches(session);
  measure_accumulate(session);
  measure_counter(session);
  session.finish();
  return 0;
}
