// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <fftw3.h>

#include <vector>

#include "mpi_peer.hpp"
#include "peers.hpp"

namespace tessera::benchmark::fft {
namespace {

class LeastWork : public SlabTransform {
 public:
  LeastWork(const Group& group, index_t n)
      : comm_(group.mpi_comm()),
        first_(group.rank() * (n / group.size())),
        block_(n * n / group.size() * (n / group.size())),
        in_(fftw_alloc_complex(static_cast<std::size_t>(block_ * group.size()))),
        out_(fftw_alloc_complex(static_cast<std::size_t>(block_ * group.size()))),
        count_(static_cast<std::size_t>(block_ * group.size())) {
    const int edge = static_cast<int>(n), planes = edge / group.size();
    const int plane[] = {edge, edge};
    planes_ = fftw_plan_many_dft(2, plane, planes, in_, nullptr, 1, edge * edge, out_, nullptr, 1, edge * edge,
                                 FFTW_FORWARD, FFTW_MEASURE);
    // The lines along the first dimension, as if the exchange had put each of them together.
    const int line[] = {edge};
    lines_ = fftw_plan_many_dft(1, line, edge * planes, in_, nullptr, 1, edge, in_, nullptr, 1, edge,
                                FFTW_FORWARD, FFTW_MEASURE);
  }
  ~LeastWork() override {
    fftw_destroy_plan(planes_);
    fftw_destroy_plan(lines_);
    fftw_free(in_);
    fftw_free(out_);
  }
  LeastWork(const LeastWork&) = delete;
  LeastWork& operator=(const LeastWork&) = delete;

  std::span<Complex> planes() override { return {reinterpret_cast<Complex*>(in_), count_}; }
  index_t first() const override { return first_; }
  std::span<const Complex> spectrum() const override {
    return {reinterpret_cast<const Complex*>(out_), count_};
  }
  void forward() override {
    fftw_execute(planes_);
    exchange(out_, in_);
    fftw_execute(lines_);
    exchange(in_, out_);
  }

 private:
  void exchange(const fftw_complex* from, fftw_complex* to) const {
    mpi_peer::check(MPI_Alltoall(from, static_cast<int>(block_), MPI_C_DOUBLE_COMPLEX, to,
                                 static_cast<int>(block_), MPI_C_DOUBLE_COMPLEX, comm_),
                    "MPI_Alltoall");
  }

  MPI_Comm comm_;
  index_t first_, block_;
  fftw_complex *in_, *out_;
  std::size_t count_;
  fftw_plan planes_, lines_;
};

}  // namespace

std::unique_ptr<SlabTransform> least_work(const Group& group, index_t n) {
  if (n % group.size() != 0) return nullptr;
  return std::make_unique<LeastWork>(group, n);
}

}  // namespace tessera::benchmark::fft
