// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/flags.hpp>

#include "cases.hpp"

// Order through a third rank.
namespace cases {
namespace {

// From rank 0 by rank 1 to rank 2.
void chain_of_messages(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush(), send(at, 1);
  if (at.rank == 1) receive(at, 0), send(at, 2);
  if (at.rank == 2) receive(at, 1), get(at.line, 0, 8);
}

// Rank 1 sends before it receives.
void broken_chain(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush(), send(at, 1);
  if (at.rank == 1) send(at, 2), receive(at, 0);
  if (at.rank == 2) receive(at, 1), get(at.line, 0, 8);
}

// The second link is a flag.
void chain_of_message_and_flag(Stage& at) {
  Flags flags(at.world, 1);
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush(), send(at, 1);
  if (at.rank == 1) receive(at, 0), flags.notify(2, 0);
  if (at.rank == 2) flags.wait(0), get(at.line, 0, 8);
}

// Only one of the readers gets a message.
void two_readers_one_message(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush(), send(at, 1);
  if (at.rank == 1) receive(at, 0), get(at.line, 0, 8);
  if (at.rank == 2) get(at.line, 0, 8);
}

// The chain is complete, the put is not.
void chain_without_flush(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), send(at, 1);
  if (at.rank == 1) receive(at, 0), send(at, 2);
  if (at.rank == 2) receive(at, 1), get(at.line, 0, 8);
}

}  // namespace

std::span<const Case> chains() {
  static constexpr Case all[] = {
      {"chain-of-messages", Verdict::right, 3, chain_of_messages},
      {"broken-chain", Verdict::wrong, 3, broken_chain, "put by rank 0", "get by rank 2"},
      {"chain-of-message-and-flag", Verdict::right, 3, chain_of_message_and_flag},
      {"two-readers-one-message", Verdict::wrong, 3, two_readers_one_message, "put by rank 0", "get by rank 2"},
      {"chain-without-flush", Verdict::wrong, 3, chain_without_flush, "put by rank 0", "get by rank 2"},
  };
  return all;
}

}  // namespace cases
