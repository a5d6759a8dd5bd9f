// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>

#include "basis.hpp"

namespace libint2 {
class Engine;
}

namespace rhf {

/// Integrals with one electron, by libint2's engine. No other file includes its header, which takes long to
/// compile.
class OneElectronEngine {
 public:
  enum class Kind { overlap, kinetic, nuclear };
  OneElectronEngine(Kind kind, const Basis& basis, const Molecule& molecule);
  ~OneElectronEngine();

  /// The integrals of two shells, row-major, until the next call.
  const double* compute(const libint2::Shell& a, const libint2::Shell& b);

 private:
  std::unique_ptr<libint2::Engine> engine_;
};

}  // namespace rhf
