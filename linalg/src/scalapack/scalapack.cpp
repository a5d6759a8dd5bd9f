// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "scalapack/scalapack.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include <tessera/runtime/error.hpp>

#include "blas/buffer.hpp"
#include "format.hpp"
#include "scalapack/workspace.hpp"

using c64 = std::complex<float>;
using c128 = std::complex<double>;

extern "C" {
int Csys2blacs_handle(MPI_Comm);
void Cfree_blacs_system_handle(int);
void Cblacs_gridmap(int*, int*, int, int, int);
void Cblacs_gridexit(int);
void Cblacs_gridinfo(int, int*, int*, int*, int*);
void Cigamx2d(int, const char*, const char*, int, int, int*, int, int*, int*, int, int, int);
void pb_topget_(const int*, const char*, const char*, char*);
void pb_topset_(const int*, const char*, const char*, const char*);

char* PB_Cmalloc(int);
void Cblacs_abort(int, int);

// Fortran takes everything by address, and arrays with the row and column at which they start.
using In = const int*;
#define TESSERA_DECLARE(p, T)                                                                                \
  void p##potrf_(const char*, In, T*, In, In, In, int*);                                                     \
  void p##potrs_(const char*, In, In, const T*, In, In, In, T*, In, In, In, int*);                           \
  void p##potri_(const char*, In, T*, In, In, In, int*);                                                     \
  void p##getrf_(In, In, T*, In, In, In, int*, int*);                                                        \
  void p##getrs_(const char*, In, In, const T*, In, In, In, In, T*, In, In, In, int*);                       \
  void p##getri_(In, T*, In, In, In, In, T*, In, int*, In, int*);                                            \
  void p##trtrs_(const char*, const char*, const char*, In, In, const T*, In, In, In, T*, In, In, In, int*); \
  void p##geqrf_(In, In, T*, In, In, In, T*, T*, In, int*);                                                  \
  void p##trsm_(const char*, const char*, const char*, const char*, In, In, const T*, const T*, In, In, In,  \
                T*, In, In, In);                                                                             \
  void p##gels_(const char*, In, In, In, T*, In, In, In, T*, In, In, In, T*, In, int*);
TESSERA_DECLARE(ps, float)
TESSERA_DECLARE(pd, double)
TESSERA_DECLARE(pc, c64)
TESSERA_DECLARE(pz, c128)
#undef TESSERA_DECLARE

#define TESSERA_DECLARE(p, q, T, R) void q##gqr_(In, In, In, T*, In, In, In, const T*, T*, In, int*);
TESSERA_DECLARE(ps, psor, float, float)
TESSERA_DECLARE(pd, pdor, double, double)
TESSERA_DECLARE(pc, pcun, c64, float)
TESSERA_DECLARE(pz, pzun, c128, double)
#undef TESSERA_DECLARE
}

// Replaces PBLAS's own function of this name. PBLAS allocates its copies of operands with it and passes them to
// BLAS, so they need room behind them, too.
char* PB_Cmalloc(int length) {
  if (length <= 0) return nullptr;
  auto* memory = static_cast<char*>(
      std::malloc(static_cast<std::size_t>(length) + tessera::linalg::blas::room_behind));  // freed by PBLAS
  if (memory == nullptr) {
    std::fprintf(stderr, "ScaLAPACK has no memory for %d bytes of an operand; use more processes\n", length);
    Cblacs_abort(-1, -1);
  }
  return memory;
}

namespace tessera::linalg::scalapack {
void ContextTraits::free(Handle context) noexcept { Cblacs_gridexit(context); }
void SystemTraits::free(Handle handle) noexcept { Cfree_blacs_system_handle(handle); }

Grid::Grid(MPI_Comm comm, int rows, int columns, GridOrder order) : system_(Csys2blacs_handle(comm)) {
  std::vector<int> map(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));  // column-major
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      map[static_cast<std::size_t>(r) + static_cast<std::size_t>(c) * static_cast<std::size_t>(rows)] =
          order == GridOrder::row_major ? r * columns + c : c * rows + r;
    }
  }
  blas::require_buffer();
  int context = system_.get();
  Cblacs_gridmap(&context, map.data(), rows, rows, columns);
  context_.reset(context);
}

Grid::Place Grid::place() const {
  int rows = 0, columns = 0;
  Place place{};
  Cblacs_gridinfo(context_.get(), &rows, &columns, &place.row, &place.column);
  return place;
}

namespace {

struct Topology {
  const char *operation, *scope;
};
constexpr Topology topologies[] = {{"Broadcast", "Rowwise"}, {"Broadcast", "Columnwise"}, {"Broadcast", "All"},
                                   {"Combine", "Rowwise"},   {"Combine", "Columnwise"},   {"Combine", "All"}};
// Topologies are the same for all contexts, and the context is ignored.
constexpr int any_context = 0;

}  // namespace

Topologies::Topologies() {
  char* before = before_.data();
  for (const auto& [operation, scope] : topologies) {
    pb_topget_(&any_context, operation, scope, before++);
    pb_topset_(&any_context, operation, scope, " ");
  }
}

Topologies::~Topologies() {
  const char* before = before_.data();
  for (const auto& [operation, scope] : topologies) pb_topset_(&any_context, operation, scope, before++);
}

int agree(int context, int info) {
  constexpr int nowhere = -1, everybody = -1;
  Cigamx2d(context, "All", " ", 1, 1, &info, 1, nullptr, nullptr, nowhere, everybody, everybody);
  return info;
}

int checked_int(index_t value, std::string_view array) {
  if (value <= std::numeric_limits<int>::max()) return static_cast<int>(value);
  throw UsageError(formatted(
      "array \"{}\" has an extent of {}, and ScaLAPACK counts in 32 bits (at most 2147483647)", array, value));
}

#define TESSERA_DEFINE(p, T)                                                                    \
  template <>                                                                                   \
  int potrf(int n, T* a, const Descriptor& da) {                                                \
    int info = 0;                                                                               \
    p##potrf_("L", &n, a, &one, &one, raw(da), &info);                                          \
    return info;                                                                                \
  }                                                                                             \
  template <>                                                                                   \
  int potrs(int n, int columns, const T* a, const Descriptor& da, T* b, const Descriptor& db) { \
    int info = 0;                                                                               \
    p##potrs_("L", &n, &columns, a, &one, &one, raw(da), b, &one, &one, raw(db), &info);        \
    return info;                                                                                \
  }
TESSERA_DEFINE(ps, float)
TESSERA_DEFINE(pd, double)
TESSERA_DEFINE(pc, c64)
TESSERA_DEFINE(pz, c128)
#undef TESSERA_DEFINE

std::size_t pivots_of(const Descriptor& a) {
  int rows = 1, columns = 1, row = 0, column = 0;
  Cblacs_gridinfo(a.context, &rows, &columns, &row, &column);
  return static_cast<std::size_t>(a.m) / static_cast<std::size_t>(rows) + 2 * static_cast<std::size_t>(a.mb) +
         1;
}

#define TESSERA_DEFINE(p, q, T, R)                                                                             \
  template <>                                                                                                  \
  int potri(int n, T* a, const Descriptor& da) {                                                               \
    int info = 0;                                                                                              \
    p##potri_("L", &n, a, &one, &one, raw(da), &info);                                                         \
    return info;                                                                                               \
  }                                                                                                            \
  template <>                                                                                                  \
  int getrf(int m, int n, T* a, const Descriptor& da, int* pivots) {                                           \
    int info = 0;                                                                                              \
    p##getrf_(&m, &n, a, &one, &one, raw(da), pivots, &info);                                                  \
    return info;                                                                                               \
  }                                                                                                            \
  template <>                                                                                                  \
  int getrs(char op, int n, int columns, const T* a, const Descriptor& da, const int* pivots, T* b,            \
            const Descriptor& db) {                                                                            \
    int info = 0;                                                                                              \
    p##getrs_(&op, &n, &columns, a, &one, &one, raw(da), pivots, b, &one, &one, raw(db), &info);               \
    return info;                                                                                               \
  }                                                                                                            \
  template <>                                                                                                  \
  int getri(int n, T* a, const Descriptor& da, const int* pivots) {                                            \
    return with_workspace<T>(da, {}, [&](const Workspace<T>& room) {                                           \
      int info = 0;                                                                                            \
      p##getri_(&n, a, &one, &one, raw(da), pivots, room.work, &room.length, room.integers,                    \
                &room.integer_length, &info);                                                                  \
      return info;                                                                                             \
    });                                                                                                        \
  }                                                                                                            \
  template <>                                                                                                  \
  int trtrs(char triangle, char op, char diagonal, int n, int columns, const T* a, const Descriptor& da, T* b, \
            const Descriptor& db) {                                                                            \
    int info = 0;                                                                                              \
    p##trtrs_(&triangle, &op, &diagonal, &n, &columns, a, &one, &one, raw(da), b, &one, &one, raw(db), &info); \
    return info;                                                                                               \
  }                                                                                                            \
  template <>                                                                                                  \
  int geqrf(int m, int n, T* a, const Descriptor& da, T* scales) {                                             \
    return with_workspace<T>(da, {}, [&](const Workspace<T>& room) {                                           \
      int info = 0;                                                                                            \
      p##geqrf_(&m, &n, a, &one, &one, raw(da), scales, room.work, &room.length, &info);                       \
      return info;                                                                                             \
    });                                                                                                        \
  }                                                                                                            \
  template <>                                                                                                  \
  int orgqr(int m, int columns, int reflections, T* a, const Descriptor& da, const T* scales) {                \
    return with_workspace<T>(da, {}, [&](const Workspace<T>& room) {                                           \
      int info = 0;                                                                                            \
      q##gqr_(&m, &columns, &reflections, a, &one, &one, raw(da), scales, room.work, &room.length, &info);     \
      return info;                                                                                             \
    });                                                                                                        \
  }                                                                                                            \
  template <>                                                                                                  \
  void trsm(char op, int rows, int columns, const T* a, const Descriptor& da, T* b, const Descriptor& db) {    \
    const T factor{1};                                                                                         \
    p##trsm_("L", "L", &op, "N", &rows, &columns, &factor, a, &one, &one, raw(da), b, &one, &one, raw(db));    \
  }                                                                                                            \
  template <>                                                                                                  \
  int gels(int m, int n, int columns, T* a, const Descriptor& da, T* b, const Descriptor& db) {                \
    return with_workspace<T>(da, {}, [&](const Workspace<T>& room) {                                           \
      int info = 0;                                                                                            \
      p##gels_("N", &m, &n, &columns, a, &one, &one, raw(da), b, &one, &one, raw(db), room.work, &room.length, \
               &info);                                                                                         \
      return info;                                                                                             \
    });                                                                                                        \
  }
TESSERA_DEFINE(ps, psor, float, float)
TESSERA_DEFINE(pd, pdor, double, double)
TESSERA_DEFINE(pc, pcun, c64, float)
TESSERA_DEFINE(pz, pzun, c128, double)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::scalapack
