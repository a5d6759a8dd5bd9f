// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "molecule.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace rhf {
namespace {

constexpr std::array symbols{"", "H", "He", "Li", "Be", "B", "C", "N", "O", "F", "Ne"};

double distance(const Atom& a, const Atom& b) {
  return std::hypot(a.position[0] - b.position[0], a.position[1] - b.position[1],
                    a.position[2] - b.position[2]);
}

}  // namespace

std::string symbol(int charge) { return symbols.at(static_cast<std::size_t>(charge)); }

int charge_of(const std::string& symbol) {
  const auto found = std::find(symbols.begin() + 1, symbols.end(), symbol);
  return found == symbols.end() ? 0 : static_cast<int>(found - symbols.begin());
}

double Molecule::nuclear_repulsion() const {
  double energy = 0;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      energy += atoms[i].charge * atoms[j].charge / distance(atoms[i], atoms[j]);
  }
  return energy;
}

int Molecule::electrons(int total_charge) const {
  int count = -total_charge;
  for (const Atom& atom : atoms) count += atom.charge;
  if (count <= 0)
    throw std::runtime_error(fmt::format("a charge of {} leaves {} electrons", total_charge, count));
  if (count % 2 != 0) {
    throw std::runtime_error(fmt::format(
        "{} electrons: restricted Hartree-Fock needs an even number (give the charge with --charge)", count));
  }
  return count;
}

Molecule read_xyz(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw std::runtime_error(fmt::format("{}: it is a directory, not an XYZ file", file.string()));
  std::ifstream in(file);
  if (!in) throw std::runtime_error(fmt::format("{}: no such file, or not readable", file.string()));
  return parse_xyz(in, file.string());
}

Molecule parse_xyz(std::istream& in, const std::string& name) {
  int number = 0;
  std::string line;
  std::array<char, 4096> text{};  // of a line; files may be endless, such as /dev/zero
  auto fail = [&](const std::string& what) {
    throw std::runtime_error(fmt::format("{}:{}: {}", name, number, what));
  };
  auto next = [&] {
    ++number;
    in.getline(text.data(), std::ssize(text));
    line.assign(text.data());
    if (in.fail() && in.gcount() == std::ssize(text) - 1)
      fail(fmt::format("this line has more than {} characters", in.gcount()));
    if (line.ends_with('\r')) line.pop_back();
    return !in.fail();
  };
  int count = 0;
  // A number ends at a space: "1,74" is not 1.
  const auto read = [](std::istream& words, auto& x) {
    return words >> x && (words.eof() || std::isspace(words.peek()) != 0);
  };
  const bool has_line = next();
  if (constexpr std::string_view mark = "\xEF\xBB\xBF"; line.starts_with(mark)) line.erase(0, mark.size());
  std::istringstream first(line);
  if (!has_line || !read(first, count) || count < 1) {
    fail(fmt::format("an XYZ file begins with the number of atoms, not \"{}\"", line));
  }
  if (!next()) fail("the title line is missing");
  Molecule molecule{line, {}};
  for (int i = 0; i < count; ++i) {
    if (!next()) fail(fmt::format("the file ends after {} of {} atoms", i, count));
    std::istringstream words(line);
    std::string element;
    Atom atom{};
    words >> element;
    const bool are_numbers =
        std::all_of(atom.position.begin(), atom.position.end(), [&](double& x) { return read(words, x); });
    if (!are_numbers) {
      fail(fmt::format("expected an element and three coordinates in angstrom, not \"{}\"", line));
    }
    atom.charge = charge_of(element);
    if (atom.charge == 0) fail(fmt::format("unknown element \"{}\" (H to Ne are known)", element));
    for (double& x : atom.position) {
      x *= bohr_per_angstrom;
      if (!std::isfinite(x)) fail(fmt::format("the place of \"{}\" is too far away", element));
    }
    for (std::size_t j = 0; j < molecule.atoms.size(); ++j) {
      if (distance(atom, molecule.atoms[j]) < 0.1)
        fail(fmt::format("atoms {} and {} are at the same place", j + 1, i + 1));
    }
    molecule.atoms.push_back(atom);
  }
  while (next()) {
    if (line.find_first_not_of(" \t\r") != std::string::npos)
      fail(fmt::format("more lines than the {} atoms announced", count));
  }
  return molecule;
}

}  // namespace rhf
