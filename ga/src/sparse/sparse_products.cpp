// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "sparse/sparse_products.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <vector>

#include <tessera/core/arithmetic.hpp>
#include <tessera/core/operand_walk.hpp>

#include "base/at.hpp"
#include "sparse/row_sums.hpp"

namespace tessera::detail {
namespace {

using Range = SparsePattern::Range;

Patch<1> patch_of(const Range& range) { return {{range.begin}, {range.end}}; }

template <class T>
View<T, 1> view_of(std::vector<T>& elements) {
  return {elements.data(), Extents<1>(std::ssize(elements))};
}

// Whether a vector's elements are stored as a pattern expects: each rank's own ones are one dense piece.
template <class T>
bool is_in_place(const Array<T, 1>& vector, const Layout<1>& layout) {
  return vector.core().layout() == layout.core();
}

template <class T>
T* own_elements(const Array<T, 1>& vector) {
  return static_cast<T*>(vector.core().local_data());
}

// Border columns as positions in a vector.
std::span<const Index<1>> positions(const SparsePattern& pattern, const Range& places) {
  static_assert(sizeof(Index<1>) == sizeof(index_t));
  return {reinterpret_cast<const Index<1>*>(pattern.border_columns.data()) + places.begin, at(places.size())};
}

// The places of border columns that this rank does not own.
std::array<Range, 2> others(const SparsePattern& pattern) {
  return {Range{0, pattern.own_border.begin},
          Range{pattern.own_border.end, std::ssize(pattern.border_columns)}};
}

// The elements of x that this rank's rows need. Those of other ranks are on their way until wait().
template <class T>
class Factors {
 public:
  Factors(const SparseRows<T>& a, const Array<T, 1>& x) : exchange_(a.border) {
    const SparsePattern& pattern = a.pattern;
    if (is_in_place(x, pattern.column_layout)) {
      own_ = own_elements(x);
    } else {
      fetched_.resize(at(pattern.own_columns.size()));
      own_ = fetched_.data();
      x.get(patch_of(pattern.own_columns), view_of(fetched_));
    }
    border_ = reinterpret_cast<const T*>(exchange_.start(pattern, reinterpret_cast<const std::byte*>(own_)));
  }
  void wait() { exchange_.wait(); }

  /// Where the places of inner rows and of border rows point to.
  const T* for_inner() const noexcept { return own_; }
  const T* for_border() const noexcept { return border_; }

 private:
  BorderExchange& exchange_;
  const T *own_, *border_;
  std::vector<T> fetched_;
};

// This rank's elements of y, which a product changes: in place, or as a copy that is put back.
template <class T>
class Results {
 public:
  Results(const Range& own, const Layout<1>& layout, T beta, Array<T, 1>& y, bool may_be_in_place)
      : own_(own), y_(y) {
    if (may_be_in_place && is_in_place(y, layout)) {
      data_ = own_elements(y);
      return;
    }
    copy_.resize(at(own.size()));
    data_ = copy_.data();
    if (beta != T{0}) y.get(patch_of(own), view_of(copy_));
  }
  T* data() noexcept { return data_; }
  void put_back() {
    if (!copy_.empty()) y_.put(patch_of(own_), view_of(copy_));
  }

 private:
  Range own_;
  Array<T, 1>& y_;
  T* data_;
  std::vector<T> copy_;
};

// y = alpha A x + beta y for some rows that are alike. A factor of 1 is left out, as it would turn infinite
// complex numbers into NaN.
template <std::size_t alike, class T>
void multiply_alike(const SparseRows<T>& a, index_t i, T alpha, const T* factors, T beta, T* y) {
  const index_t k = a.pattern.begins.data()[i], count = a.pattern.begins.data()[i + 1] - k;
  const auto totals = row_sums<alike>(a.values.data() + k, a.pattern.places.data() + k, count, factors);
  for (const T total : totals) {
    const T scaled = alpha == T{1} ? total : product(alpha, total);
    y[i] = beta == T{0} ? scaled : sum(scaled, beta == T{1} ? y[i] : product(beta, y[i]));
    ++i;
  }
}

template <class T>
void multiply_rows(const SparseRows<T>& a, const std::vector<Range>& rows, T alpha, const T* factors, T beta,
                   T* y) {
  static_assert(SparsePattern::max_alike == 4);
  const std::uint8_t* const alike = a.pattern.alike.data();
  for (const Range& some : rows) {
    for (index_t i = some.begin; i < some.end; i += alike[i]) {
      switch (alike[i]) {
        case 4:
          multiply_alike<4>(a, i, alpha, factors, beta, y);
          break;
        case 3:
          multiply_alike<3>(a, i, alpha, factors, beta, y);
          break;
        case 2:
          multiply_alike<2>(a, i, alpha, factors, beta, y);
          break;
        default:
          multiply_alike<1>(a, i, alpha, factors, beta, y);
      }
    }
  }
}

// sums += (A^T or A^H) x for some of the rows.
template <Conjugated conjugated, class T>
void multiply_columns(const SparseRows<T>& a, const std::vector<Range>& rows, const T* x, T* sums) {
  const index_t* begins = a.pattern.begins.data();
  for (const Range& some : rows) {
    for (index_t i = some.begin; i < some.end; ++i) {
      for (index_t k = begins[i]; k < begins[i + 1]; ++k) {
        const T value = conjugated == Conjugated::yes ? conjugate(a.values[at(k)]) : a.values[at(k)];
        T& to = sums[a.pattern.places[at(k)]];
        to = sum(to, product(value, x[i]));
      }
    }
  }
}

// Multiplies this rank's own elements by beta. If it is 0, they are not read.
template <class T>
void scale_own(T beta, Array<T, 1>& y) {
  if (beta == T{1}) return;
  for_each_run(y.core(), {}, [beta](const ElementRun& run) {
    apply<T>(run, [beta](T& e) { e = beta == T{0} ? T{0} : product(beta, e); });
  });
}

}  // namespace

template <class T>
void multiply(const SparseRows<T>& a, T alpha, const Array<T, 1>& x, T beta, Array<T, 1>& y) {
  const SparsePattern& pattern = a.pattern;
  const bool apart = &x.core() != &y.core();
  Factors<T> factors(a, x);
  Results<T> results(pattern.own_rows, pattern.row_layout, beta, y, apart);
  multiply_rows(a, pattern.inner, alpha, factors.for_inner(), beta, results.data());
  factors.wait();
  multiply_rows(a, pattern.border, alpha, factors.for_border(), beta, results.data());
  if (!apart) y.group().barrier();  // others may still read x
  results.put_back();
}

template <class T>
void multiply_transposed(const SparseRows<T>& a, Conjugated conjugated, T alpha, const Array<T, 1>& x, T beta,
                         Array<T, 1>& y) {
  const SparsePattern& pattern = a.pattern;
  const Group& group = y.group();
  std::vector<T> copy, own(at(pattern.own_columns.size())), border(pattern.border_columns.size());
  const T* factors = nullptr;
  if (&x.core() != &y.core() && is_in_place(x, pattern.row_layout)) {
    factors = own_elements(x);
  } else {
    copy.resize(at(pattern.own_rows.size()));
    x.get(patch_of(pattern.own_rows), view_of(copy));
    factors = copy.data();
    group.barrier();  // y may be x
  }
  scale_own(beta, y);
  y.core().order_local_access();
  group.barrier();  // from here on others add to these elements
  const auto multiply_some = [&](const std::vector<Range>& rows, T* sums) {
    conjugated == Conjugated::yes ? multiply_columns<Conjugated::yes>(a, rows, factors, sums)
                                  : multiply_columns<Conjugated::no>(a, rows, factors, sums);
  };
  // Sums for other ranks first, so that they travel while the inner rows are multiplied.
  multiply_some(pattern.border, border.data());
  for (const Range& some : others(pattern))
    y.scatter_acc(positions(pattern, some), std::span<const T>(border).subspan(at(some.begin), at(some.size())),
                  alpha);
  multiply_some(pattern.inner, own.data());
  for (index_t k = pattern.own_border.begin; k < pattern.own_border.end; ++k) {
    T& to = own[at(pattern.border_columns[at(k)] - pattern.own_columns.begin)];
    to = sum(to, border[at(k)]);
  }
  y.acc(patch_of(pattern.own_columns), view_of(own), alpha);
}

#define TESSERA_SPARSE_PRODUCTS(T)                                                      \
  template void multiply(const SparseRows<T>&, T, const Array<T, 1>&, T, Array<T, 1>&); \
  template void multiply_transposed(const SparseRows<T>&, Conjugated, T, const Array<T, 1>&, T, Array<T, 1>&)
TESSERA_SPARSE_PRODUCTS(std::int32_t);
TESSERA_SPARSE_PRODUCTS(std::int64_t);
TESSERA_SPARSE_PRODUCTS(float);
TESSERA_SPARSE_PRODUCTS(double);
TESSERA_SPARSE_PRODUCTS(std::complex<float>);
TESSERA_SPARSE_PRODUCTS(std::complex<double>);
#undef TESSERA_SPARSE_PRODUCTS

}  // namespace tessera::detail
