// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <tessera/core/agreed.hpp>
#include <tessera/runtime/error.hpp>

#include "format.hpp"

namespace tessera::detail {

/// As made_by_all, but missing memory is Tessera's error. @collective @throws MemoryError on every member
template <class Make>
auto made_in_memory(const Group& group, std::string_view call, Make&& make) {
  return made_by_all(group, call, [&] {
    constexpr const char* problem = "{}: this rank has too little memory for its part";
    try {
      return make();
    } catch (const std::bad_alloc&) {
      throw MemoryError(formatted(problem, call));
    } catch (const std::length_error&) {
      throw MemoryError(formatted(problem, call));
    }
  });
}

}  // namespace tessera::detail
