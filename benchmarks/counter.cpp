// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Dynamic load balancing: all ranks draw tasks from one counter, while the rank that has it computes.
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/tasks.hpp>

#include "compute.hpp"
#include "mpi_peer.hpp"
#include "peers.hpp"
#include "signal.hpp"

namespace tessera::benchmark::counter {
namespace {

/// Draws the next task of all.
using Draw = std::function<index_t()>;

// Checks that every task is drawn once, and by each rank in increasing order. Begins with task 0.
void check(const Group& world, const std::string& who, const Draw& draw) {
  constexpr index_t count = 2000;
  std::vector<std::int64_t> drawn(count, 0);
  index_t last = -1;
  bool right = true;
  world.barrier();
  for (index_t task = draw(); task < count; task = draw()) {
    right = right && task > last;
    last = task;
    ++drawn[static_cast<std::size_t>(task)];
  }
  world.all_reduce(std::span(drawn), Reduce::sum);
  for (const std::int64_t times : drawn) right = right && times == 1;
  require(world.all_reduce(right ? 1 : 0, Reduce::min) == 1, who + " gives out a task twice, or never");
}

/// Rank 0 draws, and its time counts. The last rank has the counter: it computes for 300 us, draws, and so on.
/// All others draw all the time.
class Program {
 public:
  Program(Session& session, const Peers& peers, bool served)
      : session_(session),
        world_(session.world()),
        host_(world_.size() - 1),
        steps_(world_.broadcast(steps_of(300e-6), 0)),
        signal_(world_),
        windows_(peers.windows),
        global_arrays_(peers.global_arrays != nullptr),
        served_(served) {}

  void operator()() {
    // In reverse order, so that the counter of the group's first rank is with the last rank of the world.
    std::vector<int> reverse(static_cast<std::size_t>(world_.size()));
    std::iota(reverse.rbegin(), reverse.rend(), 0);
    const Group group = world_.include(reverse);
    constexpr index_t many = index_t{1} << 50;
    // Nodes would draw so many at once that nearly no draw leaves the node: no match for the others.
    TaskCounter tasks(group, many, {.by_node = false, .name = "one by one"});
    row(
        "TaskCounter, not by node", [&tasks] { return *tasks.next(); }, others());
    tasks.close();
    theirs_.reset();
    window_.reset();
    signal_.close();
  }

 private:
  // What the ranks that are not timed do, and where they wait in the end.
  Others working(const Draw& draw, Others others) {
    others.work = [this, draw](index_t) {
      while (!signal_.is_told()) {
        if (world_.rank() == host_) compute(steps_);
        draw();
      }
    };
    others.release = [this] {
      for (int rank = 1; rank < world_.size(); ++rank) signal_.tell(rank);
    };
    return others;
  }
  Reference reference(const std::string& name, const Draw& draw, std::optional<Target> target) {
    check(world_, name, draw);
    return {.name = name, .routine = repeat([draw] { draw(); }), .target = target, .others = working(draw, {})};
  }
  std::vector<Reference> others() {
    std::vector<Reference> all;
    if (windows_) {
      window_ = std::make_unique<mpi_peer::Words>(world_, 1);
      all.push_back(reference(
          "MPI_Fetch_and_op",
          [this] { return static_cast<index_t>(window_->fetch_op(host_, 0, mpi_peer::Combine::sum, 1)); }, {}));
    }
    if (global_arrays_) {
      theirs_ = std::make_unique<ga_peer::Counters>(world_.size());
      all.push_back(reference(
          "NGA_Read_inc", [this] { return theirs_->read_increment(host_, 1); }, Target{Goal::at_least, 2.0}));
    }
    return all;
  }
  // The time alone has a target of its own: the counter must not wait for its rank.
  void row(const std::string& name, const Draw& draw, const std::vector<Reference>& references) {
    check(world_, name, draw);
    const Subject subject{.section = "drawing a task while the counter's rank computes",
                          .name = name,
                          .routine = repeat([draw] { draw(); }),
                          .others = working(draw, waiting(world_))};
    Row alone{.section = subject.section, .name = name};
    alone.measured = session_.meter().time({subject.routine, subject.others}, Clock::origin);
    if (world_.size() == 2 && world_.node_count() == 1 && served_) alone.target = Target{Goal::at_most, 5e-6};
    session_.add(alone);
    session_.compare(subject, references);
  }

  Session& session_;
  const Group& world_;
  int host_;
  index_t steps_;
  Signal signal_;
  bool windows_, global_arrays_, served_;
  std::unique_ptr<mpi_peer::Words> window_;
  std::unique_ptr<ga_peer::Counters> theirs_;
};

}  // namespace
}  // namespace tessera::benchmark::counter

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  auto parsed = parse_options(
      argc, argv,
      "Draws tasks from one counter, while the rank that has the counter computes. Takes 2 ranks or more.",
      world.rank() == 0);
  if (parsed.exit_status) return *parsed.exit_status;
  if (world.size() < 2)
    throw tessera::UsageError("counter takes 2 ranks or more: one has the counter, another draws");
  // A draw that waits for the counter's rank takes 300 us.
  parsed.options.full = {.sample_seconds = 10e-3, .comparison_seconds = 20.0};

  Session session(runtime, "counter", parsed.options);
  const Peers peers = start_peers(session, runtime);
  counter::Program(session, peers, runtime.progress() != tessera::ProgressMode::poll)();
  session.note(
      "Rank 0 draws, and its time counts. The last rank has the counter: it computes for 300 us, draws, and so "
      "on. All "
      "other ranks draw all the time.");
  session.finish();
  return 0;
}
