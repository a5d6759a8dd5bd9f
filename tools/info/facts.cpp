// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "facts.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <span>
#include <sstream>
#include <string_view>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/runtime_report.hpp>
#include <tessera/runtime/segment.hpp>

#include "libraries.hpp"
#include "variables.hpp"

namespace tessera::info {
namespace {

Json json(const Finding& finding) { return {{"value", finding.value}, {"reason", finding.reason}}; }

// "MPICH Version:\t4.0.2\n..." or "Open MPI v4.1.4, package: ...": the name and the version.
std::string mpi_name(std::string text) {
  text = text.substr(0, text.find_first_of(",\n"));
  const std::string_view label = " Version:\t";
  if (const auto at = text.find(label); at != std::string::npos) text.replace(at, label.size(), " ");
  std::ranges::replace(text, '\t', ' ');
  return text;
}

// The facts that differ between ranks, of this rank.
Json of_this_rank(const Runtime& runtime, const RuntimeReport& report, const std::vector<std::string>& own) {
  Json variables = environment();
  for (const std::string& name : own) variables.erase(name);
  Json limit;
  if (report.memory_limit != std::numeric_limits<index_t>::max()) limit = report.memory_limit;
  return {{"rank", runtime.world().rank()},
          {"node", runtime.world().node_of(runtime.world().rank())},
          {"host", runtime.world().host()},
          {"shared_memory", report.shared_memory.value},
          {"cores", report.cores},
          {"crowded", report.is_crowded},
          {"memory_limit", limit},
          {"memory_limit_reason", report.memory_limit_reason},
          {"memory_available", report.memory_available},
          {"memory_available_reason", report.memory_available_reason},
          {"shm_size", report.shm_size},
          {"shm_room", report.shm_room},
          {"variables", variables}};
}

std::vector<Json> of_all_ranks(const Group& world, const Json& mine) {
  const std::string text = mine.dump(-1, ' ', true, Json::error_handler_t::replace) + '\n';
  const std::vector<char> all = world.all_gather(std::span(text.data(), text.size()));
  std::istringstream lines(std::string(all.begin(), all.end()));
  std::vector<Json> ranks;
  for (std::string line; std::getline(lines, line);) ranks.push_back(Json::parse(line));
  return ranks;
}

// The nodes with their ranks; what belongs to a node is taken from its first rank.
Json nodes(const std::vector<Json>& ranks) {
  std::map<int, Json> found;
  for (const Json& rank : ranks) {
    const auto [node, is_new] = found.try_emplace(rank["node"].get<int>());
    if (is_new) {
      node->second = {{"node", rank["node"]}, {"host", rank["host"]}, {"ranks", Json::array()}};
      for (const char* name :
           {"shared_memory", "memory_available", "memory_available_reason", "shm_size", "shm_room"})
        node->second[name] = rank[name];
    }
    node->second["ranks"].push_back(rank["rank"]);
  }
  Json all = Json::array();
  for (const auto& [number, node] : found) all.push_back(node);
  return all;
}

// Each rank's own facts.
Json ranks_json(const std::vector<Json>& ranks) {
  Json all = Json::array();
  for (const Json& rank : ranks) {
    Json& one = all.emplace_back();
    for (const char* name : {"rank", "node", "cores", "memory_limit", "memory_limit_reason"})
      one[name] = rank[name];
  }
  return all;
}

// The bytes of huge pages among the pages that this process has mapped around an address.
index_t huge_bytes_at(const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool is_inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    if (words >> std::hex >> begin >> dash >> end && dash == '-') is_inside = begin <= place && place < end;
    if (!is_inside || !line.starts_with("ShmemPmdMapped:")) continue;
    return std::strtoll(line.c_str() + std::strlen("ShmemPmdMapped:"), nullptr, 10) * 1024;
  }
  return 0;
}

// Whether each rank gets a huge page if it asks for one. @collective
std::string huge_page_trial(const Group& world, index_t huge_page) {
  if (huge_page == 0) return "not tried";
  try {
    Segment segment(world, huge_page, "huge page");
    std::byte* const slice = segment.address(world.rank());
    std::memset(slice, 1, static_cast<std::size_t>(huge_page));
    const int served = world.all_reduce(huge_bytes_at(slice) >= huge_page ? 1 : 0, Reduce::sum);
    segment.close();
    return "got by " + std::to_string(served) + " of " + std::to_string(world.size()) + " ranks in a trial";
  } catch (const MemoryError&) {  // on every rank
    return "not tried, as memory is short";
  }
}

Json settings_json(const std::vector<Setting>& settings, const std::vector<std::string>& own) {
  Json all = Json::array();
  for (const Setting& setting : settings) {
    Json value;
    const bool is_own = std::ranges::find(own, setting.name) != own.end();
    if (!setting.value.empty() && !is_own) value = setting.value;
    all.push_back(
        {{"name", setting.name}, {"value", value}, {"default", setting.unset}, {"meaning", setting.meaning}});
  }
  return all;
}

}  // namespace

Json facts(const Runtime& runtime, const std::vector<std::string>& own) {
  const Group& world = runtime.world();
  const RuntimeReport report = runtime_report(runtime);
  const std::vector<Json> ranks = of_all_ranks(world, of_this_rank(runtime, report, own));
  std::vector<Json> environments;
  for (const Json& rank : ranks) environments.push_back(rank["variables"]);
  const auto is_crowded = [](const Json& rank) { return rank["crowded"].get<bool>(); };

  Json all;
  all["tessera"] = build();
  all["mpi"] = {{"name", mpi_name(report.mpi)}, {"threads", json(report.threads)}, {"library", report.mpi}};
  all["topology"] = {{"ranks", world.size()},
                     {"nodes", world.node_count()},
                     {"pretended_nodes", report.has_pretended_nodes},
                     {"crowded", std::ranges::any_of(ranks, is_crowded)}};
  all["nodes"] = nodes(ranks);
  all["ranks"] = ranks_json(ranks);
  all["within_node"] = {{"shared_memory", json(report.shared_memory)},
                        {"huge_pages",
                         {{"bytes", report.huge_page},
                          {"reason", report.huge_page_reason},
                          {"trial", huge_page_trial(world, report.huge_page)}}}};
  all["progress"] = json(report.progress);
  all["between_nodes"] = nullptr;
  if (world.node_count() > 1) {
    all["between_nodes"] = {{"guaranteed", json(report.guarantee)},
                            {"doorbell", json(report.doorbell)},
                            {"window", json(report.window)},
                            {"method", json(report.method)}};
  }
  all["libraries"] = libraries(world);
  all["variables"] = settings_json(report.settings, own);
  all["unknown_variables"] = unknown_variables(environments, report.settings);
  all["ignored_variables"] = ignored_variables(environments, report.settings);
  all["warnings"] = report.warnings;
  return all;
}

Json trials_json(const std::vector<Trial>& trials) {
  Json all = Json::array();
  for (const Trial& trial : trials) {
    all.push_back({{"what", trial.what},
                   {"between", trial.between},
                   {"by", trial.by},
                   {"ok", trial.problem.empty()},
                   {"problem", trial.problem},
                   {"failed_ranks", trial.failed}});
  }
  return all;
}

}  // namespace tessera::info
