// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// A job with a checkpoint, for check_checkpoint_jobs.py to kill:
//   checkpoint_job PREFIX check                  restores, checks every element
//   checkpoint_job PREFIX run STEPS [STEP WHO]   goes on from there; WHO (root, last, all) is killed in its 2nd
//                                                checkpoint, at a step of the commit
//   checkpoint_job PREFIX hold                   claims the path and waits
//   checkpoint_job PREFIX read                   restores again and again until PREFIX.stop is there
//   checkpoint_job PREFIX wait                   computes until a signal asks it to write, and to stop
// PREFIX.pid.<rank> has the process id of each rank, PREFIX.log one line for each thing that was done.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <unistd.h>

#include <tessera/io/detail/commit_steps.hpp>
#include <tessera/io/io.hpp>
#include <tessera/tessera.hpp>

namespace {

using namespace tessera;

struct Colour {
  unsigned char levels[3];
};

std::string dying_step, dying_who;
int checkpoints = 0;
const Runtime* the_runtime = nullptr;

void die_at(const char* step) {
  if (std::string(step) == "created") ++checkpoints;
  const Group& world = the_runtime->world();
  const bool chosen =
      dying_who == "all" || (dying_who == "root" ? world.rank() == 0 : world.rank() == world.size() - 1);
  if (checkpoints == 2 && step == dying_step && chosen) raise(SIGKILL);
}

class Job {
 public:
  Job(const Group& world, std::string prefix) : world_(world), prefix_(std::move(prefix)) {
    checkpoint_.add("field", field_);
    checkpoint_.add("deep/colours", colours_);
    checkpoint_.add("time", time_);
    checkpoint_.add("notes", notes_);
    std::ofstream(prefix_ + ".pid." + std::to_string(world_.rank())) << getpid() << '\n';
    world_.barrier();
  }

  void set(std::int64_t step) {
    for_each_local(field_, [&](const Index<2>& at, double& x) { x = number(at, step); });
    for_each_local(colours_, [&](const Index<1>& at, Colour& c) { c = colour(at[0], step); });
    time_ = 0.5 * static_cast<double>(step);
    notes_ = notes(step);
  }
  // How many data are not as set(step) leaves them, on all ranks.
  struct Differences {
    std::int64_t field = 0, colours = 0, time = 0, notes = 0;
  };
  Differences differences(std::int64_t step) {
    std::int64_t field = 0, colours = 0;
    for_each_local(field_,
                   [&](const Index<2>& at, double& x) { field += static_cast<int>(x != number(at, step)); });
    for_each_local(colours_, [&](const Index<1>& at, Colour& c) {
      const Colour wanted = colour(at[0], step);
      colours += static_cast<int>(!std::equal(wanted.levels, wanted.levels + 3, c.levels));
    });
    const auto sum = [&](std::int64_t own) { return world_.all_reduce(own, Reduce::sum); };
    return {sum(field), sum(colours), sum(static_cast<int>(time_ != 0.5 * static_cast<double>(step))),
            sum(static_cast<int>(notes_ != notes(step)))};
  }

  // Restores and checks every element. Returns the step, or 0 if there was nothing to restore.
  std::int64_t restore() {
    set(-1);
    const auto restored = checkpoint_.restore();
    if (!restored) {
      log("restored 0 skipped 0");
      return 0;
    }
    if (const auto [field, colours, time, notes] = differences(restored->step);
        field + colours + time + notes > 0) {
      throw std::runtime_error("step " + std::to_string(restored->step) + " differs in " +
                               std::to_string(field) + " elements of the field, " + std::to_string(colours) +
                               " colours, on " + std::to_string(time) + " ranks in the time, on " +
                               std::to_string(notes) + " in the notes");
    }
    log("restored " + std::to_string(restored->step) + " skipped " + std::to_string(restored->skipped.size()));
    return restored->step;
  }
  void run(int steps) {
    const std::int64_t begin = restore();
    for (std::int64_t step = begin + 1; step <= begin + steps; ++step) {
      set(step);
      if (step % 2 == 0) {
        checkpoint_.write(step);
      } else {
        auto pending = checkpoint_.write_async(step);
        set(-2);  // must not get into the checkpoint
        pending.wait();
      }
      log("committed " + std::to_string(step));
    }
  }
  void hold() {
    checkpoint_.claim();
    log("claimed");
    std::this_thread::sleep_for(std::chrono::seconds(60));
  }
  void read() {
    int times = 0;
    for (int stop = 0; stop == 0; ++times) {
      restore();
      stop = world_.all_reduce(static_cast<int>(access((prefix_ + ".stop").c_str(), F_OK) == 0), Reduce::max);
    }
    log("read " + std::to_string(times));
  }
  void wait() {
    io::CheckpointSchedule schedule(world_, {.signals = true});
    log("waiting");
    for (std::int64_t step = 1; !schedule.should_stop(); ++step) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (!schedule.due()) continue;
      set(step);
      checkpoint_.write(step);
      log("committed " + std::to_string(step));
    }
    checkpoint_.close();
    log("stopped");
  }

 private:
  static double number(const Index<2>& at, std::int64_t step) {
    return static_cast<double>(at[0] * 500 + at[1]) + 1e-3 * static_cast<double>(step);
  }
  static Colour colour(index_t i, std::int64_t step) {
    const index_t n = i * 31 + step;
    return {
        {static_cast<unsigned char>(n), static_cast<unsigned char>(n >> 8), static_cast<unsigned char>(step)}};
  }
  static std::string notes(std::int64_t step) {
    return std::string(static_cast<std::size_t>(step + 10) % 10, 'x');
  }
  void log(const std::string& line) const {
    if (world_.rank() == 0) std::ofstream(prefix_ + ".log", std::ios::app) << line << std::endl;
  }

  Group world_;
  std::string prefix_;
  Array<double, 2> field_{world_, {600, 500}, {.name = "field"}};
  Array<Colour, 1> colours_{world_,
                            Layout<1>::block_cyclic({500'000}, {1000}, {{world_.size()}}, world_.size()),
                            {.name = "colours"}};
  double time_ = 0;
  std::string notes_;
  io::Checkpoint checkpoint_{world_, prefix_, {.keep = 2}};
};

}  // namespace

int main(int argc, char** argv) {
  Runtime runtime(argc, argv);
  the_runtime = &runtime;
  const Group& world = runtime.world();
  const std::string mode = argc > 2 ? argv[2] : "";
  try {
    Job job(world, argc > 1 ? argv[1] : "");
    if (argc > 5) {
      dying_step = argv[4];
      dying_who = argv[5];
      io::detail::commit_step_hook = die_at;
    }
    if (mode == "check") return job.restore(), 0;
    if (mode == "run" && argc > 3) return job.run(std::atoi(argv[3])), 0;
    if (mode == "hold") return job.hold(), 0;
    if (mode == "read") return job.read(), 0;
    if (mode == "wait") return job.wait(), 0;
  } catch (const io::IoError& error) {
    if (world.rank() == 0) std::fprintf(stderr, "checkpoint_job: %s\n", error.what());
    return 3;
  }
  return 2;
}
