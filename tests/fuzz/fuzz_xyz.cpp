// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "fuzz.hpp"
#include "molecule.hpp"

namespace {

using namespace rhf;
using tessera::fuzz::require;

constexpr double farthest = 1e300;  // farther, a coordinate may become infinite when it is written

std::string xyz_of(const Molecule& molecule) {
  std::ostringstream out;
  out.precision(17);
  out << molecule.atoms.size() << "\r\n" << molecule.title << "\r\n";
  for (const Atom& atom : molecule.atoms) {
    out << symbol(atom.charge);
    for (const double x : atom.position) out << ' ' << x / bohr_per_angstrom;
    out << "\r\n";
  }
  return out.str();
}

bool is_close(double a, double b) { return std::abs(a - b) <= 1e-14 * std::abs(a) + 1e-300; }

// A molecule that was written is the same when it is read again.
void check_round_trip(const Molecule& molecule) {
  std::istringstream in(xyz_of(molecule));
  const Molecule again = parse_xyz(in, "again");
  require(again.title == molecule.title, "the title is kept");
  require(again.atoms.size() == molecule.atoms.size(), "the number of atoms is kept");
  for (std::size_t i = 0; i < again.atoms.size(); ++i) {
    require(again.atoms[i].charge == molecule.atoms[i].charge, "the elements are kept");
    for (std::size_t d = 0; d < 3; ++d)
      require(is_close(molecule.atoms[i].position[d], again.atoms[i].position[d]), "the places are kept");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(tessera::fuzz::text_of(data, size));
  Molecule molecule;
  if (!tessera::fuzz::accepts<std::runtime_error>([&] { molecule = parse_xyz(in, "input"); })) return 0;
  require(!molecule.atoms.empty(), "a molecule has atoms");
  bool is_near = true;
  for (const Atom& atom : molecule.atoms) {
    require(atom.charge >= 1 && atom.charge <= 10, "an atom is H to Ne");
    for (const double x : atom.position) {
      require(std::isfinite(x), "a coordinate is a number");
      is_near = is_near && std::abs(x) < farthest;
    }
  }
  require(std::isfinite(molecule.nuclear_repulsion()), "the repulsion is a number");
  tessera::fuzz::accepts<std::runtime_error>([&] { molecule.electrons(0); });
  if (is_near) check_round_trip(molecule);
  return 0;
}
