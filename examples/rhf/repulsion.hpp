// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "basis.hpp"
#include "boys.hpp"

namespace rhf {

/// What the integrals of two shells a and b have in common.
struct PairData {
  /// The product of a primitive function of a and one of b is a Gaussian.
  struct Primitive {
    double exponent, inverse;              // the sum of both exponents, and 1 over it
    double factor;                         // with the coefficients of both functions
    std::array<double, 3> centre, from_a;  // where it is, and the same seen from a
  };
  std::vector<Primitive> primitives;
  std::array<double, 3> from_b;  // where a is, seen from b
};

/// Repulsion integrals (ab|cd) of quartets of shells, by the recurrence relations that libint2 generates. Its
/// own engine spends most of its time on what comes before them.
class RepulsionEngine {
 public:
  /// Products of four primitive functions that contribute less than `precision` are left out.
  RepulsionEngine(const Basis& basis, double precision);
  ~RepulsionEngine();

  /// The first shell must not have the smaller angular momentum.
  void prepare(const libint2::Shell& a, const libint2::Shell& b, PairData& pair) const;
  /// The integrals, row-major, until the next call; null if all are negligible. The first pair must not have
  /// the larger sum of angular momenta.
  const double* compute(const libint2::Shell& a, const libint2::Shell& b, const libint2::Shell& c,
                        const libint2::Shell& d, const PairData& ab, const PairData& cd);

 private:
  struct Workspace;
  std::size_t fill(int momentum, const PairData& ab, const PairData& cd);
  const double* transform(const libint2::Shell& a, const libint2::Shell& b, const libint2::Shell& c,
                          const libint2::Shell& d, const double* cartesian);

  double precision_;
  Boys boys_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace rhf
