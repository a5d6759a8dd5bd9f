// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstring>
#include <numeric>
#include <vector>

#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>
#include <tessera/sparse.hpp>

#include "mpi_test.hpp"
#include "onesided_model.hpp"
#include "slice_model.hpp"

// Arrays in memory that the program already has.
namespace {

using namespace tessera;
using namespace tessera::test;

constexpr index_t head = 48;  // bytes before the array

template <std::size_t N>
index_t largest_part(const Layout<N>& layout, int ranks) {
  index_t most = 0;
  for (int r = 0; r < ranks; ++r) most = std::max(most, layout.core().local(r).size);
  return most;
}

// The array has what the program wrote through plain pointers, and the other way round. The memory before and
// after it is unchanged.
template <std::size_t N>
void check_layout(const Layout<N>& layout, Random& random) {
  SCOPED_TRACE(layout.description());
  const Group& all = world();
  const index_t bytes = largest_part(layout, all.size()) * index_t{sizeof(double)};
  Segment memory(all, head + bytes + 64, "mine");
  auto* mine = memory.address(all.rank());
  std::memset(mine, 7, static_cast<std::size_t>(head + bytes + 64));
  auto* elements = reinterpret_cast<double*>(mine + head);
  const index_t count = layout.core().local(all.rank()).size;
  for (index_t i = 0; i < count; ++i) elements[i] = all.rank() + static_cast<double>(i) / 1024;
  Array<double, N> a(memory, head, layout, {.name = "in place"});
  a.sync();
  const Extents<N> dims = layout.dims();
  Comparison loaded, filled;
  for (int i = 0; i < 20 && dims.size() > 0; ++i) {
    const Index<N> at = random_index(random, dims);
    index_t offset = 0;
    const int owner = layout.core().locate(at.data(), offset);
    loaded(at, owner + static_cast<double>(offset) / 1024, a.load(at));
  }
  EXPECT_TRUE(loaded.equal());
  a.sync();
  fill(a, 2.5);
  a.sync();
  if (all.rank() == 0 && dims.size() > 0) a.acc(Patch<N>::whole(dims), LocalArray<double, N>(dims), 1.0);
  a.sync();
  for (index_t b = 0; b < layout.block_count(all.rank()); ++b) {
    for_each_index(layout.block(all.rank(), b), [&](const Index<N>& at) {
      index_t offset = 0;
      layout.core().locate(at.data(), offset);
      filled(at, 2.5, elements[offset]);
    });
  }
  EXPECT_TRUE(filled.equal());
  EXPECT_EQ(reduce(a, Reduce::sum), 2.5 * static_cast<double>(dims.size()));
  for (index_t i = 0; i < head; ++i) EXPECT_EQ(mine[i], std::byte{7});
  for (index_t i = head + bytes; i < head + bytes + 64; ++i) EXPECT_EQ(mine[i], std::byte{7});
  all.sync();
}

TEST(InPlace, arrays_of_every_layout_have_the_memory_of_a_segment) {
  Random random(300);
  for (const auto& layout : layouts_of<1>(random, {41}, world().size())) check_layout(layout, random);
  for (const auto& layout : layouts_of<2>(random, {9, 12}, world().size())) check_layout(layout, random);
  for (const auto& layout : layouts_of<3>(random, {1, 2, 1}, world().size())) check_layout(layout, random);
  check_layout(Layout<2>::blocked({0, 4}, world().size()), random);
  const Extents<1> large(300000);  // a segment with memory of its own
  check_layout(Layout<1>::blocked(large, world().size()), random);
}

TEST(InPlace, two_arrays_share_memory_and_ghost_cells_work) {
  const Group& all = world();
  const index_t n = 6, rows = n * all.size();
  const auto layout = Layout<1>::blocked({rows}, all.size()).with_ghosts({1});
  Segment memory(all, (n + 2) * 8 + 256, "two");
  Array<double, 1> with_ghosts(memory, 0, layout, {.name = "with ghosts", .periodic = {true}});
  // The same memory as a plain matrix: a row for each rank.
  Array<double, 2> raw(memory, 0,
                       Layout<2>::blocked({all.size(), n + 2}, all.size(), {.grid = Extents<2>{all.size(), 1}}),
                       {.name = "raw"});
  for_each_local(with_ghosts, [](const Index<1>& at, double& x) { x = static_cast<double>(at[0]); });
  with_ghosts.sync();
  with_ghosts.update_ghosts();
  all.sync();
  const index_t next = (all.rank() + 1) % all.size();
  EXPECT_EQ(raw.load({next, 0}), static_cast<double>((next * n + rows - 1) % rows));
  EXPECT_EQ(raw.load({next, n + 1}), static_cast<double>((next + 1) * n % rows));
  EXPECT_EQ(raw.load({next, 3}), static_cast<double>(next * n + 2));
  all.sync();
}

TEST(InPlace, elements_have_their_alignment) {
  struct alignas(32) Vector {
    double x[4];
  };
  const Segment memory(world(), 4096, "vectors");
  const auto layout = Layout<1>::blocked({8}, world().size());
  EXPECT_NE(message_of<UsageError>([&] {
              const Array<Vector, 1> a(memory, 16, layout, {.name = "a"});
            }).find("offset 16 in segment \"vectors\" is no multiple of 32"),
            std::string::npos);
  const Array<Vector, 1> a(memory, 32, layout);
  world().sync();
}

TEST(InPlace, arrays_in_the_same_bytes_overlap_as_slices_of_one_do) {
  const auto layout = Layout<2>::blocked({4, 3}, world().size());
  const index_t bytes = (largest_part(layout, world().size()) * index_t{sizeof(double)} + 15) / 16 * 16;
  const Segment memory(world(), 2 * bytes + 16, "shared");
  Array<double, 2> a(memory, 0, layout), same(memory, 0, layout), shifted(memory, 16, layout),
      apart(memory, bytes + 16, layout);
  for_each_local(a, [](const Index<2>& at, double& x) { x = static_cast<double>(3 * at[0] + at[1] + 1); });
  fill(apart, 10.0);
  axpby(1.0, a, 2.0, same);  // element by element, in place
  axpby(1.0, a, 1.0, apart);
  for (index_t i = 0; i < 12; ++i) {
    const Index<2> at{i / 3, i % 3};
    EXPECT_EQ(a.load(at), 3.0 * static_cast<double>(i + 1));
    EXPECT_EQ(apart.load(at), 10 + 3.0 * static_cast<double>(i + 1));
  }
  EXPECT_THROW(axpby(1.0, a, 1.0, shifted), UsageError);
  a.sync();
  copy(a, shifted);  // as if by way of another array
  for (index_t i = 0; i < 12; ++i) EXPECT_EQ(shifted.load({i / 3, i % 3}), 3.0 * static_cast<double>(i + 1));
  world().sync();
}

// Products read one of them while they write the other.
TEST(InPlace, sparse_products_take_arrays_in_the_same_bytes) {
  constexpr index_t n = 9;
  const auto layout = Layout<1>::blocked({n}, world().size());
  const auto rows = Layout<2>::blocked({n, 2}, world().size());
  const Segment memory(world(), 2 * n * index_t{sizeof(double)}, "of both");
  std::vector<Triplet<double>> triplets;
  for (index_t i = world().rank(); i < n; i += world().size()) {
    triplets.push_back({i, i, 1.0});
    if (i > 0) triplets.push_back({i, i - 1, 1.0});
  }
  const SparseMatrix<double> matrix(world(), n, n, triplets);
  Array<double, 1> x(memory, 0, layout), y(memory, 0, layout);
  const auto number = [](index_t i) { return static_cast<double>(i + 1); };
  const auto below = [&](index_t i) { return number(i) + (i > 0 ? number(i - 1) : 0); };
  const auto above = [&](index_t i) { return number(i) + (i + 1 < n ? number(i + 1) : 0); };
  for (int way = 0; way < 4; ++way) {
    for_each_local(x, [&](const Index<1>& at, double& to) { to = number(at[0]); });
    x.sync();
    if (way == 0) matrix.multiply(x, y);
    if (way == 1) matrix.multiply_unsynchronised(x, y), world().sync();
    if (way == 2) matrix.multiply(2.0, x, 1.0, y);
    if (way == 3) matrix.multiply_transposed(1.0, x, 0.0, y);
    for (index_t i = 0; i < n; ++i) {
      const double expected = way < 2 ? below(i) : way == 2 ? 2 * below(i) + number(i) : above(i);
      EXPECT_EQ(y.load({i}), expected) << "way " << way << ", element " << i;
    }
    y.sync();
  }
  Array<double, 2> b(memory, 0, rows), c(memory, 0, rows);
  for_each_local(b, [&](const Index<2>& at, double& to) { to = number(at[0]) * (at[1] == 0 ? 1 : -3); });
  b.sync();
  matrix.multiply(b, c);
  for (index_t i = 0; i < n; ++i) {
    EXPECT_EQ(c.load({i, 0}), below(i));
    EXPECT_EQ(c.load({i, 1}), -3 * below(i));
  }
  world().sync();
}

TEST(InPlace, the_memory_outlives_the_segments_handle_and_closing_it_closes_arrays) {
  const Group& all = world();
  const auto layout = Layout<1>::blocked({10}, all.size());
  std::optional<Array<std::int64_t, 1>> a;
  {
    Segment memory(all, 4096, "short-lived");
    a.emplace(memory, 1024, layout, ArrayOptions<1>{.name = "kept"});
  }
  for (int i = 0; i < 5; ++i) {
    const Segment other(all, 4096, "other");  // frees the memory that all ranks have dropped
    std::memset(other.address(all.rank()), 0xff, 4096);
    all.sync();
  }
  fill(*a, 3);
  EXPECT_EQ(reduce(*a, Reduce::sum), 30);
  a.reset();

  Segment memory(all, 4096, "closed");
  Array<std::int64_t, 1> b(memory, 0, layout, {.name = "b"});
  const Segment part = memory.part(1024, 512, "part");
  const Segment part_of_part = part.part(256, 256, "part of part");
  memory.close();
  EXPECT_FALSE(part.is_open());
  EXPECT_FALSE(part_of_part.is_open());
  EXPECT_THROW(b.load({0}), UsageError);
  EXPECT_THROW(part.flush(), UsageError);
  b = Array<std::int64_t, 1>(all, layout, {.name = "b again"});
  fill(b, 1);
  EXPECT_EQ(reduce(b, Reduce::sum), 10);
}

TEST(InPlace, parts_of_segments_are_segments) {
  const Group& all = world();
  const Segment memory(all, 1 << 20, "whole");  // too large for a slab
  Segment part = memory.part(512, 1024, "part");
  EXPECT_EQ(part.name(), "part");
  EXPECT_EQ(part.slice_bytes(), 1024);
  for (int r = 0; r < all.size(); ++r) {
    EXPECT_EQ(part.address(r), all.on_node(r) ? memory.address(r) + 512 : nullptr);
  }
  const int next = (all.rank() + 1) % all.size();
  std::vector<std::int64_t> values(128, all.rank()), found(128, -1);
  part.put(next, 0, Strided::contiguous(1024), values.data());
  part.flush();
  memory.get(next, 512, Strided::contiguous(1024), found.data());
  EXPECT_EQ(found, values);
  memory.sync();
  std::int64_t one = 1, old = 0;
  part.fetch_add(0, 8, ElementKind::int64, &one, &old);
  part.sync();
  memory.get(0, 520, Strided::contiguous(8), &old);
  EXPECT_EQ(old, all.size() - 1 + all.size());
  memory.sync();
  EXPECT_THROW(part.get(next, 1016, Strided::contiguous(16), found.data()), UsageError);
  const auto where = part.locate(part.address(all.rank()) + 24);
  ASSERT_TRUE(where);
  EXPECT_EQ(where->rank, all.rank());
  EXPECT_EQ(where->offset, 24);
  EXPECT_GE(part.statistics().total[0][0].operations + part.statistics().total[2][0].operations +
                part.statistics().total[1][0].operations,
            1U);
}

TEST(InPlace, what_does_not_fit_is_refused_on_every_rank) {
  const Group& all = world();
  const Segment memory(all, 1000, "small");
  const auto layout = Layout<1>::blocked({100 * all.size()}, all.size());
  const std::string too_large =
      message_of<UsageError>([&] { Array<double, 1>(memory, 256, layout, {.name = "large"}); });
  EXPECT_NE(too_large.find("\"large\""), std::string::npos) << too_large;
  EXPECT_NE(too_large.find("\"small\""), std::string::npos) << too_large;
  EXPECT_THROW((Array<double, 1>(memory, 8, layout)), UsageError);
  EXPECT_THROW((Array<double, 1>(memory, -16, layout)), UsageError);
  EXPECT_THROW((Array<double, 1>(memory, 0, Layout<1>::blocked({1}, all.size() + 1))), UsageError);
  EXPECT_THROW((void)memory.part(0, 1 << 20, "larger"), UsageError);
  if (all.size() > 1) {
    const index_t offset = all.rank() == 0 ? 0 : 16;
    EXPECT_THROW((void)memory.part(offset, 16, "disagreed"), UsageError);
    EXPECT_THROW((Array<double, 1>(memory, 0, Layout<1>::blocked({10 + all.rank()}, all.size()))), UsageError);
  }
  const Array<double, 1> fits(memory, 0, layout, {.name = "fits"});
  EXPECT_EQ(fits.size(), 100 * all.size());
}

// A program that asks for the MPI domain must also run on one process.
TEST(InPlace, one_process_has_its_own_domain) {
  const int me = world().rank();
  const Group alone = world().form(std::span(&me, 1));
  const Segment memory(alone, 256, {.name = "alone", .domain = AtomicDomain::mpi});
  Array<double, 1> a(memory, 0, Layout<1>::blocked({10}, 1), {.name = "in it", .domain = AtomicDomain::mpi});
  fill(a, 2);
  EXPECT_EQ(a.fetch_add({3}, 1), 2);
  EXPECT_EQ(a.load({3}), 3);
}

}  // namespace
