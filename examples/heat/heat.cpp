// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Heat in a square plate whose edges are kept at temperature 0: explicit steps of the five-point stencil on n x
// n points. Each process owns whole rows. With get it fetches one row above and one below from its neighbours.
// The plate starts as sin(x) sin(y), which decays by the same factor in every step, so the error is known.
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numbers>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <tessera/io/io.hpp>
#include <tessera/tessera.hpp>

#include "output.hpp"

using tessera::Array, tessera::index_t, tessera::LocalArray, tessera::Patch;

constexpr double r = 0.2;  // conductivity * time step / spacing^2; stable up to 0.25

// The mode whose shape does not change; point i of n lies at (i + 1) / (n + 1).
double mode(index_t i, index_t j, index_t n) {
  const double angle = std::numbers::pi / static_cast<double>(n + 1);
  return std::sin(angle * static_cast<double>(i + 1)) * std::sin(angle * static_cast<double>(j + 1));
}

// next = u after one step, in the rows this process owns
void step(const Array<double, 2>& u, Array<double, 2>& next) {
  const index_t n = u.dims()[0];
  const Patch<2> mine = u.local_patch();
  if (!mine.empty()) {
    const index_t first = mine.lo[0], end = mine.hi[0];
    LocalArray<double, 2> above({1, n}), below({1, n});  // zero, as the plate's edges are
    if (first > 0) u.get({{first - 1, 0}, {first, n}}, above);
    if (end < n) u.get({{end, 0}, {end + 1, n}}, below);

    const auto old = u.local();
    const auto now = next.local();
    const index_t rows = end - first;
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < n; ++j) {
        const double up = i > 0 ? old(i - 1, j) : above(0, j),
                     down = i + 1 < rows ? old(i + 1, j) : below(0, j);
        const double left = j > 0 ? old(i, j - 1) : 0.0, right = j + 1 < n ? old(i, j + 1) : 0.0;
        now(i, j) = old(i, j) + r * (up + down + left + right - 4 * old(i, j));
      }
    }
  }
  next.sync();  // everybody has read u and written next
}

bool is_count(const char* text, index_t& value) {
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  return error == std::errc() && stop == end && value >= 1 && value <= 1'000'000;
}

struct Arguments {
  index_t steps = 500, size = 200;
  std::string file = "heat.h5", checkpoint;  // no checkpoint if empty
};

// Simulates the plate, and reports. Returns the exit status.
int simulate(const tessera::Group& world, const Arguments& arguments) {
  const auto [steps, n, file, prefix] = arguments;
  const bool speaks = world.rank() == 0;
  const auto by_rows = tessera::Layout<2>::blocked({n, n}, world.size(), {.grid = {{world.size(), 1}}});
  Array<double, 2> u(world, by_rows, {.name = "temperature"});
  Array<double, 2> next = u.duplicate("temperature after the step");
  for_each_local(u, [n = n](const tessera::Index<2>& at, double& x) { x = mode(at[0], at[1], n); });
  u.sync();

  // With a checkpoint the run continues from the last generation, and SIGTERM may stop it.
  index_t s = 0;
  std::optional<tessera::io::Checkpoint> checkpoint;
  if (!prefix.empty()) {
    checkpoint.emplace(world, prefix);
    checkpoint->add("temperature", u);
    checkpoint->claim();
    const auto restored = checkpoint->restore();
    if (restored) s = restored->step;
    if (s > steps) {
      if (speaks)
        std::fprintf(stderr,
                     "heat: %s is of step %lld, which is after the last of %lld; take more STEPS, or another "
                     "CHECKPOINT\n",
                     restored->file.c_str(), static_cast<long long>(s), static_cast<long long>(steps));
      return 1;
    }
  }
  const index_t begin = s;
  tessera::io::CheckpointSchedule schedule(
      world, {.every = std::chrono::minutes(checkpoint ? 10 : 0), .signals = checkpoint.has_value()});
  while (s < steps && !(checkpoint && schedule.should_stop())) {
    step(u, next);
    std::swap(u, next);
    ++s;
    if (schedule.due() && checkpoint) checkpoint->write_async(s);
  }
  if (checkpoint) {
    if (checkpoint->last_step() != s) checkpoint->write(s);  // it may have been due, or restored, at this step
    checkpoint->close();
  }
  if (s != steps) {
    if (speaks)
      std::printf("stopped after step %lld of %lld; the same command goes on\n", static_cast<long long>(s),
                  static_cast<long long>(steps));
    return 0;
  }
  tessera::io::save(file, "temperature", u);

  const double half = std::sin(std::numbers::pi / static_cast<double>(2 * (n + 1)));
  const double decay = std::pow(1 - 8 * r * half * half, static_cast<double>(steps));
  for_each_local(next,
                 [decay, n = n](const tessera::Index<2>& at, double& x) { x = decay * mode(at[0], at[1], n); });
  axpby(-1, u, 1, next);  // exact - computed
  const double heat = reduce(u, tessera::Reduce::sum), error = norm_inf(next);
  if (speaks)
    std::printf("%lld steps from %lld on, total heat %.10g, largest error %.1e; see %s\n",
                static_cast<long long>(steps), static_cast<long long>(begin), heat, error, file.c_str());
  return error < 1e-12 ? 0 : 1;
}

int status_of(int argc, char** argv) {
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  Arguments arguments;
  const bool help = argc > 1 && std::strcmp(argv[1], "--help") == 0;
  if (help || argc > 5 || (argc > 1 && !is_count(argv[1], arguments.steps)) ||
      (argc > 2 && !is_count(argv[2], arguments.size))) {
    if (world.rank() == 0)
      std::fprintf(help ? stdout : stderr, "heat [STEPS (500) [SIZE (200) [FILE (heat.h5) [CHECKPOINT]]]]\n");
    return help ? 0 : 2;
  }
  if (argc > 3) arguments.file = argv[3];
  if (argc > 4) arguments.checkpoint = argv[4];

  std::string problem;  // the same on every rank, as the errors are
  try {
    return simulate(world, arguments);
  } catch (const tessera::io::IoError& error) {
    problem = error.what();
  } catch (const tessera::UsageError& error) {
    problem = error.what();
  } catch (const tessera::MemoryError& error) {
    problem = error.what();
  }
  if (world.rank() == 0) std::fprintf(stderr, "heat: %s\n", problem.c_str());
  return 1;
}

int main(int argc, char** argv) { return output::status_with_output("heat", status_of(argc, argv)); }
