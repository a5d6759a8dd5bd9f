// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/block_contract.hpp>

#include <string>
#include <type_traits>
#include <vector>

#include <tessera/linalg/error.hpp>

#include "block_model.hpp"
#include "contract_model.hpp"

// Contractions of block tensors against sums over a model. The numbers are whole, so that every sum is exact.
namespace tessera::test {
namespace {

using linalg::contract;

// Operands may be kept.
static_assert(std::is_copy_constructible_v<Indexed<double>> && std::is_copy_assignable_v<Indexed<double>>);
static_assert(std::is_copy_constructible_v<linalg::IndexedBlocks<double>>);

template <class T>
class BlockContractions : public testing::Test {};
TYPED_TEST_SUITE(BlockContractions, BlockScalars);

template <class T, std::size_t N>
std::vector<T> elements(const Model<T, N>& model) {
  std::vector<T> all;
  for_each_index(Patch<N>::whole(model.dims()), [&](const Index<N>& x) { all.push_back(model(x)); });
  return all;
}

// The number of the element at the values of its letters.
template <std::size_t N>
std::size_t number_at(const std::string& names, const Values& values, const Extents<N>& dims) {
  Index<N> x;
  for (std::size_t d = 0; d < N; ++d) x[d] = values.at(names[d]);
  return at(number_of(x, dims));
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
  std::string inner;
  for (const char name : a_names)
    if (c_names.find(name) == std::string::npos) inner += name;
  const std::vector<T> as = elements(a_model), bs = elements(b_model);
  const Extents<A> a_dims = a_model.dims();
  const Extents<B> b_dims = b_model.dims();
  const Extents<C> c_dims = c_model.dims();
  std::vector<T> sums(at(c_dims.size()));
  for_all(only(extents, c_names + inner), [&](const Values& values) {
    const T x = as[number_at(a_names, values, a_dims)], y = bs[number_at(b_names, values, b_dims)];
    sums[number_at(c_names, values, c_dims)] += alpha * (conjugate_a ? conjugate(x) : x) * y;
  });
  EXPECT_TRUE((has_values<T, C>(c, [&](const Index<C>& x) {
    Index<C> block;
    for (std::size_t d = 0; d < C; ++d) block[d] = block_of(c_model.lengths[d], x[d]);
    if (!c_model.is_stored(block)) return T{0};
    return sums[at(number_of(x, c_dims))] + (beta == T{0} ? T{0} : beta * c_model(x));
  })));
}

TYPED_TEST(BlockContractions, are_contracted_like_dense_ones) {
  using T = TypeParam;
  Random random(31);
  for (unsigned round = 0; round < 4; ++round) {
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
TYPED_TEST(BlockContractions, of_symmetric_results_store_each_image_once) {
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

// Neither many elements, nor sizes beyond the largest number, nor NaN hide that a product is not symmetric.
template <class T>
void expect_no_symmetry(index_t n, T size_of_a, T size_of_b, T alpha, bool with_nan) {
  Array<T, 2> a(world(), {n, n}, {.name = "a"}), b(world(), {n, n}, {.name = "b"});
  randomize(a, 5, -size_of_a, size_of_a);
  randomize(b, 6, -size_of_b, size_of_b);
  if (with_nan && world().rank() == 0) a.store({0, 0}, std::numeric_limits<T>::quiet_NaN());
  const std::vector<index_t> whole{n};
  BlockTensor<T, 2> c(world(), {whole, whole}, {.name = "c", .symmetries = {{{0, 1}, 1}}});
  EXPECT_THROW(contract(alpha, a("ik"), b("kj"), 0, c("ij")), linalg::LinalgError);
}
TEST(BlockContractionSymmetry, is_required_of_results_of_any_size) {
  expect_no_symmetry<float>(600, 1, 1, 1, false);
  expect_no_symmetry<double>(20, 1e200, 1e-200, 1e150, false);
  expect_no_symmetry<double>(20, 1, 1, 1, true);
}

// A factor may be a member of structures, whose largest element the check needs.
TEST(BlockContractionSymmetry, is_required_of_products_of_members) {
  struct Pair {
    double first, second;
  };
  Array<Pair, 2> pairs(world(), {6, 6}, {.name = "pairs"});
  for_each_local(pairs, [](const Index<2>& at, Pair& x) {
    x = {static_cast<double>(at[0] - 2 * at[1]), std::numeric_limits<double>::quiet_NaN()};
  });
  pairs.sync();
  const std::vector<index_t> whole{6};
  BlockTensor<double, 2> c(world(), {whole, whole}, {.name = "c", .symmetries = {{{0, 1}, 1}}});
  const auto member = pairs.slice().member(&Pair::first);
  contract(1.0, member("ik"), member("jk"), 0, c("ij"));
  Array<double, 2> dense(world(), {6, 6}, {.name = "dense"});
  c.copy_to(dense);
  for_each_local(dense, [](const Index<2>& at, double& x) {
    for (index_t k = 0; k < 6; ++k) x -= static_cast<double>((at[0] - 2 * k) * (at[1] - 2 * k));
  });
  dense.sync();
  EXPECT_EQ(norm_inf(dense), 0);
}

// Large terms have cancelled: what is left is less symmetric than its own rounding would make it.
TYPED_TEST(BlockContractions, may_be_added_to_what_cancelled_terms_left) {
  using T = TypeParam;
  const Lengths rows{9}, inner{40, 50};
  BlockTensor<T, 2> x(world(), {rows, inner}, {.name = "x"}), y(world(), {rows, inner}, {.name = "y"}),
      c(world(), {rows, rows}, {.name = "c", .symmetries = {{{0, 1}, -1}}});
  Array<T, 2> dense(world(), {9, 90}), noise(world(), {9, 90});
  randomize(dense, 8);
  randomize(noise, 9);
  x.copy_from(dense);
  axpby(T(20 * std::numeric_limits<RealOf<T>>::epsilon()), noise, T(1), dense);
  y.copy_from(dense);
  contract({{T{1}, x("ik"), y("jk")}, {T{-1}, y("ik"), x("jk")}}, T{0}, c("ij"));
  for (int round = 0; round < 2; ++round) {
    EXPECT_NO_THROW(contract(std::vector<linalg::BlockTerm<T>>{}, T{2}, c("ij")));
    EXPECT_NO_THROW(contract({{T{1}, x("ik"), x("jk")}, {T{-1}, x("jk"), x("ik")}}, T{1}, c("ij")));
  }
  EXPECT_THROW(contract({{T{1}, x("ik"), y("jk")}}, T{1}, c("ij")), linalg::LinalgError);
}

// Letters that both factors may exchange are summed over once. In any order of the letters, for three of them,
// and if only some of a symmetry's dimensions are summed over.
TYPED_TEST(BlockContractions, with_the_same_symmetry_of_inner_letters) {
  using T = TypeParam;
  Random random(77);
  const Lengths three_blocks{2, 1, 3};
  const std::array<Lengths, 3> three{three_blocks, three_blocks, three_blocks};
  const std::array<Lengths, 4> four{others, others, others, others};
  const Model<T, 1> vector{{three_blocks}, {}, 80, 0};
  for (const int a_sign : {1, -1}) {
    for (const int b_sign : {1, -1}) {
      SCOPED_TRACE(a_sign * 10 + b_sign);
      const Model<T, 4> a{four, {{{0, 1}, a_sign}, {{2, 3}, a_sign}}, 81, 2},
          b{four, {{{0, 2}, b_sign}, {{1, 3}, b_sign}}, 82, 2}, c{four, {}, 83, 0};
      check<T, 4, 4, 4>(random, a, "ijcd", b, "cadb", c, "ijab");
      check<T, 4, 4, 4>(random, a, "ijcd", b, "acbd", c, "ibja");
      check<T, 4, 4, 4>(random, a, "ijdc", b, "cadb", c, "ijab");
      const Model<T, 3> x{three, {{{0, 1, 2}, a_sign}}, 84, 1}, y{three, {{{0, 1, 2}, b_sign}}, 85, 1},
          z{three, {{{0, 2}, b_sign}}, 86, 1};
      const Model<T, 2> square{{three_blocks, three_blocks}, {}, 87, 0};
      check<T, 3, 3, 2>(random, x, "kil", y, "ljk", square, "ij");
      check<T, 3, 3, 2>(random, x, "kil", z, "ljk", square, "ij");
      check<T, 3, 3, 2>(random, x, "kil", z, "lkj", square, "ij");
      const Model<T, 4> w{
          {three_blocks, three_blocks, three_blocks, three_blocks}, {{{3, 0, 1}, b_sign}}, 88, 1};
      check<T, 3, 4, 1>(random, x, "klm", w, "lmik", vector, "i");
    }
  }
}

// Results of four dimensions with several symmetries, in two terms, added to what was there.
TYPED_TEST(BlockContractions, of_several_symmetries_add_terms) {
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

}  // namespace
}  // namespace tessera::test
