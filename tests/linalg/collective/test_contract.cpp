// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/contract.hpp>

#include <complex>
#include <limits>
#include <string>
#include <utility>

#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>

#include "contract_model.hpp"
#include "message_of.hpp"

// Contractions by the names of indices, against loops over all values of all indices. The numbers are whole, so
// that every sum is exact.
namespace tessera::test {
namespace {

using linalg::contract;
using linalg::ContractionTerm;

template <class T>
T conjugate_if(bool is_wanted, T x) {
  return is_wanted ? conjugate(x) : x;
}

template <class T>
T some_factor(Random& random) {
  return number<T>(pick(random, -1, 2), pick(random, -1, 1));
}

template <class T, std::size_t A, std::size_t B, std::size_t C>
void check(Random& random, const std::string& a_names, const std::string& b_names, const std::string& c_names,
           Values extents) {
  TestTensor<T, A> a(random, a_names, extents);
  TestTensor<T, B> b(random, b_names, extents);
  TestTensor<T, C> c(random, c_names, extents);
  const T alpha = some_factor<T>(random), beta = some_factor<T>(random);
  const bool conjugate_a = pick(random, 0, 1) == 1, conjugate_b = pick(random, 0, 1) == 1;
  SCOPED_TRACE(a.description() + "; " + b.description() + "; " + c.description());
  const auto operand = [&random](auto& tensor, bool conjugated) {
    const index_t kind = pick(random, 0, 5);
    if (kind > 1) return conjugated ? linalg::conj(tensor.tensor()) : linalg::TensorOperand<T>(tensor.tensor());
    return conjugated ? linalg::conj(tensor.source(kind == 0)) : tensor.source(kind == 0);
  };
  contract(alpha, operand(a, conjugate_a), operand(b, conjugate_b), beta, c.tensor());
  for_all(only(extents, c_names), [&](const Values& at) { c(at) = beta == T{0} ? T{0} : beta * c(at); });
  for_all(only(extents, a_names + b_names + c_names), [&](const Values& at) {
    c(at) += alpha * conjugate_if(conjugate_a, a(at)) * conjugate_if(conjugate_b, b(at));
  });
  EXPECT_TRUE(c.equals_model());
}

template <class T>
class Contract : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Contract, Scalars);

Values any_extents(Random& random, index_t most) {
  Values extents;
  for (char name = 'a'; name <= 'n'; ++name) extents[name] = pick(random, 1, most);
  return extents;
}

// Names for two factors and a result: `rows` are in a and c, `columns` in b and c, `inner` in a and b, and
// `fixed` in all, each operand in an order of its own.
struct Names {
  std::string a, b, c;

  Names(Random& random, int rows, int columns, int inner, int fixed) {
    char next = 'a';
    const auto add = [&](int count, std::initializer_list<std::string*> where) {
      for (int i = 0; i < count; ++i, ++next)
        for (std::string* names : where) *names += next;
    };
    add(rows, {&a, &c});
    add(columns, {&b, &c});
    add(inner, {&a, &b});
    add(fixed, {&a, &b, &c});
    for (std::string* names : {&a, &b, &c}) std::shuffle(names->begin(), names->end(), random);
  }
};

template <class T, int rows, int columns, int inner, int fixed = 0>
void check_any(Random& random, index_t most) {
  const Names names(random, rows, columns, inner, fixed);
  check<T, rows + inner + fixed, columns + inner + fixed, rows + columns + fixed>(
      random, names.a, names.b, names.c, any_extents(random, most));
}

TYPED_TEST(Contract, sums_over_the_letters_that_the_result_has_not) {
  Random random(1);
  for (int round = 0; round < 4; ++round) {
    check_any<TypeParam, 1, 1, 1>(random, 12);
    check_any<TypeParam, 2, 2, 2>(random, 4);
    check_any<TypeParam, 2, 1, 1>(random, 7);
    check_any<TypeParam, 1, 2, 2>(random, 6);
    check_any<TypeParam, 1, 0, 2>(random, 7);
    check_any<TypeParam, 0, 2, 1>(random, 7);
  }
}

TYPED_TEST(Contract, without_sums_it_is_an_outer_product) {
  Random random(2);
  for (int round = 0; round < 4; ++round) {
    check_any<TypeParam, 1, 2, 0>(random, 7);
    check_any<TypeParam, 2, 2, 0>(random, 4);
  }
}

TYPED_TEST(Contract, letters_in_all_three_are_no_sums) {
  Random random(3);
  for (int round = 0; round < 3; ++round) {
    check_any<TypeParam, 0, 0, 0, 2>(random, 7);
    check_any<TypeParam, 1, 1, 1, 1>(random, 5);
    check_any<TypeParam, 1, 0, 1, 2>(random, 4);
  }
}

// More products than wait for each other at a time.
TEST(ContractLetters, in_all_three_may_have_many_values) {
  const index_t values = 1100, inner = 4;
  Array<double, 3> a(world(), {inner, 3, values}, {.name = "a"}), b(world(), {values, inner, 2}, {.name = "b"}),
      c(world(), {values, 3, 2}, {.name = "c"});
  const auto left = [](index_t k, index_t i, index_t x) { return static_cast<double>(k + 2 * i - x % 7); };
  const auto right = [](index_t x, index_t k, index_t j) { return static_cast<double>(x % 5 - 3 * k + j); };
  for_each_local(a, [&](const Index<3>& at, double& x) { x = left(at[0], at[1], at[2]); });
  for_each_local(b, [&](const Index<3>& at, double& x) { x = right(at[0], at[1], at[2]); });
  a.sync();
  b.sync();
  contract(1, std::as_const(a)("kix"), std::as_const(b)("xkj"), 0, c("xij"));
  Comparison compared;
  for_each_local(std::as_const(c), [&](const Index<3>& at, const double& x) {
    double sum = 0;
    for (index_t k = 0; k < inner; ++k) sum += left(k, at[1], at[0]) * right(at[0], k, at[2]);
    compared(at, sum, x);
  });
  EXPECT_TRUE(compared.equal());
}

TYPED_TEST(Contract, letters_of_one_factor_alone_are_summed_over) {
  Random random(4);
  for (int round = 0; round < 3; ++round) {
    check<TypeParam, 3, 2, 2>(random, "iak", "kj", "ij", any_extents(random, 6));
    check<TypeParam, 2, 2, 1>(random, "ib", "ac", "i", any_extents(random, 6));
    check<TypeParam, 2, 2, 2>(random, "mn", "ij", "ji", any_extents(random, 6));
    check<TypeParam, 2, 3, 2>(random, "ik", "kbj", "ij", {{'i', 5}, {'k', 4}, {'b', 1}, {'j', 3}});
  }
}

TYPED_TEST(Contract, a_letter_twice_in_a_factor_is_a_diagonal_or_a_trace) {
  Random random(5);
  for (int round = 0; round < 3; ++round) {
    check<TypeParam, 3, 2, 2>(random, "iik", "kj", "ij", any_extents(random, 6));
    check<TypeParam, 3, 2, 2>(random, "kki", "kj", "ij", any_extents(random, 6));
    check<TypeParam, 4, 2, 2>(random, "mmij", "nn", "ji", any_extents(random, 5));
    check<TypeParam, 3, 1, 1>(random, "kkk", "i", "i", any_extents(random, 5));
  }
}

TYPED_TEST(Contract, nothing_is_summed_over_no_values) {
  Random random(6);
  check<TypeParam, 2, 2, 2>(random, "ik", "kj", "ij", {{'i', 4}, {'j', 5}, {'k', 0}});
  check<TypeParam, 2, 2, 2>(random, "ik", "kj", "ij", {{'i', 0}, {'j', 5}, {'k', 3}});
  check<TypeParam, 3, 2, 2>(random, "ikl", "kj", "ij", {{'i', 4}, {'j', 5}, {'k', 3}, {'l', 0}});
  check<TypeParam, 2, 2, 2>(random, "ij", "ij", "ij", {{'i', 0}, {'j', 5}});
}

// Sizes for which the sums are split between the ranks, and for which blocks are read in place.
TEST(ContractSizes, small_results_of_long_sums_and_large_ones_are_right) {
  Random random(7);
  check<double, 3, 3, 2>(random, "ikl", "jlk", "ij", {{'i', 3}, {'j', 4}, {'k', 60}, {'l', 50}});
  check<double, 3, 3, 2>(random, "kli", "klj", "ij", {{'i', 9}, {'j', 7}, {'k', 40}, {'l', 41}});
  check<double, 3, 3, 4>(random, "ijk", "abk", "iajb", {{'i', 9}, {'j', 8}, {'a', 10}, {'b', 7}, {'k', 30}});
}

TEST(ContractTerms, are_summed_in_one_call) {
  Random random(8);
  for (int round = 0; round < 6; ++round) {
    Values extents = any_extents(random, 5);
    TestTensor<double, 4> t(random, "ijcd", extents), v(random, "abcd", extents), r(random, "ijab", extents);
    TestTensor<double, 2> f(random, "ad", extents), g(random, "ki", extents);
    TestTensor<double, 4> s(random, "ijdb", extents), u(random, "kjab", extents);
    const std::vector<ContractionTerm<double>> terms{
        {0.5, t.tensor(), v.tensor()}, {-1, s.tensor(), f.tensor()}, {2, g.tensor(), u.tensor()}};
    contract(terms, 1.0, r.tensor());
    for_all(only(extents, "ijabcd"), [&](const Values& at) { r(at) += 0.5 * t(at) * v(at); });
    for_all(only(extents, "ijabd"), [&](const Values& at) { r(at) -= s(at) * f(at); });
    for_all(only(extents, "ijabk"), [&](const Values& at) { r(at) += 2 * g(at) * u(at); });
    EXPECT_TRUE(r.equals_model());
    contract(std::vector<ContractionTerm<double>>{}, 0.0, r.tensor());
    for_all(only(extents, "ijab"), [&](const Values& at) { r(at) = 0; });
    EXPECT_TRUE(r.equals_model());
  }
}

// Of some terms the ranks compute parts of all sums, and of others all sums of a part: in any order, and with
// terms between them that are computed element by element.
TEST(ContractTerms, may_be_sums_in_parts_or_parts_of_sums) {
  Random random(9);
  Values extents{{'i', 3}, {'j', 3}, {'k', 50}, {'l', 60}, {'m', 1}};
  TestTensor<double, 3> a(random, "ikl", extents), b(random, "jkl", extents);
  TestTensor<double, 2> c(random, "ij", extents), d(random, "ij", extents), f(random, "im", extents),
      g(random, "mj", extents);
  TestTensor<double, 1> e(random, "j", extents);
  using Terms = std::vector<ContractionTerm<double>>;
  const Terms in_parts{{1, a.tensor(), b.tensor()}}, own{{-3, f.tensor(), g.tensor()}},
      by_elements{{0.5, d.tensor(), e.tensor()}};
  const auto joined = [](std::initializer_list<const Terms*> lists) {
    Terms all;
    for (const Terms* list : lists) all.insert(all.end(), list->begin(), list->end());
    return all;
  };
  double beta = 2;
  for (const Terms& terms :
       {joined({&in_parts, &by_elements, &own}), joined({&in_parts, &own, &by_elements}),
        joined({&by_elements, &own, &in_parts}), joined({&own, &by_elements, &in_parts})}) {
    contract(terms, beta, c.tensor());
    for_all(only(extents, "ij"),
            [&](const Values& at) { c(at) = (beta == 0 ? 0 : beta * c(at)) + 0.5 * d(at) * e(at); });
    for_all(only(extents, "ijm"), [&](const Values& at) { c(at) -= 3 * f(at) * g(at); });
    for_all(only(extents, "ijkl"), [&](const Values& at) { c(at) += a(at) * b(at); });
    EXPECT_TRUE(c.equals_model());
    beta -= 1;
  }
}

TEST(ContractUse, old_results_are_not_read_if_beta_is_zero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Array<double, 3> a(world(), {3, 4, 5}), c(world(), {3, 4, 3});
  Array<double, 2> b(world(), {5, 3});
  fill(a, 1.0), fill(b, 2.0), fill(c, nan);
  contract(1, a("ijk"), b("kl"), 0, c("ijl"));
  EXPECT_EQ(contents(c), std::vector<double>(36, 10.0));
  fill(c, nan);
  contract(1, a("ijk"), b("kl"), 0, c.slice().permuted({1, 2, 0})("jli"));
  EXPECT_EQ(contents(c), std::vector<double>(36, 10.0));
}

// If sums are split between the ranks, no element is asked for twice.
TEST(ContractSources, are_asked_once_if_sums_are_split) {
  Array<double, 3> asked(world(), {6, 40, 50}, {.name = "asked"});
  Array<double, 2> c(world(), {6, 6}, {.name = "c"});
  fill(asked, 0.0);
  const linalg::TensorSource<double, 3> source(
      asked.dims(), [&](const Patch<3>& patch, const View<double, 3>& into) {
        const LocalArray<double, 3> ones = [&] {
          LocalArray<double, 3> all(patch.extents());
          std::fill(all.begin(), all.end(), 1.0);
          return all;
        }();
        asked.acc(patch, ones);
        for_each_index(patch, [&](const Index<3>& place) { into[minus(place, patch.lo)] = 0.5; });
      });
  contract(1, source("ikl"), source("jkl"), 0, c("ij"));
  asked.sync();
  EXPECT_EQ(contents(c), std::vector<double>(36, 500.0));
  EXPECT_EQ(reduce(asked, Reduce::min), 2);  // once as each factor
  EXPECT_EQ(reduce(asked, Reduce::max), 2);
}

// No rank waits for one that has thrown, whatever the source is used for.
TEST(ContractSources, that_throw_on_one_rank_are_told_on_all) {
  bool throws = true;
  const int failing = world().size() - 1;
  const linalg::TensorSource<double, 2> source(
      {8, 8},
      [&](const Patch<2>& patch, const View<double, 2>& into) {
        if (throws && world().rank() == failing) throw std::runtime_error("no integrals");
        for_each_index(patch, [&](const Index<2>& place) { into[minus(place, patch.lo)] = 1; });
      },
      "integrals");
  Array<double, 2> a(world(), {8, 8}, {.name = "a"}), c(world(), {8, 8}, {.name = "c"});
  Array<double, 1> d(world(), {8}, {.name = "d"});
  fill(a, 1.0), fill(d, 1.0);
  const auto expect_told = [&](const std::function<void()>& call) {
    throws = true;
    std::string message = "nothing was thrown";
    try {
      call();
    } catch (const std::exception& error) {
      message = error.what();
    }
    EXPECT_NE(message.find("no integrals"), std::string::npos) << message;
    throws = false;
    call();
  };
  expect_told([&] { contract(1, source("ik"), a("kj"), 0, c("ij")); });
  expect_told([&] { contract(1, a("ik"), source("kj"), 1, c("ij")); });
  expect_told([&] { contract(1, source("ij"), a("ij"), 0, c("ij")); });
  expect_told([&] { contract(1, source("ii"), d("j"), 0, d.duplicate("e")("j")); });
  EXPECT_EQ(contents(c), std::vector<double>(64, 1.0));
}

// However a result is computed, a beta of 1 leaves what was there: it is no factor, as for BLAS.
TEST(ContractInfinity, stays_as_it_is_with_a_beta_of_1) {
  using C = std::complex<double>;
  const C old{std::numeric_limits<double>::infinity(), 1};
  const auto check = [&](auto&& a, auto&& b, auto& c, const std::string& a_names, const std::string& b_names,
                         const std::string& c_names) {
    SCOPED_TRACE(c_names);
    fill(a, C{0}), fill(b, C{0}), fill(c, old);
    contract(C{1}, a(a_names), b(b_names), C{1}, c(c_names));
    EXPECT_EQ(contents(c), std::vector<C>(at(c.size()), old));
  };
  Array<C, 3> parts(world(), {3, 4, 3}), cube(world(), {3, 3, 2});
  Array<C, 2> small(world(), {2, 2}), square(world(), {3, 3}), wide(world(), {2, 20000}),
      high(world(), {20000, 2}), left(world(), {3, 2}), right(world(), {2, 4}), turned(world(), {2, 3});
  Array<C, 1> x(world(), {5}), y(world(), {5}), z(world(), {5});
  check(left, turned, square, "ik", "kj", "ij");
  check(cube, right, parts, "iak", "kj", "ija");
  check(wide, high, small, "ik", "kj", "ij");
  check(x, y, z, "i", "i", "i");
}

// A sum over no values reads nothing.
TEST(ContractInfinity, of_the_other_factor_is_not_read_for_no_values) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Array<double, 2> a(world(), {3, 0});
  Array<double, 1> b(world(), {3}), c(world(), {3});
  fill(b, nan), fill(c, nan);
  contract(1.0, a("ik"), b("i"), 0.0, c("i"));
  EXPECT_EQ(contents(c), std::vector<double>(3, 0.0));
}

#ifdef TESSERA_TEST_CHECKS
TEST(ContractUse, letters_that_differ_between_ranks_are_an_error_on_all) {
  if (world().size() == 1) return;
  Array<double, 2> a(world(), {4, 4}, {.name = "a"}), b(world(), {4, 4}, {.name = "b"}),
      c(world(), {4, 4}, {.name = "c"});
  const std::string message =
      message_of<UsageError>([&] { contract(1, a(world().rank() == 0 ? "ik" : "ki"), b("kj"), 0, c("ij")); });
  EXPECT_NE(message.find("rank 0: contract ij = ik * kj, rank 1: contract ij = ki * kj"), std::string::npos)
      << message;
}
#endif

TEST(ContractUse, mistakes_are_named) {
  Array<double, 2> a(world(), {3, 4}, {.name = "A"}), b(world(), {4, 5}, {.name = "B"}),
      c(world(), {3, 5}, {.name = "C"}), square(world(), {3, 3}, {.name = "S"});
  fill(a, 1.0), fill(b, 1.0), fill(c, 1.0), fill(square, 1.0);
  const auto error = [&](auto&& f) { return message_of<UsageError>(f); };
  EXPECT_EQ(error([&] { a("ijk"); }),
            "array \"A\" has 2 dimensions, but \"ijk\" has 3 letters; give one letter for each dimension");
  const auto nothing = [](const Patch<2>&, const View<double, 2>&) {};
  const linalg::TensorSource<double, 2> source({4, 4}, nothing, "integrals");
  EXPECT_EQ(
      error([&] { source("i"); }),
      "source \"integrals\" has 2 dimensions, but \"i\" has 1 letters; give one letter for each dimension");
  EXPECT_EQ(
      error([&] { contract(1, a("ik"), source("lk"), 0, c("il")); }),
      "contract: index 'l' has 4 values in \"lk\" of source \"integrals\", but 5 in \"il\" of array \"C\"");
  EXPECT_THROW((linalg::TensorSource<double, 2>({4, -1}, nothing)), UsageError);
  EXPECT_EQ(error([&] { contract(1, a("ij"), b("kl"), 0, c("ix")); }),
            "contract: index 'x' of the result \"ix\" is in neither factor (\"ij\", \"kl\")");
  EXPECT_EQ(error([&] { contract(1, a("ij"), b("ik"), 0, c("jk")); }),
            "contract: index 'i' has 3 values in \"ij\" of array \"A\", but 4 in \"ik\" of array \"B\"");
  EXPECT_EQ(error([&] { contract(1, a("ik"), b("kj"), 0, square("ii")); }),
            "contract: the result array \"S\": index 'i' is twice in \"ii\"");
  EXPECT_EQ(error([&] { contract(1, square("ik"), square("kj"), 0, square("ij")); }),
            "contract: the result array \"S\" is also a factor, array \"S\"");
  contract(1, a("ik"), b("kj"), 1, c("ij"));
  EXPECT_EQ(contents(c), std::vector<double>(15, 5.0));
}

}  // namespace
}  // namespace tessera::test
