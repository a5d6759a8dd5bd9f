// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>

// The BLAS routines that Tessera, ScaLAPACK and LAPACK call, each under one name for all types. Real routines
// have the names of the complex ones (hemv for symv, gerc for ger).
extern "C" {
using Letter = const char*;
using Int = const int*;
#define TESSERA_DECLARE(p, ger, he, hk, T, R)                                                              \
  void p##gemv_(Letter, Int, Int, const T*, const T*, Int, const T*, Int, const T*, T*, Int);              \
  void ger(Int, Int, const T*, const T*, Int, const T*, Int, T*, Int);                                     \
  void p##he##mv_(Letter, Int, const T*, const T*, Int, const T*, Int, const T*, T*, Int);                 \
  void p##he##r_(Letter, Int, const R*, const T*, Int, T*, Int);                                           \
  void p##he##r2_(Letter, Int, const T*, const T*, Int, const T*, Int, T*, Int);                           \
  void p##trmv_(Letter, Letter, Letter, Int, const T*, Int, T*, Int);                                      \
  void p##trsv_(Letter, Letter, Letter, Int, const T*, Int, T*, Int);                                      \
  void p##axpy_(Int, const T*, const T*, Int, T*, Int);                                                    \
  void p##scal_(Int, const T*, T*, Int);                                                                   \
  void p##copy_(Int, const T*, Int, T*, Int);                                                              \
  void p##swap_(Int, T*, Int, T*, Int);                                                                    \
  void p##gemm_(Letter, Letter, Int, Int, Int, const T*, const T*, Int, const T*, Int, const T*, T*, Int); \
  void p##he##mm_(Letter, Letter, Int, Int, const T*, const T*, Int, const T*, Int, const T*, T*, Int);    \
  void p##trsm_(Letter, Letter, Letter, Letter, Int, Int, const T*, const T*, Int, T*, Int);               \
  void p##trmm_(Letter, Letter, Letter, Letter, Int, Int, const T*, const T*, Int, T*, Int);               \
  void p##he##rk_(Letter, Letter, Int, Int, const R*, const T*, Int, const R*, T*, Int);                   \
  void p##he##r2k_(Letter, Letter, Int, Int, const T*, const T*, Int, const T*, Int, const R*, T*, Int);
TESSERA_DECLARE(s, sger_, sy, sy, float, float)
TESSERA_DECLARE(d, dger_, sy, sy, double, double)
TESSERA_DECLARE(c, cgerc_, he, he, std::complex<float>, float)
TESSERA_DECLARE(z, zgerc_, he, he, std::complex<double>, double)
#undef TESSERA_DECLARE
}

namespace tessera::test {

template <class T>
struct Blas;
#define TESSERA_DEFINE(p, ger_name, he, T)                  \
  template <>                                               \
  struct Blas<T> {                                          \
    static constexpr auto gemv = p##gemv_;                  \
    static constexpr auto ger = ger_name;                   \
    static constexpr auto hemv = p##he##mv_;                \
    static constexpr auto her = p##he##r_;                  \
    static constexpr auto her2 = p##he##r2_;                \
    static constexpr auto trmv = p##trmv_, trsv = p##trsv_; \
    static constexpr auto axpy = p##axpy_;                  \
    static constexpr auto scal = p##scal_;                  \
    static constexpr auto copy = p##copy_;                  \
    static constexpr auto swap = p##swap_;                  \
    static constexpr auto gemm = p##gemm_;                  \
    static constexpr auto hemm = p##he##mm_;                \
    static constexpr auto trsm = p##trsm_, trmm = p##trmm_; \
    static constexpr auto herk = p##he##rk_;                \
    static constexpr auto her2k = p##he##r2k_;              \
  };
TESSERA_DEFINE(s, sger_, sy, float)
TESSERA_DEFINE(d, dger_, sy, double)
TESSERA_DEFINE(c, cgerc_, he, std::complex<float>)
TESSERA_DEFINE(z, zgerc_, he, std::complex<double>)
#undef TESSERA_DEFINE

}  // namespace tessera::test
