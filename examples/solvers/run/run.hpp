// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// What every solver here has: a command line, progress, checkpoints, an end by SIGTERM, and a look for NaN.
#pragma once

#include <chrono>
#include <cmath>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <tessera/io/io.hpp>
#include <tessera/tessera.hpp>

namespace solvers {

/// A calculation that cannot be done, or went wrong. The message says why, and what to try.
class SolverError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Options that every solver has.
struct RunOptions {
  std::string checkpoint;        ///< where checkpoint files begin; empty for none
  double checkpoint_every = 10;  ///< minutes
  bool is_quiet = false;         ///< no progress
};

void add_run_options(CLI::App& app, RunOptions& options);

/// Looks before the work whether --picture can be written; an empty name is none. @collective
/// @throws SolverError on every rank: the directory is missing or not writable, or there is no libpng
void require_picture(const tessera::Group& world, const std::filesystem::path& file);

/// The main function of a solver: parses the command line, and calls `solve` on every rank. A SolverError, a
/// UsageError or an IoError of all ranks becomes a message of rank 0. Returns the program's exit status,
/// which is no success if the output could not be written.
int run_program(CLI::App& app, int argc, char** argv,
                const std::function<void(const tessera::Runtime&)>& solve);

/// The steps of a simulation, with progress, checkpoints and restart. Begin with add() and start(), then call
/// next() before each step, and finish() behind the last.
class Run {
 public:
  /// @collective
  Run(const tessera::Group& world, const RunOptions& options, tessera::index_t steps);
  /// Checkpoints contain this array, slice or number.
  template <class T>
  void add(std::string_view name, T&& what) {
    if (checkpoint_) checkpoint_->add(name, std::forward<T>(what));
  }
  /// Checkpoints contain this parameter of the problem, and start() refuses one with another value. @collective
  template <class T>
  void add_parameter(std::string_view name, const T& value) {
    add_parameter_text(name, fmt::format("{}", value));
  }
  /// Restores the newest checkpoint if there is one, and says so. Returns the number of steps that are done: 0
  /// if the run begins from its initial values. @collective @throws IoError also for a checkpoint without a
  /// parameter, which an older program wrote; SolverError for one of another problem
  tessera::index_t start();
  /// Whether another step is to be done: neither was this the last, nor is the job to end. Writes a checkpoint
  /// that is due. @collective @throws IoError
  bool next();
  /// No step follows the one under way: the solution is good enough, or the final time reached. @local, alike
  /// on every rank
  void stop() noexcept { steps_ = step_ + (is_in_step_ ? 1 : 0); }
  /// The share of the run that is done after the step under way, for progress where the number of steps is not
  /// known. Also called once before the first step. @local
  void set_share(double share) noexcept {
    if (!is_in_step_) first_share_ = share;
    share_ = share;
  }
  /// The number of steps that are done.
  tessera::index_t step() const noexcept { return step_; }
  /// Writes the last state unless it is in the newest checkpoint. Returns whether all steps are done; if not,
  /// the job was told to end. @collective @throws IoError
  bool finish();
  /// The time of the steps of this run, in seconds.
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Parameter {
    std::string name, value, stored;
  };
  void add_parameter_text(std::string_view name, std::string value);
  void require_same_problem(const std::filesystem::path& file) const;
  void show_progress();

  const tessera::Group& world_;
  std::string prefix_;
  bool is_quiet_;
  tessera::index_t steps_, step_ = 0, first_ = 0;
  bool is_in_step_ = false;
  double share_ = 0, first_share_ = 0;
  std::deque<Parameter> parameters_;  // the checkpoint refers to them
  std::optional<tessera::io::Checkpoint> checkpoint_;
  std::optional<tessera::io::CheckpointSchedule> schedule_;
  Clock::time_point start_ = Clock::now(), shown_ = start_;
};

/// Throws a SolverError on every rank if an element is NaN or infinite. It names the field, the position and
/// the step. @collective
template <class Operand>
void require_finite(const Operand& field, std::string_view name, tessera::index_t step) {
  if (std::isfinite(norm_inf(field))) return;
  auto found = max_element(field);
  if (std::isfinite(found.value)) found = min_element(field);
  std::string at;
  for (const tessera::index_t i : found.at) at += (at.empty() ? "" : ", ") + std::to_string(i);
  throw SolverError(fmt::format(
      "{} is {} at ({}) after step {}: the calculation is not stable; take shorter steps, or a finer grid",
      name, found.value, at, step));
}

}  // namespace solvers
