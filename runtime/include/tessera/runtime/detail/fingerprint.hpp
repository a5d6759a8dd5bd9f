// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::detail {

/// A running hash (FNV-1a) of the arguments of a collective call, compared between ranks. @local
class Fingerprint {
 public:
  constexpr Fingerprint& add(std::uint64_t value) noexcept {
    for (int byte = 0; byte < 8; ++byte) mix(static_cast<unsigned char>(value >> (8 * byte)));
    return *this;
  }
  constexpr Fingerprint& add(std::int64_t value) noexcept { return add(static_cast<std::uint64_t>(value)); }
  constexpr Fingerprint& add(int value) noexcept { return add(static_cast<std::int64_t>(value)); }
  constexpr Fingerprint& add(std::string_view text) noexcept {
    for (char c : text) mix(static_cast<unsigned char>(c));
    return add(static_cast<std::uint64_t>(text.size()));
  }
  constexpr std::uint64_t value() const noexcept { return hash_; }

 private:
  constexpr void mix(unsigned char byte) noexcept { hash_ = (hash_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace tessera::detail
