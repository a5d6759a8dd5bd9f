// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <string_view>

#include <tessera/runtime/types.hpp>

namespace tessera::io::detail {

/// A text of our own, read field by field as strictly as it was written: a number is digits that fit, without
/// signs or spaces. All @local; @throws IoError that quotes what is wrong, as a terminal may show it.
class Fields {
 public:
  Fields(std::string_view text, char separator) : rest_(text), separator_(separator) {}

  bool at_end() const noexcept { return rest_.empty(); }
  /// All that was not read yet.
  std::string_view rest() const noexcept { return rest_; }
  /// The next field.
  std::string_view next();
  /// What follows its name and a space.
  std::string_view next(std::string_view name);
  /// Numbers that are not negative.
  index_t count();
  index_t count(std::string_view name);
  std::int64_t number(std::string_view name);
  /// Sixteen digits.
  std::uint64_t checksum(std::string_view name);

 private:
  std::string_view rest_;
  char separator_;
};

}  // namespace tessera::io::detail
