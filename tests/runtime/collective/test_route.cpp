// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <functional>
#include <string>
#include <vector>

#include <tessera/runtime/batch.hpp>
#include <tessera/runtime/error.hpp>
#include <tessera/runtime/scalars.hpp>
#include <tessera/runtime/vector.hpp>

#include "mpi_test.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"
#include "transfer_model.hpp"

// Every kind of operation follows the method of its segment, TESSERA_METHOD, TESSERA_WINDOW and the measurement
// at start-up. The tests replace the Runtime's measurement. Statistics say which path was taken.
namespace {

using namespace tessera;
using namespace tessera::test;

// Whether the window is faster than the agent, for the lengths 8 B, 4 KiB, 64 KiB and 1 MiB.
using Faster = std::array<bool, 4>;
struct Measurement {
  const char* name;
  Faster put, get, put_lists, get_lists;
};
constexpr Faster none{}, all{true, true, true, true}, from_4k{false, true, true, true},
    only_8{true, false, false, false};
constexpr std::array<Measurement, 6> measurements{{
    {"agents faster", none, none, none, none},
    {"window faster", all, all, all, all},
    {"window faster for puts", all, none, all, none},
    {"window faster for long puts and short gets", from_4k, only_8, from_4k, only_8},
    {"agents faster for lists", all, all, none, none},
    {"window faster for lists alone", none, none, from_4k, all},
}};
constexpr std::array<index_t, 3> lengths{8, index_t{16} << 10, index_t{100} << 10};

detail::RuntimeState& state() { return detail::GroupState::of(world()).runtime(); }

// Replaces the Runtime's measurement while it lives.
class Injected {
 public:
  explicit Injected(const Measurement& measured) : before_(state().path_choice()) {
    state().choose_paths({.put = measured.put,
                          .get = measured.get,
                          .put_lists = measured.put_lists,
                          .get_lists = measured.get_lists});
  }
  ~Injected() { state().choose_paths(before_); }
  Injected(const Injected&) = delete;
  Injected& operator=(const Injected&) = delete;

 private:
  detail::PathChoice before_;
};

// The path according to docs/runtime/transfers.md.
Path expected_path(TransferMethod method, const Faster& faster, int rank, index_t run, bool has_window) {
  if (world().on_node(rank)) return Path::node;
  if (method == TransferMethod::automatic) method = state().environment().method;
  if (!has_window || method == TransferMethod::packed) return Path::agent;
  if (method != TransferMethod::automatic) return Path::window;
  const std::size_t measured = run < 4096 ? 0 : run < 65536 ? 1 : 2;
  return faster[measured] ? Path::window : Path::agent;
}

std::string paths_of(const Statistics& after, const Statistics& before, Operation operation) {
  std::string paths;
  for (const Path path : {Path::node, Path::window, Path::agent}) {
    if (after.of(path, operation).operations > before.of(path, operation).operations)
      paths += std::string(paths.empty() ? "" : " and ") + to_string(path);
  }
  return paths;
}

// The paths that an operation took, such as "node".
template <class Handle>
std::string taken(const Handle& handle, Operation operation, const std::function<void()>& operate) {
  const Statistics before = handle.statistics();
  operate();
  return paths_of(handle.statistics(), before, operation);
}

void check_copies(TransferMethod method, const Measurement& measured, bool has_window) {
  // Each rank has its own places everywhere.
  const index_t room = 2 * lengths.back() + 8, own = room * world().rank();
  Segment segment(world(), room * world().size(), {.name = "routed", .method = method});
  std::vector<std::byte> data(static_cast<std::size_t>(2 * lengths.back()));
  for (int rank = 0; rank < world().size(); ++rank) {
    for (const index_t length : lengths) {
      SCOPED_TRACE("rank " + std::to_string(rank) + ", " + std::to_string(length) + " bytes");
      const std::string put = to_string(expected_path(method, measured.put, rank, length, has_window));
      const std::string get = to_string(expected_path(method, measured.get, rank, length, has_window));
      const std::string put_list =
          to_string(expected_path(method, measured.put_lists, rank, length, has_window));
      const std::string get_list =
          to_string(expected_path(method, measured.get_lists, rank, length, has_window));
      const Strided shape = Strided::contiguous(length);
      const Strided rows{
          .run = length, .levels = 1, .count = {2}, .remote_stride = {length + 8}, .local_stride = {length}};
      const Place place{&segment, rank, own};
      std::byte* const local = data.data();
      const Vector list{length, {&place, 1}, {&local, 1}};
      EXPECT_EQ(taken(segment, Operation::put, [&] { segment.put(rank, own, shape, local); }), put);
      EXPECT_EQ(taken(segment, Operation::put, [&] { segment.put_async(rank, own, shape, local).wait(); }),
                put);
      EXPECT_EQ(taken(segment, Operation::put, [&] { tessera::put(list); }), put_list);
      EXPECT_EQ(taken(segment, Operation::put, [&] { segment.put(rank, own, rows, local); }), put_list);
      EXPECT_EQ(taken(segment, Operation::get, [&] { segment.get(rank, own, shape, local); }), get);
      EXPECT_EQ(taken(segment, Operation::get, [&] { segment.get_async(rank, own, shape, local).wait(); }),
                get);
      EXPECT_EQ(taken(segment, Operation::get, [&] { tessera::get(list); }), get_list);
      EXPECT_EQ(taken(segment, Operation::get, [&] { segment.get(rank, own, rows, local); }), get_list);
      // A batch sends longer runs by themselves.
      const bool is_kept = length <= index_t{64} << 10;
      Batch batch;
      EXPECT_EQ(taken(segment, Operation::put,
                      [&] {
                        batch.put(segment, rank, own, local, length);
                        batch.send();
                      }),
                is_kept ? put_list : put);
      EXPECT_EQ(taken(segment, Operation::get,
                      [&] {
                        batch.get(segment, rank, own, local, length);
                        batch.send();
                      }),
                is_kept ? get_list : get);
    }
  }
  segment.sync();
}

// Operations that read and write elements. Agents serve them; in MPI's domain of atomicity the window does.
void check_updates(TransferMethod method, AtomicDomain domain) {
  const bool is_mpi = domain == AtomicDomain::mpi && world().node_count() > 1;
  Segment segment(world(), 64, {.name = "updated", .domain = domain, .method = method});
  const double one = 1;
  std::int64_t number = 1, found = 0;
  const Strided shape = Strided::contiguous(8);
  std::byte* local = reinterpret_cast<std::byte*>(const_cast<double*>(&one));
  for (int rank = 0; rank < world().size(); ++rank) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    const std::string path = is_mpi ? "window" : world().on_node(rank) ? "node" : "agent";
    const Place place{&segment, rank, 0};
    const auto kind = ElementKind::float64;
    EXPECT_EQ(
        taken(segment, Operation::accumulate, [&] { segment.accumulate(rank, 0, shape, kind, &one, &one); }),
        path);
    EXPECT_EQ(taken(segment, Operation::accumulate,
                    [&] {
                      tessera::accumulate({8, {&place, 1}, {&local, 1}}, kind, &one);
                    }),
              path);
    Batch batch;
    EXPECT_EQ(taken(segment, Operation::accumulate,
                    [&] {
                      batch.accumulate(segment, rank, 0, kind, &one, &one, 8);
                      batch.send();
                    }),
              path);
    EXPECT_EQ(taken(segment, Operation::atomic,
                    [&] { segment.fetch_op(rank, 8, ElementKind::int64, Update::sum, &number, &found); }),
              path);
    EXPECT_EQ(taken(segment, Operation::atomic,
                    [&] {
                      batch.fetch_op(segment, rank, 8, ElementKind::int64, Update::sum, &number, &found);
                      batch.send();
                    }),
              path);
    std::int64_t wanted = -1;
    const auto exchange = [&] { segment.compare_exchange(rank, 8, ElementKind::int64, &wanted, &number); };
    if (!has_compare_exchange(segment)) {
      EXPECT_THROW(exchange(), UsageError);
    } else {
      EXPECT_EQ(taken(segment, Operation::atomic, exchange), path);
    }
  }
  segment.sync();
}

void check_scalars() {
  Scalars<std::int64_t> scalars(world(), 1);
  for (int rank = 0; rank < world().size(); ++rank) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    const std::string path = world().on_node(rank) ? "node" : "agent";
    std::int64_t wanted = -1;
    EXPECT_EQ(taken(scalars, Operation::atomic, [&] { scalars.fetch_add(rank, 0, 1); }), path);
    EXPECT_EQ(taken(scalars, Operation::atomic, [&] { scalars.load(rank, 0); }), path);
    EXPECT_EQ(taken(scalars, Operation::atomic, [&] { scalars.compare_exchange(rank, 0, wanted, 0); }), path);
  }
  scalars.segment().sync();
}

TEST(Route, every_kind_of_operation_follows_the_method_and_the_measurement) {
  const bool windows = has_windows() && world().node().size() < world().size();
  for (const Measurement& measured : measurements) {
    const Injected injected(measured);
    world().barrier();
    for (const TransferMethod method :
         {TransferMethod::automatic, TransferMethod::batched, TransferMethod::direct, TransferMethod::packed}) {
      SCOPED_TRACE(std::string(measured.name) + ", method " + to_string(method));
      check_copies(method, measured, windows);
      check_updates(method, AtomicDomain::cpu);
      if (windows) check_updates(method, AtomicDomain::mpi);
    }
    check_scalars();
  }
}

// On the window path, a batch keeps its runs until an operation of another kind comes, or until it is sent.
TEST(Route, batches_keep_their_order_on_every_path) {
  for (const Measurement& measured : measurements) {
    const Injected injected(measured);
    world().barrier();
    SCOPED_TRACE(measured.name);
    constexpr index_t words = 4096;
    Segment segment(world(), words * 8, {.name = "in order"});
    const int target = (world().rank() + 1) % world().size();
    std::vector<std::int64_t> model(words, 0), sent(words), found(words, -1);
    segment.put(target, 0, Strided::contiguous(words * 8), model.data());
    Batch batch;
    std::uint64_t random = 88172645463325252U + static_cast<std::uint64_t>(world().rank());
    const auto next = [&random](std::uint64_t below) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      return static_cast<index_t>(random % below);
    };
    std::vector<std::pair<std::int64_t, std::int64_t>> got(400, {-1, -1});
    for (std::size_t i = 0; i < got.size(); ++i) {
      const index_t length = next(2) == 0 ? 1 : 1024,
                    begin = next(static_cast<std::uint64_t>(words - length + 1));
      for (index_t k = 0; k < length; ++k)
        sent[static_cast<std::size_t>(k)] = static_cast<std::int64_t>(i) * 10000 + k;
      const auto first = static_cast<std::size_t>(begin);
      const index_t kind = next(3);
      const std::int64_t factor = 3;
      if (kind == 0) {
        batch.put(segment, target, begin * 8, sent.data(), length * 8);
        std::copy_n(sent.begin(), length, model.begin() + begin);
      } else if (kind == 1) {
        batch.accumulate(segment, target, begin * 8, ElementKind::int64, &factor, sent.data(), length * 8);
        for (std::size_t k = 0; k < static_cast<std::size_t>(length); ++k) model[first + k] += factor * sent[k];
      } else {
        batch.get(segment, target, begin * 8, &got[i].first, 8);
        got[i].second = model[first];
      }
    }
    batch.send();
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i].first, got[i].second) << "operation " << i;
    segment.flush();
    segment.get(target, 0, Strided::contiguous(words * 8), found.data());
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (found[k] == model[k]) continue;
      ADD_FAILURE() << "element " << k << " is " << found[k] << ", not " << model[k];
      break;
    }
    segment.sync();
  }
}

}  // namespace
