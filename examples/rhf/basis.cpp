// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "basis.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <libint2/config.h>
#include <libint2/libint2_params.h>

namespace rhf {
namespace {

// A shell before it is put at an atom: SP shells and general contractions are already taken apart.
struct Contraction {
  int angular_momentum;
  std::vector<double> exponents, coefficients;
};
using Elements = std::map<int, std::vector<Contraction>>;

// As far as libint2 was built to compute.
constexpr std::string_view letters = std::string_view("SPDFGHI").substr(
    0, std::min<std::size_t>({7, LIBINT2_MAX_AM_eri + 1, LIBINT2_MAX_AM_overlap + 1}));

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// "6-31G*" is the file 6-31gs.
std::string file_name(std::string name) {
  name = lower(name);
  if (const auto at = name.find("(d)"); at != std::string::npos) name = name.substr(0, at) + "*";
  if (name.ends_with('*')) name.back() = 's';
  return name + ".nw";
}

// A number, which may have Fortran's D before its exponent.
std::optional<double> number_of(std::string word) {
  std::replace_if(
      word.begin(), word.end(), [](char c) { return c == 'D' || c == 'd'; }, 'e');
  double number = 0;
  const char* end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

Elements parse_elements(std::istream& in, const std::string& file, bool& spherical) {
  Elements elements;
  std::vector<Contraction>* element = nullptr;
  std::string type;
  std::size_t first = 0;  // contraction that the first column of the next line of numbers belongs to
  int number = 0;
  auto fail = [&](const std::string& what) {
    throw std::runtime_error(fmt::format("{}:{}: {}", file, number, what));
  };
  const auto end_shell = [&] {
    if (element == nullptr) return;
    const auto columns = element->size() - first;
    if (columns < type.size())
      fail(fmt::format("the shell {} before has {} columns of coefficients", type, columns));
    for (std::size_t c = first; c < element->size(); ++c) {
      if ((*element)[c].exponents.empty())
        fail(fmt::format("the shell {} before has a column without coefficients", type));
    }
  };
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word[0] == '#' || word == "end") continue;
    if (word == "basis") {
      spherical = lower(line).find("spherical") != std::string::npos;
    } else if (const int charge = charge_of(word); charge != 0) {
      end_shell();
      element = &elements[charge];
      first = element->size();
      type.clear();
      words >> type;
      if (type.empty() || type.find_first_not_of(letters) != std::string::npos)
        fail(fmt::format("unknown shell \"{}\"", type));
    } else {
      if (element == nullptr) fail(fmt::format("expected an element and a shell, not \"{}\"", line));
      const auto exponent = number_of(word);
      if (!exponent || *exponent <= 0) fail(fmt::format("expected an exponent, not \"{}\"", line));
      std::size_t column = 0;
      for (; words >> word; ++column) {
        const auto coefficient = number_of(word);
        if (!coefficient) fail(fmt::format("\"{}\" is no coefficient, in \"{}\"", word, line));
        if (element->size() <= first + column) {
          // SP has a column for each letter; a general contraction has several columns for one.
          const std::size_t which = type.size() == 1 ? 0 : column;
          if (which >= type.size()) fail(fmt::format("more columns than a shell {} has: \"{}\"", type, line));
          const char letter = type[which];
          element->push_back({static_cast<int>(letters.find(letter)), {}, {}});
        }
        if (*coefficient == 0) continue;
        (*element)[first + column].exponents.push_back(*exponent);
        (*element)[first + column].coefficients.push_back(*coefficient);
      }
      if (column == 0) fail(fmt::format("expected coefficients after the exponent in \"{}\"", line));
    }
  }
  end_shell();
  return elements;
}

std::string available(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    if (entry.path().extension() == ".nw") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? "none" : list;
}

}  // namespace

int Basis::largest_momentum() const {
  int most = 0;
  for (const libint2::Shell& shell : shells) most = std::max(most, shell.contr[0].l);
  return most;
}

std::size_t Basis::most_primitives() const {
  std::size_t most = 0;
  for (const libint2::Shell& shell : shells) most = std::max(most, shell.nprim());
  return most;
}

std::filesystem::path default_basis_directory() { return RHF_BASIS_DIR; }

Basis read_basis(const std::string& name, const Molecule& molecule, const std::filesystem::path& directory) {
  const auto file = directory / file_name(name);
  if (!std::filesystem::exists(file)) {
    throw std::runtime_error(fmt::format("there is no basis set \"{}\" in {} (there are: {})", name,
                                         directory.string(), available(directory)));
  }
  std::ifstream in(file);
  return parse_basis(in, file.string(), name, molecule);
}

Basis parse_basis(std::istream& in, const std::string& file, const std::string& name,
                  const Molecule& molecule) {
  bool spherical = true;
  const Elements elements = parse_elements(in, file, spherical);
  Basis basis{name, {}, {0}};
  for (const Atom& atom : molecule.atoms) {
    const auto found = elements.find(atom.charge);
    if (found == elements.end()) {
      throw std::runtime_error(
          fmt::format("basis set \"{}\" has no functions for {}", name, symbol(atom.charge)));
    }
    for (const Contraction& shell : found->second) {
      const int l = shell.angular_momentum;
      basis.shells.push_back(
          libint2::Shell{{shell.exponents.begin(), shell.exponents.end()},
                         {{l, spherical && l > 1, {shell.coefficients.begin(), shell.coefficients.end()}}},
                         atom.position});
      const auto& coefficients = basis.shells.back().contr[0].coeff;
      if (!std::all_of(coefficients.begin(), coefficients.end(), [](double c) { return std::isfinite(c); }))
        throw std::runtime_error(
            fmt::format("basis set \"{}\" has a shell for {} without a norm", name, symbol(atom.charge)));
      basis.first.push_back(basis.first.back() + static_cast<long>(basis.shells.back().size()));
    }
  }
  return basis;
}

}  // namespace rhf
