// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "hints.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace tessera::trace_tool {
namespace {

// The limits of the rules. Below them, a change of the program would gain little.
constexpr std::uint64_t many_operations = 1000;          // of an array
constexpr std::uint64_t many_small_operations = 10'000;  // of an array, between nodes
constexpr double small = 256.0;                          // bytes, on average
constexpr double hot_share = 0.5;                        // of the operations of an array, at one rank
constexpr double notable_share = 0.1;                    // of the time or of the bytes
constexpr double better_placement = 0.6;                 // of the bytes between nodes now

int percent(double share) { return static_cast<int>(std::lround(100.0 * share)); }

struct Sum {
  std::uint64_t operations = 0, bytes = 0;
  double seconds = 0.0;
  void add(const Cell& cell) {
    operations += cell.operations;
    bytes += cell.bytes;
    seconds += cell.seconds;
  }
};

const char* advice_for_owner(const std::string& operation) {
  if (operation == "get") return "use a block-cyclic layout or a read_only epoch";
  if (operation == "put") return "use a block-cyclic layout";
  if (operation == "accumulate")
    return "use a block-cyclic layout, or sum into copies of your own and accumulate them once";
  return "use one counter for each node, or draw several values at once";
}

// One rank owns what the others want.
void hot_owner(const Trace& trace, std::vector<Hint>& all) {
  if (trace.ranks < 3) return;
  std::map<std::pair<std::string, std::string>, std::map<int, std::uint64_t>> served;
  for (const Cell& cell : trace.cells) {
    if (cell.source != cell.target) served[{cell.array, cell.operation}][cell.target] += cell.operations;
  }
  for (const auto& [key, targets] : served) {
    std::uint64_t total = 0;
    for (const auto& [target, operations] : targets) total += operations;
    const auto most = std::max_element(targets.begin(), targets.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    const double share = static_cast<double>(most->second) / static_cast<double>(total);
    if (total < many_operations || share < hot_share) continue;
    all.push_back(
        {"owner", fmt::format("rank {} serves {} % of all {}s of `{}` ({} of {}): {}", most->first,
                              percent(share), key.second == "atomic" ? "atomic operation" : key.second,
                              key.first, most->second, total, advice_for_owner(key.second))});
  }
}

void small_operations(const Trace& trace, std::vector<Hint>& all) {
  std::map<std::pair<std::string, std::string>, Sum> sums;
  for (const Cell& cell : trace.cells) {
    if (cell.path != "node" && cell.path != "message" && cell.operation != "atomic")
      sums[{cell.array, cell.operation}].add(cell);
  }
  for (const auto& [key, sum] : sums) {
    const double mean =
        static_cast<double>(sum.bytes) / static_cast<double>(std::max<std::uint64_t>(sum.operations, 1));
    if (sum.operations < many_small_operations || mean >= small) continue;
    all.push_back(
        {"small", fmt::format("{} {}s of `{}` between nodes have {:.0f} bytes on average: collect them in a "
                              "Batch, or use gather and scatter",
                              sum.operations, key.second, key.first, mean)});
  }
}

double meeting_seconds(const Process& process) {
  double seconds = 0.0;
  for (const Times& phase : process.phases) {
    if (phase.name == "sync" || phase.name == "barrier") seconds += phase.self;
  }
  return seconds;
}

// The rank that waits least at sync is the one that the others wait for.
void waits_at_sync(const Trace& trace, std::vector<Hint>& all) {
  if (trace.processes.size() < 2) return;
  const auto less = [](const Process& a, const Process& b) { return meeting_seconds(a) < meeting_seconds(b); };
  const auto [least, most] = std::minmax_element(trace.processes.begin(), trace.processes.end(), less);
  const double run = trace.seconds(), low = meeting_seconds(*least), high = meeting_seconds(*most);
  if (run <= 0.0 || high - low < notable_share * run) return;
  std::string where;
  double excess = 0.0;
  for (const Times& phase : least->phases) {
    if (phase.name == "sync" || phase.name == "barrier") continue;
    double others = 0.0;
    for (const Process& process : trace.processes) {
      for (const Times& one : process.phases) {
        if (one.name == phase.name) others += one.self / static_cast<double>(trace.processes.size());
      }
    }
    if (phase.self - others > excess) excess = phase.self - others, where = phase.name;
  }
  if (!where.empty()) where = fmt::format(", most in phase `{}`", where);
  all.push_back(
      {"imbalance",
       fmt::format("rank {} is {} % of the time in sync and barriers, rank {} {} %: rank {} has more work than "
                   "the others{}; share the work out evenly, or by TaskCounter or TaskQueues",
                   most->rank, percent(high / run), least->rank, percent(low / run), least->rank, where)});
}

// Ranks that share a host or node, but do not use its memory.
void off_the_node(const Trace& trace, std::vector<Hint>& all) {
  std::uint64_t total = 0, same_host = 0, same_node = 0;
  for (const Cell& cell : trace.cells) {
    const Process *source = trace.process(cell.source), *target = trace.process(cell.target);
    total += cell.bytes;
    if (source == nullptr || target == nullptr || cell.path == "node" || source->host != target->host) continue;
    if (source->node != target->node)
      same_host += cell.bytes;
    else if (cell.path == "window")
      same_node += cell.bytes;
  }
  const auto share = [&](std::uint64_t bytes) {
    return total == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(total);
  };
  if (share(same_host) >= notable_share) {
    all.push_back(
        {"host", fmt::format("{} % of all bytes go between ranks of one host, but not through memory: these "
                             "ranks do not share memory, because TESSERA_NODE_SIZE is set or each has a "
                             "container of its own",
                             percent(share(same_host)))});
  }
  if (share(same_node) >= notable_share) {
    all.push_back(
        {"window", fmt::format("{} % of all bytes go through MPI's window between ranks of one node: use "
                               "AtomicDomain::cpu, unless the network card has to update these arrays",
                               percent(share(same_node)))});
  }
}

// Bytes between nodes if rank r were on node place(r).
template <class F>
std::uint64_t bytes_between_nodes(const Trace& trace, F&& place) {
  std::uint64_t bytes = 0;
  for (const Cell& cell : trace.cells) {
    if (place(cell.source) != place(cell.target)) bytes += cell.bytes;
  }
  return bytes;
}

// The launcher's other placement: blocks of ranks, or ranks in turn. Only for nodes of one size.
void placement(const Trace& trace, std::vector<Hint>& all) {
  std::map<int, int> sizes;
  for (const Process& process : trace.processes) ++sizes[process.node];
  const auto nodes = static_cast<int>(sizes.size());
  if (nodes < 2 || static_cast<int>(trace.processes.size()) != trace.ranks || trace.ranks % nodes != 0) return;
  const int size = trace.ranks / nodes;
  if (size < 2 || std::any_of(sizes.begin(), sizes.end(), [&](const auto& one) { return one.second != size; }))
    return;
  const std::uint64_t now = bytes_between_nodes(trace, [&](int rank) { return trace.process(rank)->node; });
  std::uint64_t total = 0;
  for (const Cell& cell : trace.cells) total += cell.bytes;
  if (total == 0 || static_cast<double>(now) < notable_share * static_cast<double>(total)) return;
  const std::pair<const char*, std::uint64_t> others[] = {
      {"consecutive ranks on each node", bytes_between_nodes(trace, [&](int rank) { return rank / size; })},
      {"the ranks dealt to the nodes in turn",
       bytes_between_nodes(trace, [&](int rank) { return rank % nodes; })}};
  for (const auto& [how, bytes] : others) {
    if (static_cast<double>(bytes) > better_placement * static_cast<double>(now)) continue;
    all.push_back(
        {"placement", fmt::format("{} of {} bytes go between nodes; with {} it would be {}: change the "
                                  "launcher's placement (--map-by), or the layouts",
                                  now, total, how, bytes)});
  }
}

// Several ranks add to one rank's part at once, and it takes them long.
void contention(const Trace& trace, std::vector<Hint>& all) {
  std::map<std::pair<std::string, int>, std::map<int, Sum>> sums;
  for (const Cell& cell : trace.cells) {
    if (cell.operation == "accumulate") sums[{cell.array, cell.target}][cell.source].add(cell);
  }
  for (const auto& [key, sources] : sums) {
    Sum total;
    for (const auto& [source, sum] : sources) {
      total.operations += sum.operations;
      total.seconds += sum.seconds;
    }
    const auto busy = std::count_if(sources.begin(), sources.end(), [&](const auto& one) {
      return static_cast<double>(one.second.operations) >=
             notable_share * static_cast<double>(total.operations);
    });
    const double time = trace.seconds() * static_cast<double>(sources.size());
    if (busy < 2 || total.operations < many_operations || time <= 0.0 || total.seconds < notable_share * time)
      continue;
    all.push_back(
        {"contention",
         fmt::format("{} ranks spend {} % of their time in accumulates to rank {}'s part of `{}`, {:.1f} us "
                     "each: they wait for each other's locks; sum into a copy of your own and accumulate it "
                     "once, or begin at different parts",
                     sources.size(), percent(total.seconds / time), key.second, key.first,
                     1e6 * total.seconds / static_cast<double>(total.operations))});
  }
}

}  // namespace

std::vector<Hint> hints(const Trace& trace) {
  std::vector<Hint> all;
  for (const auto rule : {hot_owner, small_operations, waits_at_sync, off_the_node, placement, contention})
    rule(trace, all);
  return all;
}

}  // namespace tessera::trace_tool
