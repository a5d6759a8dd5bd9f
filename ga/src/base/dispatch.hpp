// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>
#include <cstdint>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/types.hpp>

#include "format.hpp"

namespace tessera::detail {

/// Calls f with a value of the C++ type of an arithmetic kind. @throws UsageError for bytes. @local
template <class F>
decltype(auto) with_kind(ElementKind kind, std::string_view operation, F&& f) {
  switch (kind) {
    case ElementKind::int32:
      return f(std::int32_t{});
    case ElementKind::int64:
      return f(std::int64_t{});
    case ElementKind::float32:
      return f(float{});
    case ElementKind::float64:
      return f(double{});
    case ElementKind::complex64:
      return f(std::complex<float>{});
    case ElementKind::complex128:
      return f(std::complex<double>{});
    case ElementKind::bytes:
      break;
  }
  throw UsageError(formatted("{} needs one of the arithmetic types; these elements only move", operation));
}

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};

}  // namespace tessera::detail
