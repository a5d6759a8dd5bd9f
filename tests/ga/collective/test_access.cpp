// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <complex>

#include <tessera/elementwise.hpp>

#include "onesided_model.hpp"
#include "slice_model.hpp"

// Patches that wrap around, members of structures, and blocks in place, checked element by element.
namespace {

using namespace tessera;
using namespace tessera::test;

// Patches that wrap around, checked against the remainders of the coordinates.
template <std::size_t N>
void check_periodic(int rounds) {
  Random random(600 + N), own(60 + static_cast<unsigned>(world().rank()));
  for (int round = 0; round < rounds; ++round) {
    Extents<N> dims;
    for (std::size_t d = 0; d < N; ++d) dims[d] = pick(random, 1, 6);
    Array<std::int64_t, N> a(world(), any_layout(random, dims), {.name = "torus"});
    auto model = random_numbers<std::int64_t>(random, dims.size());
    set_contents(a, model);
    auto element = [&](Index<N> where) -> std::int64_t& {
      for (std::size_t d = 0; d < N; ++d) where[d] = ((where[d] % dims[d]) + dims[d]) % dims[d];
      return model[at(number_of(where, dims))];
    };
    auto patch = [&](Random& generator, bool once) {
      Patch<N> p;
      for (std::size_t d = 0; d < N; ++d) {
        p.lo[d] = pick(generator, -9, 9);
        p.hi[d] = p.lo[d] + pick(generator, 0, once ? dims[d] : 2 * dims[d] + 1);
      }
      return p;
    };
    const Patch<N> mine = patch(own, false);
    RandomBuffer<std::int64_t, N> into(own, mine.extents());
    a.get_periodic(mine, into.view);
    Comparison compared;
    compare_patch(compared, mine, into.view, element);
    EXPECT_TRUE(compared.equal());
    a.sync();
    const Patch<N> all = patch(random, true), many = patch(random, false);
    LocalArray<std::int64_t, N> put(all.extents()), add(many.extents());
    std::iota(put.begin(), put.end(), 1000);
    std::iota(add.begin(), add.end(), 5);
    if (world().rank() == 0) a.put_periodic(all, put);
    for_each_index(all, [&](const Index<N>& i) { element(i) = put[minus(i, all.lo)]; });
    a.sync();
    a.acc_periodic(many, add, 3);
    for_each_index(many, [&](const Index<N>& i) { element(i) += world().size() * 3 * add[minus(i, many.lo)]; });
    EXPECT_TRUE(has_contents(a, model)) << a.layout().description();
  }
}

TEST(Slice, patches_of_periodic_transfers_wrap_around) {
  check_periodic<1>(6);
  check_periodic<2>(6);
  check_periodic<3>(3);
  Array<double, 1> none(world(), {0}, {.name = "none"});
  LocalArray<double, 1> two(Extents<1>(2));
  EXPECT_NE(message_of<UsageError>([&] {
              none.get_periodic({{0}, {2}}, two);
            }).find("no elements"),
            std::string::npos);
  Array<double, 1> line(world(), {5}, {.name = "line"});
  EXPECT_NE(message_of<UsageError>([&] {
              line.get_periodic({{3}, {6}}, two);
            }).find("[3:6)"),
            std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] {
              line.get_periodic({{6}, {4}}, two);
            }).find("[6:4)"),
            std::string::npos);
}

struct __attribute__((packed)) Unaligned {
  std::int32_t kind;
  double mass;
};

TEST(Slice, members_that_are_not_aligned_are_refused) {
  Array<Unaligned, 1> a(world(), {40}, {.name = "askew"});
  LocalArray<double, 1> masses(Extents<1>(40));
  const auto text = message_of<UsageError>([&] { a.acc_field({{0}, {40}}, &Unaligned::mass, masses); });
  EXPECT_NE(text.find("array \"askew\""), std::string::npos) << text;
  EXPECT_NE(text.find("byte 4 of elements of 12 bytes"), std::string::npos) << text;
  a.sync();
}

struct Particle {
  double mass;
  std::int32_t kind;
  float position[3];
  std::int64_t charge;
};

TEST(Slice, transfers_of_a_member_leave_the_others_unchanged) {
  const Extents<2> dims{5, 7};
  Random random(66);
  const auto layouts = layouts_of(random, dims, world().size());
  for (const auto& layout : layouts) {
    Array<Particle, 2> a(world(), layout, {.name = "particles"});
    for_each_local(a, [&](const Index<2>& i, Particle& p) {
      const auto n = number_of(i, dims);
      p = {static_cast<double>(n), static_cast<std::int32_t>(n), {1, 2, 3}, n};
    });
    a.sync();
    const Patch<2> patch{{1, 2}, {4, 6}};
    LocalArray<std::int32_t, 2> kinds(patch.extents());
    a.get_field(patch, &Particle::kind, kinds);
    LocalArray<std::int64_t, 2> charges(patch.extents());
    std::fill(charges.begin(), charges.end(), 100);
    LocalArray<double, 2> masses(patch.extents());
    std::fill(masses.begin(), masses.end(), -1.5);
    a.sync();
    if (world().rank() == world().size() - 1) a.put_field(patch, &Particle::mass, masses);
    a.acc_field(patch, &Particle::charge, charges, 2);
    a.sync();
    Comparison compared;
    const auto all = a.get(Patch<2>::whole(dims));
    for_each_index(Patch<2>::whole(dims), [&](const Index<2>& i) {
      const auto n = number_of(i, dims);
      const bool inside = patch.contains(i);
      const Particle& p = all[i];
      compared(i, n, p.kind);
      compared(i, 3.0F, p.position[2]);
      compared(i, inside ? -1.5 : static_cast<double>(n), p.mass);
      compared(i, n + (inside ? 200 * world().size() : 0), p.charge);
      if (inside) compared(i, n, kinds[minus(i, patch.lo)]);
    });
    EXPECT_TRUE(compared.equal()) << layout.description();
    a.sync();
  }
}

struct Wave {
  double phase;
  std::complex<double> amplitude;  // at a multiple of 8, in structures of 24
};
struct Ray {
  float phase;
  std::complex<float> amplitude;
};

template <class S, class C>
void check_complex_members() {
  const Extents<2> dims{6, 7};
  Random random(31);
  for (const auto& layout : layouts_of(random, dims, world().size())) {
    Array<S, 2> a(world(), layout, {.name = "waves"});
    for_each_local(a, [&](const Index<2>& at, S& x) {
      x = {5, {static_cast<typename C::value_type>(number_of(at, dims)), 1}};
    });
    a.sync();
    const Patch<2> patch{{1, 2}, {5, 6}};
    // Every second column of a larger array, so that the rows are not contiguous.
    LocalArray<C, 2> all({4, 8});
    for (index_t i = 0; i < all.size(); ++i) all.data()[i] = {static_cast<typename C::value_type>(i), 2};
    const View<const C, 2> source(all.data(), patch.extents(), {8, 2});
    a.acc_field(patch, &S::amplitude, source, C{0, 1});
    a.acc_field(patch, &S::amplitude, source);
    a.sync();
    const auto found = a.get(Patch<2>::whole(dims));
    const auto ranks = static_cast<typename C::value_type>(world().size());
    for_each_index(Patch<2>::whole(dims), [&](const Index<2>& i) {
      C expected{static_cast<typename C::value_type>(number_of(i, dims)), 1};
      if (patch.contains(i)) expected += ranks * (C{1, 1} * source[minus(i, patch.lo)]);
      EXPECT_EQ(found[i].amplitude, expected) << layout.description();
      EXPECT_EQ(found[i].phase, 5);
    });
    LocalArray<C, 2> other({4, 5});
    EXPECT_THROW(a.acc_field(patch, &S::amplitude, other), UsageError);
    a.sync();
  }
}

TEST(Slice, complex_members_may_lie_at_multiples_of_their_parts) {
  check_complex_members<Wave, std::complex<double>>();
  check_complex_members<Ray, std::complex<float>>();
}

TEST(Slice, blocks_are_accessed_in_place) {
  const Extents<2> dims{9, 10};
  Random random(67);
  for (const auto& layout : layouts_of(random, dims, world().size())) {
    SCOPED_TRACE(layout.description());
    const int me = world().rank();
    Array<double, 2> a(world(), layout, {.name = "blocks"});
    for (index_t b = 0; b < layout.block_count(me); ++b) {
      const auto block = a.local_block(b);
      const Patch<2> patch = layout.block(me, b);
      ASSERT_EQ(block.extents(), patch.extents());
      for_each_index(patch, [&](const Index<2>& i) {
        block[minus(i, patch.lo)] = static_cast<double>(number_of(i, dims));
      });
    }
    a.sync();
    const auto value = [&](const Index<2>& i) { return static_cast<double>(number_of(i, dims)); };
    Comparison compared;
    const auto all = a.get(Patch<2>::whole(dims));
    compare_patch(compared, Patch<2>::whole(dims), all.view(), value);
    // The blocks of the other ranks on the node, in place.
    for (int rank = 0; rank < world().size(); ++rank) {
      for (index_t b = 0; b < layout.block_count(rank); ++b) {
        const Patch<2> patch = layout.block(rank, b);
        if (!world().on_node(rank)) {
          EXPECT_NE(message_of<UsageError>([&] { (void)a.block_of(rank, b); }).find("another node"),
                    std::string::npos);
          continue;
        }
        const auto block = a.block_of(rank, b);
        for_each_index(patch, [&](const Index<2>& i) { compared(i, value(i), block[minus(i, patch.lo)]); });
      }
    }
    EXPECT_TRUE(compared.equal());
    EXPECT_THROW((void)a.local_block(layout.block_count(me)), UsageError);
    EXPECT_THROW((void)a.block_of(world().size()), UsageError);
    if (layout.block_count(me) > 1 && !layout.core().local(me).is_array) {
      EXPECT_NE(message_of<UsageError>([&] { (void)a.local(); }).find("local_block"), std::string::npos);
    }
    a.sync();
  }
}

#ifdef TESSERA_TEST_CHECKS
TEST(Slice, two_scopes_that_write_the_same_are_told) {
  if (world().size() == 1) return;  // all is one block there
  const auto layout = Layout<1>::block_cyclic({40 * world().size()}, {4}, {.shape = {world().size()}});
  Array<double, 1> a(world(), layout, {.name = "twice"});
  {
    const auto first = a.local_block(0);
    const auto other = a.local_block(1);
    EXPECT_NE(message_of<UsageError>([&] { (void)a.local_block(0); }).find("\"twice\""), std::string::npos);
    EXPECT_THROW((void)a.local(), UsageError);
    const Array<double, 1>& constant = a;
    (void)constant.local();  // the program orders its own reads
  }
  auto all = a.local();
  EXPECT_THROW((void)a.local_block(3), UsageError);
  all.release();
  (void)a.local_block(3);
  a.sync();
}
#endif

}  // namespace
