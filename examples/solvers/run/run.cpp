// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "run.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include <unistd.h>
#include <tessera/io/picture.hpp>

#include "numbers.hpp"
#include "output.hpp"

namespace solvers {

using tessera::index_t;

void add_run_options(CLI::App& app, RunOptions& options) {
  app.add_option(
      "--checkpoint", options.checkpoint,
      "Write checkpoints to HDF5 files that begin with this name, and go on from the newest of them. "
      "SIGUSR1 writes one; SIGTERM writes one and ends the run");
  app.add_option("--checkpoint-every", options.checkpoint_every,
                 "Minutes from one checkpoint to the next; 0: only the last one")
      ->check(numbers::checked("number from 0 to 1000000", [](double x) { return x >= 0 && x <= 1e6; }))
      ->capture_default_str();
  app.add_flag("--quiet", options.is_quiet, "No progress");
}

namespace {

std::string problem_of_picture(const std::filesystem::path& file) {
  if (!tessera::io::has_pictures()) return "needs a Tessera that was built with libpng";
  std::error_code ignored;
  const auto directory = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  if (std::filesystem::is_directory(file, ignored)) return "is a directory";
  if (access(directory.c_str(), W_OK | X_OK) == 0) return "";
  return fmt::format("cannot be written into {}: {}", directory.string(), std::strerror(errno));
}

int status_of(CLI::App& app, int argc, char** argv, const std::function<void(const tessera::Runtime&)>& solve) {
  const tessera::Runtime runtime(argc, argv);
  const bool speaks = runtime.world().rank() == 0;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Every rank has the same arguments; only rank 0 prints.
    return speaks ? app.exit(error) : error.get_exit_code();
  }
  std::string problem;
  try {
    solve(runtime);
    return 0;
  } catch (const SolverError& error) {
    problem = error.what();
  } catch (const tessera::UsageError& error) {
    problem = error.what();
  } catch (const tessera::io::IoError& error) {
    problem = error.what();
  } catch (const tessera::MemoryError& error) {  // of arrays that are too large, on every rank
    problem = error.what();
  } catch (const std::system_error&) {  // on rank 0 alone: it ends the job
    output::explain_output(app.get_name().c_str());
    throw;
  }
  if (speaks) fmt::print(stderr, "{}: {}\n", app.get_name(), problem);
  return 1;
}

}  // namespace

void require_picture(const tessera::Group& world, const std::filesystem::path& file) {
  if (file.empty()) return;
  const std::string problem = world.agree(world.rank() == 0 ? problem_of_picture(file) : "");  // rank 0 writes
  if (!problem.empty()) throw SolverError(fmt::format("--picture {} {}", file.string(), problem));
}

int run_program(CLI::App& app, int argc, char** argv,
                const std::function<void(const tessera::Runtime&)>& solve) {
  return output::status_with_output(app.get_name().c_str(), status_of(app, argc, argv, solve));
}

Run::Run(const tessera::Group& world, const RunOptions& options, index_t steps)
    : world_(world), prefix_(options.checkpoint), is_quiet_(options.is_quiet), steps_(steps) {
  const bool writes = !prefix_.empty();
  if (writes) checkpoint_.emplace(world, prefix_);
  const auto every = std::chrono::ceil<std::chrono::seconds>(  // not 0, which is never
      std::chrono::duration<double, std::ratio<60>>(options.checkpoint_every));
  if (writes) schedule_.emplace(world, tessera::io::ScheduleOptions{.every = every, .signals = true});
}

void Run::add_parameter_text(std::string_view name, std::string value) {
  Parameter& one = parameters_.emplace_back(Parameter{std::string(name), value, value});
  if (checkpoint_) checkpoint_->add("problem/" + one.name, one.stored);
}

void Run::require_same_problem(const std::filesystem::path& file) const {
  for (const auto& [name, value, stored] : parameters_) {
    if (stored == value) continue;
    throw SolverError(
        fmt::format("{} is of another problem: its {} is {}, but this run's is {}; give the options of that "
                    "run, or another name to --checkpoint",
                    file.string(), name, stored, value));
  }
}

index_t Run::start() {
  if (checkpoint_) {
    checkpoint_->claim();
    if (const auto restored = checkpoint_->restore()) {
      require_same_problem(restored->file);
      step_ = restored->step;
      if (world_.rank() == 0) {
        for (const auto& [file, reason] : restored->skipped)
          fmt::print("Skipped {}: {}\n", file.string(), reason);
        fmt::print("Goes on from {}, step {}\n", restored->file.string(), step_);
      }
    }
  }
  first_ = step_;
  start_ = shown_ = Clock::now();
  return step_;
}

bool Run::next() {
  if (is_in_step_) {
    ++step_;
    show_progress();
    if (schedule_ && schedule_->due()) checkpoint_->write_async(step_);
  }
  is_in_step_ = step_ < steps_ && !(schedule_ && schedule_->should_stop());
  return is_in_step_;
}

bool Run::finish() {
  if (checkpoint_) {
    if (checkpoint_->last_step() != step_) checkpoint_->write(step_);
    checkpoint_->close();
  }
  const bool is_done = step_ >= steps_;
  if (!is_done && world_.rank() == 0)
    fmt::print("Stopped after step {} of {}; the same command goes on\n", step_, steps_);
  return is_done;
}

double Run::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void Run::show_progress() {
  if (is_quiet_ || world_.rank() != 0) return;
  const auto now = Clock::now();
  if (now - shown_ < std::chrono::seconds(5)) return;
  shown_ = now;
  if (share_ > first_share_) {
    const double left = seconds() / (share_ - first_share_) * (1 - share_);
    fmt::print(stderr, "step {}, {:.0f} % done, {:.0f} s left\n", step_, 100 * share_, left);
    return;
  }
  const double left = seconds() / static_cast<double>(step_ - first_) * static_cast<double>(steps_ - step_);
  fmt::print(stderr, "step {} of {}, {:.0f} s left\n", step_, steps_, left);
}

}  // namespace solvers
