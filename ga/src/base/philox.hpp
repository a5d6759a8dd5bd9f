// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

// Random numbers that are a function of a seed and a counter. Any process can compute any of them. Philox
// 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers, as easy as 1, 2, 3; SC11).
namespace tessera::detail {

/// Two words of 64 random bits. @local
inline std::array<std::uint64_t, 2> philox(std::uint64_t seed, std::uint64_t counter) noexcept {
  auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  std::array<std::uint32_t, 4> x{low(counter), high(counter), 0, 0};
  std::uint32_t key[2] = {low(seed), high(seed)};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * x[0], b = std::uint64_t{0xCD9E8D57} * x[2];
    x = {high(b) ^ x[1] ^ key[0], low(b), high(a) ^ x[3] ^ key[1], low(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return {std::uint64_t{x[0]} << 32 | x[1], std::uint64_t{x[2]} << 32 | x[3]};
}

/// A number in [low, high) for reals, in [low, high] for integers; likewise both parts of a complex number.
/// @local
template <class T>
T uniform(const std::array<std::uint64_t, 2>& bits, T low, T high) noexcept {
  if constexpr (std::is_integral_v<T>) {
    const auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const auto scaled = static_cast<unsigned __int128>(bits[0]) * (static_cast<unsigned __int128>(width) + 1);
    return static_cast<T>(static_cast<std::uint64_t>(low) + static_cast<std::uint64_t>(scaled >> 64));
  } else if constexpr (std::is_floating_point_v<T>) {
    // As many bits as the mantissa holds, so that 1 is never reached.
    const T unit = std::is_same_v<T, float> ? static_cast<T>(bits[0] >> 40) * static_cast<T>(0x1p-24)
                                            : static_cast<T>(bits[0] >> 11) * static_cast<T>(0x1p-53);
    const T width = high - low;
    if (width <= std::numeric_limits<T>::max()) {
      const T number = low + unit * width;
      return number < high ? number : low;
    }
    // The width overflows, but half of it does not.
    const T half = unit * (high / 2 - low / 2), number = low + half + half;
    return number < high ? number : low;
  } else {
    using R = typename T::value_type;
    return {uniform<R>({bits[0], 0}, low.real(), high.real()),
            uniform<R>({bits[1], 0}, low.imag(), high.imag())};
  }
}

}  // namespace tessera::detail
