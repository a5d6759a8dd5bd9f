// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <type_traits>
#include <vector>

#include <tessera/core/arithmetic.hpp>
#include <tessera/core/operations.hpp>
#include <tessera/fused.hpp>

#include "base/dispatch.hpp"
#include "base/patch_text.hpp"
#include "format.hpp"

// Rows, columns and diagonals of matrices.
namespace tessera::detail {
namespace {

void require_matrix(std::string_view operation, const SliceCore& a) {
  if (a.rank() == 2) return;
  throw UsageError(formatted("{}: {} has {} dimensions, not 2", operation, a.description(), a.rank()));
}

void require_vector(std::string_view operation, const SliceCore& a, const SliceCore& v, index_t length) {
  if (v.rank() == 1 && v.extents()[0] == length) return;
  throw UsageError(formatted("{}: {} of extents {} does not fit {} of extents {}: it must have {} elements",
                             operation, v.description(), extents_text(v.extents().data(), v.rank()),
                             a.description(), extents_text(a.extents().data(), a.rank()), length));
}

index_t diagonal_length(const SliceCore& a) { return std::min(a.extents()[0], a.extents()[1]); }

// Elements [lo, hi) of a vector.
template <class T>
const T* fetch(const SliceCore& v, index_t lo, index_t hi, std::vector<T>& into) {
  into.resize(static_cast<std::size_t>(hi - lo));
  const index_t extent = hi - lo, stride = 1;
  v.get({{lo}, {hi}}, {into.data(), &extent, &stride});
  return into.data();
}

// Calls f(first element, distance, lo, hi) for the parts [lo, hi) of the diagonal that this rank owns.
template <class T, class F>
void for_each_diagonal(const SliceCore& a, F&& f) {
  a.for_each_piece_of(a.array().group().rank(), [&](const LocalPiece& piece) {
    const index_t lo = std::max(piece.box.lo[0], piece.box.lo[1]),
                  hi = std::min(piece.box.hi[0], piece.box.hi[1]);
    if (lo >= hi) return;
    auto* first = reinterpret_cast<T*>(piece.data);
    first += (lo - piece.box.lo[0]) * piece.strides[0] + (lo - piece.box.lo[1]) * piece.strides[1];
    f(first, piece.strides[0] + piece.strides[1], lo, hi);
  });
}

bool is_finite(double x) { return std::isfinite(x); }
bool is_finite(const std::complex<double>& x) { return is_finite(x.real()) && is_finite(x.imag()); }

template <class T>
T half_sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>((a & b) + ((a ^ b) >> 1));  // rounded down, and without overflow
  } else {
    const typename RealOf<T>::type half(0.5);
    const T sum = static_cast<T>((a + b) * half);
    return is_finite(sum) ? sum : static_cast<T>(a * half + b * half);  // a + b may be infinite
  }
}

}  // namespace

void scale_lines(const SliceCore& a, int dimension, const SliceCore& factors) {
  const char* name = dimension == 0 ? "scale_rows" : "scale_columns";
  require_matrix(name, a);
  begin_operation(name, {a, factors}, Shapes::any);
  require_vector(name, a, factors, a.extents()[static_cast<std::size_t>(dimension)]);
  require_apart(name, a, std::span(&factors, 1));
  const Outcome scaled([&] {
    with_kind(a.type().kind, name, [&]<class T>(T) {
      std::vector<T> fetched;
      a.for_each_piece_of(a.array().group().rank(), [&](const LocalPiece& piece) {
        const Box& box = piece.box;
        const auto d = static_cast<std::size_t>(dimension);
        const T* factor = fetch(factors, box.lo[d], box.hi[d], fetched);
        const std::size_t inner = piece.strides[1] <= piece.strides[0] ? 1 : 0, outer = 1 - inner;
        for (index_t i = 0; i < box.hi[outer] - box.lo[outer]; ++i) {
          T* x = reinterpret_cast<T*>(piece.data) + i * piece.strides[outer];
          const index_t step = piece.strides[inner];
          for (index_t j = 0; j < box.hi[inner] - box.lo[inner]; ++j)
            x[j * step] = product(x[j * step], factor[inner == d ? j : i]);
        }
      });
    });
  });
  end_operation(name, a, scaled);
}

void symmetrise(const SliceCore& a) {
  require_matrix("symmetrise", a);
  if (a.extents()[0] != a.extents()[1]) {
    throw UsageError(formatted("symmetrise: {} of extents {} is not square", a.description(),
                               extents_text(a.extents().data(), a.rank())));
  }
  begin_operation("symmetrise", {a});
  constexpr int order[] = {1, 0};
  const SliceCore turned = a.permuted(order);
  with_kind(a.type().kind, "symmetrise", [&]<class T>(T) {
    // The other half is written too, so all of it is fetched before any rank writes.
    std::vector<std::vector<T>> others;
    const int me = a.array().group().rank();
    const Outcome fetched([&] {
      a.for_each_piece_of(me, [&](const LocalPiece& piece) {
        const index_t extents[] = {piece.box.hi[0] - piece.box.lo[0], piece.box.hi[1] - piece.box.lo[1]};
        const index_t strides[] = {extents[1], 1};
        auto& other = others.emplace_back(static_cast<std::size_t>(extents[0] * extents[1]));
        turned.get(piece.box, {other.data(), extents, strides});
      });
    });
    fetched.agree_and_sync(a.array().group(), formatted("symmetrise of {}", a.description()));
    std::size_t next = 0;
    a.for_each_piece_of(me, [&](const LocalPiece& piece) {
      const T* other = others[next++].data();
      T* x = reinterpret_cast<T*>(piece.data);
      for (index_t i = 0; i < piece.box.hi[0] - piece.box.lo[0]; ++i) {
        for (index_t j = 0; j < piece.box.hi[1] - piece.box.lo[1]; ++j) {
          T& mine = x[i * piece.strides[0] + j * piece.strides[1]];
          mine = half_sum(mine, *other++);
        }
      }
    });
  });
  end_operation(a);
}

void get_diagonal(const SliceCore& a, const SliceCore& v) {
  require_matrix("get_diagonal", a);
  begin_operation("get_diagonal", {a, v}, Shapes::any);
  require_vector("get_diagonal", a, v, diagonal_length(a));
  require_apart("get_diagonal", v, std::span(&a, 1));
  with_kind(a.type().kind, "get_diagonal", [&]<class T>(T) {
    for_each_diagonal<T>(a, [&](const T* x, index_t step, index_t lo, index_t hi) {
      const index_t extent = hi - lo;
      v.put({{lo}, {hi}}, {x, &extent, &step});
    });
  });
  end_operation(v);
}

void change_diagonal(const SliceCore& a, Diagonal how, const SliceCore* v, const void* alpha) {
  const char* name = how == Diagonal::set ? "set_diagonal" : v != nullptr ? "add_diagonal" : "shift_diagonal";
  require_matrix(name, a);
  if (v != nullptr) {
    begin_operation(name, {a, *v}, Shapes::any);
    require_vector(name, a, *v, diagonal_length(a));
    require_apart(name, a, std::span(v, 1));
  } else {
    begin_operation(name, {a});
  }
  const Outcome changed([&] {
    with_kind(a.type().kind, name, [&]<class T>(T) {
      std::vector<T> fetched;
      const T constant = alpha == nullptr ? T{} : value<T>(alpha);
      for_each_diagonal<T>(a, [&](T* x, index_t step, index_t lo, index_t hi) {
        const T* values = v == nullptr ? nullptr : fetch(*v, lo, hi, fetched);
        for (index_t i = 0; i < hi - lo; ++i) {
          const T given = values == nullptr ? constant : values[i];
          x[i * step] = how == Diagonal::set ? given : sum(x[i * step], given);
        }
      });
    });
  });
  end_operation(name, a, changed);
}

FusedCore fuse(const SliceCore& slice, std::initializer_list<int> rows, std::initializer_list<int> columns) {
  std::vector<int> order(rows);
  order.insert(order.end(), columns);
  std::vector<int> sorted = order, all(static_cast<std::size_t>(slice.rank()));
  std::iota(all.begin(), all.end(), 0);
  std::sort(sorted.begin(), sorted.end());
  if (sorted != all) {
    throw UsageError(formatted("fused: list each of the dimensions 0 to {} of {} once, as a row or a column",
                               slice.rank() - 1, slice.description()));
  }
  return {slice.permuted(order.data()), static_cast<int>(rows.size())};
}

}  // namespace tessera::detail
