// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// What examples/rhf knows of the symmetry of molecules: the number of permutations, invariant integrals, and
// Fock matrices from one of all equal integrals.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <libint2/initialize.h>
#include <tessera/linalg/linalg.hpp>
#include <tessera/tessera.hpp>

#include "fock.hpp"
#include "mpi_test.hpp"
#include "shell_symmetry.hpp"
#include "symmetry.hpp"

namespace {

using namespace rhf;
using tessera::index_t;
using tessera::test::world;

using Vector = std::array<double, 3>;

// Turned and moved, so that no axis of the molecule is one of the coordinates.
Molecule turned(Molecule molecule) {
  const auto turn = [&](std::size_t x, std::size_t y, double angle) {
    for (Atom& atom : molecule.atoms) {
      const double a = atom.position[x], b = atom.position[y];
      atom.position[x] = std::cos(angle) * a - std::sin(angle) * b;
      atom.position[y] = std::sin(angle) * a + std::cos(angle) * b;
    }
  };
  turn(0, 1, 0.7);
  turn(1, 2, -1.9);
  turn(0, 2, 0.3);
  for (Atom& atom : molecule.atoms) atom.position[1] += 2.5;
  return molecule;
}

// Atoms on a ring about the z axis.
void add_ring(Molecule& molecule, int charge, int count, double radius, double height, double angle = 0) {
  for (int k = 0; k < count; ++k) {
    const double at = angle + 2 * std::numbers::pi * k / count;
    molecule.atoms.push_back({charge, {radius * std::cos(at), radius * std::sin(at), height}});
  }
}

Molecule water() { return {"water", {{8, {0, 0, 0}}, {1, {0, 1.43, 1.11}}, {1, {0, -1.43, 1.11}}}}; }
Molecule ammonia() {
  Molecule molecule{"ammonia", {{7, {0, 0, 0}}}};
  add_ring(molecule, 1, 3, 1.77, 0.72);
  return molecule;
}
Molecule methane() {
  const double x = 1.19;
  return {"methane", {{6, {0, 0, 0}}, {1, {x, x, x}}, {1, {-x, -x, x}}, {1, {-x, x, -x}}, {1, {x, -x, -x}}}};
}
Molecule ethane() {  // staggered
  Molecule molecule{"ethane", {{6, {0, 0, 1.45}}, {6, {0, 0, -1.45}}}};
  add_ring(molecule, 1, 3, 1.9, 2.2);
  add_ring(molecule, 1, 3, 1.9, -2.2, std::numbers::pi / 3);
  return molecule;
}
Molecule ring(int count) {
  Molecule molecule{"ring", {}};
  add_ring(molecule, 1, count, 2.0, 0);
  return molecule;
}
Molecule carbon_dioxide() { return {"CO2", {{8, {0, 0, 2.2}}, {6, {0, 0, 0}}, {8, {0, 0, -2.2}}}}; }
Molecule octahedron() {  // not a molecule that exists
  Molecule molecule{"octahedron", {}};
  for (std::size_t x = 0; x < 3; ++x) {
    for (const double sign : {1.0, -1.0}) {
      Vector at{};
      at[x] = sign * 2.4;
      molecule.atoms.push_back({1, at});
    }
  }
  return molecule;
}

std::size_t permutations_of(const Molecule& molecule) {
  Molecule symmetric = turned(molecule);
  EXPECT_LT(make_symmetric(symmetric), 1e-14);
  return symmetric.symmetry.size();
}

TEST(Symmetry, number_of_permutations_is_that_of_the_point_group_without_what_fixes_all_atoms) {
  EXPECT_EQ(permutations_of(water()), 2U);           // C2v, planar
  EXPECT_EQ(permutations_of(ammonia()), 6U);         // C3v
  EXPECT_EQ(permutations_of(methane()), 24U);        // Td
  EXPECT_EQ(permutations_of(ethane()), 12U);         // D3d
  EXPECT_EQ(permutations_of(ring(4)), 8U);           // D4h, planar
  EXPECT_EQ(permutations_of(ring(7)), 14U);          // D7h, planar
  EXPECT_EQ(permutations_of(carbon_dioxide()), 2U);  // linear
  EXPECT_EQ(permutations_of(octahedron()), 48U);     // Oh
  EXPECT_EQ(permutations_of({"", {{2, {1, 2, 3}}}}), 1U);
  EXPECT_EQ(permutations_of({"", {{2, {1, 2, 3}}, {1, {1, 2, 4}}}}), 1U);
  EXPECT_EQ(permutations_of({"", {{1, {0, 0, 0}}, {1, {1, 2, 4}}}}), 2U);
}

TEST(Symmetry, atoms_a_little_out_of_place_are_moved_and_others_are_not) {
  std::mt19937 random(7);
  for (const Molecule& exact : {methane(), ring(6), ethane(), octahedron()}) {
    for (const double error : {3e-6, 1e-4}) {
      Molecule molecule = turned(exact);
      std::uniform_real_distribution<double> some(-error, error);
      for (Atom& atom : molecule.atoms) {
        for (double& x : atom.position) x += some(random);
      }
      const Molecule before = molecule;
      const double moved = make_symmetric(molecule);
      if (error < 1e-5) {
        EXPECT_EQ(molecule.symmetry.size(), permutations_of(exact)) << exact.title;
        EXPECT_GT(moved, error / 10);
        EXPECT_LT(moved, 2 * error);
        EXPECT_LT(make_symmetric(molecule), 1e-14);
      } else {
        EXPECT_EQ(molecule.symmetry.size(), 1U);
        EXPECT_LT(moved, 1e-14);
      }
    }
  }
}

TEST(Symmetry, operations_of_a_shell_multiply_like_rotations) {
  Molecule molecule = turned(octahedron());
  make_symmetric(molecule);
  for (const bool is_spherical : {false, true}) {
    for (int momentum = is_spherical ? 2 : 0; momentum <= 5; ++momentum) {
      const auto& a = molecule.symmetry[5].matrix;
      const auto& b = molecule.symmetry[17].matrix;
      SymmetryOperation::Matrix ab{};
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          for (std::size_t k = 0; k < 3; ++k) ab[i][j] += a[i][k] * b[k][j];
        }
      }
      // s(b^-1 a^-1 r) = T(b) s(a^-1 r) = T(b) T(a) s(r)
      const Mixing ta = shell_mixing(momentum, is_spherical, a), tb = shell_mixing(momentum, is_spherical, b),
                   tab = shell_mixing(momentum, is_spherical, ab);
      const std::size_t n = ta.functions;
      ASSERT_EQ(
          n, static_cast<std::size_t>(is_spherical ? 2 * momentum + 1 : (momentum + 1) * (momentum + 2) / 2));
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          double sum = 0;
          for (std::size_t k = 0; k < n; ++k) sum += tb.values[i * n + k] * ta.values[k * n + j];
          EXPECT_NEAR(sum, tab.values[i * n + j], 1e-12) << "momentum " << momentum;
        }
      }
    }
  }
}

// A molecule in a basis, and the largest difference of two matrices.
struct Case {
  Case(Molecule of, const std::string& name) : molecule(turned(std::move(of))) {
    make_symmetric(molecule);
    basis = read_basis(name, molecule, default_basis_directory());
  }
  Matrix matrix() const { return Matrix(world(), {basis.size(), basis.size()}); }
  Molecule molecule;
  Basis basis;
};

double difference(const Matrix& a, const Matrix& b) {
  Matrix c = a.duplicate("copy");
  axpby(1, a, -1, b, c);
  return norm_inf(c);
}

std::vector<std::pair<Molecule, std::string>> cases() {
  return {{water(), "cc-pVTZ"},
          {ammonia(), "6-31G*"},
          {methane(), "cc-pVDZ"},
          {octahedron(), "cc-pVTZ"},
          {carbon_dioxide(), "cc-pVDZ"}};
}

TEST(Symmetry, integrals_of_one_electron_are_invariant) {
  for (const auto& [molecule, name] : cases()) {
    const Case some(molecule, name);
    const ShellSymmetry symmetry(some.basis, some.molecule);
    EXPECT_EQ(symmetry.order(), some.molecule.symmetry.size());
    Matrix overlap = some.matrix(), core = some.matrix();
    one_electron(some.basis, some.molecule, overlap, core);
    for (const Matrix* matrix : {&overlap, &core}) {
      Matrix mean = matrix->duplicate("copy");
      copy(*matrix, mean);
      symmetry.average(mean);
      EXPECT_LT(difference(*matrix, mean), 1e-11) << molecule.title;
    }
    // and others are not
    randomize(core, 3, 0.0, 1.0);
    Matrix mean = core.duplicate("copy"), twice = core.duplicate("copy");
    copy(core, mean);
    symmetry.average(mean);
    EXPECT_GT(difference(core, mean), 1e-2);
    copy(mean, twice);
    symmetry.average(twice);
    EXPECT_LT(difference(twice, mean), 1e-12);
  }
}

TEST(Symmetry, each_quartet_is_counted_once) {
  for (const auto& [molecule, name] : cases()) {
    const Case some(molecule, name == "cc-pVTZ" ? "sto-3g" : name);
    const ShellSymmetry symmetry(some.basis, some.molecule);
    const std::size_t shells = some.basis.shells.size();
    double sum = 0, all = 0, kept = 0;
    for (std::size_t a = 0; a < shells; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        for (std::size_t c = 0; c <= a; ++c) {
          for (std::size_t d = 0; d <= (c == a ? b : c); ++d) {
            const double quartets = symmetry.stands_for(a, b, c, d);
            EXPECT_TRUE(quartets == 0 || symmetry.is_last(a, b));
            sum += quartets;
            kept += quartets > 0;
            ++all;
          }
        }
      }
    }
    EXPECT_DOUBLE_EQ(sum, all);
    EXPECT_LT(kept, all) << molecule.title;
  }
}

TEST(Symmetry, fock_matrices_are_those_of_all_integrals) {
  for (const auto& [molecule, name] : cases()) {
    const Case some(molecule, molecule.title == "octahedron" ? "cc-pVDZ" : name);
    const ShellSymmetry symmetry(some.basis, some.molecule);
    Matrix density = some.matrix(), core = some.matrix(), fock = some.matrix(), expected = some.matrix();
    one_electron(some.basis, some.molecule, fock, core);
    const Matrix inverse = tessera::linalg::inverse(fock);
    randomize(density, 11, -1.0, 1.0);
    symmetrise(density);
    EXPECT_GT(symmetry.asymmetry(density), 1e-2);
    symmetry.average(density);
    // From the matrix of an operator to a density: they differ for Cartesian functions.
    tessera::linalg::gemm(1, inverse, density, 0, fock);
    tessera::linalg::gemm(1, fock, inverse, 0, density);
    EXPECT_LT(symmetry.asymmetry(density), 1e-11 * norm_inf(density));
    FockBuilder all(world(), some.basis, 1e-12), some_of_them(world(), some.basis, 1e-12, symmetry);
    fill(core, 0.0);
    for (int step = 0; step < 2; ++step) {
      all.build(density, core, expected);
      some_of_them.build(density, core, fock);
      EXPECT_LT(difference(expected, fock), 1e-9 * (1 + norm_inf(expected))) << molecule.title;
      scale(density, 0.5);  // the second build adds to the first
    }
  }
}

class Libint : public testing::Environment {
 public:
  void SetUp() override { libint2::initialize(); }
  void TearDown() override { libint2::finalize(); }
};
[[maybe_unused]] const auto* const libint = testing::AddGlobalTestEnvironment(new Libint);

}  // namespace
