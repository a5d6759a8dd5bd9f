// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>
#include <cstdint>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// Calls f with a zero of the C++ type that an arithmetic kind stands for. The caller handles bytes.
/// @throws LogicError for bytes. @local
template <class F>
decltype(auto) with_number(ElementKind kind, F&& f) {
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
  throw LogicError("an operation on numbers was given bytes");
}

}  // namespace tessera::detail
