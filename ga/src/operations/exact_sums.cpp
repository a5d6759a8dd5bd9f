// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/core/operations.hpp>

#include "base/dispatch.hpp"
#include "base/exact_sum.hpp"

namespace tessera::detail {
namespace {

double total(const SliceCore& of, ExactSum& own) {
  of.array().group().all_reduce(own.words(), Reduce::sum);
  return own.value();
}

template <class F>
void with_real(const SliceCore& x, std::string_view name, F&& f) {
  with_kind(x.type().kind, name, [&]<class T>(T value) {
    if constexpr (std::is_arithmetic_v<T>) f(value);
  });
}

}  // namespace

double exact_sum(const SliceCore& x) {
  begin_operation("exact_sum", {x});
  ExactSum own;
  with_real(x, "exact_sum", [&]<class T>(T) {
    for_each_run(x, {}, [&](const ElementRun& run) {
      const T* u = static_cast<const T*>(run.data[0]);
      for (index_t i = 0; i < run.count; ++i) own.add(static_cast<double>(u[i * run.strides[0]]));
    });
  });
  return total(x, own);
}

double exact_dot(const SliceCore& x, const SliceCore& y) {
  begin_operation("exact_dot", {x, y});
  ExactSum own;
  with_real(x, "exact_dot", [&]<class T>(T) {
    for_each_run(x, std::span(&y, 1), [&](const ElementRun& run) {
      const T *u = static_cast<const T*>(run.data[0]), *v = static_cast<const T*>(run.data[1]);
      for (index_t i = 0; i < run.count; ++i)
        own.add_product(static_cast<double>(u[i * run.strides[0]]), static_cast<double>(v[i * run.strides[1]]));
    });
  });
  return total(x, own);
}

}  // namespace tessera::detail
