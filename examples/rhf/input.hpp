// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <stdexcept>
#include <string>

#include <tessera/runtime/group.hpp>

#include "basis.hpp"
#include "molecule.hpp"

namespace CLI {
class App;
}

namespace rhf {

/// What a user says of a molecule.
struct InputOptions {
  std::string molecule, basis = "cc-pVDZ", basis_directory = default_basis_directory().string();
  int charge = 0;
  bool symmetry = true;

  void add_to(CLI::App& app);
};

/// What calculations begin with.
struct Input {
  Molecule molecule;
  double moved;  // the largest distance by which atoms were moved to make the molecule symmetric, in bohr
  int charge, electrons;
  Basis basis;

  /// Lines that tell what was read.
  std::string text() const;
  /// What a density belongs to, wherever the atoms are: "O H H in cc-pVDZ, charge 0".
  std::string system() const;
};

/// The files cannot be read or make no sense; thrown on every rank.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Every rank reads the files. If one cannot, all throw. @collective
/// @throws InputError
Input read_input(const tessera::Group& group, const InputOptions& options);

}  // namespace rhf
