// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// Tries a machine's MPI and Tessera on it: random operations on arrays against a model, for as long as one
// likes.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <CLI/CLI.hpp>

#include <tessera/runtime/runtime.hpp>

#include "generator.hpp"
#include "interpreter.hpp"
#include "output.hpp"
#include "printable.hpp"
#include "shrink.hpp"

extern "C" char** environ;

namespace {

using tessera::index_t;
namespace stress = tessera::stress;

struct Options {
  index_t seed = -1, rounds = 0, operations = 120, threads = 1;
  double seconds = 0;
  std::string script, broken;
  bool no_shrink = false, verbose = false;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// 1234567 as 1,234,567.
std::string grouped(index_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

class Job {
 public:
  Job(const tessera::Runtime& runtime, const Options& options)
      : runtime_(runtime),
        world_(runtime.world()),
        options_(options),
        run_{options.broken, options.verbose, options.threads, &runtime} {}

  int operator()() {
    if (!options_.script.empty()) return run_file();
    // Every rank draws what rank 0 draws.
    const index_t drawn =
        static_cast<index_t>(std::chrono::system_clock::now().time_since_epoch().count() / 1000);
    first_ = world_.broadcast(options_.seed >= 0 ? options_.seed : drawn % 1000000, 0);
    const double begin = now();
    double told = begin;
    for (index_t round = 0; goes_on(round, now() - begin); ++round) {
      const index_t seed = first_ + round;
      const auto script = stress::generate(seed, options_.operations, world_.size());
      const auto outcome = guarded(script, seed);
      ++scripts_;
      operations_ += outcome.operations;
      if (!outcome.is_right()) return tell(script, outcome, seed);
      if (is_first() && isatty(2) != 0 && now() - told > 2) {
        told = now();
        std::fprintf(stderr, "\r%s scripts, %s operations ", grouped(scripts_).c_str(),
                     grouped(operations_).c_str());
      }
    }
    if (is_first()) {
      if (isatty(2) != 0) std::fputc('\r', stderr);
      std::printf("%s scripts, %s operations, seed %lld: right\n", grouped(scripts_).c_str(),
                  grouped(operations_).c_str(), static_cast<long long>(first_));
    }
    return 0;
  }

 private:
  bool is_first() const { return world_.rank() == 0; }
  bool goes_on(index_t round, double seconds) const {
    if (options_.rounds > 0) return round < options_.rounds;
    const double limit = options_.seconds > 0 ? options_.seconds : 10;
    return world_.broadcast(static_cast<int>(seconds < limit), 0) != 0;
  }

  int run_file() {
    std::ifstream file(options_.script);
    std::string problem;
    stress::Script script;
    try {
      if (!file || std::filesystem::is_directory(options_.script))
        throw std::invalid_argument("cannot be read");
      script = stress::read(file);
      if (script.empty()) throw std::invalid_argument("has no line to run");
    } catch (const std::invalid_argument& error) {
      problem = tessera::printable(options_.script + ": " + error.what());
    }
    problem = world_.agree(problem);
    if (!problem.empty()) {
      if (is_first()) std::fprintf(stderr, "tessera-stress: %s\n", problem.c_str());
      return 2;
    }
    for (index_t round = 0; round < std::max<index_t>(options_.rounds, 1); ++round) {
      const auto outcome = stress::run(world_, script, run_);
      operations_ += outcome.operations;
      if (!outcome.is_right()) {
        say(script, outcome);
        return 1;
      }
      if (is_first() && outcome.skipped > 0)
        std::printf("%lld lines do not apply (--verbose says which)\n",
                    static_cast<long long>(outcome.skipped));
    }
    if (is_first())
      std::printf("%s, %s operations: right\n", options_.script.c_str(), grouped(operations_).c_str());
    return 0;
  }

  void say(const stress::Script& script, const stress::Outcome& outcome) const {
    if (!is_first()) return;
    const auto line = static_cast<std::size_t>(outcome.line);
    std::printf(
        "WRONG at line %lld, %s\n  %s\n", static_cast<long long>(outcome.line + 1),
        line < script.size() ? stress::text(script[line]).c_str() : "the check of all arrays at the end",
        outcome.message.c_str());
    std::fflush(stdout);
  }

  std::string file_of(index_t seed, const char* ending) const {
    return "tessera-stress-" + std::to_string(seed) + ending + ".txt";
  }

  void write(const std::string& name, const stress::Script& script, const std::string& why) const {
    std::ofstream file(name);
    file << "# tessera-stress on " << world_.size() << " ranks: " << why << "\n# " << runtime_.description()
         << '\n';
    for (char** variable = environ; *variable != nullptr; ++variable)
      if (std::string_view(*variable).substr(0, 8) == "TESSERA_") file << "# " << *variable << '\n';
    for (const auto& line : script) file << stress::text(line) << '\n';
    if (!file.flush()) std::fprintf(stderr, "tessera-stress: cannot write %s\n", name.c_str());
  }

  // Runs a script. A crash or a hang leaves a file with the script behind.
  stress::Outcome guarded(const stress::Script& script, index_t seed) const {
    const std::string name = file_of(seed, "-unfinished");
    if (is_first()) write(name, script, "did not end");
    auto outcome = stress::run(world_, script, run_);
    if (is_first()) std::remove(name.c_str());
    return outcome;
  }

  int tell(const stress::Script& script, const stress::Outcome& outcome, index_t seed) const {
    say(script, outcome);
    stress::Script shortest = script;
    stress::Outcome last = outcome;
    if (!options_.no_shrink) {
      shortest.resize(std::min(shortest.size(), static_cast<std::size_t>(outcome.line) + 1));
      const auto fails = [&](const stress::Script& part) {
        const auto again = guarded(part, seed);
        if (!again.is_right()) last = again;
        return !again.is_right();
      };
      if (!fails(shortest)) shortest = script;
      shortest = stress::shrink(shortest, fails);
      if (is_first()) std::printf("the shortest script that fails has %zu lines\n", shortest.size());
      say(shortest, last);
    }
    if (is_first()) {
      const std::string name = file_of(seed, "");
      write(name, shortest, last.message);
      const std::string threads =
          options_.threads > 1 ? " --threads " + std::to_string(options_.threads) : std::string();
      std::printf("again: mpiexec -n %d tessera-stress --script %s%s\n", world_.size(), name.c_str(),
                  threads.c_str());
      std::printf("%s scripts, %s operations, seed %lld: WRONG\n", grouped(scripts_).c_str(),
                  grouped(operations_).c_str(), static_cast<long long>(seed));
    }
    return 1;
  }

  const tessera::Runtime& runtime_;
  const tessera::Group& world_;
  const Options& options_;
  stress::RunOptions run_;
  index_t first_ = 0, scripts_ = 0, operations_ = 0;
};

int status_of(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Tries Tessera and the MPI below it: random operations on arrays against a model. Ends with 0 if all is "
      "right, with 1 if not; then the shortest script that fails is in tessera-stress-<seed>.txt.");
  app.add_option("--seed", options.seed, "where random scripts begin; without it, another each time")
      ->check(CLI::Range(index_t{0}, std::numeric_limits<index_t>::max() / 2));
  app.add_option("--seconds", options.seconds, "how long to go on (10 unless --rounds is given)")
      ->check(CLI::Range(0.001, 1e9));
  app.add_option("--rounds", options.rounds, "how many scripts to run")
      ->check(CLI::Range(index_t{1}, index_t{1} << 60));
  app.add_option("--operations", options.operations, "lines of a script")->check(CLI::Range(1, 1 << 30));
  app.add_option("--threads", options.threads,
                 "let up to so many threads of each rank work at once; MPI must support MPI_THREAD_MULTIPLE")
      ->check(CLI::Range(1, 64));
  app.add_option("--script", options.script, "run the lines of a file instead");
  app.add_flag("--no-shrink", options.no_shrink, "do not look for a shorter script that fails");
  app.add_flag("--verbose", options.verbose, "print each line before it is run");
  app.add_option("--break", options.broken,
                 "falsify the model after each operation of this name: shows that failures are found")
      ->check([](const std::string& verb) {
        return stress::verbs().count(verb) != 0 ? std::string() : "there is no operation \"" + verb + "\"";
      });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  tessera::RuntimeOptions settings;
  if (options.threads > 1) settings.threads = tessera::ThreadLevel::multiple;
  const tessera::Runtime runtime(argc, argv, settings);
  return Job(runtime, options)();
}

}  // namespace

int main(int argc, char** argv) { return output::status_with_output("tessera-stress", status_of(argc, argv)); }
