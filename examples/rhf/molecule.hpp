// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace rhf {

/// Bohr in one angstrom, as in NWChem 7.0.
inline constexpr double bohr_per_angstrom = 1.889725989;

struct Atom {
  int charge;                      // of the nucleus
  std::array<double, 3> position;  // bohr
};

/// A rotation or reflection about the centre of the nuclear charges that maps a molecule onto itself.
struct SymmetryOperation {
  using Matrix = std::array<std::array<double, 3>, 3>;
  Matrix matrix;                   // orthogonal
  std::vector<std::size_t> image;  // atom i comes to the place of atom image[i]

  Matrix inverse() const;
};

struct Molecule {
  std::string title;
  std::vector<Atom> atoms;
  std::vector<SymmetryOperation> symmetry = {};  // what a calculation may use; the atoms have it exactly

  /// Energy of the nuclei in each other's field, in hartree.
  double nuclear_repulsion() const;
  /// The number of electrons at a total charge; throws unless it is even and positive.
  int electrons(int total_charge) const;
};

/// Reads an XYZ file (angstrom); throws std::runtime_error that names file, line and what is wrong.
Molecule read_xyz(const std::filesystem::path& file);
/// The same for a text. `name` is the file's name in messages.
Molecule parse_xyz(std::istream& in, const std::string& name);

/// "O" for 8.
std::string symbol(int charge);
/// 8 for "O"; 0 if the text is no element up to neon.
int charge_of(const std::string& symbol);

}  // namespace rhf
