// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "json.hpp"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include <tessera/runtime/error.hpp>

namespace tessera::benchmark {
namespace {

using nlohmann::json;

json to_json(const Estimate& estimate) { return {estimate.value, estimate.low, estimate.high}; }

Estimate estimate_from(const json& j) {
  return {j.at(0).get<double>(), j.at(1).get<double>(), j.at(2).get<double>()};
}

std::optional<Estimate> optional_estimate(const json& row, const char* key) {
  if (!row.contains(key)) return {};
  return estimate_from(row.at(key));
}

json to_json(const Environment& e) {
  json j = {{"library", e.library}, {"mpi", e.mpi},     {"processor", e.processor},
            {"cores", e.cores},     {"ranks", e.ranks}, {"pairs", e.pairs},
            {"date", e.date}};
  if (!e.topology.empty()) j["topology"] = e.topology;
  return j;
}

int count_from(const json& j, const char* key) {
  const json& count = j.at(key);
  if (!count.is_number_unsigned() || count.get<std::uint64_t>() > std::numeric_limits<int>::max())
    throw Error("\"" + std::string(key) + "\" is no count: " + count.dump());
  return count.get<int>();
}

Environment environment_from(const std::string& benchmark, const json& j) {
  Environment e;
  e.benchmark = benchmark;
  j.at("library").get_to(e.library);
  j.at("mpi").get_to(e.mpi);
  e.topology = j.value("topology", "");
  j.at("processor").get_to(e.processor);
  e.cores = count_from(j, "cores");
  e.ranks = count_from(j, "ranks");
  e.pairs = count_from(j, "pairs");
  j.at("date").get_to(e.date);
  return e;
}

constexpr std::pair<Goal, const char*> goal_keys[] = {{Goal::at_least, "ratio_at_least"},
                                                      {Goal::at_most, "time_at_most"},
                                                      {Goal::at_most_more, "excess_at_most"},
                                                      {Goal::share_at_least, "share_at_least"},
                                                      {Goal::share_at_most, "share_at_most"}};

json to_json(const Target& target) {
  json j;
  for (const auto& [goal, key] : goal_keys) {
    if (goal == target.goal) j[key] = target.value;
  }
  return j;
}

Target target_from(const json& j) {
  for (const auto& [goal, key] : goal_keys) {
    if (j.contains(key)) return {goal, j.at(key).get<double>()};
  }
  throw Error("a target of an unknown kind: " + j.dump());
}

json to_json(const Row& row) {
  json j = {{"section", row.section}, {"name", row.name}, {"time", to_json(row.measured.time)}};
  if (row.measured.control) j["control"] = to_json(*row.measured.control);
  if (!row.reference.empty()) j["reference"] = row.reference;
  if (row.measured.reference) j["reference_time"] = to_json(*row.measured.reference);
  if (row.measured.ratio) j["ratio"] = to_json(*row.measured.ratio);
  if (row.measured.excess) j["excess"] = to_json(*row.measured.excess);
  if (row.measured.share) j["share"] = to_json(*row.measured.share);
  if (row.bytes > 0.0) j["bytes"] = row.bytes;
  if (row.target) {
    j["target"] = to_json(*row.target);
    j["verdict"] = to_string(row.verdict());
  }
  if (row.counts == Counts::where_reference_is_fastest) j["counts"] = "where reference is fastest";
  if (!row.remark.empty()) j["remark"] = row.remark;
  return j;
}

Row row_from(const json& j) {
  Row row;
  j.at("section").get_to(row.section);
  j.at("name").get_to(row.name);
  row.reference = j.value("reference", "");
  row.measured = {.time = estimate_from(j.at("time")),
                  .reference = optional_estimate(j, "reference_time"),
                  .ratio = optional_estimate(j, "ratio"),
                  .control = optional_estimate(j, "control"),
                  .excess = optional_estimate(j, "excess"),
                  .share = optional_estimate(j, "share")};
  if (row.measured.ratio && !(row.measured.ratio->value > 0.0))
    throw Error("the ratio of \"" + row.name + "\" is not positive (it has no geometric mean with others)");
  row.bytes = j.value("bytes", 0.0);
  if (j.contains("target")) row.target = target_from(j.at("target"));
  if (j.contains("counts")) row.counts = Counts::where_reference_is_fastest;
  row.remark = j.value("remark", "");
  return row;
}

}  // namespace

std::string report_text(const Report& report) {
  json j = {{"benchmark", report.environment.benchmark},
            {"environment", to_json(report.environment)},
            {"rows", json::array()},
            {"notes", report.notes}};
  for (const Row& row : report.rows) j["rows"].push_back(to_json(row));
  for (const MeanTarget& target : report.mean_targets) {
    j["mean_targets"].push_back(
        {{"section", target.section}, {"reference", target.reference}, {"at_least", target.at_least}});
  }
  return j.dump(2) + '\n';
}

void write_json(const Report& report, const std::string& path) {
  const std::string part = path + ".part";
  std::ofstream file(part);
  file << report_text(report);
  file.close();
  if (!file || std::rename(part.c_str(), path.c_str()) != 0)
    throw Error("cannot write \"" + path + "\" (the directory must exist and be writable)");
}

Report parse_report(std::istream& in, const std::string& name) {
  try {
    const json j = json::parse(in);
    Report report;
    report.environment = environment_from(j.at("benchmark").get<std::string>(), j.at("environment"));
    for (const json& row : j.at("rows")) report.rows.push_back(row_from(row));
    j.at("notes").get_to(report.notes);
    for (const json& target : j.value("mean_targets", json::array())) {
      report.mean_targets.push_back({target.at("section").get<std::string>(),
                                     target.at("reference").get<std::string>(),
                                     target.at("at_least").get<double>()});
    }
    return report;
  } catch (const json::exception& problem) {
    throw Error("\"" + name + "\" is not a benchmark's report: " + problem.what());
  }
}

Report read_json(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error("cannot read \"" + path + "\"");
  return parse_report(file, path);
}

}  // namespace tessera::benchmark
