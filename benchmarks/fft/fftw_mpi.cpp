// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "peers.hpp"

#ifdef TESSERA_FFTW_MPI
#include <fftw3-mpi.h>
#endif

namespace tessera::benchmark::fft {

#ifdef TESSERA_FFTW_MPI

namespace {

class FftwMpi : public SlabTransform {
 public:
  FftwMpi(const Group& group, index_t n) {
    fftw_mpi_init();
    std::ptrdiff_t planes = 0, first = 0;
    const std::ptrdiff_t room = fftw_mpi_local_size_3d(n, n, n, group.mpi_comm(), &planes, &first);
    in_ = fftw_alloc_complex(static_cast<std::size_t>(room));
    out_ = fftw_alloc_complex(static_cast<std::size_t>(room));
    count_ = static_cast<std::size_t>(planes * n * n);
    first_ = first;
    plan_ = fftw_mpi_plan_dft_3d(n, n, n, in_, out_, group.mpi_comm(), FFTW_FORWARD, FFTW_MEASURE);
  }
  ~FftwMpi() override {
    fftw_destroy_plan(plan_);
    fftw_free(in_);
    fftw_free(out_);
  }
  FftwMpi(const FftwMpi&) = delete;
  FftwMpi& operator=(const FftwMpi&) = delete;

  std::span<Complex> planes() override { return {reinterpret_cast<Complex*>(in_), count_}; }
  index_t first() const override { return first_; }
  void forward() override { fftw_execute(plan_); }
  std::span<const Complex> spectrum() const override {
    return {reinterpret_cast<const Complex*>(out_), count_};
  }

 private:
  fftw_complex *in_ = nullptr, *out_ = nullptr;
  std::size_t count_ = 0;
  index_t first_ = 0;
  fftw_plan plan_ = nullptr;
};

}  // namespace

std::unique_ptr<SlabTransform> fftw_mpi(const Group& group, index_t n) {
  return std::make_unique<FftwMpi>(group, n);
}

#else

std::unique_ptr<SlabTransform> fftw_mpi(const Group&, index_t) { return nullptr; }

#endif

}  // namespace tessera::benchmark::fft
