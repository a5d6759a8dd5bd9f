// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// Shows what Tessera's runtime has found and chosen on this machine, and tests the MPI under it. Runs by
// itself, or on several processes.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/runtime.hpp>
#include <tessera/runtime/runtime_report.hpp>

#include "facts.hpp"
#include "output.hpp"
#include "self_test.hpp"
#include "text.hpp"
#include "time_limit.hpp"

namespace {

using tessera::info::Json;
using tessera::info::TimeLimit;

struct Options {
  bool no_self_test = false, json = false;
  int timeout = 60;
};

// The options are read when MPI has started, so that only rank 0 prints errors in them.
constexpr std::chrono::minutes time_for_the_start{5};

void declare(CLI::App& app, Options& options) {
  app.description(
      "Shows what Tessera has found and chosen on this machine, and why: MPI, nodes and cores, the\n"
      "paths between ranks, memory, libraries, environment variables. Then it tests puts, gets,\n"
      "accumulates, atomics and MPI itself between neighbouring ranks.\n"
      "Start it as your program: mpiexec -n 4 tessera-info");
  app.add_flag("--no-self-test", options.no_self_test, "Only show, do not test");
  app.add_flag("--json", options.json, "Print JSON, which has everything of the text and more");
  app.add_option("--timeout", options.timeout,
                 "Seconds after which it ends with status 1, once MPI has started (60)")
      ->check(CLI::Range(1, 1'000'000));
  app.footer(
      "Ends with 0 if all checks were right, and with 1 if one failed or a variable cannot be\n"
      "understood. If the program hangs, it ends after the timeout, and each rank says where.\n"
      "tessera-stress tests for longer.");
}

// The launchers' variables for a process's rank, as MPI itself may not be running.
bool is_first_process() {
  for (const char* name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(name)) return std::string_view(rank) == "0";
  }
  return true;
}

// Sets a variable, unless the user has, and adds its name to `own`.
void set(const char* name, const char* value, std::vector<std::string>& own) {
  if (std::getenv(name) != nullptr) return;
  setenv(name, value, 1);
  own.emplace_back(name);
}

int run(const tessera::Runtime& runtime, const Options& options, const std::vector<std::string>& own,
        TimeLimit& limit) {
  const tessera::Group& world = runtime.world();
  limit.doing("collecting facts");
  Json all = tessera::info::facts(runtime, own);
  const bool prints = world.rank() == 0;
  if (prints && !options.json) std::fputs(tessera::info::text_of(all).c_str(), stdout);
  std::fflush(stdout);  // a crash of the self-test must not lose the text
  bool ok = true;
  if (!options.no_self_test) {
    const auto begin = std::chrono::steady_clock::now();
    const auto windows = tessera::runtime_report(runtime).has_window ? tessera::info::Windows::usable
                                                                     : tessera::info::Windows::unusable;
    const auto trials = tessera::info::self_test(world, windows, limit);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    for (const auto& trial : trials) ok = ok && trial.problem.empty();
    all["self_test"] = tessera::info::trials_json(trials);
    all["self_test_seconds"] = seconds.count();
    if (prints && !options.json)
      std::fputs(tessera::info::text_of_trials(all["self_test"], seconds.count()).c_str(), stdout);
  }
  all["ok"] = ok;
  if (prints && options.json)
    std::printf("%s\n", all.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  std::fflush(stdout);
  limit.doing("the end of the Runtime and MPI_Finalize (what is printed above is complete)");
  return ok ? 0 : 1;
}

int status_of(int argc, char** argv) {
  Options options;
  CLI::App app("", "tessera-info");
  declare(app, options);
  TimeLimit limit(time_for_the_start);
  limit.doing("the start of MPI and of the Runtime");
  // The watchdog says more than the time limit: where each thread of each rank is. The warnings are printed
  // later.
  std::vector<std::string> own;
  set("TESSERA_DEBUG", "hang:20", own);
  set("TESSERA_WARNINGS", "off", own);
  std::optional<tessera::Runtime> runtime;
  try {
    runtime.emplace(argc, argv);
  } catch (const tessera::Error& error) {  // on every rank, and MPI has ended
    // Only the first process ends with a failure: at another's, a launcher may end the first before it prints.
    if (!is_first_process()) return 0;
    std::fprintf(stderr, "tessera-info: %s\n", error.what());
    return 1;
  }
  limit.set_rank(runtime->world().rank());
  try {
    app.parse(argc, argv);
    limit.restart(std::chrono::seconds(options.timeout));
    return run(*runtime, options, own, limit);
  } catch (const CLI::ParseError& error) {
    // Every process has the same arguments; only rank 0 prints.
    return runtime->world().rank() == 0 ? app.exit(error) : error.get_exit_code();
  }
}

}  // namespace

int main(int argc, char** argv) { return output::status_with_output("tessera-info", status_of(argc, argv)); }
