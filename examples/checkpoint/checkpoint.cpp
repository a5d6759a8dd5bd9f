// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Checkpoints: a program continues where it was stopped, writes in the background, and survives a damaged file.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <unistd.h>

#include <tessera/io/io.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;
using namespace std::chrono_literals;

void say(const Group& world, const std::string& line) {
  if (world.rank() == 0) std::cout << line << std::endl;
}

// A program that may be stopped at any time, and started again on any number of ranks. Returns the sum of its
// elements.
double simulate(const Group& world, const std::filesystem::path& prefix, std::int64_t steps) {
  // [restore]
  Array<double, 2> density(world, {200, 300}, {.name = "density"});
  double time = 0;
  std::int64_t step = 0;
  fill(density, 0.0);  // where there is no checkpoint yet

  io::Checkpoint checkpoint(world, prefix, {.keep = 3});  // run.000001.h5, run.000002.h5, ...
  checkpoint.add("density", density);                     // by reference, as the next
  checkpoint.add("time", time);
  if (const auto restored = checkpoint.restore()) {
    step = restored->step;
    for (const auto& [file, reason] : restored->skipped) say(world, "skipped " + file.string() + ": " + reason);
  }
  // [restore]
  say(world, step == 0 ? "began from the start" : "went on from step " + std::to_string(step));

  // [schedule]
  io::CheckpointSchedule schedule(world, {.every = 15min, .margin = 5min, .signals = true});
  while (step < steps && !schedule.should_stop()) {
    add_constant(density, 1.0);  // the computation
    time += 0.5;
    ++step;
    if (schedule.due()) checkpoint.write(step);
  }
  if (checkpoint.last_step() != step) checkpoint.write(step);  // unless the last step was just written
  // [schedule]
  return reduce(density, Reduce::sum);
}

// Writes in the background.
bool behind(const Group& world, const std::filesystem::path& prefix) {
  Array<double, 2> density(world, {200, 300}, {.name = "density"});
  fill(density, 1.0);
  io::Checkpoint checkpoint(world, prefix);
  checkpoint.add("density", density);
  // [async]
  io::PendingCheckpoint pending = checkpoint.write_async(1);  // takes a copy, and returns
  for (int i = 0; i < 10; ++i) scale(density, 2.0);           // the program may change the arrays
  const bool written_here = pending.test();                   // whether this rank has written its part
  pending.wait();                                             // now it is on disk under its name
  // [async]
  static_cast<void>(written_here);
  checkpoint.restore();
  return reduce(density, Reduce::sum) == 200 * 300;
}

// A damaged generation is found, and the generation before it is restored.
bool older(const Group& world, const std::filesystem::path& prefix) {
  double time = 1;
  io::Checkpoint checkpoint(world, prefix);
  checkpoint.add("time", time);
  for (time = 1; time < 3; ++time) checkpoint.write(static_cast<std::int64_t>(time));
  // [inspect]
  const auto files = io::checkpoint_files(world, prefix);  // newest first
  if (world.rank() == 0) std::filesystem::resize_file(files.front(), 5000);
  const io::CheckpointInfo info = io::verify_checkpoint(world, files.front());
  say(world, info.problem);  // the file has 5000 bytes, but had ... when it was written; was it truncated?
  // [inspect]
  const auto restored = checkpoint.restore();
  return restored && restored->step == 1 && time == 1 && restored->skipped.size() == 1 && !info.problem.empty();
}

// Two jobs cannot write to the same path.
bool same_name(const Group& world, const std::filesystem::path& prefix) {
  double time = 1;
  io::Checkpoint first(world, prefix), second(world, prefix);
  second.add("time", time);
  // [claim]
  first.claim();  // at the start of the job, not at its first checkpoint
  try {
    second.write(1);
  } catch (const io::IoError& error) {  // ... is being written by process 1234 on host node17, since ...
    say(world, error.what());
    return true;
  }
  // [claim]
  return false;
}

int main(int argc, char** argv) {
  Runtime runtime(argc, argv);
  const Group& world = runtime.world();
  const auto directory =
      std::filesystem::temp_directory_path() /
      ("tessera-checkpoint-" + std::to_string(world.broadcast(static_cast<int>(getpid()), 0)));
  if (world.rank() == 0) std::filesystem::create_directory(directory);
  world.barrier();

  simulate(world, directory / "run", 30);
  bool right = simulate(world, directory / "run", 50) == 50.0 * 200 * 300;
  const auto part = [&](const std::string& name, bool good) {
    say(world, name + (good ? ": right" : ": WRONG"));
    right = right && good;
  };
  part("behind", behind(world, directory / "behind"));
  part("older", older(world, directory / "older"));
  part("same name", same_name(world, directory / "same"));
  world.barrier();
  if (world.rank() == 0) std::filesystem::remove_all(directory);
  return right ? 0 : 1;
}
