// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace rhf {
namespace {

using Vector = std::array<double, 3>;
using Matrix3 = SymmetryOperation::Matrix;

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double length(const Vector& a) { return std::sqrt(dot(a, a)); }
Vector plus(const Vector& a, double factor, const Vector& b) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}
Vector scaled(const Vector& a, double factor) { return {factor * a[0], factor * a[1], factor * a[2]}; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector product(const Matrix3& m, const Vector& v) { return {dot(m[0], v), dot(m[1], v), dot(m[2], v)}; }

constexpr Matrix3 identity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix3 inversion{{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};

// Places of the atoms, from the centre of the nuclei's charge.
struct Places {
  explicit Places(const Molecule& molecule) {
    double charge = 0;
    for (const Atom& atom : molecule.atoms) {
      centre = plus(centre, atom.charge, atom.position);
      charge += atom.charge;
    }
    centre = scaled(centre, 1 / charge);
    for (const Atom& atom : molecule.atoms) of.push_back(plus(atom.position, -1, centre));
  }
  Vector centre{};
  std::vector<Vector> of;
};

// Orthogonal axes of two vectors that are not parallel: rows.
Matrix3 axes(const Vector& a, const Vector& b) {
  const Vector x = scaled(a, 1 / length(a)), rest = plus(b, -dot(b, x), x), y = scaled(rest, 1 / length(rest));
  return {x, y, cross(x, y)};
}

// The orthogonal matrix that maps the axes `from` to the axes `to`, the last one to its opposite if `sign` is
// -1.
Matrix3 rotation(const Matrix3& from, const Matrix3& to, double sign) {
  Matrix3 result{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      result[i][j] = to[0][i] * from[0][j] + to[1][i] * from[1][j] + sign * to[2][i] * from[2][j];
  }
  return result;
}

// Finds the operations of one molecule.
class Search {
 public:
  Search(const Molecule& molecule, double tolerance)
      : molecule_(molecule), tolerance_(tolerance), places_(molecule) {}

  std::vector<SymmetryOperation> operator()() {
    add(identity);
    const auto [first, second] = reference();
    if (second) {
      add_images(*first, *second);
    } else {
      add(inversion);  // all atoms are on a line: no other operation permutes them
    }
    return std::move(found_);
  }

 private:
  // Two atoms whose places are not parallel, as nearly orthogonal as there are.
  std::pair<std::optional<std::size_t>, std::optional<std::size_t>> reference() const {
    const std::size_t atoms = places_.of.size();
    std::pair<std::optional<std::size_t>, std::optional<std::size_t>> best;
    double most = tolerance_;
    for (std::size_t i = 0; i < atoms; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double area = length(cross(places_.of[i], places_.of[j]));
        if (area <= most * 1.01) continue;  // of equal ones the first, whatever the rounding
        most = area;
        best = {i, j};
      }
    }
    return best;
  }

  // An operation is known by the images of two atoms, but for a reflection at their plane.
  void add_images(std::size_t i, std::size_t j) {
    const auto& at = places_.of;
    const Matrix3 from = axes(at[i], at[j]);
    for (std::size_t k = 0; k < at.size(); ++k) {
      if (!is_alike(i, k)) continue;
      for (std::size_t l = 0; l < at.size(); ++l) {
        if (l == k || !is_alike(j, l)) continue;
        if (std::abs(dot(at[i], at[j]) - dot(at[k], at[l])) > 2 * tolerance_ * (length(at[i]) + length(at[j])))
          continue;
        const Matrix3 to = axes(at[k], at[l]);
        for (const double sign : {1.0, -1.0}) add(rotation(from, to, sign));
      }
    }
  }

  bool is_alike(std::size_t i, std::size_t k) const {
    return molecule_.atoms[i].charge == molecule_.atoms[k].charge &&
           std::abs(length(places_.of[i]) - length(places_.of[k])) <= 2 * tolerance_;
  }

  // Keeps an operation that maps the molecule onto itself, unless another one permutes the atoms alike.
  void add(const Matrix3& matrix) {
    std::vector<std::size_t> image;
    for (std::size_t i = 0; i < places_.of.size(); ++i) {
      const Vector moved = product(matrix, places_.of[i]);
      std::size_t k = 0;
      const auto is_there = [&] {
        return molecule_.atoms[k].charge == molecule_.atoms[i].charge &&
               length(plus(moved, -1, places_.of[k])) <= 4 * tolerance_;
      };
      while (k < places_.of.size() && !is_there()) ++k;
      if (k == places_.of.size()) return;
      image.push_back(k);
    }
    if (known_.insert(image).second) found_.push_back({matrix, std::move(image)});
  }

  const Molecule& molecule_;
  double tolerance_;
  Places places_;
  std::set<std::vector<std::size_t>> known_;
  std::vector<SymmetryOperation> found_;
};

// Whether the permutations are a group: the tolerance may admit some operations and not their products.
bool is_group(const std::vector<SymmetryOperation>& operations) {
  std::set<std::vector<std::size_t>> all;
  for (const auto& operation : operations) all.insert(operation.image);
  for (const auto& first : operations) {
    for (const auto& second : operations) {
      std::vector<std::size_t> both;
      for (const std::size_t place : first.image) both.push_back(second.image[place]);
      if (!all.contains(both)) return false;
    }
  }
  return true;
}

std::vector<SymmetryOperation> operations_of(const Molecule& molecule, double tolerance) {
  auto operations = Search(molecule, tolerance)();
  if (!is_group(operations)) operations.resize(1);
  return operations;
}

}  // namespace

SymmetryOperation::Matrix SymmetryOperation::inverse() const {
  Matrix transpose{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) transpose[i][j] = matrix[j][i];
  }
  return transpose;
}

double make_symmetric(Molecule& molecule) {
  const std::vector<Atom> before = molecule.atoms;
  // The operations are as inexact as the places, but the mean of places is not: its error is the square of
  // theirs.
  for (int step = 0; step < 3; ++step) {
    molecule.symmetry = operations_of(molecule, 1e-5);
    const Places places(molecule);
    for (std::size_t i = 0; i < molecule.atoms.size(); ++i) {
      Vector sum{};
      for (const auto& operation : molecule.symmetry)
        sum = plus(sum, 1, product(operation.inverse(), places.of[operation.image[i]]));
      const double operations = static_cast<double>(molecule.symmetry.size());
      molecule.atoms[i].position = plus(places.centre, 1 / operations, sum);
    }
  }
  // Those alone that are exact now: atoms that have moved may come close to another operation.
  molecule.symmetry = operations_of(molecule, 1e-10);
  double most = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    most = std::max(most, length(plus(molecule.atoms[i].position, -1, before[i].position)));
  return most;
}

}  // namespace rhf
