// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <tessera/layout.hpp>
#include <tessera/view.hpp>

#include "array_model.hpp"

// Positions, patches and views.
namespace {

using namespace tessera;
using namespace tessera::test;

// Elements are found by multiplication. Check it against division near powers of two and multiples.
TEST(Divisor, the_product_is_the_quotient) {
  constexpr index_t largest = std::numeric_limits<index_t>::max();
  Comparison compared;
  auto check = [&](index_t n, index_t by) { compared(std::pair(n, by), n / by, detail::Divisor(by)(n)); };
  Random random(77);
  for (int i = 0; i < 200000; ++i) {
    const index_t by = std::max<index_t>(1, static_cast<index_t>(random() >> pick(random, 1, 63)));
    const auto multiple = static_cast<index_t>(random() % (static_cast<std::uint64_t>(largest / by) + 1)) * by;
    check(static_cast<index_t>(random() >> pick(random, 1, 64 - 1)), by);
    check(multiple, by);
    if (multiple > 0) check(multiple - 1, by);
    check(largest, by);
  }
  for (int i = 0; i < 63; ++i) {
    for (index_t off = -2; off <= 2; ++off) {
      const index_t by = (index_t{1} << i) + off;
      for (int j = 0; by > 0 && j < 63; ++j) check((index_t{1} << j) - 1, by), check(index_t{1} << j, by);
    }
  }
  EXPECT_TRUE(compared.equal());
}

TEST(Index, indices_add_and_refuse_what_does_not_fit) {
  const Index<3> at(1, 2U, 3L);
  EXPECT_EQ(at + Extents<3>(10, 20, 30), Index<3>(11, 22, 33));
  EXPECT_EQ(at - Index<3>(1, 1, 1), Extents<3>(0, 1, 2));
  EXPECT_EQ(Extents<3>(2, 3, 4).size(), 24);
  EXPECT_EQ(Extents<2>(0, 4).size(), 0);
  EXPECT_EQ(Index<2>(), Index<2>(0, 0));
  EXPECT_THROW(Index<1>(std::numeric_limits<std::uint64_t>::max()), UsageError);
  EXPECT_EQ(Index<1>(std::uint64_t{1} << 62)[0], index_t{1} << 62);
}

// Their size() is the product, which would be far too many.
TEST(Extents, a_span_of_extents_has_one_number_for_each_dimension) {
  const Extents<3> extents(4, 5, 6);
  const std::span<const index_t> numbers = extents;
  EXPECT_EQ(numbers.size(), 3U);
  EXPECT_EQ(numbers.back(), 6);
}

TEST(Patch, patches_have_extents_elements_and_intersections) {
  EXPECT_EQ(Patch<2>::at({1, 2}, {3, 4}), (Patch<2>{{1, 2}, {4, 6}}));
  EXPECT_EQ(Patch<2>::inclusive({1, 2}, {3, 5}), (Patch<2>{{1, 2}, {4, 6}}));
  EXPECT_EQ(Patch<2>::whole({3, 4}), (Patch<2>{{0, 0}, {3, 4}}));
  const Patch<2> patch{{1, 2}, {4, 6}};
  EXPECT_EQ(patch.size(), 12);
  EXPECT_EQ(patch.extents(), Extents<2>(3, 4));
  EXPECT_TRUE(patch.contains({3, 5}));
  EXPECT_FALSE(patch.contains({4, 5}));
  EXPECT_FALSE(patch.contains({0, 5}));
  EXPECT_TRUE((Patch<2>{{1, 2}, {1, 6}}).empty());
  EXPECT_EQ((Patch<2>{{1, 2}, {0, 6}}).size(), 0);
  EXPECT_EQ(intersect(patch, Patch<2>{{2, 0}, {9, 3}}), (Patch<2>{{2, 2}, {4, 3}}));
  EXPECT_TRUE(intersect(patch, Patch<2>{{4, 0}, {9, 9}}).empty());
  EXPECT_EQ(intersect(patch, Patch<2>{{7, 0}, {9, 9}}).size(), 0);
}

TEST(View, strides_may_have_every_sign) {
  std::vector<int> data(24);
  std::iota(data.begin(), data.end(), 0);
  const View<int, 3> dense(data.data(), {2, 3, 4});
  EXPECT_EQ(dense(1, 2, 3), 23);
  EXPECT_EQ(dense(1, 0, 0), 12);
  EXPECT_EQ(dense.strides(), (std::array<index_t, 3>{12, 4, 1}));
  const View<int, 3> fortran(data.data(), {2, 3, 4}, dense_strides<3>({2, 3, 4}, StorageOrder::column_major));
  EXPECT_EQ(fortran(1, 2, 3), 23);
  EXPECT_EQ(fortran(1, 0, 0), 1);
  EXPECT_EQ(fortran(0, 0, 1), 6);
  const View<int, 2> backwards(&data[23], {4, 6}, {-6, -1});
  EXPECT_EQ(backwards(0, 0), 23);
  EXPECT_EQ(backwards(3, 5), 0);
  EXPECT_EQ(backwards.subview({{1, 2}, {3, 4}})(0, 0), 15);
  const View<const int, 2> constant = backwards;
  EXPECT_EQ(constant(1, 1), 16);
  EXPECT_EQ(constant.stride(0), -6);
  const View<int, 2> none;
  EXPECT_EQ(none.size(), 0);
  EXPECT_EQ(none.data_handle(), nullptr);
}

TEST(LocalArray, local_arrays_own_their_elements) {
  LocalArray<double, 2> a({3, 4});
  for (double x : a) EXPECT_EQ(x, 0);
  a(2, 3) = 7;
  a[{0, 1}] = 5;
  EXPECT_EQ(a.data()[11], 7);
  EXPECT_EQ(a.data()[1], 5);
  LocalArray<double, 2> b = a;
  b(2, 3) = 8;
  EXPECT_EQ(a(2, 3), 7);
  const LocalArray<double, 2> c = std::move(b);
  EXPECT_EQ(c(2, 3), 8);
  EXPECT_EQ((View<const double, 2>(c).extent(1)), 4);
  View<double, 2> view = a;
  view(1, 1) = 9;
  EXPECT_EQ(a(1, 1), 9);
  EXPECT_EQ((LocalArray<double, 2>({0, 4}).size()), 0);
}

TEST(LocalArray, extents_that_are_no_size_are_refused) {
  using Local = LocalArray<char, 2>;
  constexpr index_t k = index_t{1} << 32;
  EXPECT_THROW(Local({k, k}), UsageError);
  EXPECT_THROW(Local({k, k / 2}), UsageError);
  EXPECT_THROW(Local({-1, 4}), UsageError);
  EXPECT_THROW(Local({-1, -4}), UsageError);
  EXPECT_EQ(Local({0, k}).size(), 0);
}

// What of std::mdspan with layout_stride converts from and to views.
struct Matrix {
  struct extents_type {
    explicit extents_type(const std::array<index_t, 2>& e) : values(e) {}
    std::array<index_t, 2> values;
  };
  struct mapping_type {
    mapping_type(const extents_type& e, const std::array<index_t, 2>& s) : extents(e), strides(s) {}
    extents_type extents;
    std::array<index_t, 2> strides;
  };
  Matrix(double* p, const mapping_type& m) : data(p), mapping(m) {}
  static constexpr std::size_t rank() { return 2; }
  double* data_handle() const { return data; }
  index_t extent(std::size_t d) const { return mapping.extents.values[d]; }
  index_t stride(std::size_t d) const { return mapping.strides[d]; }
  double& operator()(index_t i, index_t j) const { return data[i * stride(0) + j * stride(1)]; }

  double* data;
  mapping_type mapping;
};

TEST(View, converts_to_an_mdspan_and_back) {
  LocalArray<double, 2> array({3, 4});
  for (index_t k = 0; k < 12; ++k) array.data()[k] = static_cast<double>(k);
  const auto corner = [](Matrix m) { return m(m.extent(0) - 1, m.extent(1) - 1); };
  EXPECT_EQ(corner(array.view()), 11);
  EXPECT_EQ(corner(array.view().subview({{0, 1}, {2, 3}})), 6);
  const View<double, 2> by_columns(array.data(), {4, 3}, {1, 4});
  const Matrix matrix = by_columns;
  EXPECT_EQ(matrix(1, 2), 9);
  const View<double, 2> back = matrix;
  EXPECT_EQ(back.strides(), by_columns.strides());
  EXPECT_EQ(back(3, 0), 3);
  static_assert(!std::is_convertible_v<View<const double, 2>, Matrix>);  // would drop const
  static_assert(!std::is_convertible_v<View<double, 3>, Matrix>);
}

}  // namespace
