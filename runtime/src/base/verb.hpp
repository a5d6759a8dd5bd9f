// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>

#include <tessera/runtime/statistics.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// What a one-sided operation does with memory at its target.
enum class Verb : std::uint8_t { put, get, accumulate, update, compare_exchange, load };

/// A requested operation, described alike on every path. Verb::update is Segment's fetch_op; Verb::load reads a
/// scalar.
struct Action {
  Verb verb = Verb::put;
  ElementKind kind = ElementKind::bytes;
  Update update = Update::sum;  // of an accumulate or an update
  const void* alpha = nullptr;  // the factor of an accumulate by sum
};

/// The kind under which statistics count a verb.
constexpr Operation counted_as(Verb verb) noexcept {
  switch (verb) {
    case Verb::put:
      return Operation::put;
    case Verb::get:
      return Operation::get;
    case Verb::accumulate:
      return Operation::accumulate;
    case Verb::update:
    case Verb::compare_exchange:
    case Verb::load:
      break;
  }
  return Operation::atomic;
}

/// Whether an operation is done when its call returns. Only an operation that returns early leaves anything
/// under way.
enum class Returns : std::uint8_t { early, when_done };

}  // namespace tessera::detail
