// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "fftw.hpp"

#include <algorithm>
#include <mutex>

#include <fftw3.h>

#include <tessera/runtime/detail/unique_handle.hpp>
#include <tessera/runtime/error.hpp>

#include "format.hpp"
#include "scratch.hpp"

namespace tessera::fft::fftw {
namespace {

// FFTW's planner is not safe in several threads at once; executing is.
std::mutex& planner() {
  static std::mutex mutex;
  return mutex;
}

// FFTW's functions by precision.
#define TESSERA_DEFINE(Name, real, p)                                                                         \
  struct Name {                                                                                               \
    using Real = real;                                                                                        \
    using Complex = p##_complex;                                                                              \
    using Dimension = p##_iodim64;                                                                            \
    using Handle = p##_plan;                                                                                  \
    static Handle null() noexcept { return nullptr; }                                                         \
    static void free(Handle plan) noexcept {                                                                  \
      const std::lock_guard lock(planner());                                                                  \
      p##_destroy_plan(plan);                                                                                 \
    }                                                                                                         \
    static Handle complex(int rank, const Dimension* lines, int batched, const Dimension* batch, Complex* in, \
                          Complex* out, int sign, unsigned flags) {                                           \
      return p##_plan_guru64_dft(rank, lines, batched, batch, in, out, sign, flags);                          \
    }                                                                                                         \
    static Handle to_complex(int rank, const Dimension* lines, int batched, const Dimension* batch, Real* in, \
                             Complex* out, unsigned flags) {                                                  \
      return p##_plan_guru64_dft_r2c(rank, lines, batched, batch, in, out, flags);                            \
    }                                                                                                         \
    static Handle to_real(int rank, const Dimension* lines, int batched, const Dimension* batch, Complex* in, \
                          Real* out, unsigned flags) {                                                        \
      return p##_plan_guru64_dft_c2r(rank, lines, batched, batch, in, out, flags);                            \
    }                                                                                                         \
    static void run(Handle plan, Complex* in, Complex* out) noexcept { p##_execute_dft(plan, in, out); }      \
    static void run(Handle plan, Real* in, Complex* out) noexcept { p##_execute_dft_r2c(plan, in, out); }     \
    static void run(Handle plan, Complex* in, Real* out) noexcept { p##_execute_dft_c2r(plan, in, out); }     \
  };
TESSERA_DEFINE(Single, float, fftwf)
TESSERA_DEFINE(Double, double, fftw)
#undef TESSERA_DEFINE

template <class Library>
class PlanOf final : public Plan {
 public:
  PlanOf(const Problem& problem, void* in, void* out) : kind_(problem.kind) {
    std::array<Dimension, most_lines> lines{}, batch{};
    const auto translated = [](const Line& line) {
      return Dimension{line.extent, line.in_stride, line.out_stride};
    };
    std::transform(problem.transforms.begin(), problem.transforms.end(), lines.begin(), translated);
    std::transform(problem.batch.begin(), problem.batch.end(), batch.begin(), translated);
    const int rank = static_cast<int>(problem.transformed), batched = static_cast<int>(problem.batched);
    unsigned flags = problem.effort == Effort::measure ? FFTW_MEASURE : FFTW_ESTIMATE;
    if (problem.input == Input::must_stay) flags |= FFTW_PRESERVE_INPUT;
    if (problem.input == Input::may_change) flags |= FFTW_DESTROY_INPUT;
    const std::lock_guard lock(planner());
    switch (kind_) {
      case Kind::forward:
      case Kind::backward:
        plan_.reset(Library::complex(rank, lines.data(), batched, batch.data(), static_cast<Complex*>(in),
                                     static_cast<Complex*>(out),
                                     kind_ == Kind::forward ? FFTW_FORWARD : FFTW_BACKWARD, flags));
        break;
      case Kind::real_to_complex:
        plan_.reset(Library::to_complex(rank, lines.data(), batched, batch.data(), static_cast<Real*>(in),
                                        static_cast<Complex*>(out), flags));
        break;
      case Kind::complex_to_real:
        plan_.reset(Library::to_real(rank, lines.data(), batched, batch.data(), static_cast<Complex*>(in),
                                     static_cast<Real*>(out), flags));
    }
    if (!plan_) {
      throw Error(
          formatted("FFTW has no plan for a batch of transforms of {} dimensions, the first of {} points", rank,
                    problem.transforms[0].extent));
    }
  }

  void execute(void* in, void* out) const noexcept override {
    switch (kind_) {
      case Kind::forward:
      case Kind::backward:
        return Library::run(plan_.get(), static_cast<Complex*>(in), static_cast<Complex*>(out));
      case Kind::real_to_complex:
        return Library::run(plan_.get(), static_cast<Real*>(in), static_cast<Complex*>(out));
      case Kind::complex_to_real:
        return Library::run(plan_.get(), static_cast<Complex*>(in), static_cast<Real*>(out));
    }
  }

 private:
  using Real = typename Library::Real;
  using Complex = typename Library::Complex;
  using Dimension = typename Library::Dimension;

  Kind kind_;
  tessera::detail::UniqueHandle<Library> plan_;
};

// How many elements one side of a problem spans. Its strides are positive.
std::size_t span_of(const Problem& problem, index_t Line::*stride) {
  index_t last = 0;
  for (std::size_t i = 0; i < problem.transformed; ++i)
    last += problem.transforms[i].extent * (problem.transforms[i].*stride);
  for (std::size_t i = 0; i < problem.batched; ++i)
    last += (problem.batch[i].extent - 1) * (problem.batch[i].*stride);
  return static_cast<std::size_t>(last + 1);
}

std::unique_ptr<Plan> plan_for(const Problem& problem, void* in, void* out) {
  if (problem.precision == Precision::double_precision)
    return std::make_unique<PlanOf<Double>>(problem, in, out);
  return std::make_unique<PlanOf<Single>>(problem, in, out);
}

}  // namespace

std::unique_ptr<Plan> make_plan(const Problem& problem, void* in, void* out) {
  if (problem.effort == Effort::estimate) return plan_for(problem, in, out);
  // The planner overwrites the memory that it measures with.
  const std::size_t complex_size = problem.precision == Precision::double_precision ? 16 : 8;
  const auto scratch = [&](index_t Line::*stride, std::size_t alignment) {
    Scratch memory(span_of(problem, stride) * complex_size + alignment);
    std::fill_n(memory.data(), memory.size(), std::byte{0});
    return memory;
  };
  const Scratch source = scratch(&Line::in_stride, problem.in_alignment);
  if (problem.input == Input::is_output)
    return plan_for(problem, source.data() + problem.in_alignment, source.data() + problem.in_alignment);
  const Scratch target = scratch(&Line::out_stride, problem.out_alignment);
  return plan_for(problem, source.data() + problem.in_alignment, target.data() + problem.out_alignment);
}

const Plan& Plans::get(const Problem& problem, void* in, void* out) {
  auto& plan = plans_[problem];
  if (!plan) plan = make_plan(problem, in, out);
  return *plan;
}

}  // namespace tessera::fft::fftw
