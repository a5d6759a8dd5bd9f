// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The multigrid of examples/solvers/multigrid for Poisson's equation: arrays with halos and grid transfers
// against messages of MPI by hand. The relaxation and the residual are the same loops.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <tessera/runtime/error.hpp>

#include "messages.hpp"
#include "session.hpp"

namespace tessera::benchmark::multigrid {
namespace {

constexpr solvers::Tolerance enough{.relative = 1e-8};

// The unit cube of n^3 cells with 0 at all sides.
solvers::Domain<3> domain_of(index_t n) {
  solvers::Domain<3> domain;
  for (std::size_t d = 0; d < 3; ++d) {
    domain.spacing[d] = 1 / static_cast<double>(n);
    domain.ends[d] = {solvers::Condition::dirichlet, solvers::Condition::dirichlet};
  }
  return domain;
}

Layout<3> layout_of(const Group& world, index_t n) {
  return Layout<3>::blocked({n, n, n}, world.size(), {.min_block = {2, 2, 2}});
}

// A right side without symmetries, which could hide mistakes.
double right_side(const Index<3>& at, index_t n) {
  double p[3];
  for (std::size_t d = 0; d < 3; ++d) p[d] = (static_cast<double>(at[d]) + 0.5) / static_cast<double>(n);
  return std::exp(p[0] - 2 * p[1]) * std::sin(7 * p[2] + p[0]);
}

// The same equation in both ways.
class Problem {
 public:
  Problem(const Group& world, index_t n)
      : world_(world),
        n_(n),
        layout_(layout_of(world, n)),
        own_(world, layout_, domain_of(n)),
        messages_(world, layout_, domain_of(n)),
        f_(world, layout_, {.name = "right side"}),
        x_(world, layout_, {.name = "solution"}),
        message_f_(layout_.block(world.rank())),
        message_x_(layout_.block(world.rank())) {
    for_each_local(f_, [&](const Index<3>& at, double& value) {
      value = right_side(at, n_);
      message_f_.values()[at] = value;
    });
    f_.sync();
    check_cycle();
    check_solve();
  }

  void own_cycle() { own_(f_, x_); }
  void message_cycle() { messages_(message_f_, message_x_); }
  solvers::MultigridResult own_solve() {
    fill(x_, 0.0);
    return own_.solve(f_, x_, enough);
  }
  std::vector<double> message_solve() {
    message_x_.clear();
    return messages_.solve(message_f_, message_x_, enough);
  }
  std::string description() const {
    char text[100];
    std::snprintf(text, sizeof text, "%d levels, %d cycles to %g, coarse levels %.0f %% of the time",
                  static_cast<int>(own_.levels()), cycles_, enough.relative,
                  100 * world_.all_reduce(own_.seconds(1) / own_.seconds(0), Reduce::max));
    return text;
  }

 private:
  void check_cycle() {
    own_cycle();
    message_cycle();
    require_same("one cycle");
  }
  void check_solve() {
    const solvers::MultigridResult result = own_solve();
    const std::vector<double> residuals = message_solve();
    require_everywhere(world_, result.converged(), "the multigrid does not converge: " + result.description());
    bool is_same = residuals.size() == result.residuals.size();
    for (std::size_t k = 0; is_same && k < residuals.size(); ++k)
      is_same = std::abs(residuals[k] - result.residuals[k]) <= 1e-10;
    require_everywhere(world_, is_same, "residuals of the cycles differ between the ways");
    require_same("a solution");
    cycles_ = result.cycles();
  }
  // To rounding: the weights of several dimensions are multiplied in another order.
  void require_same(const std::string& what) {
    double most = 0, difference = 0;
    const auto access = std::as_const(x_).local();
    const auto mine = access.global();
    const auto theirs = std::as_const(message_x_).values();
    for_each_point(mine.patch(), [&](auto... at) {
      most = std::max(most, std::abs(theirs(at...)));
      const double d = std::abs(mine(at...) - theirs(at...));
      difference = std::max(difference, std::isnan(d) ? std::numeric_limits<double>::infinity() : d);
    });
    most = world_.all_reduce(most, Reduce::max);
    require_everywhere(world_, most > 0 && difference <= 1e-12 * most,
                       what + " on " + std::to_string(n_) + "^3 cells differs between the ways");
  }

  Group world_;
  index_t n_;
  Layout<3> layout_;
  solvers::Multigrid<3> own_;
  MessageMultigrid messages_;
  Array<double, 3> f_, x_;
  Block message_f_, message_x_;
  int cycles_ = 0;
};

void measure(Session& session, index_t n) {
  const Group& world = session.world();
  const Target target{Goal::at_least, world.node_count() == 1 ? 1 / 1.05 : 0.95};
  const auto problem = std::make_shared<Problem>(world, n);
  const std::string cells = std::to_string(n) + " x " + std::to_string(n) + " x " + std::to_string(n);
  const auto compare = [&](const std::string& name, const Routine& own, const Routine& messages) {
    session.compare({.section = "multigrid for Poisson's equation",
                     .name = name + ", " + cells + " cells",
                     .routine = own,
                     .clock = Clock::joint,
                     .others = waiting(world)},
                    {{.name = MessageMultigrid::name, .routine = messages, .target = target}});
  };
  compare("one V-cycle", repeat([problem] { problem->own_cycle(); }),
          repeat([problem] { problem->message_cycle(); }));
  compare("from 0 to a residual of 1e-8", repeat([problem] { static_cast<void>(problem->own_solve()); }),
          repeat([problem] { static_cast<void>(problem->message_solve()); }));
  session.note(cells + " cells: " + problem->description() + ".");
}

}  // namespace
}  // namespace tessera::benchmark::multigrid

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  std::vector<tessera::index_t> sizes;
  auto parsed = parse_options(
      argc, argv, "Multigrid for Poisson's equation, with ghost cells and coarse levels in two ways.",
      runtime.world().rank() == 0, [&](CLI::App& app) {
        add_sizes(app, "--sizes", sizes, 16,
                  "Cells along each edge: powers of 2 (64,128,256; with --quick 16)");
      });
  if (parsed.exit_status) return *parsed.exit_status;
  parsed.options.full = {.joint_sample_seconds = 10e-3, .comparison_seconds = 60.0};

  for (const tessera::index_t n : sizes) {
    if (!std::has_single_bit(static_cast<std::size_t>(n)))
      throw tessera::UsageError("multigrid takes powers of 2: " + std::to_string(n) + " is none");
  }
  if (sizes.empty())
    sizes =
        parsed.options.quick ? std::vector<tessera::index_t>{16} : std::vector<tessera::index_t>{64, 128, 256};
  Session session(runtime, "multigrid", parsed.options);
  for (const tessera::index_t n : sizes) multigrid::measure(session, n);
  session.note(
      "Before they are measured, both ways make one cycle and solve the equation; all values must be the same "
      "to "
      "rounding. A cycle begins at 0, has a red-black relaxation before and after the correction, and ends "
      "with a "
      "direct solver at one rank for 8 x 8 x 8 cells; levels with blocks below 8 cells are on fewer ranks.");
  session.finish();
  return 0;
}
