// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "shell_symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "mixing.hpp"

namespace rhf {

using namespace tessera;

namespace {

// Pairs of shells in the order of tasks: by rows, then by columns. The column does not come after the row.
std::size_t pair_number(std::size_t a, std::size_t b) {
  const auto [column, row] = std::minmax(a, b);
  return row * (row + 1) / 2 + column;
}

std::size_t number_in(const std::vector<std::size_t>& sorted, std::size_t value) {
  return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
}

}  // namespace

ShellSymmetry::ShellSymmetry(const Basis& basis, const Molecule& molecule) : first_(basis.first) {
  const auto& operations = molecule.symmetry;
  if (operations.size() < 2) return;
  order_ = operations.size();
  // All atoms of an element have the same shells in the same order.
  std::vector<std::size_t> first_shell, atom;
  for (std::size_t i = 0, shell = 0; i < molecule.atoms.size(); ++i) {
    first_shell.push_back(shell);
    for (; shell < basis.shells.size() && basis.shells[shell].O == molecule.atoms[i].position; ++shell)
      atom.push_back(i);
  }
  std::vector<std::pair<int, bool>> kinds;
  for (std::size_t shell = 0; shell < atom.size(); ++shell) {
    const auto& contraction = basis.shells[shell].contr[0];
    const std::pair<int, bool> kind{contraction.l, contraction.pure};
    const auto found = std::find(kinds.begin(), kinds.end(), kind);
    kind_.push_back(static_cast<std::size_t>(found - kinds.begin()));
    if (found == kinds.end()) kinds.push_back(kind);
    for (const auto& operation : operations)
      image_.push_back(first_shell[operation.image[atom[shell]]] + shell - first_shell[atom[shell]]);
  }
  for (const auto& [momentum, is_spherical] : kinds) {
    for (const auto& operation : operations) {
      covariant_.push_back(shell_mixing(momentum, is_spherical, operation.matrix));
      contravariant_.push_back(shell_mixing(momentum, is_spherical, operation.inverse()).transposed());
    }
  }
}

bool ShellSymmetry::is_last(std::size_t row, std::size_t column) const {
  if (order_ == 1) return true;
  const std::size_t pair = pair_number(row, column);
  for (std::size_t k = 1; k < order_; ++k) {
    if (pair_number(image(row, k), image(column, k)) > pair) return false;
  }
  return true;
}

double ShellSymmetry::stands_for(std::size_t a, std::size_t b, std::size_t c, std::size_t d) const {
  if (order_ == 1) return 1;
  const std::pair quartet{pair_number(a, b), pair_number(c, d)};
  std::size_t same = 1;
  for (std::size_t k = 1; k < order_; ++k) {
    const auto [least, most] =
        std::minmax({pair_number(image(a, k), image(b, k)), pair_number(image(c, k), image(d, k))});
    const std::pair other{most, least};
    if (other > quartet) return 0;
    same += other == quartet;
  }
  return static_cast<double>(order_) / static_cast<double>(same);
}

std::size_t ShellSymmetry::operation_to(std::size_t from, std::size_t to) const {
  std::size_t k = 0;
  while (image(from, k) != to) ++k;
  return k;
}

std::vector<std::size_t> ShellSymmetry::orbit(std::size_t shell) const {
  std::vector<std::size_t> shells;
  for (std::size_t k = 0; k < order_; ++k) shells.push_back(image(shell, k));
  std::sort(shells.begin(), shells.end());
  shells.erase(std::unique(shells.begin(), shells.end()), shells.end());
  return shells;
}

template <class F>
void ShellSymmetry::for_each_orbit(const Group& group, F&& function) const {
  int turn = 0;
  for (std::size_t shell = 0; shell < kind_.size(); ++shell) {
    const auto shells = orbit(shell);
    if (shells.front() != shell) continue;
    if (turn++ % group.size() == group.rank()) function(shells);
  }
}

std::vector<ShellSymmetry::Rows> ShellSymmetry::fetch(const Matrix& matrix,
                                                      const std::vector<std::size_t>& shells) const {
  std::vector<LocalTransfer<double, 2>> requests;
  for (const std::size_t shell : shells)
    requests.push_back(matrix.get_async({{first_[shell], 0}, {first_[shell + 1], first_.back()}}));
  std::vector<Rows> rows;
  for (auto& request : requests) {
    request.wait();
    rows.push_back(std::move(request.data));
  }
  return rows;
}

// Adds rows of the image of a shell to rows of the shell, as an operation turns them: M from M^T for each
// block.
void ShellSymmetry::pull(const std::vector<Mixing>& mixing, std::size_t operation, std::size_t shell,
                         const Rows& from, Rows& to) const {
  const auto distance = static_cast<std::size_t>(first_.back());
  const Mixing& left = mixing[kind_[shell] * order_ + operation];
  std::vector<double> half;
  for (std::size_t column = 0; column < kind_.size(); ++column) {
    const Mixing& right = mixing[kind_[column] * order_ + operation];
    const std::size_t m = left.functions, n = right.functions;
    const double* block = from.data() + first_[image(column, operation)];
    double* result = to.data() + first_[column];
    half.assign(m * n, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t k = 0; k < m; ++k) {
        for (std::size_t j = 0; j < n; ++j) half[i * n + j] += left.values[i * m + k] * block[k * distance + j];
      }
    }
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k)
          result[i * distance + j] += half[i * n + k] * right.values[j * n + k];
      }
    }
  }
}

void ShellSymmetry::average(Matrix& matrix) const {
  if (order_ == 1) return;
  for_each_orbit(matrix.group(), [&](const std::vector<std::size_t>& shells) {
    const auto rows = fetch(matrix, shells);
    Rows mean(rows.front().extents());
    for (std::size_t k = 0; k < order_; ++k)
      pull(covariant_, k, shells.front(), rows[number_in(shells, image(shells.front(), k))], mean);
    for (double& x : mean) x /= static_cast<double>(order_);
    for (const std::size_t shell : shells) {
      Rows result(mean.extents());
      pull(covariant_, operation_to(shell, shells.front()), shell, mean, result);
      matrix.put({{first_[shell], 0}, {first_[shell + 1], first_.back()}}, result);
    }
  });
  matrix.sync();
}

double ShellSymmetry::asymmetry(const Matrix& density) const {
  double most = 0;
  if (order_ == 1) return most;
  for_each_orbit(density.group(), [&](const std::vector<std::size_t>& shells) {
    const auto rows = fetch(density, shells);
    for (std::size_t k = 1; k < order_; ++k) {
      Rows image_rows(rows.front().extents());
      pull(contravariant_, k, shells.front(), rows[number_in(shells, image(shells.front(), k))], image_rows);
      for (index_t i = 0; i < image_rows.size(); ++i)
        most = std::max(most, std::abs(image_rows.data()[i] - rows.front().data()[i]));
    }
  });
  density.group().all_reduce(std::span(&most, 1), Reduce::max);
  return most;
}

}  // namespace rhf
