// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace tessera::io::detail {

/// The XXH3 checksum (64 bits) of all bytes at once. @local
std::uint64_t checksum(std::span<const std::byte> bytes) noexcept;
std::uint64_t checksum(std::string_view text) noexcept;

/// The same checksum of bytes that come in parts. @local
class RunningChecksum {
 public:
  RunningChecksum();
  ~RunningChecksum();
  void add(std::span<const std::byte> bytes) noexcept;
  std::uint64_t value() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::io::detail
