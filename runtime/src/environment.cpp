// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "environment.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/runtime/error.hpp>

#include "format.hpp"
#include "memory_check.hpp"
#include "mpi.hpp"

namespace tessera::detail {

void share_environment(MPI_Comm comm) {
  for (const char* name : {"TESSERA_NODE_SIZE", "TESSERA_METHOD", "TESSERA_PROGRESS", "TESSERA_WINDOW"}) {
    const char* mine = std::getenv(name);
    std::string value = mine != nullptr ? mine : "";
    index_t length = mine != nullptr ? static_cast<index_t>(value.size()) : -1;
    mpi::broadcast(comm, &length, sizeof length, 0);
    value.resize(static_cast<std::size_t>(std::max<index_t>(length, 0)));
    mpi::broadcast(comm, value.data(), std::max<index_t>(length, 0), 0);
    if (mpi::rank(comm) == 0) continue;
    length < 0 ? unsetenv(name) : setenv(name, value.c_str(), 1);
  }
}

int node_size_limit() {
  const char* text = std::getenv("TESSERA_NODE_SIZE");
  if (text == nullptr || *text == '\0') return 0;
  const std::string_view digits(text);
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 1) {
    throw UsageError(formatted("TESSERA_NODE_SIZE=\"{}\" is not a number of processes (1 or more)", digits));
  }
  return value;
}

index_t memory_limit(const RuntimeOptions& options) {
  if (options.memory_limit) return *options.memory_limit;
  const char* text = std::getenv("TESSERA_MEMORY_LIMIT");
  if (text == nullptr || *text == '\0') return std::numeric_limits<index_t>::max();
  if (const auto bytes = parse_bytes(text)) return *bytes;
  throw UsageError(formatted("TESSERA_MEMORY_LIMIT=\"{}\" is not a number of bytes, such as 512M or 4G", text));
}

bool may_span_nodes() {
  if (node_size_limit() > 0) return true;
  constexpr std::pair<const char*, const char*> names[] = {
      {"MPI_LOCALNRANKS", "PMI_SIZE"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"}};
  for (const auto& [here, all] : names) {
    const char *local = std::getenv(here), *total = std::getenv(all);
    if (local != nullptr && total != nullptr) return std::string_view(local) != total;
  }
  return true;
}

TransferMethod transfer_method() {
  const char* text = std::getenv("TESSERA_METHOD");
  if (text == nullptr || *text == '\0') return TransferMethod::automatic;
  for (const auto method :
       {TransferMethod::automatic, TransferMethod::batched, TransferMethod::direct, TransferMethod::packed}) {
    if (std::string_view(text) == to_string(method)) return method;
  }
  throw UsageError(
      formatted("TESSERA_METHOD=\"{}\" is no method of transfer (automatic, batched, direct or packed)", text));
}

namespace {

std::string_view progress_wish() {
  const char* text = std::getenv("TESSERA_PROGRESS");
  return text != nullptr ? text : "";
}

}  // namespace

int progress_ranks() {
  std::string_view wish = progress_wish();
  if (!wish.starts_with("rank")) return 0;
  if (wish == "rank") return 1;
  wish.remove_prefix(4);
  int value = 0;
  if (wish.starts_with(':')) std::from_chars(wish.data() + 1, wish.data() + wish.size(), value);
  if (value < 1 || formatted(":{}", value) != wish) {
    throw UsageError(
        formatted("TESSERA_PROGRESS=\"{}\": after rank: stands the number of processes for each node, such as "
                  "rank:2",
                  progress_wish()));
  }
  return value;
}

bool may_have_thread() { return progress_wish().empty() || progress_wish() == "thread"; }

ProgressMode progress_mode(ThreadLevel threads) {
  const std::string_view wish = progress_wish();
  const bool can_have_thread = threads == ThreadLevel::multiple;
  if (wish.empty()) return can_have_thread ? ProgressMode::thread : ProgressMode::poll;
  if (wish == "poll") return ProgressMode::poll;
  if (progress_ranks() > 0) return ProgressMode::rank;
  if (wish == "thread" && can_have_thread) return ProgressMode::thread;
  if (wish == "thread") {
    throw UsageError(
        formatted("TESSERA_PROGRESS=thread needs an MPI with thread level multiple, and this one has {}; "
                  "start MPI with it, or "
                  "use poll",
                  to_string(threads)));
  }
  throw UsageError(
      formatted("TESSERA_PROGRESS=\"{}\" is no mode of progress (thread, poll, rank or rank:2)", wish));
}

}  // namespace tessera::detail
