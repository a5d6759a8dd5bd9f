// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/block_contract.hpp>

#include <string>

#include <tessera/elementwise.hpp>
#include <tessera/linalg/error.hpp>
#include <tessera/reductions.hpp>

#include "block_model.hpp"
#include "message_of.hpp"

// Block tensors against a model. The numbers are whole, so that every sum is exact.
namespace tessera::test {
namespace {

using linalg::contract;

template <class T>
class BlockTensors : public testing::Test {};
TYPED_TEST_SUITE(BlockTensors, BlockScalars);

TYPED_TEST(BlockTensors, have_the_elements_that_were_put) {
  using T = TypeParam;
  const std::vector<Model<T, 3>> models{
      {{orbitals, others, orbitals}, {}, 1, 4},
      {{orbitals, others, orbitals}, {{{0, 2}, -1}}, 2, 3},
      {{orbitals, orbitals, orbitals}, {{{0, 1, 2}, -1}}, 3, 2},
      {{orbitals, orbitals, orbitals}, {{{2, 0, 1}, 1}}, 4, 0},
      {{orbitals, others, others}, {{{1, 2}, 1}}, 5, 10},
  };
  for (const Model<T, 3>& model : models) {
    SCOPED_TRACE(model.seed);
    BlockTensor<T, 3> tensor = tensor_of(model, "t");
    EXPECT_TRUE((has_values<T, 3>(tensor, model)));
    index_t stored = 0;
    Comparison compared;
    model.for_each_place([&](const Index<3>& block) {
      const Patch<3> patch = tensor.patch(block);
      EXPECT_EQ(tensor.has(block), tensor.owner(block) >= 0);
      const LocalArray<T, 3> found = tensor.get(block);
      for_each_index(patch, [&](const Index<3>& x) { compared(x, model(x), found[minus(x, patch.lo)]); });
    });
    EXPECT_TRUE(compared.equal());
    tensor.for_each_own_block([&](const Index<3>& block, const View<T, 3>& view) {
      EXPECT_EQ(tensor.owner(block), world().rank());
      stored += view.size();
    });
    EXPECT_EQ(world().all_reduce(stored, Reduce::sum), tensor.stored_size());
    EXPECT_LE(tensor.stored_size(), model.dims().size());
    // From an array, and added to block by block.
    Array<T, 3> array(world(), model.dims(), {.name = "array"});
    tensor.copy_to(array);
    BlockTensor<T, 3> copy(world(), model.lengths, model.options("copy"));
    EXPECT_TRUE((has_values<T, 3>(copy, [](const Index<3>&) { return T{0}; })));
    copy.copy_from(array);
    index_t turn = 0;
    T expected{};
    model.for_each_place([&](const Index<3>& block) {
      Index<3> stored_block = block;
      model.sort(stored_block);
      if (!copy.has(block) || stored_block != block || turn++ % world().size() != world().rank()) return;
      copy.acc(block, model.values(copy.patch(block)), T{2});
    });
    copy.sync();
    EXPECT_TRUE((has_values<T, 3>(copy, [&](const Index<3>& x) { return T{3} * model(x); })));
    for_each_index(Patch<3>::whole(model.dims()),
                   [&](const Index<3>& x) { expected += conjugate(model(x)) * model(x); });
    EXPECT_EQ(dot(tensor, copy), T{3} * expected);
  }
}

TEST(BlockTensorUse, mistakes_are_named) {
  BlockTensor<double, 2> a(world(), {orbitals, others}, {.name = "A"}),
      b(world(), {others, orbitals}, {.name = "B"});
  BlockTensor<double, 2> c(world(), {orbitals, orbitals}, {.name = "C", .is_stored = [](const Index<2>& block) {
                                                             return block[0] == block[1];
                                                           }});
  const auto error = [](auto&& f) { return message_of<UsageError>(f); };
  EXPECT_EQ(error([&] { a("i"); }),
            "block tensor \"A\" has 2 dimensions, but \"i\" has 1 letters; give one letter for each dimension");
  EXPECT_EQ(error([&] { contract(1, a("ik"), b("jk"), 0, c("ij")); }),
            "contract: index 'j' is cut into other blocks in \"jk\" of block tensor \"B\" than in \"ij\" of "
            "block tensor "
            "\"C\"");
  EXPECT_EQ(error([&] { contract(1, c("ij"), a("jk"), 0, c("ii")); }),
            "contract: index 'i' must be once in exactly two of \"ij\" of block tensor \"C\", \"jk\" of block "
            "tensor \"A\" "
            "and \"ii\" of block tensor \"C\", if one of them is a block tensor");
  EXPECT_EQ(error([&] { contract(1, c("ik"), c("kj"), 0, c("ij")); }),
            "contract: the result block tensor \"C\" is also a factor");
  const LocalArray<double, 2> values(Extents<2>(3, 1));
  EXPECT_EQ(error([&] {
              c.put({0, 1}, values);
            }),
            "block (0, 1) of block tensor \"C\" is absent: it is zero, and cannot be set");
  EXPECT_EQ(error([&] {
              c.put({0, 0}, values);
            }),
            "block tensor \"C\": the view has extents (3, 1), and block (0, 0) has (3, 3)");
  EXPECT_EQ(error([&] { c.get({0, 4}); }), "block tensor \"C\" has blocks 0 to 3 along dimension 1, not 4");
  EXPECT_EQ(error([&] {
              BlockTensor<double, 2>(world(), {orbitals, others}, {.name = "D", .symmetries = {{{0, 1}}}});
            }),
            "block tensor \"D\": dimensions 0 and 1 are exchanged, but cut into different blocks");
  EXPECT_EQ(error([&] {
              BlockTensor<double, 1>(world(), {Lengths{2, 0}}, {.name = "E"});
            }),
            "block tensor \"E\": a block of length 0 along dimension 0");
  const BlockTensor<double, 2> cut_otherwise(world(), {Lengths{1, 3, 4, 2}, others}, {.name = "F"});
  EXPECT_EQ(error([&] { dot(a, cut_otherwise); }),
            "dot: block tensors \"A\" and \"F\" have other blocks or symmetries");
  EXPECT_EQ(error([&] { BlockTensor<double, 1>(world(), {Lengths(3, index_t{1} << 62)}, {.name = "G"}); }),
            "block tensor \"G\": 64 bits cannot count its blocks or elements");
  world().sync();
}

TEST(BlockTensorUse, a_tensor_that_was_moved_from_refuses) {
  BlockTensor<double, 2> a(world(), {orbitals, others}, {.name = "A"});
  const BlockTensor<double, 2> b = std::move(a);
  LocalArray<double, 2> block(b.patch({0, 0}).extents());
  // NOLINTBEGIN: on purpose
  EXPECT_EQ(message_of<UsageError>([&] {
              a.get({0, 0}, block);
            }),
            "a block tensor was used after it had been moved from");
  EXPECT_THROW(a.put({0, 0}, block), UsageError);
  EXPECT_THROW(a.sync(), UsageError);
  EXPECT_THROW(static_cast<void>(a.elements()), UsageError);
  EXPECT_THROW(static_cast<void>(a("ij")), UsageError);
  EXPECT_THROW(dot(a, b), UsageError);
  // NOLINTEND
  EXPECT_EQ(dot(b, b), 0.0);
}

TEST(BlockTensorUse, a_source_that_throws_on_one_rank_is_told_on_all) {
  BlockTensor<double, 2> a(world(), {orbitals, others}, {.name = "A"}),
      c(world(), {orbitals, orbitals}, {.name = "C"});
  const linalg::TensorSource<double, 2> source({7, 10}, [](const Patch<2>&, const View<double, 2>&) {
    if (world().rank() == 0) throw std::runtime_error("no integrals");
  });
  std::string message;
  try {
    contract(1, a("ik"), source("kj"), 0, c("ij"));
  } catch (const std::exception& problem) {
    message = problem.what();
  }
  EXPECT_NE(message.find("no integrals"), std::string::npos) << message;
}

TEST(BlockTensorUse, ranks_that_give_other_blocks_are_told) {
  if (world().size() == 1) return;
  const auto differs = [](const Index<2>& block) { return (block[0] + world().rank()) % 2 == 0; };
  EXPECT_EQ(message_of<UsageError>([&] {
              BlockTensor<double, 2>(world(), {orbitals, orbitals}, {.name = "A", .is_stored = differs});
            }),
            "block tensor \"A\": ranks give it other blocks or symmetries");
  const auto throws = [](const Index<2>&) -> bool {
    if (world().rank() == 0) throw std::runtime_error("no symmetry");
    return true;
  };
  std::string message;
  try {
    BlockTensor<double, 2>(world(), {orbitals, orbitals}, {.name = "B", .is_stored = throws});
  } catch (const std::exception& problem) {
    message = problem.what();
  }
  EXPECT_NE(message.find("no symmetry"), std::string::npos) << message;
}

// A letter of two dense factors alone, which is cut by the library; and a factor of zero, which reads nothing.
TEST(BlockTensorUse, dense_factors_may_share_a_letter) {
  Array<double, 2> a(world(), {10, 600}, {.name = "a"}), b(world(), {600, 7}, {.name = "b"});
  for_each_local(a, [](const Index<2>& place, double& x) { x = static_cast<double>(place[0] + place[1] % 3); });
  for_each_local(b, [](const Index<2>& place, double& x) { x = static_cast<double>(place[1] - place[0] % 2); });
  BlockTensor<double, 2> c(world(), {orbitals, others}, {.name = "c"});
  contract(1, a("ik"), b("kj"), 0, c("ij"));
  const auto value = [](const Index<2>& place) {
    double sum = 0;
    for (index_t k = 0; k < 600; ++k) sum += static_cast<double>((place[0] + k % 3) * (place[1] - k % 2));
    return sum;
  };
  EXPECT_TRUE((has_values<double, 2>(c, value)));
  const linalg::TensorSource<double, 2> never(
      {10, 600}, [](const Patch<2>&, const View<double, 2>&) { ADD_FAILURE() << "asked for elements"; });
  contract(0, never("ik"), b("kj"), 2, c("ij"));
  EXPECT_TRUE((has_values<double, 2>(c, [&](const Index<2>& place) { return 2 * value(place); })));
}

// A block of 4 x 5, stored by columns with gaps, put and fetched through an image by symmetry.
TEST(BlockTensorUse, blocks_go_to_and_from_strided_memory) {
  const Lengths lengths{4, 5};
  BlockTensor<double, 2> a(world(), {lengths, lengths},
                           {.name = "a", .symmetries = {{.dimensions = {0, 1}, .sign = -1}}});
  std::vector<double> memory(200, 7.0);
  const View<double, 2> strided(memory.data() + 3, {4, 5}, {2, 20});
  const auto value = [](index_t i, index_t j) { return static_cast<double>(10 * i + j - 20); };
  for (index_t i = 0; i < 4; ++i)
    for (index_t j = 0; j < 5; ++j) strided(i, j) = value(i, j);
  if (world().rank() == world().size() - 1) a.put({0, 1}, strided);
  a.sync();
  a.acc({0, 1}, strided, 0.5);
  a.sync();
  const auto factor = 1 + 0.5 * world().size();
  std::vector<double> found(200, 7.0);
  a.get({0, 1}, View<double, 2>(found.data() + 3, {4, 5}, {2, 20}));
  for (std::size_t i = 0; i < memory.size(); ++i)
    EXPECT_EQ(found[i], memory[i] == 7.0 ? 7.0 : factor * memory[i]) << i;
  const View<double, 2> turned(found.data(), {5, 4}, {3, 33});
  a.get({1, 0}, turned);
  for (index_t i = 0; i < 4; ++i)
    for (index_t j = 0; j < 5; ++j) EXPECT_EQ(turned(j, i), -factor * value(i, j));
}

// Blocks of b that were fetched are kept for the next block of c, but no more than 32 MiB of them: b has 34.
TEST(BlockTensorUse, blocks_that_are_fetched_again_are_the_same) {
  constexpr index_t length = 10000, blocks = 7;
  BlockTensor<double, 2> a(world(), {Lengths(6, 1), Lengths(blocks, length)}, {.name = "a"}),
      c(world(), {Lengths(6, 1), {64}}, {.name = "c"});
  Array<double, 2> b(world(), {length * blocks, 64}, {.name = "b"});
  for_each_local(b, [](const Index<2>& place, double& x) {
    x = static_cast<double>((place[1] + 1) * (place[0] / length + 1));
  });
  for (index_t row = world().rank(); row < 6; row += world().size()) {
    for (index_t k = 0; k < blocks; ++k) {
      LocalArray<double, 2> values(Extents<2>(1, length));
      std::fill(values.begin(), values.end(), static_cast<double>(k % 2 == 0 ? row + 1 : -row - 1));
      a.put({row, k}, values);
    }
  }
  a.sync();
  contract(1, a("ik"), b("kj"), 0, c("ij"));
  // 1 - 2 + 3 - 4 + 5 - 6 + 7 = 4
  EXPECT_TRUE((has_values<double, 2>(
      c, [](const Index<2>& x) { return static_cast<double>(4 * length * (x[0] + 1) * (x[1] + 1)); })));
}

// All elements as one vector; and tensors without any block.
TEST(BlockTensorUse, stored_elements_are_a_vector) {
  BlockTensor<double, 2> a(world(), {orbitals, others}, {.name = "A"}),
      b(world(), {orbitals, others}, {.name = "B"});
  fill(a.elements(), 2.0);
  axpby(3, a.elements(), 0, b.elements());
  EXPECT_TRUE((has_values<double, 2>(b, [](const Index<2>&) { return 6.0; })));
  EXPECT_EQ(dot(a, b), 12.0 * 70);
  const BlockTensorOptions<2> none{.name = "none", .is_stored = [](const Index<2>&) { return false; }};
  BlockTensor<double, 2> x(world(), {orbitals, others}, none), y(world(), {orbitals, {}}, {.name = "empty"});
  EXPECT_EQ(x.stored_size(), 0);
  EXPECT_EQ(y.dims(), (Extents<2>{10, 0}));
  contract(1, x("ik"), a("jk"), 0, BlockTensor<double, 2>(world(), {orbitals, orbitals})("ij"));
  contract(1, a("ik"), a("jk"), 0, BlockTensor<double, 2>(world(), {orbitals, orbitals}, none)("ij"));
  EXPECT_EQ(dot(x, x), 0);
  BlockTensor<double, 1> v(world(), {orbitals}, {.name = "V"});
  EXPECT_THROW(v.copy_to(v.elements()), UsageError);
  EXPECT_THROW(v.copy_from(v.elements()), UsageError);
  a.close();
  EXPECT_THROW(a.get({0, 0}), UsageError);
}

}  // namespace
}  // namespace tessera::test
