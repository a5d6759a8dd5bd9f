// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "sparse/sparse_products.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/arithmetic.hpp>
#include <tessera/core/operand_walk.hpp>

#include "base/at.hpp"
#include "sparse/row_sums.hpp"
#include "sparse/sparse_assembly.hpp"

namespace tessera::detail {
namespace {

using Range = SparsePattern::Range;

Patch<1> patch_of(const Range& range) { return {{range.begin}, {range.end}}; }

template <class T>
View<T, 1> view_of(std::span<T> elements) {
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

// This rank's elements of a vector: in place, or as a copy.
template <class T>
class OwnPart {
 public:
  // Reads a copy if `is_read`. Elements in place are accessed as long as this lives.
  OwnPart(const Range& range, const Array<T, 1>& vector, bool in_place, bool is_read, ArrayCore::Access access)
      : range_(range) {
    if (in_place) {
      data_ = own_elements(vector);
      const index_t count = range.size(), dense = 1;
      if (vector.core().segment().face().checked != 0) {
        checked_ = std::make_unique<const CheckedAccess>(
            vector.core(), ArrayCore::Stored{data_, 1, &count, &dense, sizeof(T)}, access);
      }
      return;
    }
    copy_.resize(at(range.size()));
    data_ = copy_.data();
    if (is_read) vector.get(patch_of(range), view_of(std::span<T>(copy_)));
  }
  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  void put_back_to(Array<T, 1>& vector) {
    if (!copy_.empty()) vector.put(patch_of(range_), view_of(std::span<T>(copy_)));
  }

 private:
  Range range_;
  std::vector<T> copy_;
  T* data_;
  std::unique_ptr<const CheckedAccess> checked_;
};

// y = alpha A x + beta y for some rows that are alike. A factor of 1 is left out, as it would turn infinite
// complex numbers into NaN.
template <std::size_t alike, class T>
void multiply_alike(const SparseRows<T>& a, index_t i, T alpha, const T* factors, T beta, T* y) {
  const index_t k = a.pattern.begins.data()[i], count = a.pattern.begins.data()[i + 1] - k;
  const auto totals = row_sums<alike>(a.values.data() + k, a.pattern.places.data() + k, count, factors);
  using S = sum_t<T>;
  for (const S total : totals) {
    const S scaled = alpha == T{1} ? total : product(static_cast<S>(alpha), total);
    // With a beta of 0, not even signalling NaN is read.
    const S old = beta == T{0} ? S{0} : static_cast<S>(y[i]);
    y[i] = static_cast<T>(beta == T{0} ? scaled
                                       : sum(scaled, beta == T{1} ? old : product(static_cast<S>(beta), old)));
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
void multiply_columns(const SparseRows<T>& a, const std::vector<Range>& rows, const T* x, sum_t<T>* sums) {
  using S = sum_t<T>;
  const index_t* begins = a.pattern.begins.data();
  for (const Range& some : rows) {
    for (index_t i = some.begin; i < some.end; ++i) {
      for (index_t k = begins[i]; k < begins[i + 1]; ++k) {
        const T value = conjugated == Conjugated::yes ? conjugate(a.values[at(k)]) : a.values[at(k)];
        S& to = sums[a.pattern.places[at(k)]];
        to = sum(to, product(static_cast<S>(value), static_cast<S>(x[i])));
      }
    }
  }
}

// Sums that are rounded to elements at the end.
template <class T>
class RoundedSums {
 public:
  explicit RoundedSums(index_t count) : sums_(at(count)) {
    if constexpr (is_rounded) elements_.resize(at(count));
  }
  sum_t<T>* data() noexcept { return sums_.data(); }
  // As the sums are now.
  std::span<T> elements() {
    if constexpr (is_rounded) {
      std::transform(sums_.begin(), sums_.end(), elements_.begin(),
                     [](const sum_t<T>& sum) { return static_cast<T>(sum); });
      return elements_;
    } else {
      return sums_;
    }
  }

 private:
  static constexpr bool is_rounded = !std::is_same_v<T, sum_t<T>>;
  std::vector<sum_t<T>> sums_;
  std::vector<T> elements_;  // if they are of another type
};

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
  const bool apart = !SliceCore(x.core()).may_overlap(y.core()),
             x_in_place = is_in_place(x, pattern.column_layout),
             y_in_place = apart && is_in_place(y, pattern.row_layout);
  const auto own_parts = [&] {
    return std::pair{OwnPart<T>(pattern.own_columns, x, x_in_place, true, ArrayCore::Access::read),
                     OwnPart<T>(pattern.own_rows, y, y_in_place, beta != T{0}, ArrayCore::Access::write)};
  };
  auto [factors, results] =
      x_in_place && y_in_place ? own_parts() : made_in_memory(y.group(), "multiply", own_parts);
  const std::byte* const border = a.border.start(pattern, reinterpret_cast<const std::byte*>(factors.data()));
  multiply_rows(a, pattern.inner, alpha, std::as_const(factors).data(), beta, results.data());
  a.border.wait();
  multiply_rows(a, pattern.border, alpha, reinterpret_cast<const T*>(border), beta, results.data());
  if (!apart) y.group().barrier();  // others may still read x
  results.put_back_to(y);
}

template <class T>
void multiply_transposed(const SparseRows<T>& a, Conjugated conjugated, T alpha, const Array<T, 1>& x, T beta,
                         Array<T, 1>& y) {
  const SparsePattern& pattern = a.pattern;
  const Group& group = y.group();
  const bool in_place = !SliceCore(x.core()).may_overlap(y.core()) && is_in_place(x, pattern.row_layout);
  std::optional<RoundedSums<T>> own, border;
  // When all have agreed, y may be changed, which may be x.
  const auto factors = made_in_memory(group, "multiply_transposed", [&] {
    own.emplace(pattern.own_columns.size());
    border.emplace(std::ssize(pattern.border_columns));
    return OwnPart<T>(pattern.own_rows, x, in_place, true, ArrayCore::Access::read);
  });
  scale_own(beta, y);
  y.core().complete_and_order();
  group.barrier();  // from here on others add to these elements
  const auto multiply_some = [&](const std::vector<Range>& rows, sum_t<T>* sums) {
    conjugated == Conjugated::yes ? multiply_columns<Conjugated::yes>(a, rows, factors.data(), sums)
                                  : multiply_columns<Conjugated::no>(a, rows, factors.data(), sums);
  };
  // Sums for other ranks first, so that they travel while the inner rows are multiplied.
  multiply_some(pattern.border, border->data());
  const std::span<const T> sent = border->elements();
  for (const Range& some : others(pattern))
    y.scatter_acc(positions(pattern, some), sent.subspan(at(some.begin), at(some.size())), alpha);
  multiply_some(pattern.inner, own->data());
  for (index_t k = pattern.own_border.begin; k < pattern.own_border.end; ++k) {
    sum_t<T>& to = own->data()[pattern.border_columns[at(k)] - pattern.own_columns.begin];
    to = sum(to, border->data()[k]);
  }
  y.acc(patch_of(pattern.own_columns), view_of(own->elements()), alpha);
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
