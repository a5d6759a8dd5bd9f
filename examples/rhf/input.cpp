// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "input.hpp"

#include <exception>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "symmetry.hpp"

namespace rhf {
namespace {

Input read(const InputOptions& options) {
  Molecule molecule = read_xyz(options.molecule);
  const double moved = options.symmetry ? make_symmetric(molecule) : 0;
  const int electrons = molecule.electrons(options.charge);
  Basis basis = read_basis(options.basis, molecule, options.basis_directory);
  return {std::move(molecule), moved, options.charge, electrons, std::move(basis)};
}

}  // namespace

void InputOptions::add_to(CLI::App& app) {
  app.add_option("molecule", molecule, "XYZ file, in angstrom")->required();
  app.add_option("--basis", basis, "Basis set: STO-3G, 6-31G*, cc-pVDZ, cc-pVTZ, aug-cc-pVDZ or aug-cc-pVTZ")
      ->capture_default_str();
  app.add_option("--basis-dir", basis_directory, "Where basis sets are read from");
  app.add_option("--charge", charge, "Total charge")->capture_default_str();
  app.add_flag("!--no-symmetry", symmetry,
               "Use no symmetry of the molecule, and do not move atoms to make it exact");
}

std::string Input::system() const {
  std::string atoms;
  for (const Atom& atom : molecule.atoms) atoms += symbol(atom.charge) + " ";
  return fmt::format("{}in {}, charge {}", atoms, basis.name, charge);
}

std::string Input::text() const {
  const std::size_t atoms = molecule.atoms.size(), permutations = molecule.symmetry.size();
  std::string text =
      fmt::format("Molecule   {}: {} atom{}, {} electrons, charge {}\n", molecule.title, atoms,
                  atoms == 1 ? "" : "s", electrons, charge) +
      fmt::format("Basis      {}: {} shells, {} functions\n", basis.name, basis.shells.size(), basis.size()) +
      fmt::format("Repulsion  {:.10f} hartree\n", molecule.nuclear_repulsion());
  if (permutations > 1) {
    text += fmt::format("Symmetry   {} permutations of the atoms, which moved by at most {:.1e} angstrom\n",
                        permutations, moved / bohr_per_angstrom);
  }
  return text;
}

Input read_input(const tessera::Group& group, const InputOptions& options) {
  std::optional<Input> input;
  std::string problem;
  try {
    input = read(options);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  problem = group.agree(problem);  // file systems may differ
  if (!problem.empty()) throw InputError(problem);
  return std::move(*input);
}

}  // namespace rhf
