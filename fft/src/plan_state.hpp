// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include <tessera/core/array_core.hpp>
#include <tessera/fft/plan_core.hpp>

#include "stage_run.hpp"

namespace tessera::fft::detail {

/// What a PlanCore owns: the problem, the choices made for it, plans of FFTW, and memory.
class PlanState {
 public:
  /// @collective @throws as PlanCore
  PlanState(const Group& group, int rank, const index_t* dims, ElementKind kind, const Options& options);

  /// @collective @throws as PlanCore
  void transform(Direction direction, const SliceCore& in, const SliceCore& out);
  void tune(const SliceCore& space, const SliceCore& spectrum);

  const Group& group() const noexcept { return group_; }
  const Coordinates& dims() const noexcept { return dims_; }
  const Coordinates& spectrum_dims() const noexcept { return spectrum_dims_; }

 private:
  using Stages = std::vector<DimensionSet>;
  /// The direction, and the dimensions that blocks of the input and of the output have from end to end.
  using Case = std::tuple<Direction, DimensionSet, DimensionSet>;

  bool is_real() const noexcept { return halved_ >= 0; }
  tessera::detail::ElementType space_type() const noexcept { return {kind_, size_of(kind_)}; }
  tessera::detail::ElementType spectrum_type() const noexcept;
  void read_dimensions(const std::vector<int>& listed);
  void tune_for_blocks();

  void begin(std::string_view call, Direction direction, const SliceCore& in, const SliceCore& out) const;
  Case case_of(Direction direction, const SliceCore& in, const SliceCore& out) const;
  Stages stages(const Case& situation, Decomposition decomposition) const;
  void run(std::string_view call, const Case& situation, const Stages& stages, const SliceCore& in,
           const SliceCore& out);
  SliceCore temporary_like(const SliceCore& in);
  double seconds(const Case& situation, const Stages& stages, const SliceCore& in, const SliceCore& out);

  Group group_;
  int rank_;
  ElementKind kind_;
  Effort effort_;
  Decomposition decomposition_;
  Coordinates dims_{}, spectrum_dims_{};
  DimensionSet transformed_ = 0;
  int halved_ = -1;  // the dimension that is shorter in the spectrum; -1 for complex elements
  std::map<Case, Stages> measured_;
  fftw::Plans plans_;
  ChunkBuffers buffers_;
  std::optional<tessera::detail::ArrayCore> temporary_;
};

}  // namespace tessera::fft::detail
