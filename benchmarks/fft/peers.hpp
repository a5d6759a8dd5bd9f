// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>
#include <memory>
#include <span>

#include <tessera/runtime/group.hpp>

namespace tessera::benchmark::fft {

using Complex = std::complex<double>;

/// A cubic array in slabs along the first dimension, as FFTW's own parallel transforms have it; planned with
/// FFTW_MEASURE. @collective to make and destroy
class SlabTransform {
 public:
  virtual ~SlabTransform() = default;
  /// This rank's planes, row-major. @local
  virtual std::span<Complex> planes() = 0;
  /// The number of the first plane. @local
  virtual index_t first() const = 0;
  /// The spectrum of `planes`, in natural order, in memory of its own. @collective
  virtual void forward() = 0;
  virtual std::span<const Complex> spectrum() const = 0;
};

/// FFTW's transform over MPI; null where there is none for the MPI in use. @collective
std::unique_ptr<SlabTransform> fftw_mpi(const Group& group, index_t n);
/// The least that any transform does: serial FFTW on this rank's slabs, and two bare exchanges by MPI_Alltoall,
/// without packing. So its spectrum is not one. Null unless the number of ranks divides n. @collective
std::unique_ptr<SlabTransform> least_work(const Group& group, index_t n);

}  // namespace tessera::benchmark::fft
