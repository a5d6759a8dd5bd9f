// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string_view>

#include <tessera/runtime/detail/with_number.hpp>
#include <tessera/runtime/error.hpp>

#include "format.hpp"

namespace tessera::detail {

/// Calls f with a value of the C++ type of an arithmetic kind. @throws UsageError for bytes. @local
template <class F>
decltype(auto) with_kind(ElementKind kind, std::string_view operation, F&& f) {
  if (kind == ElementKind::bytes) {
    throw UsageError(formatted("{} needs one of the arithmetic types; these elements only move", operation));
  }
  return with_number(kind, f);
}

}  // namespace tessera::detail
