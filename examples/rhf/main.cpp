// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// Restricted Hartree-Fock on distributed arrays: reads a molecule, iterates, and keeps the density in HDF5.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <libint2/initialize.h>
#include <CLI/CLI.hpp>
#include <tessera/io/io.hpp>
#include <tessera/tessera.hpp>

#include "input.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "scf.hpp"

namespace {

using namespace rhf;

struct Options {
  InputOptions input;
  std::string checkpoint, restart;
  ScfOptions scf;
  std::optional<double> reference;
};

// Energies computed with NWChem 7.0.2, for the molecules that come with this example: (repulsion, basis
// functions, energy).
struct Reference {
  double repulsion;
  long functions;
  double energy;
};
constexpr Reference references[] = {{9.1882590789, 24, -76.0267656767},
                                    {9.1882590789, 58, -76.0571140880},
                                    {36.6628506443, 48, -152.0625362560},
                                    {203.1535243747, 102, -230.7018289130}};

std::optional<double> known_energy(double repulsion, long functions) {
  for (const Reference& reference : references) {
    if (std::abs(reference.repulsion - repulsion) < 1e-6 && reference.functions == functions)
      return reference.energy;
  }
  return std::nullopt;
}

// The density of other places of the same atoms is a good guess.
void restart(const std::string& prefix, const std::string& system, Matrix& density) {
  std::string stored = system;
  tessera::io::Checkpoint checkpoint(density.group(), prefix);
  checkpoint.add("density", density);
  checkpoint.add("system", stored);
  const auto restored = checkpoint.restore();
  if (!restored) throw tessera::io::IoError("there is no checkpoint " + prefix + ".<number>.h5");
  if (stored != system) {
    throw tessera::io::IoError(
        fmt::format("{} is of {}, but this calculation is of {}", restored->file.string(), stored, system));
  }
  if (density.group().rank() != 0) return;
  for (const auto& [file, reason] : restored->skipped) fmt::print("Skipped {}: {}\n", file.string(), reason);
  fmt::print("Restart from {}, iteration {}\n\n", restored->file.string(), restored->step);
}

// Throws on every rank or on none, except for errors that end the job.
void calculate(const Options& options, const Input& input, const tessera::Runtime& runtime) {
  const tessera::Group& world = runtime.world();
  const bool speaks = world.rank() == 0;
  Times times;
  const auto& [molecule, moved, charge, electrons, basis] = input;
  if (speaks) {
    fmt::print("{}\n{}\n", runtime.description(), input.text());
    std::fflush(stdout);
  }

  std::string system = input.system();  // the checkpoint refers to it
  Matrix density(world, {basis.size(), basis.size()}, {.name = "density"});
  if (!options.restart.empty()) {
    const Timer timer(times.files);
    restart(options.restart, system, density);
  }
  std::optional<tessera::io::Checkpoint> checkpoint;
  if (!options.checkpoint.empty()) {
    checkpoint.emplace(world, options.checkpoint);
    checkpoint->add("density", density);
    checkpoint->add("system", system);
    checkpoint->claim();
  }
  if (speaks)
    fmt::print("{:>4} {:>18} {:>14} {:>12} {:>9}\n", "", "energy / hartree", "change", "DIIS error",
               "time / s");
  std::size_t operations = molecule.symmetry.size();
  const auto result =
      run_scf(basis, molecule, electrons, options.scf, density, !options.restart.empty(), times,
              [&](const Iteration& it) {
                if (checkpoint) {
                  const Timer timer(times.files);
                  checkpoint->write_async(it.number);  // while the next Fock matrix is built
                }
                if (!speaks) return;
                if (it.operations < operations)
                  fmt::print("The density has lost the molecule's symmetry, which is not used any more.\n");
                operations = it.operations;
                const auto change = std::isnan(it.change) ? std::string() : fmt::format("{:.3e}", it.change);
                fmt::print("{:>4} {:>18.10f} {:>14} {:>12.3e} {:>9.3f}\n", it.number, it.energy, change,
                           it.error, it.seconds);
                std::fflush(stdout);
              });
  if (checkpoint) {
    const Timer timer(times.files);
    checkpoint->close();
  }
  if (!speaks) return;
  fmt::print("\nConverged in {} iteration{}.\n", result.iterations, result.iterations == 1 ? "" : "s");
  fmt::print("RHF energy  {:.10f} hartree\n", result.energy);
  auto reference = options.reference;
  if (!reference && charge == 0) reference = known_energy(molecule.nuclear_repulsion(), basis.size());
  if (reference)
    fmt::print("Reference   {:.10f} hartree, difference {:.1e}\n", *reference, result.energy - *reference);
  if (checkpoint) fmt::print("Density written to {}.<number>.h5\n", options.checkpoint);
  fmt::print(
      "\nTime: one-electron integrals {:.3f} s, Fock build {:.3f} s, linear algebra {:.3f} s, files {:.3f} s\n",
      times.one_electron, times.fock, times.linear_algebra, times.files);
}

int status_of(int argc, char** argv) {
  Options options;
  CLI::App app{"Restricted Hartree-Fock on Tessera's distributed arrays"};
  options.input.add_to(app);
  app.add_option("--convergence", options.scf.convergence, "Largest change of the energy, in hartree")
      ->check(numbers::positive())
      ->capture_default_str();
  app.add_option("--screening", options.scf.screening,
                 "Contributions to the Fock matrix below this are left out")
      ->check(numbers::not_negative())
      ->capture_default_str();
  app.add_option("--max-iterations", options.scf.max_iterations, "Give up after so many")
      ->check(numbers::positive())
      ->capture_default_str();
  app.add_option("--checkpoint", options.checkpoint,
                 "Write the density after each iteration to HDF5 files that begin with this name");
  app.add_option("--restart", options.restart, "Begin from the newest of such files, given the same name");
  app.add_option("--reference", options.reference, "Energy to compare with, in hartree")
      ->check(numbers::checked("finite number", [](double) { return true; }));

  tessera::Runtime runtime(argc, argv);
  const bool speaks = runtime.world().rank() == 0;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Every rank has the same arguments; only rank 0 prints.
    return speaks ? app.exit(error) : error.get_exit_code();
  }
  std::string problem;
  libint2::initialize();
  try {
    calculate(options, read_input(runtime.world(), options.input), runtime);
  } catch (const InputError& error) {
    problem = error.what();
  } catch (const ScfError& error) {
    problem = error.what();
  } catch (const tessera::io::IoError& error) {
    problem = error.what();
  } catch (const tessera::MemoryError& error) {  // on every rank
    problem = error.what();
  } catch (const std::system_error&) {  // on rank 0 alone: it ends the job
    output::explain_output("rhf");
    throw;
  }
  libint2::finalize();
  if (problem.empty()) return 0;
  if (speaks) fmt::print(stderr, "rhf: {}\n", problem);
  return 1;
}

}  // namespace

int main(int argc, char** argv) { return output::status_with_output("rhf", status_of(argc, argv)); }
