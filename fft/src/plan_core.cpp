// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/fft/plan_core.hpp>

#include "plan_state.hpp"

namespace tessera::fft::detail {

PlanCore::PlanCore(const Group& group, int rank, const index_t* dims, ElementKind kind, const Options& options)
    : state_(std::make_unique<PlanState>(group, rank, dims, kind, options)) {}
PlanCore::~PlanCore() = default;
PlanCore::PlanCore(PlanCore&&) noexcept = default;
PlanCore& PlanCore::operator=(PlanCore&&) noexcept = default;

PlanState& PlanCore::state() const {
  if (!state_) throw UsageError("fft::Transform: the plan was moved away; make another one");
  return *state_;
}

void PlanCore::transform(Direction direction, const SliceCore& in, const SliceCore& out) {
  state().transform(direction, in, out);
}
void PlanCore::tune(const SliceCore& in, const SliceCore& out) { state().tune(in, out); }

const Group& PlanCore::group() const { return state().group(); }
const Coordinates& PlanCore::dims() const { return state().dims(); }
const Coordinates& PlanCore::spectrum_dims() const { return state().spectrum_dims(); }

}  // namespace tessera::fft::detail
