// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>
#include <type_traits>

#include <tessera/fft/plan_core.hpp>
#include <tessera/slice.hpp>

namespace tessera::fft {

namespace detail {
template <class T>
struct ComplexOf {
  using type = std::complex<T>;
};
template <class T>
struct ComplexOf<std::complex<T>> {
  using type = std::complex<T>;
};
}  // namespace detail

/// The element types that have a transform.
template <class T>
concept TransformElement = std::is_same_v<T, float> || std::is_same_v<T, double> ||
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

/// The element type of the spectrum of elements of type T.
template <TransformElement T>
using Complex = typename detail::ComplexOf<T>::type;

/// An array or slice of a type and a number of dimensions.
template <class A, class T, std::size_t N>
concept OperandOf = Operand<A> && tessera::detail::has_rank<A, N> && std::is_same_v<value_t<A>, T>;

/// A plan for discrete Fourier transforms of arrays of 1 to 3 dimensions, along all dimensions or some. T is
/// the type of the elements in space; the spectrum is complex. The operands are arrays or slices of the plan's
/// group, with any layouts and ghost cells, which may differ. Frequencies are in natural order: 0, 1, ..., n /
/// 2, ..., -2, -1.
///
/// forward:   y(k) = sum over x of a(x) exp(-2 pi i (k_0 x_0 / n_0 + k_1 x_1 / n_1 + ...)), not scaled
/// backward:  the same with +, divided by the number of elements along the transformed dimensions
///
/// So backward(forward(a)) is a. For real T, the spectrum has only n / 2 + 1 elements along the last listed
/// dimension of n: the others are the conjugates of these. Two threads must not use one plan at the same time.
/// Uses FFTW 3 (Frigo and Johnson, Proc. IEEE 93, 2005) for the transforms in each process. A program that
/// links it is subject to FFTW's license, the GPL.
template <TransformElement T, std::size_t N>
class Transform {
  static_assert(N >= 1 && N <= 3, "transforms have 1 to 3 dimensions");

 public:
  /// A plan for arrays of these extents. With Effort::measure and Decomposition::automatic, it is tuned for
  /// blocked layouts, which needs memory for two arrays for the moment. @collective
  /// @throws UsageError on every rank if a dimension does not exist or is listed twice, an extent is negative,
  /// or (in builds with TESSERA_CHECKS) ranks disagree; MemoryError
  Transform(const Group& group, const Extents<N>& dims, const Options& options = {})
      : core_(group, static_cast<int>(N), dims.data(), element_kind<T>(), options) {}

  /// Computes the spectrum of `in`. In and out may be the same array or slice. Otherwise `in` is not changed.
  /// The first call for new layouts takes longer, as FFTW plans it. @collective
  /// @throws UsageError on every rank for a closed array, another group, other extents than the plan's, or
  /// operands that overlap at different positions; MemoryError @completion `out` is visible to all
  template <OperandOf<T, N> A, WritableOperand B>
  requires OperandOf<B, Complex<T>, N>
  void forward(const A& in, B&& out) {
    core_.transform(detail::Direction::forward, slice_of(in).core(), slice_of(out).core());
  }
  /// Computes the array whose spectrum is `in`, divided by the number of elements along the transformed
  /// dimensions. For real T the spectrum is taken to be that of a real array: parts that contradict this are
  /// not read or have no effect. For real T with several stages, the plan keeps memory for a second spectrum.
  /// @collective @throws and @completion as forward
  template <OperandOf<Complex<T>, N> A, WritableOperand B>
  requires OperandOf<B, T, N>
  void backward(const A& in, B&& out) {
    core_.transform(detail::Direction::backward, slice_of(in).core(), slice_of(out).core());
  }
  /// The same in place. @collective @throws and @completion likewise
  template <WritableOperand A>
  requires OperandOf<A, T, N> && OperandOf<A, Complex<T>, N>
  void forward(A&& a) { forward(a, a); }
  template <WritableOperand A>
  requires OperandOf<A, T, N> && OperandOf<A, Complex<T>, N>
  void backward(A&& a) { backward(a, a); }

  /// Measures which decomposition is the fastest for operands with these layouts, in both directions. Later
  /// transforms between such layouts use it. Both arrays are overwritten with zeros. Does nothing unless the
  /// plan has Decomposition::automatic. @collective @throws as forward
  template <WritableOperand A, WritableOperand B>
  requires OperandOf<A, T, N> && OperandOf<B, Complex<T>, N>
  void tune(A&& space, B&& spectrum) { core_.tune(slice_of(space).core(), slice_of(spectrum).core()); }

  /// @local @throws UsageError for a plan that was moved away
  const Group& group() const { return core_.group(); }
  /// The extents of the array in space. @local
  Extents<N> dims() const { return extents(core_.dims()); }
  /// The extents of the spectrum. They are dims() for complex T. For real T the last listed dimension of n
  /// elements has n / 2 + 1 (none if n is 0). @local
  Extents<N> spectrum_dims() const { return extents(core_.spectrum_dims()); }

 private:
  static Extents<N> extents(const tessera::detail::Coordinates& all) {
    Extents<N> first;
    for (std::size_t d = 0; d < N; ++d) first[d] = all[d];
    return first;
  }

  detail::PlanCore core_;
};

}  // namespace tessera::fft
