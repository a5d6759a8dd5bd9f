// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// A library to be preloaded: it stands before BLAS's dgemm. At the end of the process it says how long that
// took, and how many operations it made.
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using Gemm = void (*)(const char*, const char*, const int*, const int*, const int*, const double*,
                      const double*, const int*, const double*, const int*, const double*, double*, const int*);

struct Total {
  ~Total() {
    if (calls > 0)
      std::fprintf(stderr, "dgemm: %ld calls, %.6f s, %.6f Gflop\n", calls.load(),
                   static_cast<double>(nanoseconds) * 1e-9, static_cast<double>(operations) * 1e-9);
  }
  std::atomic<long> calls = 0, nanoseconds = 0, operations = 0;
};

Total& total() {
  static Total all;
  return all;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void dgemm_(const char* op_a, const char* op_b, const int* m,
                                                              const int* n, const int* k, const double* alpha,
                                                              const double* a, const int* lda, const double* b,
                                                              const int* ldb, const double* beta, double* c,
                                                              const int* ldc) {
  static const auto blas = reinterpret_cast<Gemm>(dlsym(RTLD_NEXT, "dgemm_"));
  if (blas == nullptr) std::abort();  // the program has no BLAS, and so no product
  const auto begin = std::chrono::steady_clock::now();
  blas(op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  const auto spent = std::chrono::steady_clock::now() - begin;
  ++total().calls;
  total().operations += 2L * *m * *n * *k;
  total().nanoseconds += std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count();
}
