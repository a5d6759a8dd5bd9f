// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "basis.hpp"
#include "message_of.hpp"
#include "molecule.hpp"
#include "temporary_directory.hpp"

namespace {

using namespace rhf;
namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(directory / name) << text;
    return directory / name;
  }
  // The message of the error must contain these words.
  void expect_error(const std::function<void()>& action, const std::string& words) const {
    const std::string message = tessera::test::message_of<std::runtime_error>(action);
    EXPECT_NE(message.find(words), std::string::npos) << message;
  }
  void expect_bad_xyz(const std::string& text, const std::string& words) const {
    const auto file = write("bad.xyz", text);
    expect_error([&] { read_xyz(file); }, words);
  }
  const tessera::test::TemporaryDirectory directory;
};

TEST_F(Files, molecules_of_the_example_have_the_published_repulsion) {
  const Molecule water = read_xyz(fs::path(RHF_DATA) / "water.xyz");
  ASSERT_EQ(water.atoms.size(), 3U);
  EXPECT_EQ(water.electrons(0), 10);
  EXPECT_EQ(water.electrons(2), 8);
  EXPECT_NEAR(water.nuclear_repulsion(), 9.1882590789, 1e-8);
  EXPECT_NEAR(read_xyz(fs::path(RHF_DATA) / "water-dimer.xyz").nuclear_repulsion(), 36.6628506443, 1e-8);
  const Molecule benzene = read_xyz(fs::path(RHF_DATA) / "benzene.xyz");
  EXPECT_EQ(benzene.electrons(0), 42);
  EXPECT_NEAR(benzene.nuclear_repulsion(), 203.1535243747, 1e-7);
}

TEST_F(Files, xyz_may_have_the_line_ends_of_another_system) {
  const auto file = write("dos.xyz", "2\r\nhydrogen\r\nH 0 0 0\r\nH 0 0 0.74\r\n\r\n");
  const Molecule hydrogen = read_xyz(file);
  EXPECT_EQ(hydrogen.title, "hydrogen");
  EXPECT_NEAR(hydrogen.nuclear_repulsion(), 1 / (0.74 * 1.889725989), 1e-12);
}

TEST_F(Files, xyz_may_begin_with_the_mark_of_utf_8) {
  const Molecule helium = read_xyz(write("mark.xyz",
                                         "\xEF\xBB\xBF"
                                         "1\nhelium\nHe 0 0 0\n"));
  EXPECT_EQ(helium.title, "helium");
  EXPECT_EQ(helium.atoms.size(), 1U);
}

TEST_F(Files, bad_xyz_is_refused_with_its_line) {
  expect_bad_xyz("", "bad.xyz:1: an XYZ file begins with the number of atoms");
  expect_bad_xyz("1.5\n\nH 0 0 0\n", "bad.xyz:1: an XYZ file begins with the number of atoms");
  for (const char* number : {"1,74", "1D0", "0x10", "0.74abc"})
    expect_bad_xyz("1\n\nH 0 0 " + std::string(number) + "\n",
                   "bad.xyz:3: expected an element and three coordinates");
  expect_bad_xyz("three\n", "not \"three\"");
  expect_bad_xyz("0\nnothing\n", "bad.xyz:1");
  expect_bad_xyz("-1\nless\n", "bad.xyz:1");
  expect_bad_xyz("1\n", "bad.xyz:2: the title line is missing");
  expect_bad_xyz("2\nt\nH 0 0 0\n", "bad.xyz:4: the file ends after 1 of 2 atoms");
  expect_bad_xyz("1\nt\nH 0 zero 0\n", "bad.xyz:3: expected an element and three coordinates");
  expect_bad_xyz("1\nt\nH 0 0\n", "bad.xyz:3");
  expect_bad_xyz("1\nt\nH 1e308 0 0\n", "bad.xyz:3: the place of \"H\" is too far away");
  expect_bad_xyz("1\nt\nNa 0 0 0\n", "bad.xyz:3: unknown element \"Na\"");
  expect_bad_xyz("2\nt\nH 0 0 0\nHe 0 0 0.01\n", "atoms 1 and 2 are at the same place");
  expect_bad_xyz("1\nt\nH 0 0 0\nH 0 0 1\n", "more lines than the 1 atoms announced");
  expect_bad_xyz("1\n" + std::string(5000, ' ') + "\nH 0 0 0\n", "bad.xyz:2: this line has more than");
  expect_error([&] { read_xyz("/dev/zero"); }, "this line has more than");
  expect_error([&] { read_xyz(directory.path() / "none.xyz"); }, "no such file");
  expect_error([&] { read_xyz(directory.path()); }, "it is a directory");
}

TEST_F(Files, electrons_must_be_even_and_positive) {
  const Molecule helium{"He", {{2, {0, 0, 0}}}};
  expect_error([&] { helium.electrons(1); }, "even number");
  expect_error([&] { helium.electrons(2); }, "leaves 0 electrons");
  EXPECT_EQ(helium.electrons(-2), 4);
}

Molecule atom(int charge) { return {"atom", {{charge, {0, 0, 0}}}}; }

TEST_F(Files, basis_sets_have_the_published_numbers_of_functions) {
  struct Case {
    const char* name;
    long hydrogen, helium, lithium_to_neon;
  };
  // the sizes that the literature gives; 6-31G* with six Cartesian d functions
  for (const auto& [name, hydrogen, helium, rest] :
       {Case{"STO-3G", 1, 1, 5}, Case{"6-31G*", 2, 2, 15}, Case{"cc-pVDZ", 5, 5, 14},
        Case{"cc-pVTZ", 14, 14, 30}, Case{"aug-cc-pVDZ", 9, 9, 23}, Case{"aug-cc-pVTZ", 23, 23, 46}}) {
    for (int charge = 1; charge <= 10; ++charge) {
      const long expected = charge == 1 ? hydrogen : charge == 2 ? helium : rest;
      EXPECT_EQ(read_basis(name, atom(charge), default_basis_directory()).size(), expected)
          << name << " of " << symbol(charge);
    }
  }
  EXPECT_EQ(read_basis("6-31g(d)", atom(6), default_basis_directory()).size(), 15);
}

// The blocks of H to Ne, which come first in a basis file of NWChem.
std::string first_row(const fs::path& file) {
  std::ifstream in(file);
  std::string text;
  for (std::string line; std::getline(in, line); text += line + "\n") {
    std::string word;
    std::istringstream(line) >> word;
    if (word == "Na") break;
  }
  return text;
}

TEST_F(Files, basis_sets_have_the_numbers_of_nwchem) {
  const fs::path libraries = "/usr/share/nwchem/libraries";
  if (!fs::exists(libraries)) GTEST_SKIP() << "Debian's nwchem-data is not installed";
  for (const char* name : {"sto-3g", "6-31gs", "cc-pvdz", "cc-pvtz", "aug-cc-pvdz", "aug-cc-pvtz"}) {
    write(std::string(name) + ".nw", first_row(libraries / name));
    for (int charge = 1; charge <= 10; ++charge) {
      SCOPED_TRACE(std::string(name) + " of " + symbol(charge));
      const Basis ours = read_basis(name, atom(charge), default_basis_directory());
      const Basis theirs = read_basis(name, atom(charge), directory.path());
      ASSERT_EQ(ours.shells.size(), theirs.shells.size());
      for (std::size_t s = 0; s < ours.shells.size(); ++s) {
        // NWChem's file of 6-31G* says spherical, against its own comment and the reference energies.
        auto shell = theirs.shells[s];
        shell.contr[0].pure = ours.shells[s].contr[0].pure;
        EXPECT_EQ(ours.shells[s], shell) << s;
      }
    }
  }
}

TEST_F(Files, exponents_may_follow_the_d_of_fortran) {
  write("e.nw", "H S\n 13.01 0.019685\n 1.962e+00 1.37977e-01\n");
  write("d.nw", "H S\n 1.301D+01 1.9685d-02\n 1.962D+00 1.37977D-01\n");
  const Basis e = read_basis("e", atom(1), directory.path()), d = read_basis("d", atom(1), directory.path());
  ASSERT_EQ(d.shells.size(), 1U);
  EXPECT_EQ(d.shells[0].nprim(), 2U);
  EXPECT_EQ(d.shells[0], e.shells[0]);
}

TEST_F(Files, bad_basis_is_refused_with_its_line) {
  auto bad = [&](const std::string& text, const std::string& words) {
    write("bad.nw", text);
    expect_error([&] { read_basis("bad", atom(1), directory.path()); }, words);
  };
  bad("", "no functions for H");
  bad("He S\n 1.0 1.0\n", "no functions for H");
  bad("1.0 1.0\n", "bad.nw:1: expected an element and a shell");
  bad("H X\n 1.0 1.0\n", "bad.nw:1: unknown shell \"X\"");
  bad("H\n 1.0 1.0\n", "bad.nw:1: unknown shell");
  bad("H S\n one 1.0\n", "bad.nw:2: expected an exponent");
  bad("H S\n 1.0\n", "bad.nw:2: expected coefficients");
  bad("H SP\n 1.0 1.0 1.0 1.0\n", "bad.nw:2: more columns");
  bad("H SP\n 1.0 1.0\n", "the shell SP before has 1 columns");
  bad("H S\nH P\n 1.0 1.0\n", "bad.nw:2: the shell S before has 0 columns");
  bad("H S\n 1.0 1.0\nH\n 1.0 1.0\n", "bad.nw:3: unknown shell \"\"");
  bad("H S\n 1.0 1.0 0.0\n", "a column without coefficients");
  bad("H S\n 1.0 1.0\n 2.0 x\n", "bad.nw:3: \"x\" is no coefficient");
  bad("H S\n -1.0 1.0\n", "bad.nw:2: expected an exponent");
  bad("H S\n inf 1.0\n", "bad.nw:2: expected an exponent");
  bad("H S\n 1.0 1e999\n", "bad.nw:2: \"1e999\" is no coefficient");
  bad("H H\n 1e200 1.0\n", "a shell for H without a norm");
  expect_error([&] { read_basis("none", atom(1), directory.path()); }, "there is no basis set \"none\"");
}

}  // namespace
