// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "scf.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <tessera/linalg/linalg.hpp>
#include <tessera/runtime/phase.hpp>

namespace rhf {

using namespace tessera;
using linalg::gemm;

namespace {

// Eigenvalues of the overlap below this are taken for linear dependence.
constexpr double dependent = 1e-7;

// Degenerate orbitals that are occupied in part give densities without symmetry. Rounding gives less than this.
constexpr double largest_asymmetry = 1e-7;

// How many electron pairs a free atom has in each function of a shell, which is its number `number` of this
// angular momentum. Contracted shells come first in basis sets, and are like the orbitals of atoms.
double electron_pairs(int charge, int momentum, int number) {
  if (momentum == 0 && number == 0) return std::min(charge, 2) / 2.0;
  if (momentum == 0 && number == 1) return std::clamp(charge - 2, 0, 2) / 2.0;
  if (momentum == 1 && number == 0) return std::max(charge - 4, 0) / 6.0;
  return 0;
}

// The density of free atoms: where iterations begin.
void free_atoms(const Basis& basis, const Molecule& molecule, Matrix& density) {
  fill(density, 0.0);
  std::size_t s = 0;
  for (const Atom& atom : molecule.atoms) {
    std::array<int, 2> shells{};
    for (; s < basis.shells.size() && basis.shells[s].O == atom.position; ++s) {
      const int momentum = basis.shells[s].contr[0].l;
      if (density.group().rank() != 0 || momentum > 1) continue;
      const double pairs = electron_pairs(atom.charge, momentum, shells[static_cast<std::size_t>(momentum)]++);
      for (index_t i = basis.first[s]; i < basis.first[s + 1]; ++i) density.store({i, i}, pairs);
    }
  }
  density.sync();
}

// The lowest orbitals of a Fock matrix.
Orbitals lowest_orbitals(const Matrix& fock, const Matrix& x, index_t count) {
  const index_t n = x.dims()[0], m = x.dims()[1];
  Matrix half(fock.group(), {n, m}, {.name = "F X"}), orthogonal(fock.group(), {m, m}, {.name = "X^T F X"});
  Orbitals orbitals{Matrix(fock.group(), {n, count}, {.name = "orbitals"}), {}};
  gemm(1, fock, x, 0, half);
  gemm(1, linalg::transpose(x), half, 0, orthogonal);
  auto lowest = linalg::eigh(orthogonal, {.indices = linalg::EighOptions::Indices{0, count}});
  gemm(1, x, lowest.vectors, 0, orbitals.coefficients);
  orbitals.energies = std::move(lowest.values);
  return orbitals;
}

// D = C_occ C_occ^T from the lowest orbitals of a Fock matrix.
void density_of(const Matrix& fock, const Matrix& x, index_t occupied, Matrix& density) {
  linalg::syrk(1, lowest_orbitals(fock, x, occupied).coefficients, 0, density);
}

// X^T (F D S - S D F) X, which vanishes when F and D belong together.
Matrix error_of(const Matrix& fock, const Matrix& density, const Matrix& overlap, const Matrix& x) {
  const index_t n = x.dims()[0], m = x.dims()[1];
  Matrix fd(fock.group(), {n, n}, {.name = "F D"}), fds(fd.duplicate("F D S")), turned(fd.duplicate("S D F")),
      half(fock.group(), {n, m}, {.name = "(FDS - SDF) X"}),
      error(fock.group(), {m, m}, {.name = "DIIS error"});
  gemm(1, fock, density, 0, fd);
  gemm(1, fd, overlap, 0, fds);
  transpose(fds, turned);
  axpby(-1, turned, 1, fds);
  gemm(1, fds, x, 0, half);
  gemm(1, linalg::transpose(x), half, 0, error);
  return error;
}

// How many electron pairs of one density are not in another.
double moved_pairs(const Matrix& before, const Matrix& density, const Matrix& overlap, index_t occupied) {
  Matrix sd(density.duplicate("S D")), sds(density.duplicate("S D S"));
  gemm(1, overlap, before, 0, sd);
  gemm(1, sd, overlap, 0, sds);
  return static_cast<double>(occupied) - dot(sds, density);
}

// Where F and D belong together, other orbitals than the lowest may be occupied. Such an energy is no ground
// state's. Between atoms that are far apart it may be that of two ions.
void require_lowest(const Matrix& before, const Matrix& density, const Matrix& overlap, index_t occupied,
                    double energy) {
  constexpr double many = 0.1;
  if (!(moved_pairs(before, density, overlap, occupied) > many)) return;
  throw ScfError(
      fmt::format("no ground state: at {:.6f} hartree nothing changes the energy, but other orbitals than the "
                  "lowest {} are occupied (bonds that are very long have such states; take shorter ones)",
                  energy, occupied));
}

}  // namespace

ScfResult run_scf(const Basis& basis, const Molecule& molecule, int electrons, const ScfOptions& options,
                  Matrix& density, bool have_density, Times& times,
                  const std::function<void(const Iteration&)>& report) {
  const Group& world = density.group();
  const index_t n = basis.size(), occupied = electrons / 2;
  Matrix overlap(world, {n, n}, {.name = "overlap"}), core(overlap.duplicate("core Hamiltonian")),
      fock(overlap.duplicate("Fock")), before(overlap.duplicate("density before"));
  {
    const Timer timer(times.one_electron);
    one_electron(basis, molecule, overlap, core);
  }
  const ShellSymmetry symmetry(basis, molecule);
  std::optional<FockBuilder> builder(std::in_place, world, basis, options.screening, symmetry);
  std::size_t operations = symmetry.order();
  const double repulsion = molecule.nuclear_repulsion();
  const Matrix x = linalg::canonical_orthogonaliser(overlap, dependent);
  if (occupied > x.dims()[1]) {
    throw ScfError(fmt::format("{} electron pairs do not fit {} independent functions", occupied, x.dims()[1]));
  }
  if (!have_density) {
    const Timer timer(times.fock);
    const Phase phase(world, "first Fock matrix");
    free_atoms(basis, molecule, density);
    builder->build(density, core, fock);
    density_of(fock, x, occupied, density);
  }

  linalg::Diis<> diis;
  double last = std::numeric_limits<double>::quiet_NaN();
  for (int iteration = 1; iteration <= options.max_iterations; ++iteration) {
    double seconds = 0, energy = 0, error = 0;
    {
      const Timer whole(seconds);
      {
        const Timer timer(times.fock);
        const Phase phase(world, "Fock matrix");
        if (operations > 1 && symmetry.asymmetry(density) > largest_asymmetry) {
          operations = 1;
          builder.emplace(world, basis, options.screening);
        }
        builder->build(density, core, fock);
      }
      const Timer timer(times.linear_algebra);
      const Phase phase(world, "new density");
      energy = dot(density, core) + dot(density, fock) + repulsion;
      const Matrix residual = error_of(fock, density, overlap, x);
      error = norm_inf(residual);
      diis.extrapolate({{fock, residual}});
      copy(density, before);
      density_of(fock, x, occupied, density);
    }
    report({iteration, energy, energy - last, error, seconds, operations});
    // The energy's own error is of second order in this one, if the density has all electrons. That of other
    // places of the atoms has not.
    const auto pairs = static_cast<double>(occupied);
    const auto is_whole = [&] { return std::abs(dot(before, overlap) - pairs) < 1e-8 * pairs; };
    const bool settled =
        std::abs(energy - last) < options.convergence || (iteration == 1 && have_density && is_whole());
    if (settled && error < std::sqrt(options.convergence) * 1e-2) {
      require_lowest(before, density, overlap, occupied, energy);
      return {energy, iteration};
    }
    last = energy;
  }
  throw ScfError(fmt::format("no convergence of Hartree-Fock in {} iteration{} ({} allows more)",
                             options.max_iterations, options.max_iterations == 1 ? "" : "s",
                             options.limit_option));
}

index_t independent_functions(const Group& group, const Basis& basis, const Molecule& molecule) {
  Matrix overlap(group, {basis.size(), basis.size()}, {.name = "overlap"});
  Matrix core = overlap.duplicate("core Hamiltonian");
  one_electron(basis, molecule, overlap, core);
  return linalg::canonical_orthogonaliser(overlap, dependent).dims()[1];
}

Orbitals canonical_orbitals(const Basis& basis, const Molecule& molecule, double screening,
                            const Matrix& density) {
  Matrix overlap = density.duplicate("overlap"), core = density.duplicate("core Hamiltonian"),
         fock = density.duplicate("Fock");
  one_electron(basis, molecule, overlap, core);
  FockBuilder(density.group(), basis, screening).build(density, core, fock);
  const Matrix x = linalg::canonical_orthogonaliser(overlap, dependent);
  return lowest_orbitals(fock, x, x.dims()[1]);
}

}  // namespace rhf
