// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "repulsion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <libint2.h>
#include <libint2/solidharmonics.h>

namespace rhf {

using libint2::Shell;

namespace {

int momentum(const Shell& shell) { return shell.contr[0].l; }

std::size_t power4(std::size_t n) { return n * n * n * n; }

}  // namespace

// Memory for one quartet of shells.
struct RepulsionEngine::Workspace {
  explicit Workspace(const Basis& basis) : primitives(power4(basis.most_primitives())) {
    const int momentum = basis.largest_momentum();
    libint2_init_eri(primitives.data(), momentum, nullptr);
    const auto functions = static_cast<std::size_t>((momentum + 1) * (momentum + 2) / 2);
    for (auto& buffer : transformed) buffer.resize(power4(functions));
  }
  ~Workspace() { libint2_cleanup_eri(primitives.data()); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  std::vector<Libint_t> primitives;  // the quartets of primitive functions: what libint2 begins with
  std::array<std::vector<double>, 2> transformed;
  double single = 0;  // the integral of four s shells
};

RepulsionEngine::RepulsionEngine(const Basis& basis, double precision)
    : precision_(precision),
      boys_(4 * basis.largest_momentum()),
      workspace_(std::make_unique<Workspace>(basis)) {}

RepulsionEngine::~RepulsionEngine() = default;

void RepulsionEngine::prepare(const Shell& a, const Shell& b, PairData& pair) const {
  double distance2 = 0;
  for (std::size_t x = 0; x < 3; ++x) {
    pair.from_b[x] = a.O[x] - b.O[x];
    distance2 += pair.from_b[x] * pair.from_b[x];
  }
  pair.primitives.clear();
  for (std::size_t i = 0; i < a.nprim(); ++i) {
    for (std::size_t j = 0; j < b.nprim(); ++j) {
      PairData::Primitive both{};
      both.exponent = a.alpha[i] + b.alpha[j];
      both.inverse = 1 / both.exponent;
      both.factor = std::sqrt(2 * std::pow(std::numbers::pi, 2.5)) * both.inverse *
                    std::exp(-a.alpha[i] * b.alpha[j] * both.inverse * distance2) * a.contr[0].coeff[i] *
                    b.contr[0].coeff[j];
      // The factor of the other pair is not much above 1.
      if (std::abs(both.factor) < 0.1 * precision_) continue;
      for (std::size_t x = 0; x < 3; ++x) {
        both.from_a[x] = -b.alpha[j] * both.inverse * pair.from_b[x];
        both.centre[x] = a.O[x] + both.from_a[x];
      }
      pair.primitives.push_back(both);
    }
  }
}

// Prepares quartets of primitive functions for libint2, and returns how many are not negligible. The integrals
// of s shells need no more than their sum.
std::size_t RepulsionEngine::fill(int momentum, const PairData& ab, const PairData& cd) {
  std::size_t count = 0;
  double sum = 0;
  for (const PairData::Primitive& p : ab.primitives) {
    for (const PairData::Primitive& q : cd.primitives) {
      const double inverse = 1 / (p.exponent + q.exponent), factor = p.factor * q.factor * std::sqrt(inverse);
      if (std::abs(factor) < precision_) continue;
      const double x = p.centre[0] - q.centre[0], y = p.centre[1] - q.centre[1], z = p.centre[2] - q.centre[2];
      const double p_share = p.exponent * inverse, q_share = q.exponent * inverse;
      const double t = (x * x + y * y + z * z) * p.exponent * q_share;
      Libint_t& to = workspace_->primitives[count++];
      double* values = to.LIBINT_T_SS_EREP_SS(0);
      if (momentum == 0) {
        boys_.evaluate(t, 0, factor, values);
        sum += *values;
        continue;
      }
      boys_.evaluate(t, momentum, factor, values);
      to.PA_x[0] = p.from_a[0], to.PA_y[0] = p.from_a[1], to.PA_z[0] = p.from_a[2];
      to.QC_x[0] = q.from_a[0], to.QC_y[0] = q.from_a[1], to.QC_z[0] = q.from_a[2];
      to.WP_x[0] = -q_share * x, to.WP_y[0] = -q_share * y, to.WP_z[0] = -q_share * z;
      to.WQ_x[0] = p_share * x, to.WQ_y[0] = p_share * y, to.WQ_z[0] = p_share * z;
      to.oo2z[0] = 0.5 * p.inverse, to.oo2e[0] = 0.5 * q.inverse, to.oo2ze[0] = 0.5 * inverse;
      to.roz[0] = q_share, to.roe[0] = p_share;
      to.AB_x[0] = ab.from_b[0], to.AB_y[0] = ab.from_b[1], to.AB_z[0] = ab.from_b[2];
      to.CD_x[0] = cd.from_b[0], to.CD_y[0] = cd.from_b[1], to.CD_z[0] = cd.from_b[2];
    }
  }
  workspace_->single = sum;
  return count;
}

const double* RepulsionEngine::compute(const Shell& a, const Shell& b, const Shell& c, const Shell& d,
                                       const PairData& ab, const PairData& cd) {
  const int la = momentum(a), lb = momentum(b), lc = momentum(c), ld = momentum(d), all = la + lb + lc + ld;
  const std::size_t count = fill(all, ab, cd);
  if (count == 0) return nullptr;
  if (all == 0) return &workspace_->single;
  Libint_t* primitives = workspace_->primitives.data();
  primitives->contrdepth = static_cast<int>(count);
  libint2_build_eri[la][lb][lc][ld](primitives);
  return transform(a, b, c, d, primitives->targets[0]);
}

// From Cartesian to spherical functions, one shell after the other.
const double* RepulsionEngine::transform(const Shell& a, const Shell& b, const Shell& c, const Shell& d,
                                         const double* cartesian) {
  const double* from = cartesian;
  double* to = workspace_->transformed[0].data();
  double* other = workspace_->transformed[1].data();
  std::size_t before = 1,
              after = a.cartesian_size() * b.cartesian_size() * c.cartesian_size() * d.cartesian_size();
  for (const Shell* shell : {&a, &b, &c, &d}) {
    after /= shell->cartesian_size();
    if (shell->contr[0].pure) {
      libint2::solidharmonics::transform_inner(before, static_cast<std::size_t>(momentum(*shell)), after, from,
                                               to);
      from = to;
      std::swap(to, other);
    }
    before *= shell->size();
  }
  return from;
}

}  // namespace rhf
