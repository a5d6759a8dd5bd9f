// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "options.hpp"

#include <map>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "numbers.hpp"

namespace ccsd {

std::optional<int> read_options(int argc, char** argv, bool speaks, Options& options) {
  CLI::App app{"MP2, CCSD and CCSD(T) of closed shells, on Tessera's distributed arrays"};
  const std::map<std::string, Method> methods{
      {"mp2", Method::mp2}, {"ccsd", Method::ccsd}, {"ccsd(t)", Method::ccsd_t}};
  options.input.add_to(app);
  app.add_option("--method", options.method, "mp2, ccsd or ccsd(t) (default: ccsd(t))")
      ->type_name("NAME")
      ->transform(numbers::enumerator(methods));
  app.add_flag("--frozen-core", options.frozen_core,
               "Leave out the 1s orbitals of all atoms but hydrogen and helium");
  app.add_option("--convergence", options.solver.convergence, "Largest change of the energy, in hartree")
      ->check(numbers::positive())
      ->capture_default_str();
  app.add_option("--scf-iterations", options.scf.max_iterations, "Give up after so many of Hartree-Fock")
      ->check(numbers::positive())
      ->capture_default_str();
  app.add_option("--max-iterations", options.solver.max_iterations, "Give up after so many of the amplitudes")
      ->check(numbers::positive())
      ->capture_default_str();
  app.add_option("--disk", options.disk,
                 "Keep the largest tensors in files, in a new directory in this one, which all ranks see");
  app.add_option("--diis", options.solver.diis, "Iterations that are combined (default: 8; with --disk 5)")
      ->check(CLI::Range(1, 50));
  app.add_option("--checkpoint", options.checkpoint,
                 "Write orbitals and amplitudes to HDF5 files that begin with this name, also on SIGTERM");
  app.add_option("--every", options.every, "Iterations from one checkpoint to the next")
      ->check(numbers::positive())
      ->capture_default_str();
  app.add_option("--restart", options.restart, "Begin from the newest of such files, given the same name");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return speaks ? app.exit(error) : error.get_exit_code();
  }
  if (options.method == Method::mp2 && !(options.checkpoint + options.restart).empty()) {
    if (speaks)
      fmt::print(stderr, "ccsd: MP2 has no iterations, so it takes neither --checkpoint nor --restart\n");
    return 2;
  }
  if (!options.disk.empty() && app.count("--diis") == 0) options.solver.diis = 5;
  return std::nullopt;
}

}  // namespace ccsd
