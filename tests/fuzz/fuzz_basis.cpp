// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "basis.hpp"
#include "fuzz.hpp"

namespace {

using namespace rhf;
using tessera::fuzz::require;

void check(const Basis& basis) {
  require(basis.size() > 0, "an atom has functions");
  require(basis.first.size() == basis.shells.size() + 1, "each shell has a place");
  for (const libint2::Shell& shell : basis.shells) {
    require(shell.nprim() > 0, "a shell has primitive functions");
    for (std::size_t p = 0; p < shell.nprim(); ++p) {
      require(std::isfinite(shell.alpha[p]) && shell.alpha[p] > 0, "an exponent is positive");
      require(std::isfinite(shell.contr[0].coeff[p]), "a coefficient is a number");
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = tessera::fuzz::text_of(data, size);
  for (const int charge : {1, 8}) {
    std::istringstream in(text);
    const Molecule atom{"atom", {{charge, {0, 0, 0}}}};
    Basis basis;
    if (tessera::fuzz::accepts<std::runtime_error>([&] { basis = parse_basis(in, "input", "fuzz", atom); }))
      check(basis);
  }
  return 0;
}
