// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// MP2, CCSD and CCSD(T) of closed shells on distributed arrays, from the Hartree-Fock orbitals of examples/rhf.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <libint2/initialize.h>
#include <tessera/io/io.hpp>
#include <tessera/linalg/linalg.hpp>
#include <tessera/tessera.hpp>

#include "mp2.hpp"
#include "options.hpp"
#include "output.hpp"
#include "phases.hpp"
#include "triples.hpp"

namespace {

using namespace ccsd;
using tessera::index_t;

int core_orbitals(const rhf::Molecule& molecule) {
  return static_cast<int>(std::count_if(molecule.atoms.begin(), molecule.atoms.end(),
                                        [](const rhf::Atom& atom) { return atom.charge > 2; }));
}

// Throws on every rank or on none, except for errors that end the job.
class Calculation {
 public:
  Calculation(const Options& options, const rhf::Input& input, const tessera::Runtime& runtime)
      : options_(options),
        input_(input),
        runtime_(runtime),
        world_(runtime.world()),
        frozen_(options.frozen_core ? core_orbitals(input.molecule) : 0),
        scratch_(options.disk.empty() ? Scratch() : Scratch(world_, options.disk)),
        phases_(runtime) {}

  void operator()() {
    say("{}\n", runtime_.description());
    say("{}", input_.text());
    if (!options_.checkpoint.empty()) {
      checkpoint_.emplace(world_, options_.checkpoint);
      checkpoint_->claim();  // before the work, so that a wrong path costs none
    }
    const index_t orbitals = rhf::independent_functions(world_, input_.basis, input_.molecule);
    // Before the work, so that a calculation that does not fit costs no time.
    const Memory memory = require_memory(correlated_dimensions(orbitals, input_.electrons, frozen_));
    reference(orbitals);
    const Space space = correlated_space(*orbitals_, input_.electrons, frozen_);
    const TransformOptions how{options_.scf.screening, scratch_, memory.part};
    if (options_.method == Method::mp2) {
      const Tensor ovov =
          phases_("integrals", [&] { return transform_ovov(input_.basis, space, how, progress("integrals")); });
      second_order(space, ovov);
    } else {
      const MoIntegrals integrals =
          phases_("integrals", [&] { return transform(input_.basis, space, how, progress("integrals")); });
      second_order(space, integrals.ovov);
      coupled_cluster(space, integrals);
    }
    const std::string text = phases_.text();
    say("\n{}", text);
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) const {
    if (world_.rank() != 0) return;
    fmt::print(format, std::forward<Args>(args)...);
    std::fflush(stdout);
  }

  Progress progress(const char* phase) const { return {phase, world_.rank() == 0}; }

  // The orbitals, from Hartree-Fock or from the checkpoint.
  void reference(index_t all) {
    const index_t n = input_.basis.size(), pairs = input_.electrons / 2;
    if (!options_.restart.empty()) {
      orbitals_ = rhf::Orbitals{Matrix(world_, {n, all}, {.name = "orbitals"}), {}};
      t_ = make_amplitudes(world_, pairs - frozen_, all - pairs);
      restart();
    } else {
      Matrix density(world_, {n, n}, {.name = "density"});
      rhf::Times times;
      phases_("Hartree-Fock", [&] {
        rhf_energy_ = run_scf(input_.basis, input_.molecule, input_.electrons, options_.scf, density, false,
                              times, [](const rhf::Iteration&) {})
                          .energy;
        orbitals_ = canonical_orbitals(input_.basis, input_.molecule, options_.scf.screening, density);
      });
    }
    say("RHF energy       {:18.10f} hartree\n\n", rhf_energy_);
  }

  // What the amplitudes are of.
  std::string description() const {
    std::string text = fmt::format("{}, charge {}, {} frozen:", input_.basis.name, input_.charge, frozen_);
    for (const rhf::Atom& atom : input_.molecule.atoms) {
      const auto& [x, y, z] = atom.position;
      text += fmt::format(" {} ({:.8f}, {:.8f}, {:.8f})", rhf::symbol(atom.charge), x, y, z);
    }
    return text;
  }
  // What a calculation is continued from. The orbitals belong to the amplitudes: others may have other signs.
  void add_state(tessera::io::Checkpoint& checkpoint) {
    checkpoint.add("calculation", calculation_);
    checkpoint.add("orbitals", orbitals_->coefficients);
    checkpoint.add("orbital energies", orbitals_->energies);
    checkpoint.add("RHF energy", rhf_energy_);
    checkpoint.add("singles", t_->t1);
    checkpoint.add("doubles", t_->t2);
  }
  void restart() {
    tessera::io::Checkpoint checkpoint(world_, options_.restart);
    add_state(checkpoint);
    const auto restored = checkpoint.restore();
    if (!restored) throw tessera::io::IoError("there is no checkpoint " + options_.restart + ".<number>.h5");
    if (calculation_ != description()) {
      throw tessera::io::IoError(fmt::format("{} is of another calculation: {}\nand this one is {}",
                                             restored->file.string(), calculation_, description()));
    }
    begin_ = static_cast<int>(restored->step);
    for (const auto& [file, reason] : restored->skipped) say("Skipped {}: {}\n", file.string(), reason);
    say("Restart from {}, iteration {}\n", restored->file.string(), begin_);
  }

  Memory require_memory(const Dimensions& orbitals) {
    const auto [occupied, virtuals] = orbitals;
    const Memory memory = memory_of({options_.method, input_.basis.size(), occupied, virtuals, world_.size(),
                                     options_.solver.diis, !options_.disk.empty(), checkpoint_.has_value()});
    say("Correlated {} occupied and {} virtual orbitals, {} frozen\n", occupied, virtuals, frozen_);
    say("Memory     {} for tensors, on all ranks together\n", size_text(memory.most()));
    if (scratch_) say("Files      {}\n", size_text(memory.files));
    say("\n");
    std::string problem = what_is_missing(runtime_, memory,
                                          std::string(scratch_ ? "" : "--disk DIRECTORY needs less; or ") +
                                              "take more nodes, a smaller basis set, or --frozen-core");
    if (problem.empty() && scratch_) problem = what_is_missing(world_, memory, options_.disk);
    if (!problem.empty()) throw SolverError(problem);
    return memory;
  }

  void second_order(const Space& space, const Tensor& ovov) {
    const Mp2Energy energy = phases_("MP2", [&] { return mp2_energy(space, ovov); });
    say("MP2, same spin   {:18.10f} hartree\n", energy.same_spin);
    say("MP2, opposite    {:18.10f}\n", energy.opposite_spin);
    say("MP2 energy       {:18.10f}\n\n", rhf_energy_ + energy.total());
  }

  void coupled_cluster(const Space& space, const MoIntegrals& integrals) {
    const auto solution = amplitudes(space, integrals);
    if (!solution) return;
    const double singles = norm2(t_->t1), doubles = norm2(t_->t2);
    const double diagnostic = singles / std::sqrt(2.0 * static_cast<double>(space.occupied));
    say("\nConverged in {} iterations.\n", solution->iterations);
    say("Norms            {:.6f} of singles, {:.6f} of doubles; T1 diagnostic {:.6f}\n", singles, doubles,
        diagnostic);
    say("CCSD correlation {:18.10f} hartree\n", solution->energy.total());
    say("CCSD energy      {:18.10f}\n", rhf_energy_ + solution->energy.total());
    if (options_.method != Method::ccsd_t) return;
    const double triples =
        phases_("(T)", [&] { return triples_energy(space, integrals, *t_, scratch_, progress("(T)")); });
    say("(T) correction   {:18.10f}\n", triples);
    say("CCSD(T) energy   {:18.10f}\n", rhf_energy_ + solution->energy.total() + triples);
  }

  // Nothing if the calculation was told to stop.
  std::optional<Solution> amplitudes(const Space& space, const MoIntegrals& integrals) {
    const Solution solution = phases_("CCSD", [&] { return iterate(space, integrals); });
    if (solution.converged) return solution;
    say("\nStopped after iteration {}; --restart {} continues.\n", solution.iterations, options_.checkpoint);
    return std::nullopt;
  }

  Solution iterate(const Space& space, const MoIntegrals& integrals) {
    Equations equations(space, integrals);
    if (!t_) {
      t_ = make_amplitudes(world_, space.occupied, space.virtuals);
      equations.guess(*t_);
    }
    calculation_ = description();
    if (checkpoint_) add_state(*checkpoint_);
    tessera::io::CheckpointSchedule schedule(world_, {.signals = checkpoint_.has_value()});
    say("{:>4} {:>18} {:>14} {:>12} {:>9}\n", "", "CCSD correlation", "change", "residual", "time / s");
    const auto goes_on = [&](const Iteration& it) {
      say("{:>4} {:>18.10f} {:>14.3e} {:>12.3e} {:>9.3f}\n", it.number, it.energy, it.change, it.residual,
          it.seconds);
      const bool due = schedule.due() || it.number % options_.every == 0;
      if (due && checkpoint_) checkpoint_->write_async(it.number);
      return !checkpoint_ || !schedule.should_stop();
    };
    try {
      const Solution solution = solve(equations, *t_, options_.solver, begin_, goes_on);
      if (checkpoint_ && checkpoint_->last_step() != solution.iterations)
        checkpoint_->write(solution.iterations);
      if (checkpoint_) checkpoint_->close();
      return solution;
    } catch (const SolverError&) {  // on every rank; what was begun to be written is kept
      if (checkpoint_) checkpoint_->close();
      throw;
    }
  }

  const Options& options_;
  const rhf::Input& input_;
  const tessera::Runtime& runtime_;
  const tessera::Group& world_;
  int frozen_, begin_ = 0;
  double rhf_energy_ = 0;
  Scratch scratch_;
  std::optional<rhf::Orbitals> orbitals_;
  std::optional<Amplitudes> t_;
  std::string calculation_;
  std::optional<tessera::io::Checkpoint> checkpoint_;  // refers to the members above
  Phases phases_;
};

int status_of(int argc, char** argv) {
  tessera::Runtime runtime(argc, argv);
  const bool speaks = runtime.world().rank() == 0;
  Options options;
  if (const auto status = read_options(argc, argv, speaks, options)) return *status;
  std::string problem;
  libint2::initialize();
  try {
    Calculation(options, rhf::read_input(runtime.world(), options.input), runtime)();
  } catch (const rhf::InputError& error) {
    problem = error.what();
  } catch (const rhf::ScfError& error) {
    problem = error.what();
  } catch (const SolverError& error) {
    problem = error.what();
  } catch (const tessera::io::IoError& error) {
    problem = error.what();
  } catch (const tessera::MemoryError& error) {
    problem = error.what();
  } catch (const tessera::linalg::LinalgError& error) {
    problem = fmt::format("the amplitudes diverge: {}", error.what());
  } catch (const std::system_error&) {  // on rank 0 alone: it ends the job
    output::explain_output("ccsd");
    throw;
  }
  libint2::finalize();
  if (problem.empty()) return 0;
  if (speaks) fmt::print(stderr, "ccsd: {}\n", problem);
  return 1;
}

}  // namespace

int main(int argc, char** argv) { return output::status_with_output("ccsd", status_of(argc, argv)); }
