// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "trace_data.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "printable.hpp"

namespace tessera::trace_tool {
namespace {

constexpr int known_version = 1;

std::uint64_t count_of(const Json& number) {
  if (!number.is_number_unsigned()) throw std::runtime_error(fmt::format("{} is no count", number.dump()));
  return number.get<std::uint64_t>();
}

std::vector<Times> times_of(const Json& list) {
  std::vector<Times> all;
  for (const Json& one : list) {
    all.push_back({one.at("name").get<std::string>(), count_of(one.at("calls")),
                   one.at("seconds").get<double>(), one.value("self", 0.0), one.value("waits", 0.0)});
  }
  return all;
}

void add_process(Trace& trace, const Json& one) {
  Process process;
  process.rank = one.at("rank").get<int>();
  if (process.rank < 0 || process.rank >= trace.ranks)
    throw std::runtime_error(fmt::format("rank {} is not one of {}", process.rank, trace.ranks));
  if (trace.process(process.rank) != nullptr)
    throw std::runtime_error(fmt::format("rank {} is in two files; give the files of one job", process.rank));
  process.node = one.at("node").get<int>();
  process.host = one.at("host").get<std::string>();
  process.seconds = one.at("seconds").get<double>();
  process.phases = times_of(one.at("phases"));
  process.waits = times_of(one.at("waits"));
  for (const Json& reading : one.at("clock"))
    process.clock_error = std::max(process.clock_error, 0.5e-9 * reading.at("round_trip_ns").get<double>());
  const Json& kept = one.at("events").at("operations");
  process.operations = count_of(kept.at("seen"));
  process.every = count_of(kept.at("every"));
  for (const Json& array : one.at("arrays")) {
    for (const Json& traffic : array.at("traffic")) {
      const int target = traffic.at("target").get<int>();
      if (target < 0 || target >= trace.ranks)
        throw std::runtime_error(fmt::format("rank {} is not one of {}", target, trace.ranks));
      trace.cells.push_back({array.at("name").get<std::string>(), process.rank, target,
                             traffic.at("path").get<std::string>(), traffic.at("operation").get<std::string>(),
                             count_of(traffic.at("operations")), count_of(traffic.at("bytes")),
                             traffic.at("seconds").get<double>()});
    }
  }
  const auto place = std::upper_bound(trace.processes.begin(), trace.processes.end(), process.rank,
                                      [](int rank, const Process& other) { return rank < other.rank; });
  trace.processes.insert(place, std::move(process));
}

void add_bar(Trace& trace, const Json& event) {
  if (event.at("ph") != "X") return;
  Bar bar;
  bar.rank = event.at("pid").get<int>();
  if (trace.process(bar.rank) == nullptr)
    throw std::runtime_error(fmt::format("an event is of rank {}, which is not in the file", bar.rank));
  bar.thread = event.at("tid").get<int>();
  const std::string kind = event.at("cat").get<std::string>();
  if (kind.empty()) throw std::runtime_error("an event has no category");
  bar.kind = kind.front();
  bar.name = event.at("name").get<std::string>();
  bar.begin = event.at("ts").get<double>();
  bar.duration = event.at("dur").get<double>();
  if (const auto arguments = event.find("args"); arguments != event.end()) {
    bar.array = arguments->at("array").get<std::string>();
    bar.path = arguments->at("path").get<std::string>();
    bar.target = arguments->at("target").get<int>();
    if (bar.target < 0 || bar.target >= trace.ranks)
      throw std::runtime_error(fmt::format("rank {} is not one of {}", bar.target, trace.ranks));
    bar.bytes = count_of(arguments->at("bytes"));
  }
  trace.bars.push_back(std::move(bar));
}

}  // namespace

const Process* Trace::process(int rank) const noexcept {
  const auto found = std::lower_bound(processes.begin(), processes.end(), rank,
                                      [](const Process& one, int wanted) { return one.rank < wanted; });
  return found == processes.end() || found->rank != rank ? nullptr : &*found;
}

double Trace::seconds() const noexcept {
  double longest = 0.0;
  for (const Process& process : processes) longest = std::max(longest, process.seconds);
  return longest;
}

void add(Trace& trace, const Json& file) {
  if (!file.is_object() || !file.contains("tessera") || !file.contains("traceEvents"))
    throw std::runtime_error("it is no trace of Tessera (TESSERA_TRACE=file writes one)");
  const Json& sums = file.at("tessera");
  if (const int version = sums.at("version").get<int>(); version != known_version)
    throw std::runtime_error(fmt::format("its version is {}; this program reads {}", version, known_version));
  const int ranks = sums.at("ranks").get<int>();
  if (trace.ranks != 0 && trace.ranks != ranks)
    throw std::runtime_error(
        fmt::format("it is of a job on {} ranks, the files before of one on {}", ranks, trace.ranks));
  trace.ranks = ranks;
  const std::string job = sums.value("job", "");
  if (!trace.job.empty() && trace.job != job)
    throw std::runtime_error("it is of another job than the files before; give the files of one job");
  trace.job = job;
  trace.is_complete = trace.is_complete && sums.at("complete").get<bool>();
  const Json& processes = sums.at("processes");
  if (!processes.is_array() || processes.empty()) throw std::runtime_error("it has no ranks");
  for (const Json& process : processes) add_process(trace, process);
  for (const Json& event : file.at("traceEvents")) add_bar(trace, event);
}

Trace read(const std::vector<std::string>& files) {
  Trace trace;
  for (const std::string& name : files) {
    std::ifstream stream(name);
    const bool is_directory = std::filesystem::is_directory(name);
    if (!stream || is_directory)
      throw std::runtime_error(
          fmt::format("{} cannot be read: {}", printable(name), std::strerror(is_directory ? EISDIR : errno)));
    try {
      add(trace, Json::parse(stream));
    } catch (const Json::parse_error& error) {
      throw std::runtime_error(
          fmt::format("{} is no JSON (byte {}); was it cut off?", printable(name), error.byte));
    } catch (const Json::exception& error) {
      throw std::runtime_error(
          fmt::format("{} is a damaged trace: {}", printable(name), printable(error.what())));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(fmt::format("{}: {}", printable(name), error.what()));
    }
  }
  return trace;
}

}  // namespace tessera::trace_tool
