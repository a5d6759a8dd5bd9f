// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/environment.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/runtime/detail/warn.hpp>
#include <tessera/runtime/error.hpp>

#include "agents/bells.hpp"
#include "base/memory_check.hpp"
#include "format.hpp"
#include "mpi/mpi.hpp"

namespace tessera::detail {
namespace {

// The value of a variable; empty if it is not set.
std::string_view value_of(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "";
}

std::string_view value_of(Variable variable) { return value_of(text_of(variable).name); }

std::string shared_value(MPI_Comm comm, Variable variable) {
  std::string value(value_of(variable));
  mpi::broadcast(comm, value, 0);
  return value;
}

// A whole number from 1 on; 0 for anything else.
int positive_number(std::string_view digits) {
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() && value > 0 ? value : 0;
}

int node_size(std::string_view text) {
  const int value = positive_number(text);
  if (!text.empty() && value == 0)
    throw UsageError(formatted("TESSERA_NODE_SIZE=\"{}\" is not a number of processes (1 or more)", text));
  return value;
}

index_t memory_limit(std::string_view text) {
  if (text.empty()) return std::numeric_limits<index_t>::max();
  if (const auto bytes = parse_bytes(text)) return *bytes;
  throw UsageError(formatted("TESSERA_MEMORY_LIMIT=\"{}\" is not a number of bytes, such as 512M or 4G", text));
}

TransferMethod method(std::string_view text) {
  if (text.empty()) return TransferMethod::automatic;
  for (const auto method :
       {TransferMethod::automatic, TransferMethod::batched, TransferMethod::direct, TransferMethod::packed}) {
    if (text == to_string(method)) return method;
  }
  throw UsageError(
      formatted("TESSERA_METHOD=\"{}\" is no method of transfer (automatic, batched, direct or packed)", text));
}

SharedMemory shared_memory(std::string_view text) {
  constexpr std::pair<std::string_view, SharedMemory> ways[] = {{"", SharedMemory::any},
                                                                {"memfd", SharedMemory::memfd},
                                                                {"shm", SharedMemory::shm},
                                                                {"mpi", SharedMemory::mpi}};
  for (const auto& [name, way] : ways) {
    if (text == name) return way;
  }
  throw UsageError(
      formatted("TESSERA_SHARED_MEMORY=\"{}\" is no way to share memory (memfd, shm or mpi)", text));
}

// The value of a variable that is on by default.
bool is_on(const Environment& all, Variable variable) {
  const std::string& text = all.value(variable);
  if (text.empty() || text == "on") return true;
  if (text == "off") return false;
  throw UsageError(formatted("{}=\"{}\" is neither on nor off", text_of(variable).name, text));
}

// The words of TESSERA_DEBUG, each of them once. Returns whether they can be understood.
bool set_debug(Environment& environment, std::string_view words) {
  constexpr std::string_view hang = "hang:", conflicts = "conflicts", limited = "conflicts:", abort = "abort";
  while (true) {
    const auto end = words.find(',');
    const std::string_view word = words.substr(0, end);
    if (word.starts_with(hang) && environment.hang.count() == 0) {
      const int seconds = positive_number(word.substr(hang.size()));
      if (seconds == 0) return false;
      environment.hang = std::chrono::seconds(seconds);
    } else if (word == conflicts && !environment.conflicts) {
      environment.conflicts = true;
    } else if (word.starts_with(limited) && !environment.conflicts) {
      const auto bytes = parse_bytes(word.substr(limited.size()));
      if (!bytes || *bytes == 0) return false;
      environment.conflicts = true;
      environment.conflicts_memory = *bytes;
    } else if (word == abort && environment.conflicts && !environment.conflicts_abort) {
      environment.conflicts_abort = true;
    } else {
      return false;
    }
    if (end == std::string_view::npos) return true;
    words.remove_prefix(end + 1);
  }
}

void set_debug(const std::string& text, Environment& environment) {
  if (text.empty() || set_debug(environment, text)) return;
  throw UsageError(formatted(
      "TESSERA_DEBUG=\"{}\" is not a list, by commas, of hang: and a number of seconds (hang:60 ends a "
      "job that stands still for 60 s), conflicts (reports accesses without an order; conflicts:512M "
      "keeps at most so many bytes of accesses), and after conflicts abort (ends the job at the first)",
      text));
}

void set_progress(Environment& environment, std::string_view text) {
  if (text.empty()) return;
  if (text.starts_with("rank:") || text == "rank") {
    environment.progress = ProgressMode::rank;
    environment.progress_ranks = text == "rank" ? 1 : positive_number(text.substr(5));
    if (environment.progress_ranks > 0) return;
    throw UsageError(formatted(
        "TESSERA_PROGRESS=\"{}\": after rank: stands the number of processes for each node, such as rank:2",
        text));
  }
  for (const ProgressMode mode : {ProgressMode::thread, ProgressMode::spin, ProgressMode::poll}) {
    if (text == to_string(mode)) environment.progress = mode;
  }
  if (environment.progress) return;
  throw UsageError(
      formatted("TESSERA_PROGRESS=\"{}\" is no mode of progress (thread, spin, poll, rank or rank:2)", text));
}

}  // namespace

Environment Environment::parse(const EnvironmentTexts& texts) {
  Environment all;
  all.values = texts;
  all.node_size = detail::node_size(all.value(Variable::node_size));
  all.method = detail::method(all.value(Variable::method));
  set_progress(all, all.value(Variable::progress));
  all.shared_memory = detail::shared_memory(all.value(Variable::shared_memory));
  all.huge_pages = is_on(all, Variable::huge_pages);
  all.windows = is_on(all, Variable::window);
  all.doorbells = is_on(all, Variable::doorbell);
  all.statistics = !all.value(Variable::statistics).empty();
  static_cast<void>(is_on(all, Variable::warnings));  // warn() reads it
  set_debug(all.value(Variable::debug), all);
  all.memory_limit = detail::memory_limit(all.value(Variable::memory_limit));
  return all;
}

Environment Environment::read(MPI_Comm comm, const RuntimeOptions& options) {
  EnvironmentTexts written;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto variable = static_cast<Variable>(i);
    written[i] =
        variable == Variable::memory_limit ? std::string(value_of(variable)) : shared_value(comm, variable);
  }
  EnvironmentTexts texts = written;
  if (options.memory_limit) texts[static_cast<std::size_t>(Variable::memory_limit)].clear();
  Environment all;
  std::string problem;
  try {
    all = parse(texts);
    if (options.memory_limit) all.memory_limit = *options.memory_limit;
    all.values = std::move(written);
  } catch (const UsageError& error) {
    problem = error.what();
  }
  if (problem = mpi::first_problem(comm, problem); !problem.empty()) throw UsageError(problem);
  return all;
}

ProgressMode Environment::mode(ThreadLevel threads) const {
  const bool can_have_thread = threads == ThreadLevel::multiple;
  if (progress && has_thread(*progress) && !can_have_thread) {
    throw UsageError(
        formatted("TESSERA_PROGRESS={} needs an MPI with thread level multiple, and this one has {}; start "
                  "MPI with it, or "
                  "use poll",
                  to_string(*progress), to_string(threads)));
  }
  return progress.value_or(can_have_thread ? ProgressMode::thread : ProgressMode::poll);
}

std::string Environment::assignment(Variable variable) const {
  return formatted("{}={}", text_of(variable).name, value(variable));
}

ThreadNeed thread_need() {
  if (value_of(Variable::debug).find("conflicts") != std::string_view::npos)
    return {true, "TESSERA_DEBUG=conflicts lets every thread send a clock"};
  const std::string_view wish = value_of(Variable::progress);
  const bool asks_for_thread = wish == to_string(ProgressMode::thread) || wish == to_string(ProgressMode::spin);
  if (!wish.empty()) return {asks_for_thread, formatted("{}={}", text_of(Variable::progress).name, wish)};
  if (const auto size = value_of(Variable::node_size); !size.empty())
    return {true, formatted("{}={} may cut the job into nodes", text_of(Variable::node_size).name, size)};
  constexpr std::pair<const char*, const char*> launchers[] = {
      {"MPI_LOCALNRANKS", "PMI_SIZE"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"}};
  for (const auto& [here, all] : launchers) {
    const char *local = std::getenv(here), *total = std::getenv(all);
    if (local == nullptr || total == nullptr) continue;
    if (std::string_view(local) != total)
      return {true,
              formatted("the launcher says that {} of {} ranks are on this host ({})", local, total, here)};
    return {false, formatted("the launcher says that all {} ranks are on this host ({})", total, here)};
  }
  return {true, "the launcher does not say that all ranks are on this host"};
}

void warn(std::string_view sentence) {
  if (value_of(Variable::warnings) == "off") return;
  std::fputs(formatted("Tessera: {} (TESSERA_WARNINGS=off silences this)\n", sentence).c_str(), stderr);
}

}  // namespace tessera::detail
