// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include <libint2/shell.h>

#include "molecule.hpp"

namespace rhf {

/// The shells of a molecule in a basis set, and where each one's functions begin.
struct Basis {
  std::string name;
  std::vector<libint2::Shell> shells;
  std::vector<long> first;  // shells.size() + 1 entries: the last is the number of functions
  long size() const { return first.back(); }
  /// The largest angular momentum of a shell, and the most primitive functions of a shell: what integrals need
  /// memory for.
  int largest_momentum() const;
  std::size_t most_primitives() const;
};

/// Where the basis sets that come with this example are.
std::filesystem::path default_basis_directory();

/// Reads a basis set by its usual name ("6-31G*", "cc-pVDZ"). Throws std::runtime_error if there is no such
/// basis set, or if it lacks an element.
Basis read_basis(const std::string& name, const Molecule& molecule, const std::filesystem::path& directory);
/// The same for the text of a basis set in NWChem's format. `file` is its name in messages.
Basis parse_basis(std::istream& in, const std::string& file, const std::string& name, const Molecule& molecule);

}  // namespace rhf
