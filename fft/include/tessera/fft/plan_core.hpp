// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>

#include <tessera/core/slice_core.hpp>
#include <tessera/fft/options.hpp>

namespace tessera::fft::detail {

/// From positions to frequencies, or back.
enum class Direction : std::uint8_t { forward, backward };

class PlanState;

/// A plan with run-time rank and element type, behind Transform<T, N>.
class PlanCore {
 public:
  /// `kind` is the type of the elements in space. @collective @throws UsageError on every rank for extents or
  /// dimensions that no transform has
  PlanCore(const Group& group, int rank, const index_t* dims, ElementKind kind, const Options& options);
  ~PlanCore();
  PlanCore(PlanCore&&) noexcept;
  PlanCore& operator=(PlanCore&&) noexcept;

  /// @collective @throws as Transform::forward
  void transform(Direction direction, const tessera::detail::SliceCore& in,
                 const tessera::detail::SliceCore& out);
  /// @collective @throws as Transform::tune
  void tune(const tessera::detail::SliceCore& in, const tessera::detail::SliceCore& out);

  /// @local @throws UsageError for a plan that was moved away
  const Group& group() const;
  const tessera::detail::Coordinates& dims() const;
  const tessera::detail::Coordinates& spectrum_dims() const;

 private:
  PlanState& state() const;

  std::unique_ptr<PlanState> state_;
};

}  // namespace tessera::fft::detail
