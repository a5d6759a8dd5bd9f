// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/checksum.hpp"

#define XXH_INLINE_ALL  // so that nothing but the header is needed
#include <xxhash.h>

namespace tessera::io::detail {

std::uint64_t checksum(std::span<const std::byte> bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}
std::uint64_t checksum(std::string_view text) noexcept { return checksum(std::as_bytes(std::span(text))); }

struct RunningChecksum::State {
  XXH3_state_t hash;
};

RunningChecksum::RunningChecksum() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->hash); }
RunningChecksum::~RunningChecksum() = default;
void RunningChecksum::add(std::span<const std::byte> bytes) noexcept {
  XXH3_64bits_update(&state_->hash, bytes.data(), bytes.size());
}
std::uint64_t RunningChecksum::value() const noexcept { return XXH3_64bits_digest(&state_->hash); }

}  // namespace tessera::io::detail
