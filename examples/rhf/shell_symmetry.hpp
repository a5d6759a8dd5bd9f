// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <vector>

#include "integrals.hpp"
#include "mixing.hpp"
#include "symmetry.hpp"

namespace rhf {

/// What the symmetry of a molecule does to the shells of a basis, and so to matrices and integrals. Of all
/// quartets that the operations map to each other, one is enough: the mean over the operations makes up for the
/// others (Dupuis and King, Int. J. Quantum Chem. 11, 613 (1977)).
class ShellSymmetry {
 public:
  /// No operation but the identity.
  ShellSymmetry() = default;
  /// The operations of `molecule.symmetry`.
  ShellSymmetry(const Basis& basis, const Molecule& molecule);

  /// The number of operations.
  std::size_t order() const { return order_; }
  /// Whether no operation maps a pair of shells to a later one. The column does not come after the row.
  bool is_last(std::size_t row, std::size_t column) const;
  /// For how many quartets (ab|cd) stands, or 0 if a later one stands for it. The pair (cd) does not come after
  /// (ab), and neither do columns after rows.
  double stands_for(std::size_t a, std::size_t b, std::size_t c, std::size_t d) const;

  /// Replaces the matrix of an operator by its mean over all operations. @collective
  void average(Matrix& matrix) const;
  /// The largest element by which an operation changes a density matrix, on every rank. @collective
  double asymmetry(const Matrix& density) const;

 private:
  using Rows = tessera::LocalArray<double, 2>;
  std::size_t image(std::size_t shell, std::size_t operation) const {
    return image_[shell * order_ + operation];
  }
  // An operation that maps one shell to another.
  std::size_t operation_to(std::size_t from, std::size_t to) const;
  std::vector<std::size_t> orbit(std::size_t shell) const;
  // Calls function(shells) for each set of shells that the operations map to each other: each set on one rank.
  template <class F>
  void for_each_orbit(const tessera::Group& group, F&& function) const;
  std::vector<Rows> fetch(const Matrix& matrix, const std::vector<std::size_t>& shells) const;
  void pull(const std::vector<Mixing>& mixing, std::size_t operation, std::size_t shell, const Rows& from,
            Rows& to) const;

  std::size_t order_ = 1;
  std::vector<long> first_;            // function of each shell, as in the basis
  std::vector<std::size_t> image_;     // of each shell by each operation
  std::vector<std::size_t> kind_;      // of each shell: its angular momentum, and whether it is spherical
  std::vector<Mixing> covariant_;      // of each kind by each operation: of matrices of operators
  std::vector<Mixing> contravariant_;  // of density matrices: the transpose of the inverse
};

}  // namespace rhf
