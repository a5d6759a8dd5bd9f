// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/block_contract.hpp>

#include <map>
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
using BlockScalars = testing::Types<double, std::complex<float>>;
TYPED_TEST_SUITE(BlockTensors, BlockScalars);

const Lengths orbitals{3, 1, 4, 2}, others{2, 5};

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

using Values = std::map<char, index_t>;

template <class F>
void for_all(const std::string& names, const Values& extents, F&& f, Values values = {}) {
  if (names.empty()) return f(static_cast<const Values&>(values));
  const char name = names.back();
  for (index_t i = 0; i < extents.at(name); ++i) {
    values[name] = i;
    for_all(names.substr(0, names.size() - 1), extents, f, values);
  }
}
template <std::size_t N>
Index<N> at_names(const std::string& names, const Values& values) {
  Index<N> x;
  for (std::size_t d = 0; d < N; ++d) x[d] = values.at(names[d]);
  return x;
}

// A factor as a block tensor, an array or a source.
template <class T, std::size_t N>
struct AnyFactor {
  AnyFactor(Random& random, const Model<T, N>& m, const std::string& its_names)
      : model(m),
        names(its_names),
        kind(pick(random, 0, 5)),
        blocks(tensor_of(m, "factor " + its_names)),
        array(world(), any_layout(random, m.dims()), {.name = "array " + its_names}) {
    blocks.copy_to(array);
  }
  linalg::BlockOperand<T> operand() {
    if (kind > 2) return blocks(names);
    if (kind == 2) return array(names);
    if (kind == 1) return later()(names);
    return linalg::TensorSource<T, N>(model.dims(), [m = model](const Patch<N>& patch, const View<T, N>& into) {
      for_each_index(patch, [&](const Index<N>& x) { into[minus(x, patch.lo)] = m(x); });
    })(names);
  }

  // A source whose elements are there when they are waited for.
  linalg::TensorSource<T, N> later() const {
    return linalg::TensorSource<T, N>(model.dims(), [m = model](const Patch<N>& patch, const View<T, N>& into) {
      struct Elements {
        Model<T, N> model;
        Patch<N> patch;
        View<T, N> into;
        void wait() {
          for_each_index(patch, [&](const Index<N>& x) { into[minus(x, patch.lo)] = model(x); });
        }
      };
      return Elements{m, patch, into};
    });
  }

  Model<T, N> model;
  std::string names;
  index_t kind;
  BlockTensor<T, N> blocks;
  Array<T, N> array;
};

template <class T, std::size_t A, std::size_t B, std::size_t C>
void check(Random& random, const Model<T, A>& a_model, const std::string& a_names, const Model<T, B>& b_model,
           const std::string& b_names, const Model<T, C>& c_model, const std::string& c_names) {
  SCOPED_TRACE(a_names + " * " + b_names + " = " + c_names);
  AnyFactor<T, A> a(random, a_model, a_names);
  AnyFactor<T, B> b(random, b_model, b_names);
  BlockTensor<T, C> c = tensor_of(c_model, "c");
  Values extents;
  const auto collect = [&](const std::string& names, const auto& model) {
    for (std::size_t d = 0; d < names.size(); ++d) extents[names[d]] = model.dims()[d];
  };
  collect(a_names, a_model), collect(b_names, b_model), collect(c_names, c_model);
  const T alpha = number<T>(pick(random, 1, 2), 1), beta = number<T>(pick(random, -1, 1), 0);
  const bool conjugate_a = pick(random, 0, 2) == 0;
  contract(alpha, conjugate_a ? a.operand().conjugated() : a.operand(), b.operand(), beta, c(c_names));
  std::string letters = c_names, inner;
  for (const char name : a_names)
    if (c_names.find(name) == std::string::npos) inner += name;
  std::map<std::string, T> sums;
  const auto key = [&](const Values& values) {
    std::string text;
    for (const char name : c_names) text += std::to_string(values.at(name)) + ",";
    return text;
  };
  for_all(c_names + inner, extents, [&](const Values& values) {
    const T x = a_model(at_names<A>(a_names, values)), y = b_model(at_names<B>(b_names, values));
    sums[key(values)] += alpha * (conjugate_a ? conjugate(x) : x) * y;
  });
  EXPECT_TRUE((has_values<T, C>(c, [&](const Index<C>& x) {
    Values values;
    Index<C> block;
    for (std::size_t d = 0; d < C; ++d)
      values[c_names[d]] = x[d], block[d] = block_of(c_model.lengths[d], x[d]);
    if (!c_model.is_stored(block)) return T{0};
    return sums[key(values)] + (beta == T{0} ? T{0} : beta * c_model(x));
  })));
}

TYPED_TEST(BlockTensors, are_contracted_like_dense_ones) {
  using T = TypeParam;
  Random random(31);
  for (unsigned round = 0; round < 6; ++round) {
    SCOPED_TRACE(round);
    const int absent = static_cast<int>(round % 4) * 3;
    const auto model2 = [&](unsigned seed, const Lengths& p, const Lengths& q) {
      return Model<T, 2>{{p, q}, {}, seed + 100 * round, absent};
    };
    check<T, 2, 2, 2>(random, model2(1, orbitals, others), "ik", model2(2, others, orbitals), "kj",
                      model2(3, orbitals, orbitals), "ij");
    check<T, 2, 2, 2>(random, model2(4, others, orbitals), "ki", model2(5, orbitals, others), "jk",
                      model2(6, orbitals, orbitals), "ji");
    check<T, 2, 2, 4>(random, model2(7, others, orbitals), "ai", model2(8, others, others), "bj",
                      Model<T, 4>{{others, others, others, orbitals}, {}, 9, absent}, "abji");
    const std::vector<IndexSymmetry> pairs = round % 2 == 0
                                                 ? std::vector<IndexSymmetry>{{{0, 1}, -1}, {{2, 3}, -1}}
                                                 : std::vector<IndexSymmetry>{{{1, 3}, 1}};
    const std::array<Lengths, 4> all{others, others, others, others};
    check<T, 4, 4, 4>(random, Model<T, 4>{all, pairs, 10 + round, absent}, "ijcd",
                      Model<T, 4>{all, {}, 20 + round, absent}, "acbd",
                      Model<T, 4>{all, {}, 30 + round, absent}, "ijab");
    check<T, 4, 2, 4>(random, Model<T, 4>{all, pairs, 40 + round, absent}, "dbij", model2(11, others, others),
                      "ad", Model<T, 4>{all, {}, 50 + round, 0}, "iajb");
  }
}

// Results with symmetry are computed once for all images.
TYPED_TEST(BlockTensors, of_symmetric_results_store_each_image_once) {
  using T = TypeParam;
  for (const int sign : {1, -1}) {
    const Model<T, 2> a{{orbitals, others}, {}, 61, 2}, b{{orbitals, others}, {}, 62, 2};
    BlockTensor<T, 2> x = tensor_of(a, "x"), y = tensor_of(b, "y"),
                      c(world(), {orbitals, orbitals}, {.name = "c", .symmetries = {{{0, 1}, sign}}});
    const T factor(static_cast<RealOf<T>>(sign));
    contract({{T{1}, x("ik"), y("jk")}, {factor, y("ik"), x("jk")}}, 0, c("ij"));
    EXPECT_TRUE((has_values<T, 2>(c, [&](const Index<2>& place) {
      T sum{};
      for (index_t k = 0; k < 7; ++k) {
        sum += a({place[0], k}) * b({place[1], k}) + factor * b({place[0], k}) * a({place[1], k});
      }
      return sum;
    })));
    if (sign > 0) continue;
    EXPECT_THROW(contract(1, x("ik"), y("jk"), 0, c("ij")), linalg::LinalgError);
  }
}

// Results of four dimensions with several symmetries, in two terms, added to what was there.
TYPED_TEST(BlockTensors, of_several_symmetries_add_terms) {
  using T = TypeParam;
  const std::array<Lengths, 4> all{others, others, others, others};
  for (const int sign : {-1, 1}) {
    const std::vector<IndexSymmetry> pairs{{{0, 1}, sign}, {{2, 3}, sign}};
    const Model<T, 4> t{all, pairs, 71, 2}, w{all, pairs, 72, 2}, c{all, pairs, 73, 0};
    BlockTensor<T, 4> left = tensor_of(t, "t"), right = tensor_of(w, "w"), result = tensor_of(c, "c");
    contract({{T{2}, left("ijcd"), right("cdab")}, {T{-1}, right("ijcd"), left("cdab")}}, T{3}, result("ijab"));
    EXPECT_TRUE((has_values<T, 4>(result, [&](const Index<4>& x) {
      T sum = T{3} * c(x);
      for (index_t k = 0; k < 7; ++k) {
        for (index_t l = 0; l < 7; ++l)
          sum += T{2} * t({x[0], x[1], k, l}) * w({k, l, x[2], x[3]}) -
                 w({x[0], x[1], k, l}) * t({k, l, x[2], x[3]});
      }
      return sum;
    })));
  }
  // All images of three dimensions.
  const std::array<Lengths, 3> three{orbitals, orbitals, orbitals};
  const std::vector<IndexSymmetry> exchange{{{0, 1, 2}, -1}};
  const Model<T, 3> a{three, exchange, 74, 3};
  BlockTensor<T, 3> x = tensor_of(a, "x");
  const Model<T, 1> b{{orbitals}, {}, 75, 0};
  BlockTensor<T, 1> v = tensor_of(b, "v");
  BlockTensor<T, 2> y(world(), {orbitals, orbitals}, {.name = "y", .symmetries = {{{0, 1}, -1}}});
  contract(1, v("k"), x("kij"), 0, y("ij"));
  EXPECT_TRUE((has_values<T, 2>(y, [&](const Index<2>& place) {
    T sum{};
    for (index_t k = 0; k < 10; ++k) sum += b(Index<1>(k)) * a({k, place[0], place[1]});
    return sum;
  })));
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
  a.close();
  EXPECT_THROW(a.get({0, 0}), UsageError);
}

}  // namespace
}  // namespace tessera::test
