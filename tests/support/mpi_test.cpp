// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi_test.hpp"

#include <tessera/runtime/error.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>

#include "mpi_main.hpp"

namespace tessera::test {
namespace {

const Runtime* the_runtime = nullptr;
const auto started = std::chrono::steady_clock::now();

// One write per message, so that messages of several ranks do not mix within a line.
void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::string full_name(const testing::TestInfo& info) {
  return std::string(info.test_suite_name()) + "." + info.name();
}

class RankListener : public testing::EmptyTestEventListener {
  void OnTestProgramStart(const testing::UnitTest&) override {
    if (world().rank() == 0) print(runtime().description() + "\n");
  }

  void OnTestStart(const testing::TestInfo& info) override {
    if (world().rank() == 0) print("[ RUN      ] " + full_name(info) + "\n");
  }

  // Printed at once, so that the reason is known even if the other ranks now wait for ever.
  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (!part.failed()) return;
    std::ostringstream text;
    text << "[rank " << world().rank() << " of " << world().size() << "] "
         << (part.file_name() != nullptr ? part.file_name() : "unknown file") << ":" << part.line_number()
         << ": failure\n"
         << part.message() << "\n";
    print(text.str());
  }

  void OnTestEnd(const testing::TestInfo& info) override {
    const auto failed = world().all_gather<int>(info.result()->Failed() ? 1 : 0);
    if (world().rank() != 0) return;
    std::string ranks;
    for (std::size_t rank = 0; rank < failed.size(); ++rank) {
      if (failed[rank] != 0) ranks += (ranks.empty() ? " on rank " : ", ") + std::to_string(rank);
    }
    print((ranks.empty() ? "[       OK ] " : "[  FAILED  ] ") + full_name(info) + ranks + " (" +
          std::to_string(info.result()->elapsed_time()) + " ms)\n");
  }
};

}  // namespace

const Runtime& runtime() { return *the_runtime; }
const Group& world() { return the_runtime->world(); }
bool has_windows() {
  static const bool works = [] {
    try {
      Segment(world(), 64, {.name = "window", .domain = AtomicDomain::mpi}).close();
    } catch (const WindowError&) {
      return false;
    }
    return true;
  }();
  return works;
}
bool on_all(bool condition) { return world().all_reduce(condition ? 1 : 0, Reduce::min) == 1; }
int rounds_in_time(const Group& group, int rounds) {
  constexpr std::chrono::seconds patience(60);
  const bool late = std::chrono::steady_clock::now() - started > patience;
  return group.broadcast(late ? 1 : 0, 0) == 1 ? (rounds + 3) / 4 : rounds;
}
int rounds_of(const Group& group, int rounds) {
#ifdef __SANITIZE_ADDRESS__
  constexpr int max_nodes = 1;  // agents are slow, and a second round of a line of code shows nothing new
#else
  constexpr int max_nodes = 4;
#endif
  return rounds_in_time(group, group.node_count() > max_nodes ? (rounds + 2) / 3 : rounds);
}

int run_all(const Runtime& runtime) {
  the_runtime = &runtime;
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new RankListener);  // GoogleTest owns it

  const bool passed = on_all(RUN_ALL_TESTS() == 0);
  const int tests = testing::UnitTest::GetInstance()->test_to_run_count();
  const char* verdict = passed ? "all passed" : "failed";
  if (tests == 0) verdict = "nothing was tested, which counts as failed";
  if (world().rank() == 0) {
    print(std::to_string(tests) + " tests on " + std::to_string(world().size()) + " ranks: " + verdict + "\n");
  }
  return passed && tests > 0 ? 0 : 1;
}

}  // namespace tessera::test
