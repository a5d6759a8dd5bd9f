// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/workspace.hpp>

#include <list>
#include <optional>

#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>

#include "message_of.hpp"
#include "mpi_test.hpp"
#include "onesided_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

const std::byte* memory_of(const Array<double, 1>& a) {
  return static_cast<const std::byte*>(a.core().storage(world().rank()));
}

TEST(Workspaces, use_the_memory_of_closed_and_of_destroyed_arrays_again) {
  Workspace temporaries(world(), {.name = "temporaries"});
  EXPECT_EQ(temporaries.bytes(), 0);
  const Extents<1> dims(1000 * world().size());
  auto first = temporaries.array<double>(dims, {.name = "first"});
  const std::byte* memory = memory_of(first);
  const index_t bytes = temporaries.bytes();
  EXPECT_GE(bytes, 8000);
  EXPECT_EQ(temporaries.bytes_in_use(), 8000);
  first.close();
  EXPECT_EQ(temporaries.bytes_in_use(), 0);
  {
    const auto second = temporaries.array<double>(dims);
    EXPECT_EQ(memory_of(second), memory);
  }
  const auto third = temporaries.array<double>(Extents<1>(10 * world().size()));
  EXPECT_EQ(memory_of(third), memory);
  EXPECT_EQ(temporaries.bytes(), bytes);
}

TEST(Workspaces, grow_to_the_most_that_is_used_at_one_time) {
  Workspace temporaries(world());
  const Extents<1> dims(1 << 17);  // 1 MiB in all
  for (int round = 0; round < 20; ++round) {
    auto a = temporaries.array<double>(dims), b = temporaries.array<double>(dims);
    fill(a, 1.0);
    fill(b, 2.0);
    EXPECT_EQ(dot(a, b), 2.0 * (1 << 17));
  }
  const index_t share = (index_t{1} << 20) / world().size() + 64;
  EXPECT_LE(temporaries.bytes(), 2 * share);
  // What is too small for anything is given back, instead of being kept beside a larger piece.
  { const auto larger = temporaries.array<double>(Extents<1>(1 << 19)); }
  EXPECT_LE(temporaries.bytes(), 4 * share);
  temporaries.trim();
  EXPECT_EQ(temporaries.bytes(), 0);
}

TEST(Workspaces, made_with_memory_cut_it_into_arrays) {
  Workspace temporaries(world(), {.name = "pool", .bytes = 1 << 20});
  const index_t bytes = temporaries.bytes();
  EXPECT_GE(bytes, 1 << 20);
  std::list<Array<double, 2>> arrays;
  for (int i = 0; i < 10; ++i)
    arrays.push_back(temporaries.array<double>(Extents<2>(world().size() * 10, 100)));
  EXPECT_EQ(temporaries.bytes(), bytes);
  arrays.clear();
  temporaries.trim();
  EXPECT_EQ(temporaries.bytes(), 0);
}

// Arrays of random sizes, types and lives keep their elements.
TEST(Workspaces, keep_arrays_apart) {
  struct Kept {
    Array<double, 2> array;
    double value;
  };
  Random random(17);
  Workspace temporaries(world());
  std::list<Kept> kept;
  for (int turn = 0; turn < 60; ++turn) {
    if (!kept.empty() && pick(random, 0, 2) == 0) {
      auto victim = std::next(kept.begin(), pick(random, 0, std::ssize(kept) - 1));
      if (pick(random, 0, 1) == 0) victim->array.close();
      kept.erase(victim);
    } else {
      const Extents<2> dims(pick(random, 0, 40), pick(random, 1, 50));
      ArrayOptions<2> options;
      if (pick(random, 0, 2) == 0 && dims[0] >= world().size()) options.ghosts = 1;
      kept.push_back({temporaries.array<double>(dims, options), static_cast<double>(turn)});
      fill(kept.back().array, kept.back().value);
    }
    auto other = temporaries.array<std::int32_t>(Extents<1>(pick(random, 0, 3000)));
    fill(other, std::int32_t{-1});
    for (const Kept& one : kept) {
      const auto size = static_cast<double>(one.array.size());
      EXPECT_EQ(transform_reduce(one.array, 0.0, std::plus<>(), [](double x) { return x; }), size * one.value);
    }
  }
}

// A small array takes the small piece, so that the large one stays for a large array.
TEST(Workspaces, give_the_smallest_piece_that_fits) {
  Workspace temporaries(world());
  const int ranks = world().size();
  auto small = temporaries.array<double>(Extents<1>(1000 * ranks)),
       large = temporaries.array<double>(Extents<1>(5000 * ranks));
  const index_t bytes = temporaries.bytes();
  const std::byte* const first = memory_of(small);
  large.close();
  small.close();
  small = temporaries.array<double>(Extents<1>(900 * ranks));
  EXPECT_EQ(memory_of(small), first);
  large = temporaries.array<double>(Extents<1>(5000 * ranks));
  EXPECT_EQ(temporaries.bytes(), bytes);
}

TEST(Workspaces, tell_all_ranks_if_they_ask_for_other_sizes) {
  Workspace temporaries(world(), {.name = "pool", .bytes = 1 << 16});
  const bool other = world().rank() == world().size() - 1;
  const index_t wanted = other ? 1 << 20 : 64;
  if (world().size() > 1) {
    EXPECT_THROW(static_cast<void>(temporaries.array<double>(Extents<1>(wanted))), UsageError);
    EXPECT_THROW(Workspace(world(), {.bytes = wanted}), UsageError);
  }
  EXPECT_THROW(Workspace(world(), {.bytes = -1}), UsageError);
}

TEST(Workspaces, complete_operations_on_arrays_that_were_given_up) {
  Workspace temporaries(world());
  const int me = world().rank(), right = (me + 1) % world().size();
  const Extents<1> dims(100 * world().size());
  for (int round = 0; round < 20; ++round) {
    {
      auto old = temporaries.array<double>(dims);
      for (index_t i = 0; i < 100; ++i) old.store({right * 100 + i}, -1.0);
    }
    auto next = temporaries.array<double>(dims);
    fill(next, 1.0);
    EXPECT_EQ(transform_reduce(next, 0.0, std::plus<>(), [](double x) { return x; }),
              static_cast<double>(dims.size()));
  }
}

TEST(Workspaces, serve_groups_of_some_ranks) {
  const Group half = world().split(world().rank() % 2);
  Workspace temporaries(half);
  auto a = temporaries.array<double>(Extents<1>(100));
  fill(a, half.size() + 0.5);
  EXPECT_EQ(dot(a, a), 100 * (half.size() + 0.5) * (half.size() + 0.5));
  auto b = temporaries.array<double>(Extents<1>(100));
  fill(b, 1.0);
  EXPECT_EQ(dot(a, b), 100 * (half.size() + 0.5));
}

TEST(Workspaces, that_are_destroyed_leave_their_memory_to_their_arrays) {
  std::optional<Workspace> temporaries(std::in_place, world());
  auto a = temporaries->array<double>(Extents<1>(100));
  temporaries.reset();
  world().sync();
  fill(a, 3.0);
  EXPECT_EQ(dot(a, a), 900.0);
}

TEST(Workspaces, refuse_with_a_sentence) {
  Workspace temporaries(world(), {.name = "pool"});
  auto a = temporaries.array<double>(Extents<1>(100), {.name = "a"});
  EXPECT_THROW(static_cast<void>(temporaries.array<double>(Extents<1>(-1))), UsageError);
  EXPECT_THROW(static_cast<void>(temporaries.array<double>(
                   Layout<1>::blocked({10}, world().size() + 1, {.grid = Extents<1>(world().size() + 1)}))),
               UsageError);
  EXPECT_THROW(static_cast<void>(temporaries.array<double>(Extents<1>(index_t{1} << 58))), MemoryError);
  EXPECT_THROW(Workspace(world(), {.bytes = world().rank() == 0 ? index_t{-1} : index_t{0}}), UsageError);
  fill(a, 1.0);
  EXPECT_EQ(dot(a, a), 100.0);
  temporaries.close();
  EXPECT_THROW(fill(a, 1.0), UsageError);
  EXPECT_EQ(message_of<UsageError>([&] { temporaries.trim(); }),
            "workspace \"pool\" was used after it was closed");
  EXPECT_THROW(static_cast<void>(temporaries.array<double>(Extents<1>(1))), UsageError);
}

}  // namespace
