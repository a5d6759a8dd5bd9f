// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "digest.hpp"

#include <array>

namespace rhf {
namespace {

constexpr std::size_t largest_shell = 28;  // Cartesian functions of a shell with momentum 6

// A block of the density that is gathered, and one of the Fock matrix that is scattered: both contiguous, with
// rows of a fixed length.
template <int Columns>
struct Tile {
  static constexpr std::size_t length = Columns > 0 ? std::size_t{Columns} : largest_shell;
  double density[largest_shell][length];
  double fock[largest_shell][length];

  void gather(const Blocks& blocks, int rows, int columns) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        density[i][j] = blocks.density[i * blocks.row + j * blocks.column];
        fock[i][j] = 0;
      }
    }
  }
  void scatter(const Blocks& blocks, double weight, int rows, int columns) const {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) blocks.fock[i * blocks.row + j * blocks.column] += weight * fock[i][j];
    }
  }
};

// R and S are the sizes of the shells r and s, or 0 if the shape gives them.
template <int R, int S>
void digest(const double* integrals, double weight, const Shape& shape, const QuartetBlocks& blocks) {
  const int nr = R > 0 ? R : shape.r, ns = S > 0 ? S : shape.s;
  Tile<S> rs, ps, qs;
  Tile<R> pr, qr;
  rs.gather(blocks.rs, nr, ns);
  pr.gather(blocks.pr, shape.p, nr);
  ps.gather(blocks.ps, shape.p, ns);
  qr.gather(blocks.qr, shape.q, nr);
  qs.gather(blocks.qs, shape.q, ns);
  const double* v = integrals;
  for (int p = 0; p < shape.p; ++p) {
    for (int q = 0; q < shape.q; ++q) {
      const double pq = blocks.pq.density[p * blocks.pq.row + q * blocks.pq.column];
      double coulomb = 0;
      for (int r = 0; r < nr; ++r) {
        double with_qs = 0, with_ps = 0;
        for (int s = 0; s < ns; ++s, ++v) {
          coulomb += *v * rs.density[r][s];
          rs.fock[r][s] += *v * pq;
          with_qs += *v * qs.density[q][s];
          with_ps += *v * ps.density[p][s];
          ps.fock[p][s] += *v * qr.density[q][r];
          qs.fock[q][s] += *v * pr.density[p][r];
        }
        pr.fock[p][r] += with_qs;
        qr.fock[q][r] += with_ps;
      }
      blocks.pq.fock[p * blocks.pq.row + q * blocks.pq.column] += weight * coulomb;
    }
  }
  const double exchange = -0.25 * weight;
  rs.scatter(blocks.rs, weight, nr, ns);
  pr.scatter(blocks.pr, exchange, shape.p, nr);
  ps.scatter(blocks.ps, exchange, shape.p, ns);
  qr.scatter(blocks.qr, exchange, shape.q, nr);
  qs.scatter(blocks.qs, exchange, shape.q, ns);
}

struct Entry {
  int r, s;
  Digest function;
};
// Spherical and Cartesian shells up to f: libint2 wants the larger momentum first.
constexpr std::array entries{
    Entry{1, 1, digest<1, 1>},   Entry{3, 1, digest<3, 1>},    Entry{3, 3, digest<3, 3>},
    Entry{5, 1, digest<5, 1>},   Entry{5, 3, digest<5, 3>},    Entry{5, 5, digest<5, 5>},
    Entry{6, 1, digest<6, 1>},   Entry{6, 3, digest<6, 3>},    Entry{6, 6, digest<6, 6>},
    Entry{7, 1, digest<7, 1>},   Entry{7, 3, digest<7, 3>},    Entry{7, 5, digest<7, 5>},
    Entry{7, 7, digest<7, 7>},   Entry{10, 1, digest<10, 1>},  Entry{10, 3, digest<10, 3>},
    Entry{10, 6, digest<10, 6>}, Entry{10, 10, digest<10, 10>}};

}  // namespace

Digest digest_of(int r, int s) {
  for (const Entry& entry : entries) {
    if (entry.r == r && entry.s == s) return entry.function;
  }
  return digest<0, 0>;
}

}  // namespace rhf
