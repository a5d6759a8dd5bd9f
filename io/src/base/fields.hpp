// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <string_view>

#include <tessera/runtime/types.hpp>

namespace tessera::io::detail {

/// Reads a text that Tessera wrote, field by field, and accepts only what Tessera writes. A number is digits
/// that fit its type, without a plus sign or spaces. All @local; @throws IoError that quotes what is wrong,
/// safe for a terminal.
class Fields {
 public:
  Fields(std::string_view text, char separator) : rest_(text), separator_(separator) {}

  bool at_end() const noexcept { return rest_.empty(); }
  /// All that was not read yet.
  std::string_view rest() const noexcept { return rest_; }
  /// The next field.
  std::string_view next();
  /// The next field, which begins with `name` and a space. Returns what follows them.
  std::string_view next(std::string_view name);
  /// The next field as a number. Counts are not negative.
  index_t count();
  index_t count(std::string_view name);
  std::int64_t number(std::string_view name);
  /// A number of 64 bits in hexadecimal digits.
  std::uint64_t checksum(std::string_view name);

 private:
  std::string_view rest_;
  char separator_;
};

}  // namespace tessera::io::detail
