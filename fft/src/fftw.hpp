// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include <tessera/fft/options.hpp>
#include <tessera/runtime/types.hpp>

// FFTW's serial transforms. Only fftw.cpp calls the library.
namespace tessera::fft::fftw {

enum class Precision : std::uint8_t { single_precision, double_precision };
enum class Kind : std::uint8_t { forward, backward, real_to_complex, complex_to_real };
/// Whether the input is also the output, may be destroyed, or must be kept.
enum class Input : std::uint8_t { is_output, may_change, must_stay };

/// One dimension of a transform, or of a batch of transforms: its extent and strides, in elements of either
/// side.
struct Line {
  index_t extent, in_stride, out_stride;
  friend auto operator<=>(const Line&, const Line&) = default;
};

inline constexpr std::size_t most_lines = 3;

/// A batch of transforms in local memory. For real arrays the last of the transformed lines is the one that is
/// shorter in the spectrum.
struct Problem {
  Precision precision{};
  Kind kind{};
  Input input{};
  Effort effort{};
  std::size_t transformed = 0, batched = 0;
  std::array<Line, most_lines> transforms{}, batch{};
  std::size_t in_alignment = 0, out_alignment = 0;
  friend auto operator<=>(const Problem&, const Problem&) = default;
};

/// The offset of an address from what FFTW calls aligned. @local
inline std::size_t alignment_of(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) % 16;
}

/// A plan of FFTW. @local
class Plan {
 public:
  virtual ~Plan() = default;
  /// Transforms memory that is aligned as the plan's problem says.
  virtual void execute(void* in, void* out) const noexcept = 0;

 protected:
  Plan() = default;
  Plan(const Plan&) = default;
  Plan& operator=(const Plan&) = default;
};

/// Makes a plan; does not touch the memory. Takes scratch memory for Effort::measure. @local
/// @throws std::bad_alloc, or Error if FFTW has no plan
std::unique_ptr<Plan> make_plan(const Problem& problem, void* in, void* out);

/// The plans made so far, one for each problem. @local
class Plans {
 public:
  /// @throws as make_plan
  const Plan& get(const Problem& problem, void* in, void* out);

 private:
  std::map<Problem, std::unique_ptr<Plan>> plans_;
};

}  // namespace tessera::fft::fftw
