// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

/// What libFuzzer calls with each input. An input fails if the process ends in it: by require(), a sanitizer,
/// or an exception that no target expects. @local
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tessera::fuzz {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process unless a condition holds. @local
inline void require(bool holds, const char* condition) {
  if (holds) return;
  std::fprintf(stderr, "This does not hold: %s\n", condition);
  std::abort();
}

/// Whether f() returns. False if it throws the documented exception, which must say something. Other exceptions
/// end the process. @local
template <class Documented, class F>
bool accepts(F&& f) {
  try {
    f();
    return true;
  } catch (const Documented& error) {
    require(!std::string_view(error.what()).empty(), "an error has a message");
    return false;
  }
}

/// Takes the text up to a separator, and the separator, from the front of `rest`. @local
inline std::string take(std::string& rest, char separator) {
  const std::size_t end = rest.find(separator);
  std::string first = rest.substr(0, end);
  rest.erase(0, end == std::string::npos ? end : end + 1);
  return first;
}

}  // namespace tessera::fuzz
