// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdio>
#include <string>
#include <vector>

#include "cases.hpp"

// conflict_cases right|all|NAME...: runs these cases, one after the other. Rank 0 prints what the checker must
// say of each: the name, the verdict and the accesses, with a bar between them.
namespace {

using namespace cases;

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto topic : {accumulates(), batches(), buffers(), chains(), collective_calls(), epochs(), flags(),
                           ghosts(), groups(), local_accesses(), messages(), mutexes(), nonblocking(),
                           patches(), puts_and_gets(), unsynchronised()})
    all.insert(all.end(), topic.begin(), topic.end());
  return all;
}

bool is_asked_for(const Case& one, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "all" || word == one.name || (word == "right" && one.verdict == Verdict::right)) return true;
  }
  return false;
}

void print_verdict(const Case& one) {
  const char* const verdicts[] = {"right", "wrong", "unknown"};
  std::printf("case|%s|%s|%s|%s\n", std::string(one.name).c_str(), verdicts[static_cast<int>(one.verdict)],
              std::string(one.first).c_str(), std::string(one.second).c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const Runtime runtime(argc, argv);
  const Group& world = runtime.world();
  for (const Case& one : all_cases()) {
    if (!is_asked_for(one, argc, argv) || world.size() < one.ranks) continue;
    if (world.rank() == 0) print_verdict(one);
    Line line(world, {per_rank * world.size()}, {.name = one.name});
    fill(line, 1.0);
    Stage stage{world, world.rank(), line, world.mpi_comm()};
    one.run(stage);
    line.sync();
    line.close();
  }
}
