// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "plan_state.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <span>
#include <string>

#include <tessera/core/agreed.hpp>
#include <tessera/core/operations.hpp>
#include <tessera/layout.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>

#include "format.hpp"

namespace tessera::fft::detail {
namespace {

using tessera::detail::ArrayCore;
using tessera::detail::LayoutCore;

std::string text(const Coordinates& extents, int rank) {
  return joined(std::span(extents.data(), at(rank)), " x ");
}

// The dimensions that all ranks' blocks of a slice have from end to end.
DimensionSet whole_in(const SliceCore& slice) {
  DimensionSet whole = ~DimensionSet{0};
  for (int r = 0; r < slice.array().group().size(); ++r) {
    slice.for_each_piece_of(r, [&](const LocalPiece& piece) {
      for (int d = 0; d < slice.rank(); ++d) {
        if (extent(piece.box, d) < slice.extents()[at(d)]) whole &= ~only(d);
      }
    });
  }
  return whole;
}

const char* name_of(Direction direction) {
  return direction == Direction::forward ? "fft forward" : "fft backward";
}

// Makes what a stage has written visible to all. What other nodes have of it came in messages, so ranks that
// are alone on their nodes have all that they need. @collective
void between_stages(const SliceCore& written) {
  const Group& group = written.array().group();
  if (group.size() > 1 && group.node_count() == group.size()) return;
  written.array().complete_and_order();
  written.array().group().sync();
  written.array().order_local_access();
}

}  // namespace

PlanState::PlanState(const Group& group, int rank, const index_t* dims, ElementKind kind,
                     const Options& options)
    : group_(group), rank_(rank), kind_(kind), effort_(options.effort), decomposition_(options.decomposition) {
  std::copy_n(dims, rank, dims_.begin());
  tessera::detail::Fingerprint print;
  for (int d = 0; d < rank; ++d) print.add(dims_[at(d)]);
  for (const int d : options.dimensions) print.add(d);
  print.add(static_cast<int>(kind)).add(static_cast<int>(effort_)).add(static_cast<int>(decomposition_));
  group.check_agreement("fft::Transform", print.value());
  for (int d = 0; d < rank; ++d) {
    if (dims_[at(d)] < 0) {
      throw UsageError(
          formatted("fft::Transform: the extents {} are negative along dimension {}", text(dims_, rank), d));
    }
  }
  read_dimensions(options.dimensions);
  if (group.node_count() > 1) buffers_.mails.emplace(group);
  spectrum_dims_ = dims_;
  if (is_real()) {
    index_t& shorter = spectrum_dims_[at(halved_)];
    shorter = shorter == 0 ? 0 : shorter / 2 + 1;
  }
  const bool is_empty = std::find(dims, dims + rank, 0) != dims + rank;
  if (effort_ == Effort::measure && decomposition_ == Decomposition::automatic && !is_empty) tune_for_blocks();
}

void PlanState::read_dimensions(const std::vector<int>& listed) {
  for (const int d : listed) {
    if (d < 0 || d >= rank_) {
      throw UsageError(
          formatted("fft::Transform: there is no dimension {}; arrays of extents {} have dimensions 0 to {}", d,
                    text(dims_, rank_), rank_ - 1));
    }
    if (contains(transformed_, only(d)))
      throw UsageError(
          formatted("fft::Transform: dimension {} is listed twice in {}", d, joined(listed, ", ")));
    transformed_ |= only(d);
  }
  if (listed.empty()) transformed_ = only(rank_) - 1;
  if (kind_ == ElementKind::float32 || kind_ == ElementKind::float64)
    halved_ = listed.empty() ? rank_ - 1 : listed.back();
}

tessera::detail::ElementType PlanState::spectrum_type() const noexcept {
  const bool is_single = kind_ == ElementKind::float32 || kind_ == ElementKind::complex64;
  const ElementKind kind = is_single ? ElementKind::complex64 : ElementKind::complex128;
  return {kind, size_of(kind)};
}

void PlanState::tune_for_blocks() {
  const auto blocked = [&](const Coordinates& dims) {
    const Coordinates least{};
    const std::array<bool, at(max_rank)> periodic{};
    return tessera::detail::make_blocked(rank_, dims.data(), group_.size(), least.data(), nullptr,
                                         periodic.data());
  };
  const ArrayCore space(group_, blocked(dims_), space_type(), {.name = "space of fft::Transform"});
  const ArrayCore spectrum(group_, blocked(spectrum_dims_), spectrum_type(),
                           {.name = "spectrum of fft::Transform"});
  tune(space, spectrum);
}

// The checks of a call, before it moves anything.
void PlanState::begin(std::string_view call, Direction direction, const SliceCore& in,
                      const SliceCore& out) const {
  const std::array both{in, out};
  tessera::detail::require_same_operands(call, both, tessera::detail::Shapes::any, tessera::detail::Types::any);
  if (!(in.array().group() == group_))
    throw UsageError(formatted("{}: {} is of another group than the plan", call, in.description()));
  const bool forward = direction == Direction::forward;
  const auto require = [&](const SliceCore& slice, std::string_view part, const Coordinates& dims,
                           const tessera::detail::ElementType& type) {
    if (slice.type() != type) {
      throw UsageError(formatted("{}: {} is of {}; the plan's {} is of {}", call, slice.description(),
                                 to_string(slice.type()), part, to_string(type)));
    }
    if (slice.rank() != rank_ || !std::equal(dims.begin(), dims.begin() + rank_, slice.extents().begin())) {
      throw UsageError(formatted("{}: {} has extents {}; the plan's {} has {}", call, slice.description(),
                                 text(slice.extents(), slice.rank()), part, text(dims, rank_)));
    }
  };
  require(forward ? in : out, "array in space", dims_, space_type());
  require(forward ? out : in, "spectrum", spectrum_dims_, spectrum_type());
  tessera::detail::require_apart(call, out, {&in, 1});
}

PlanState::Case PlanState::case_of(Direction direction, const SliceCore& in, const SliceCore& out) const {
  return {direction, whole_in(in) & transformed_, whole_in(out) & transformed_};
}

PlanState::Stages PlanState::stages(const Case& situation, Decomposition decomposition) const {
  const auto& [direction, whole_in, whole_out] = situation;
  // Transforms from complex to real are those from real to complex, from the last stage to the first.
  const bool reversed = is_real() && direction == Direction::backward;
  Stages all = stages_for({.rank = rank_,
                           .extents = spectrum_dims_,
                           .transformed = transformed_,
                           .first = halved_,
                           .whole_in = reversed ? whole_out : whole_in,
                           .whole_out = reversed ? whole_in : whole_out,
                           .ranks = group_.size(),
                           .element_size = spectrum_type().size,
                           .decomposition = decomposition});
  if (reversed) std::reverse(all.begin(), all.end());
  return all;
}

SliceCore PlanState::temporary_like(const SliceCore& in) {
  const Coordinates none{};
  const std::array<bool, at(max_rank)> periodic{};
  LayoutCore layout = in.is_whole() ? in.array().layout()
                                    : tessera::detail::make_blocked(rank_, spectrum_dims_.data(), group_.size(),
                                                                    none.data(), nullptr, periodic.data());
  if (layout.has_ghosts()) layout = layout.with_ghosts(none.data());
  if (!temporary_ || !(temporary_->layout() == layout)) {
    temporary_.reset();
    temporary_.emplace(group_, layout, spectrum_type(),
                       tessera::detail::CoreOptions{.name = "temporary of fft::Transform"});
  }
  return *temporary_;
}

void PlanState::run(std::string_view call, const Case& situation, const Stages& stages, const SliceCore& in,
                    const SliceCore& out) {
  const Direction direction = std::get<Direction>(situation);
  const bool backward = direction == Direction::backward;
  // Between the stages the data is in the output, unless that is real and has no room.
  std::optional<SliceCore> temporary;
  if (is_real() && backward && stages.size() > 1) temporary = temporary_like(in);
  const SliceCore& middle = temporary ? *temporary : out;
  DimensionSet whole_middle = std::get<2>(situation);
  if (temporary) whole_middle = std::get<1>(case_of(direction, middle, middle));
  double points = 1;
  for (int d = 0; d < rank_; ++d) {
    if (contains(transformed_, only(d))) points *= static_cast<double>(dims_[at(d)]);
  }
  std::vector<StageRun> runs;
  const auto plan_stages = [&] {
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const bool is_first = i == 0, is_last = i + 1 == stages.size();
      const bool to_real = is_real() && backward && is_last, from_real = is_real() && !backward && is_first;
      const DimensionSet whole_in = is_first ? std::get<1>(situation) : whole_middle,
                         whole_out = is_last ? std::get<2>(situation) : whole_middle;
      runs.emplace_back(StageWork{.in = is_first ? in : middle,
                                  .out = is_last ? out : middle,
                                  .dimensions = stages[i],
                                  .kind = to_real     ? fftw::Kind::complex_to_real
                                          : from_real ? fftw::Kind::real_to_complex
                                          : backward  ? fftw::Kind::backward
                                                      : fftw::Kind::forward,
                                  .halved = to_real || from_real ? halved_ : -1,
                                  .may_change_input = !is_first,
                                  .is_whole_in = contains(whole_in, stages[i]),
                                  .is_whole_out = contains(whole_out, stages[i]),
                                  .precision = spectrum_type().kind == ElementKind::complex64
                                                   ? fftw::Precision::single_precision
                                                   : fftw::Precision::double_precision,
                                  .effort = effort_,
                                  .factor = backward && is_last ? 1 / points : 1},
                        plans_, buffers_);
    }
  };
  // The members meet once: they have all planned then, and what they did before is to be seen.
  const tessera::detail::Outcome planned([&] {
    try {
      plan_stages();
    } catch (const std::bad_alloc&) {
      throw MemoryError(formatted("{}: there is no memory for chunks of {} and {}; use more processes", call,
                                  in.description(), out.description()));
    }
  });
  const std::array both{in, out};
  tessera::detail::settle(call, group_, both, planned);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i > 0) between_stages(middle);
    runs[i].run(buffers_);
  }
  tessera::detail::end_operation(out);
}

void PlanState::transform(Direction direction, const SliceCore& in, const SliceCore& out) {
  const std::string_view call = name_of(direction);
  begin(call, direction, in, out);
  if (in.size() == 0) {
    const std::array both{in, out};
    return tessera::detail::settle(group_, both);
  }
  const Case situation = case_of(direction, in, out);
  const auto measured = measured_.find(situation);
  run(call, situation, measured != measured_.end() ? measured->second : stages(situation, decomposition_), in,
      out);
}

double PlanState::seconds(const Case& situation, const Stages& stages, const SliceCore& in,
                          const SliceCore& out) {
  constexpr int repetitions = 2;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= repetitions; ++i) {  // FFTW plans in the first one
    const auto begin = std::chrono::steady_clock::now();
    run("fft tune", situation, stages, in, out);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    if (i > 0) least = std::min(least, passed.count());
  }
  return group_.all_reduce(least, Reduce::max);
}

void PlanState::tune(const SliceCore& space, const SliceCore& spectrum) {
  begin("fft tune", Direction::forward, space, spectrum);
  if (space.size() == 0 || decomposition_ != Decomposition::automatic) return;
  const std::array<std::byte, 16> zero{};
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const SliceCore& in = direction == Direction::forward ? space : spectrum;
    const SliceCore& out = direction == Direction::forward ? spectrum : space;
    tessera::detail::fill(in, zero.data());
    const Case situation = case_of(direction, in, out);
    Stages best;
    double least = 0;
    std::vector<Stages> tried;
    for (const auto decomposition : {Decomposition::automatic, Decomposition::slabs, Decomposition::pencils}) {
      Stages candidate = stages(situation, decomposition);
      if (std::find(tried.begin(), tried.end(), candidate) != tried.end()) continue;
      const double time = seconds(situation, candidate, in, out);
      if (best.empty() || time < least) {
        best = candidate;
        least = time;
      }
      tried.push_back(std::move(candidate));
    }
    measured_[situation] = std::move(best);
  }
}

}  // namespace tessera::fft::detail
