// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "scalapack/scalapack_eigen.hpp"

#include <algorithm>
#include <vector>

#include "scalapack/schur_2x2.hpp"
#include "scalapack/workspace.hpp"

using c64 = std::complex<float>;
using c128 = std::complex<double>;

extern "C" {
void Cblacs_gridinfo(int, int*, int*, int*, int*);

// Fortran takes everything by address, and arrays with the row and column at which they start.
using In = const int*;
#define TESSERA_DECLARE(p, T)                                                                                  \
  void p##syevd_(const char*, const char*, In, T*, In, In, In, T*, T*, In, In, In, T*, In, int*, In, int*);    \
  void p##syev_(const char*, const char*, In, T*, In, In, In, T*, T*, In, In, In, T*, In, int*);               \
  void p##syngst_(In, const char*, In, T*, In, In, In, const T*, In, In, In, T*, T*, In, int*);                \
  void p##gesvd_(const char*, const char*, In, In, T*, In, In, In, T*, T*, In, In, In, T*, In, In, In, T*, In, \
                 int*);                                                                                        \
  void p##hseqr_(const char*, const char*, In, In, In, T*, In, T*, T*, T*, In, T*, In, int*, In, int*);        \
  void p##laqr0_(In, In, In, In, In, T*, In, T*, T*, In, In, T*, In, T*, In, int*, In, int*, In);              \
  void p##laqr1_(In, In, In, In, In, T*, In, T*, T*, In, In, T*, In, T*, In, int*, In, int*);
TESSERA_DECLARE(ps, float)
TESSERA_DECLARE(pd, double)
#undef TESSERA_DECLARE

#define TESSERA_DECLARE(p, T, R)                                                                               \
  void p##heevd_(const char*, const char*, In, T*, In, In, In, R*, T*, In, In, In, T*, In, R*, In, int*, In,   \
                 int*);                                                                                        \
  void p##heev_(const char*, const char*, In, T*, In, In, In, R*, T*, In, In, In, T*, In, R*, In, int*);       \
  void p##hengst_(In, const char*, In, T*, In, In, In, const T*, In, In, In, R*, T*, In, int*);                \
  void p##gesvd_(const char*, const char*, In, In, T*, In, In, In, R*, T*, In, In, In, T*, In, In, In, T*, In, \
                 R*, int*);                                                                                    \
  void p##unmhr_(const char*, const char*, In, In, In, In, const T*, In, In, In, const T*, T*, In, In, In, T*, \
                 In, int*);                                                                                    \
  void p##lahqr_(In, In, In, In, In, T*, In, T*, In, In, T*, In, T*, In, int*, In, int*);                      \
  void p##trevc_(const char*, const char*, In, In, T*, In, T*, In, T*, In, In, int*, T*, R*, int*);
TESSERA_DECLARE(pc, c64, float)
TESSERA_DECLARE(pz, c128, double)
#undef TESSERA_DECLARE

#define TESSERA_DECLARE(p, T) void p##gehrd_(In, In, In, T*, In, In, In, T*, T*, In, int*);
TESSERA_DECLARE(ps, float)
TESSERA_DECLARE(pd, double)
TESSERA_DECLARE(pc, c64)
TESSERA_DECLARE(pz, c128)
#undef TESSERA_DECLARE

// These take the place of ScaLAPACK's own, which p?lahqr calls for blocks of two rows. There (2.2), the
// rotation is wrong if both diagonal elements are equal and sqrt(b) sqrt(c) is not sqrt(b c), and so are all
// vectors then.
#define TESSERA_DEFINE(p, T, R)                                                   \
  void p##lanv2_(T*, T*, T*, T*, T*, T*, R*, T*);                                 \
  void p##lanv2_(T* a, T* b, T* c, T* d, T* w1, T* w2, R* cosine, T* sine) {      \
    tessera::linalg::scalapack::to_schur_form<R>(*a, *b, *c, *d, *cosine, *sine); \
    *w1 = *a, *w2 = *d;                                                           \
  }
TESSERA_DEFINE(c, c64, float)
TESSERA_DEFINE(z, c128, double)
#undef TESSERA_DEFINE
}

namespace tessera::linalg::scalapack {
namespace {

// Workspace that the queries of P?SYEVD, P?SYEV and their complex versions forget if a block is not small
// against the matrix. Without it, the back transformation (P?ORMTR) is not done at all, without an error. The
// sorting of eigenvectors (P?LASRT) fails on processes that have few columns, while the others wait for them.
// Only P?SYEVD and P?HEEVD sort, and only the latter takes its numbers from `reals`.
Lengths forgotten(int n, const Descriptor& a) {
  int rows = 1, columns = 1, row = 0, column = 0;
  Cblacs_gridinfo(a.context, &rows, &columns, &row, &column);
  const double block = a.nb, local_rows = n / static_cast<double>(rows) + block,
               local_columns = n / static_cast<double>(columns) + block;
  return {.work = (local_rows + local_columns + block) * block,
          .reals = local_rows * (block + local_columns) + 4.0 * n};
}

// P?GESVD and P?SYEV return min(m, n) + 1 if the processes do not have the same values to the last bit.
int without_differences(int info, int m, int n) { return info == std::min(m, n) + 1 ? 0 : info; }

const char* wanted(bool vectors) { return vectors ? "V" : "N"; }

}  // namespace

#define TESSERA_DEFINE(p, T)                                                                                  \
  template <>                                                                                                 \
  int syevd(int n, T* a, const Descriptor& da, T* w, T* z, const Descriptor& dz) {                            \
    return with_workspace<T>(da, {.work = forgotten(n, da).work}, [&](const Workspace<T>& room) {             \
      int info = 0;                                                                                           \
      p##syevd_("V", "L", &n, a, &one, &one, raw(da), w, z, &one, &one, raw(dz), room.work, &room.length,     \
                room.integers, &room.integer_length, &info);                                                  \
      return info;                                                                                            \
    });                                                                                                       \
  }                                                                                                           \
  template <>                                                                                                 \
  int syev(bool vectors, int n, T* a, const Descriptor& da, T* w, T* z, const Descriptor& dz) {               \
    return with_workspace<T>(da, {.work = forgotten(n, da).work}, [&](const Workspace<T>& room) {             \
      int info = 0;                                                                                           \
      p##syev_(wanted(vectors), "L", &n, a, &one, &one, raw(da), w, z, &one, &one, raw(dz), room.work,        \
               &room.length, &info);                                                                          \
      return without_differences(info, n, n);                                                                 \
    });                                                                                                       \
  }                                                                                                           \
  template <>                                                                                                 \
  int sygst(int n, T* a, const Descriptor& da, const T* l, const Descriptor& dl, T& scale) {                  \
    return with_workspace<T>(da, {}, [&](const Workspace<T>& room) {                                          \
      int info = 0;                                                                                           \
      p##syngst_(&one, "L", &n, a, &one, &one, raw(da), l, &one, &one, raw(dl), &scale, room.work,            \
                 &room.length, &info);                                                                        \
      return info;                                                                                            \
    });                                                                                                       \
  }                                                                                                           \
  template <>                                                                                                 \
  int gesvd(bool vectors, int m, int n, T* a, const Descriptor& da, T* s, T* u, const Descriptor& du, T* vh,  \
            const Descriptor& dvh) {                                                                          \
    return with_workspace<T>(da, {}, [&](const Workspace<T>& room) {                                          \
      int info = 0;                                                                                           \
      p##gesvd_(wanted(vectors), wanted(vectors), &m, &n, a, &one, &one, raw(da), s, u, &one, &one, raw(du),  \
                vh, &one, &one, raw(dvh), room.work, &room.length, &info);                                    \
      return without_differences(info, m, n);                                                                 \
    });                                                                                                       \
  }                                                                                                           \
  /* The query of P?HSEQR prints an error to every process's stderr, so we query the two routines it asks.    \
     These use their workspace even in a query (the largest of n integers of all processes, in P?TRORD). */   \
  template <>                                                                                                 \
  int hseqr(int n, T* h, const Descriptor& dh, T* real_parts, T* imaginary_parts) {                           \
    return with_memory<T>(                                                                                    \
        dh.context, 0, {.work = 16.0 * n + 128, .integers = 16.0 * n + 128}, [&](const Workspace<T>& asked) { \
          constexpr int no = 0, query = -1, smallest = 49;                                                    \
          const int half = 8 * n + 64;                                                                        \
          const T *first = asked.work, *second = first + half;                                                \
          const int *counts = asked.integers, *more_counts = counts + half;                                   \
          int info = 0;                                                                                       \
          T unused{};                                                                                         \
          p##laqr1_(&no, &no, &n, &one, &n, h, raw(dh), real_parts, imaginary_parts, &one, &n, &unused,       \
                    raw(dh), asked.work, &query, asked.integers, &query, &info);                              \
          p##laqr0_(&no, &no, &n, &one, &n, h, raw(dh), real_parts, imaginary_parts, &one, &n, &unused,       \
                    raw(dh), asked.work + half, &query, asked.integers + half, &query, &info, &no);           \
          const bool fits = *first >= 0 && *second >= 0 && *counts >= 0 && *more_counts >= 0;                 \
          const double more = 2.0 * (smallest + dh.nb) * (smallest + dh.nb);                                  \
          const Lengths lengths{.work = answered(std::max(*first, *second)) + more,                           \
                                .integers = std::max(*counts, *more_counts) + 64.0};                          \
          return with_memory<T>(dh.context, fits ? 0 : -1, lengths, [&](const Workspace<T>& room) {           \
            int failed = 0;                                                                                   \
            p##hseqr_("E", "N", &n, &one, &n, h, raw(dh), real_parts, imaginary_parts, &unused, raw(dh),      \
                      room.work, &room.length, room.integers, &room.integer_length, &failed);                 \
            return failed;                                                                                    \
          });                                                                                                 \
        });                                                                                                   \
  }
TESSERA_DEFINE(ps, float)
TESSERA_DEFINE(pd, double)
#undef TESSERA_DEFINE

#define TESSERA_DEFINE(p, T, R)                                                                                \
  template <>                                                                                                  \
  int syevd(int n, T* a, const Descriptor& da, R* w, T* z, const Descriptor& dz) {                             \
    return with_workspace<T>(da, forgotten(n, da), [&](const Workspace<T>& room) {                             \
      int info = 0;                                                                                            \
      p##heevd_("V", "L", &n, a, &one, &one, raw(da), w, z, &one, &one, raw(dz), room.work, &room.length,      \
                room.reals, &room.real_length, room.integers, &room.integer_length, &info);                    \
      return info;                                                                                             \
    });                                                                                                        \
  }                                                                                                            \
  template <>                                                                                                  \
  int syev(bool vectors, int n, T* a, const Descriptor& da, R* w, T* z, const Descriptor& dz) {                \
    return with_workspace<T>(                                                                                  \
        da, {.work = forgotten(n, da).work, .reals = 4.0 * n}, [&](const Workspace<T>& room) {                 \
          int info = 0;                                                                                        \
          p##heev_(wanted(vectors), "L", &n, a, &one, &one, raw(da), w, z, &one, &one, raw(dz), room.work,     \
                   &room.length, room.reals, &room.real_length, &info);                                        \
          return without_differences(info, n, n);                                                              \
        });                                                                                                    \
  }                                                                                                            \
  template <>                                                                                                  \
  int sygst(int n, T* a, const Descriptor& da, const T* l, const Descriptor& dl, R& scale) {                   \
    return with_workspace<T>(da, {}, [&](const Workspace<T>& room) {                                           \
      int info = 0;                                                                                            \
      p##hengst_(&one, "L", &n, a, &one, &one, raw(da), l, &one, &one, raw(dl), &scale, room.work,             \
                 &room.length, &info);                                                                         \
      return info;                                                                                             \
    });                                                                                                        \
  }                                                                                                            \
  template <>                                                                                                  \
  int gesvd(bool vectors, int m, int n, T* a, const Descriptor& da, R* s, T* u, const Descriptor& du, T* vh,   \
            const Descriptor& dvh) {                                                                           \
    return with_workspace<T>(da, {.reals = 4.0 * std::max(m, n)}, [&](const Workspace<T>& room) {              \
      int info = 0;                                                                                            \
      p##gesvd_(wanted(vectors), wanted(vectors), &m, &n, a, &one, &one, raw(da), s, u, &one, &one, raw(du),   \
                vh, &one, &one, raw(dvh), room.work, &room.length, room.reals, &info);                         \
      return without_differences(info, m, n);                                                                  \
    });                                                                                                        \
  }                                                                                                            \
  template <>                                                                                                  \
  int unmhr(int n, const T* a, const Descriptor& da, const T* scales, T* z, const Descriptor& dz) {            \
    return with_workspace<T>(da, {}, [&](const Workspace<T>& room) {                                           \
      int info = 0;                                                                                            \
      p##unmhr_("L", "N", &n, &n, &one, &n, a, &one, &one, raw(da), scales, z, &one, &one, raw(dz), room.work, \
                &room.length, &info);                                                                          \
      return info;                                                                                             \
    });                                                                                                        \
  }                                                                                                            \
  template <>                                                                                                  \
  int lahqr(bool vectors, int n, T* h, const Descriptor& dh, T* w, T* z, const Descriptor& dz) {               \
    const int wants_vectors = vectors ? 1 : 0;                                                                 \
    return with_workspace<T>(dh, {.work = 10.0 * n}, [&](const Workspace<T>& room) {                           \
      int info = 0;                                                                                            \
      p##lahqr_(&one, &wants_vectors, &n, &one, &n, h, raw(dh), w, &one, &n, z, raw(dz), room.work,            \
                &room.length, room.integers, &room.integer_length, &info);                                     \
      return info;                                                                                             \
    });                                                                                                        \
  }                                                                                                            \
  template <>                                                                                                  \
  int trevc(int n, T* triangle, const Descriptor& dt, T* z, const Descriptor& dz) {                            \
    const Lengths lengths{                                                                                     \
        .work = 4.0 * dt.leading + 4.0 * n, .reals = n + 64.0, .integers = static_cast<double>(n)};            \
    return with_memory<T>(dt.context, 0, lengths, [&](const Workspace<T>& room) {                              \
      int info = 0, found = 0;                                                                                 \
      std::fill(room.integers, room.integers + n, 1);                                                          \
      p##trevc_("R", "B", room.integers, &n, triangle, raw(dt), nullptr, raw(dz), z, raw(dz), &n, &found,      \
                room.work, room.reals, &info);                                                                 \
      return info;                                                                                             \
    });                                                                                                        \
  }
TESSERA_DEFINE(pc, c64, float)
TESSERA_DEFINE(pz, c128, double)
#undef TESSERA_DEFINE

#define TESSERA_DEFINE(p, T)                                                                   \
  template <>                                                                                  \
  int gehrd(int n, T* a, const Descriptor& da, T* scales) {                                    \
    return with_workspace<T>(da, {}, [&](const Workspace<T>& room) {                           \
      int info = 0;                                                                            \
      p##gehrd_(&n, &one, &n, a, &one, &one, raw(da), scales, room.work, &room.length, &info); \
      return info;                                                                             \
    });                                                                                        \
  }
TESSERA_DEFINE(ps, float)
TESSERA_DEFINE(pd, double)
TESSERA_DEFINE(pc, c64)
TESSERA_DEFINE(pz, c128)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::scalapack
