// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/error.hpp>

#include "fuzz.hpp"
#include "state/environment.hpp"

// Each line of an input is the value of a variable.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  using fuzz::require;
  std::string rest = fuzz::text_of(data, size);
  detail::EnvironmentTexts texts;
  using enum detail::Variable;
  for (const detail::Variable variable : {node_size, method, progress, shared_memory, huge_pages, window,
                                          doorbell, statistics, warnings, debug, memory_limit, trace})
    texts[static_cast<std::size_t>(variable)] = fuzz::take(rest, '\n');
  detail::Environment found;
  if (!fuzz::accepts<UsageError>([&] { found = detail::Environment::parse(texts); })) return 0;
  require(found.node_size >= 0 && (found.node_size == 0) == found.value(node_size).empty(),
          "a node has processes");
  require(found.memory_limit >= 0, "a limit is not negative");
  require((found.hang.count() > 0 || found.conflicts) != found.value(debug).empty(), "a word was understood");
  require(found.hang.count() >= 0 && found.conflicts_memory > 0, "a patience and a limit are positive");
  require(found.conflicts || !found.conflicts_abort, "a job ends at a conflict only if they are looked for");
  require((found.progress == ProgressMode::rank) == (found.progress_ranks > 0), "ranks serve in one mode only");
  require(found.progress.has_value() != found.value(progress).empty(), "a mode was asked for");
  fuzz::accepts<UsageError>([&] { found.mode(ThreadLevel::funneled); });
  require(fuzz::accepts<UsageError>([&] { found.mode(ThreadLevel::multiple); }), "threads allow each mode");
  return 0;
}
