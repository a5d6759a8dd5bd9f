// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "text.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "ranges.hpp"

namespace tessera::info {
namespace {

constexpr std::size_t most_nodes = 32;  // in the text; --json has all

std::string text(const Json& value) { return value.get<std::string>(); }

// Breaks a line between words; further lines begin with `indent` spaces.
std::string wrapped(const std::string& line, std::size_t indent) {
  constexpr std::size_t width = 110;
  std::string all;
  std::size_t begin = 0, room = width;
  while (line.size() - begin > room) {
    std::size_t space = line.rfind(' ', begin + room);
    if (space == std::string::npos || space <= begin) space = line.find(' ', begin + room);
    if (space == std::string::npos) break;
    all += line.substr(begin, space - begin) + '\n' + std::string(indent, ' ');
    begin = space + 1;
    room = width - indent;
  }
  return all + line.substr(begin) + '\n';
}

// "  name             value: reason"
std::string line(const std::string& name, const std::string& value, const std::string& reason = {}) {
  constexpr std::size_t column = 25;
  std::string all = "  " + name;
  all.resize(std::max(all.size() + 2, column), ' ');
  return wrapped(all + value + (reason.empty() ? "" : ": " + reason), column);
}
std::string finding(const std::string& name, const Json& facts) {
  return line(name, text(facts["value"]), text(facts["reason"]));
}

std::string count(int number, const std::string& what) {
  return std::to_string(number) + ' ' + what + (number == 1 ? "" : "s");
}

std::string head(const Json& facts) {
  const Json& build = facts["tessera"];
  std::string all = "Tessera " + text(build["version"]) + ", built by " + text(build["compiler"]) + ", type " +
                    text(build["build_type"]);
  if (build["collective_calls_checked"].get<bool>()) all += ", collective calls checked";
  return all + '\n' + line("MPI", text(facts["mpi"]["name"])) +
         finding("thread level", facts["mpi"]["threads"]);
}

std::string cores_text(const Json& rank) {
  const auto cores = rank["cores"].get<std::vector<int>>();
  if (cores.empty()) return "any core";
  return (cores.size() == 1 ? "core " : "cores ") + ranges(cores);
}

std::string node_text(const Json& node, const Json& ranks) {
  const auto members = node["ranks"].get<std::vector<int>>();
  const auto cores = [&](int rank) { return cores_text(ranks[static_cast<std::size_t>(rank)]); };
  const bool alike =
      std::ranges::all_of(members, [&](int rank) { return cores(rank) == cores(members.front()); });
  std::string where = (members.size() == 1 ? "rank " : "ranks ") + ranges(members);
  if (alike) {
    where += (members.size() == 1 ? ", on " : ", each on ") + cores(members.front());
  } else {
    for (bool first = true; const int rank : members) {
      where += (first ? "; rank " : ", rank ") + std::to_string(rank) + " on " + cores(rank);
      first = false;
    }
  }
  return line("node " + std::to_string(node["node"].get<int>()), where + ", host " + text(node["host"]));
}

std::string rest_of_nodes(const Json& nodes) {
  if (nodes.size() <= most_nodes) return {};
  return line("...", count(static_cast<int>(nodes.size() - most_nodes), "more node") + " (--json has all)");
}

std::string topology(const Json& facts) {
  const Json& topology = facts["topology"];
  const int ranks = topology["ranks"], nodes = topology["nodes"];
  std::string all =
      '\n' + count(ranks, "rank") + " on " + count(nodes, "node") +
      (topology["pretended_nodes"].get<bool>() ? " (TESSERA_NODE_SIZE cuts machines into pretended nodes)"
                                               : "") +
      '\n';
  for (std::size_t i = 0; i < std::min(facts["nodes"].size(), most_nodes); ++i)
    all += node_text(facts["nodes"][i], facts["ranks"]);
  return all + rest_of_nodes(facts["nodes"]);
}

// The nodes whose processes share memory in another way than those of node 0.
std::string other_ways(const Json& facts) {
  std::string all;
  for (const Json& node : facts["nodes"]) {
    if (node["shared_memory"] == facts["nodes"][0]["shared_memory"]) continue;
    all += line("", text(node["shared_memory"]) + " on node " + std::to_string(node["node"].get<int>()));
  }
  return all;
}

std::string paths(const Json& facts) {
  const Json& within = facts["within_node"];
  const Json& huge = within["huge_pages"];
  const long long bytes = huge["bytes"];
  std::string all = "\nWithin a node: loads and stores\n";
  all += finding("shared memory", within["shared_memory"]) + other_ways(facts);
  all += bytes > 0 ? line("huge pages", bytes_text(bytes), text(huge["trial"]))
                   : line("huge pages", "none", text(huge["reason"]));
  const Json& between = facts["between_nodes"];
  if (between.is_null()) {
    return all + "\nBetween nodes: nothing, there is one node\n" + finding("progress", facts["progress"]);
  }
  all += "\nBetween nodes: messages to agents\n";
  all += finding("progress", facts["progress"]);
  all += finding("guaranteed", between["guaranteed"]);
  all += finding("doorbell", between["doorbell"]);
  all += finding("MPI's window", between["window"]);
  all += finding("put, get", between["method"]);
  return all + line("accumulate, atomics", "by agents");
}

std::string memory(const Json& facts) {
  std::string all = "\nMemory\n";
  const Json& first = facts["ranks"][0];
  const auto limit = [](const Json& rank) -> std::string {
    return rank["memory_limit"].is_null() ? "none" : bytes_text(rank["memory_limit"].get<long long>());
  };
  const bool alike =
      std::ranges::all_of(facts["ranks"], [&](const Json& rank) { return limit(rank) == limit(first); });
  all += line("limit of a rank", alike ? limit(first) : "differs between ranks (--json has all)",
              first["memory_limit"].is_null() ? "" : text(first["memory_limit_reason"]));
  for (std::size_t i = 0; i < std::min(facts["nodes"].size(), most_nodes); ++i) {
    const Json& node = facts["nodes"][i];
    all += line("node " + std::to_string(node["node"].get<int>()),
                bytes_text(node["memory_available"].get<long long>()) + " available (" +
                    text(node["memory_available_reason"]) +
                    "); /dev/shm: " + bytes_text(node["shm_room"].get<long long>()) + " of " +
                    bytes_text(node["shm_size"].get<long long>()) + " free");
  }
  return all + rest_of_nodes(facts["nodes"]);
}

std::string libraries(const Json& facts) {
  const Json& linalg = facts["libraries"]["linalg"];
  const Json& io = facts["libraries"]["io"];
  const Json& fft = facts["libraries"]["fft"];
  const std::string absent = "this build has no tessera::";
  std::string all = "\nLibraries\n";
  if (linalg.is_null()) {
    all += line("BLAS, ScaLAPACK", absent + "linalg");
  } else {
    std::string blas = text(linalg["blas"]);
    if (const auto kernels = text(linalg["kernels"]); !kernels.empty()) blas += ", kernels for " + kernels;
    if (const int threads = linalg["threads"]; threads > 0)
      blas += ", " + count(threads, "thread") + " for each call";
    all += line("BLAS", blas);
    for (const Json& defect : linalg["defects"]) all += line("", "known defect: " + text(defect));
    const auto scalapack = text(linalg["scalapack"]), elpa = text(linalg["elpa"]);
    all += line("ScaLAPACK", scalapack.empty() ? "linked into the program" : scalapack);
    all += line("ELPA", elpa.empty() ? "not used" : elpa);
  }
  all += io.is_null()
             ? line("HDF5", absent + "io")
             : line("HDF5", text(io["hdf5"]) + (io["pictures"].get<bool>() ? "; pictures by libpng"
                                                                           : "; no pictures (no libpng)"));
  return all +
         line("FFTW", fft.is_null() ? absent + "fft" : text(fft["fftw"]) + ", found when Tessera was built");
}

std::string variables(const Json& facts) {
  std::string set, others;
  for (const Json& variable : facts["variables"]) {
    const std::string name = text(variable["name"]);
    if (variable["value"].is_null())
      others += line(name, text(variable["default"]));
    else
      set += wrapped("  " + name + '=' + text(variable["value"]) + " (" + text(variable["meaning"]) + ')', 4);
  }
  std::string all = "\nEnvironment variables that are set\n" + (set.empty() ? "  none\n" : set);
  return all + "Environment variables that are not set, and what applies\n" + others;
}

// What the user should look at.
std::string warnings(const Json& facts) {
  std::vector<std::string> found;
  for (const Json& variable : facts["unknown_variables"]) {
    const auto probably = text(variable["probably"]);
    found.push_back(text(variable["name"]) + "=" + text(variable["value"]) + " is no variable of Tessera" +
                    (probably.empty() ? "; it has no effect" : "; is it " + probably + "?"));
  }
  for (const Json& sentence : facts["ignored_variables"]) found.push_back(text(sentence));
  for (const Json& sentence : facts["warnings"]) found.push_back(text(sentence));
  const Json& linalg = facts["libraries"]["linalg"];
  if (!linalg.is_null()) {
    for (const Json& sentence : linalg["warnings"]) found.push_back(text(sentence));
  }
  if (facts["topology"]["crowded"].get<bool>()) {
    found.emplace_back(
        "there are more ranks than cores: a message of MPI may take milliseconds; start your program with "
        "tessera-run");
  }
  if (found.empty()) return {};
  std::string all = "\nLook at this\n";
  for (const std::string& sentence : found) all += wrapped("  - " + sentence, 4);
  return all;
}

}  // namespace

std::string text_of(const Json& facts) {
  return head(facts) + topology(facts) + paths(facts) + memory(facts) + libraries(facts) + variables(facts) +
         warnings(facts);
}

std::string text_of_trials(const Json& trials, double seconds) {
  std::string all = "\nSelf-test\n", right, between;
  int failed = 0;
  const auto end_of_line = [&] {
    if (!right.empty()) all += "  ok      " + right + ": " + between + '\n';
    right.clear();
  };
  for (const Json& trial : trials) {
    const auto pairs = text(trial["between"]) + ", by " + text(trial["by"]), what = text(trial["what"]);
    if (pairs != between || !trial["ok"].get<bool>()) end_of_line();
    between = pairs;
    if (trial["ok"].get<bool>()) {
      right += (right.empty() ? "" : ", ") + what;
      continue;
    }
    ++failed;
    all += "  FAILED  " + what + ": " + between + ", on " + count(trial["failed_ranks"].get<int>(), "rank") +
           ": " + text(trial["problem"]) + '\n';
  }
  end_of_line();
  char end[80];
  std::snprintf(end, sizeof end, "%zu checks in %.1f s: ", trials.size(), seconds);
  return all + end + (failed == 0 ? "all ok" : std::to_string(failed) + " FAILED") + '\n';
}

}  // namespace tessera::info
