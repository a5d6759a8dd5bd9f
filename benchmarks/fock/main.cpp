// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Hartree-Fock for clusters of water molecules, by the program in examples/rhf: the time of a Fock build with
// distributed matrices, against the same tasks with matrices on every rank and against one rank. Also how the
// ranks share out their time between the counter, fetching, accumulating and integrals. The environment chooses
// how agents run (TESSERA_PROGRESS=thread or poll). Before that, the energy of a known molecule must come out.
#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <iostream>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <libint2/initialize.h>
#include <tessera/runtime/error.hpp>
#include <tessera/tessera.hpp>

#include "replicated.hpp"
#include "scf.hpp"
#include "session.hpp"
#include "water.hpp"

namespace tessera::benchmark::fock {
namespace {

using rhf::Matrix;

// Throws a UsageError if there is no such basis set.
rhf::Basis basis_of(const std::string& name, const rhf::Molecule& molecule) {
  try {
    return rhf::read_basis(name, molecule, rhf::default_basis_directory());
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

// A molecule in a basis set, and its density.
struct Problem {
  Problem(const Group& world, rhf::Molecule atoms, const std::string& basis_name)
      : molecule(std::move(atoms)),
        basis(basis_of(basis_name, molecule)),
        density(world, {basis.size(), basis.size()}, {.name = "density"}) {}

  // Iterates to self-consistency; returns the energy.
  double solve() {
    rhf::Times times;
    const auto report = [this](const rhf::Iteration& iteration) {
      if (density.group().rank() != 0) return;
      std::cerr << molecule.title << ", " << basis.name << ": iteration " << iteration.number << ", energy "
                << std::to_string(iteration.energy) << '\n';
    };
    return rhf::run_scf(basis, molecule, molecule.electrons(0), {.screening = screening}, density, false, times,
                        report)
        .energy;
  }

  static constexpr double screening = 1e-11;
  rhf::Molecule molecule;
  rhf::Basis basis;
  Matrix density;
};

// Energies by NWChem 7.0.2.
void check_energy(const Group& world, bool quick) {
  const std::string name = quick ? "water" : "water-dimer";
  Problem problem(world, rhf::read_xyz(std::string(RHF_DATA) + "/" + name + ".xyz"), "cc-pVDZ");
  const double known = quick ? -76.0267656767 : -152.0625362560, energy = problem.solve();
  require(std::abs(energy - known) < 1e-8, "the energy of " + name + " is " + std::to_string(energy));
}

// Distributed matrices of some ranks: the program's Fock build.
struct Calculation {
  Calculation(const Group& group, const Problem& problem, rhf::Dealing dealing = rhf::Dealing::queues)
      : density(group, {problem.basis.size(), problem.basis.size()}, {.name = "density"}),
        core(density.duplicate("core Hamiltonian")),
        fock(density.duplicate("Fock")),
        builder(group, problem.basis, Problem::screening, {}, dealing) {
    rhf::one_electron(problem.basis, problem.molecule, fock, core);
  }
  void build() {
    builder.restart();
    builder.build(density, core, fock);
  }
  Matrix density, core, fock;
  rhf::FockBuilder builder;
};

class Program {
 public:
  Program(Session& session, Problem& problem)
      : session_(session),
        world_(session.world()),
        section_("a Fock build, " + problem.molecule.title + " in " + problem.basis.name + ": " +
                 std::to_string(problem.basis.size()) + " functions"),
        density_(problem.density.get(Patch<2>::whole(problem.density.dims()))),
        all_(world_, problem),
        by_counter_(world_, problem, rhf::Dealing::counter) {
    copy(problem.density, all_.density);
    copy(problem.density, by_counter_.density);
    if (world_.size() == 1) return;
    const Group first = world_.include(std::array{0});
    if (world_.rank() != 0) return;
    alone_.emplace(first, problem);
    alone_->density.put(Patch<2>::whole(density_.extents()), density_);
    alone_->density.sync();
  }

  void operator()(const Problem& problem) {
    ReplicatedFock replicated(world_, problem.basis, Problem::screening,
                              all_.core.get(Patch<2>::whole(density_.extents())));
    const LocalArray<double, 2>& expected = replicated.build(density_);
    check(all_, expected);
    check(by_counter_, expected);
    shares("tasks near their data", all_);
    shares("tasks from one counter", by_counter_);
    std::vector<Reference> references{
        {.name = "replicated matrices",
         .routine = repeat([&] { replicated.build(density_); }),
         .target = as_fast_as_mpi(world_)},
        {.name = "tasks from one counter", .routine = repeat([this] { by_counter_.build(); })}};
    if (world_.size() > 1) {
      const bool has_cores = world_.size() <= environment_here().cores;
      references.push_back(
          {.name = "1 rank",
           .routine = repeat([this] {
             if (alone_) alone_->build();
           }),
           .target = has_cores ? std::optional(Target{Goal::at_least, 0.85 * world_.size()}) : std::nullopt});
    }
    session_.compare({.section = section_,
                      .name = "distributed matrices",
                      .routine = repeat([this] { all_.build(); }),
                      .clock = Clock::joint,
                      .others = waiting(world_)},
                     references);
  }

 private:
  // All programs give the same matrix.
  void check(Calculation& distributed, const LocalArray<double, 2>& expected) {
    distributed.build();
    const auto found = distributed.fock.get(Patch<2>::whole(distributed.fock.dims()));
    const bool is_right = std::ranges::equal(found, expected, [](double x, double e) {
      return std::abs(x - e) < 1e-9;  // NaN is near nothing
    });
    require_everywhere(world_, is_right, "Fock matrices differ");
  }

  // The parts of the time of all ranks, for some builds.
  void shares(const std::string& which, Calculation& distributed) {
    using Part = double rhf::FockTimes::*;
    constexpr std::array<std::pair<Part, const char*>, 5> parts{
        {{&rhf::FockTimes::counter, "counter"},
         {&rhf::FockTimes::get, "get"},
         {&rhf::FockTimes::accumulate, "accumulate"},
         {&rhf::FockTimes::integrals, "integrals"},
         {&rhf::FockTimes::waiting, "waiting for the last rank"}}};
    std::array<std::vector<double>, parts.size()> seconds, shares;
    for (int build = 0; build < (session_.is_quick() ? 3 : 7); ++build) {
      const rhf::FockTimes before = distributed.builder.times();
      distributed.build();
      const rhf::FockTimes after = distributed.builder.times();
      std::array<double, parts.size()> spent{};
      for (std::size_t i = 0; i < parts.size(); ++i) spent[i] = after.*parts[i].first - before.*parts[i].first;
      world_.all_reduce(std::span<double>(spent), Reduce::sum);
      const double all = std::accumulate(spent.begin(), spent.end(), 0.0);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        seconds[i].push_back(spent[i] / world_.size());
        shares[i].push_back(spent[i] / all);
      }
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      session_.add({.section = section_,
                    .name = which + ", share of time: " + parts[i].second,
                    .measured = {.time = median_estimate(seconds[i]), .share = median_estimate(shares[i])}});
    }
  }

  Session& session_;
  const Group& world_;
  std::string section_;
  LocalArray<double, 2> density_;  // for matrices on every rank
  Calculation all_, by_counter_;
  std::optional<Calculation> alone_;  // on rank 0
};

}  // namespace
}  // namespace tessera::benchmark::fock

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  int molecules = 0;
  std::string basis;
  auto parsed = parse_options(
      argc, argv, "Fock builds of Hartree-Fock for a cluster of water molecules.", world.rank() == 0,
      [&](CLI::App& app) {
        app.add_option("--waters", molecules, "Molecules of the cluster (2; with --quick 1)")
            ->check(CLI::Range(1, 6))
            ->type_name("N");
        app.add_option("--basis", basis, "Basis set (aug-cc-pVDZ; with --quick cc-pVDZ)")->type_name("NAME");
      });
  if (parsed.exit_status) return *parsed.exit_status;
  const bool quick = parsed.options.quick;
  parsed.options.full = {.joint_sample_seconds = 10e-3, .comparison_seconds = 120.0};
  if (molecules == 0) molecules = quick ? 1 : 2;
  if (basis.empty()) basis = quick ? "cc-pVDZ" : "aug-cc-pVDZ";

  Session session(runtime, "fock", parsed.options);
  libint2::initialize();
  fock::Problem problem(world, fock::water_cluster(molecules), basis);
  fock::check_energy(world, quick);
  const double energy = problem.solve();
  fock::Program(session, problem)(problem);
  libint2::finalize();
  session.note(
      "The density is the self-consistent one, with an energy of " + std::to_string(energy) +
      " hartree. Before anything is measured, the energy of a water dimer (with --quick: of a molecule) "
      "must be NWChem's within 1e-8 hartree, and both programs must give the same Fock matrix.");
  session.finish();
  return 0;
}
