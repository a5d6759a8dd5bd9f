// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "movers.hpp"

#include <algorithm>
#include <optional>

namespace tessera::benchmark {
namespace {

constexpr double untouched = -1.0;
double sent(std::size_t i) { return static_cast<double>(i) + 1.0; }
double before(std::size_t i) { return 0.5 * static_cast<double>(i); }

// The owner's memory before or after a transfer: nothing but the places may change.
std::vector<double> memory_of(const Transfer& transfer, std::size_t size,
                              const std::function<double(std::size_t)>& value) {
  std::vector<double> memory(size, untouched);
  for (std::size_t i = 0; i < transfer.places.size(); ++i)
    memory[static_cast<std::size_t>(transfer.places[i])] = value(i);
  return memory;
}

}  // namespace

void check(const Group& world, const Transfer& transfer, std::span<double> buffer, const Mover& mover,
           Operation operation) {
  const bool origin = world.rank() == 0, owner = world.rank() == transfer.rank.value_or(world.size() - 1);
  constexpr std::size_t margin = 8;
  const auto last = *std::max_element(transfer.places.begin(), transfer.places.end());
  const auto memory =
      mover.memory.first(std::min(mover.memory.size(), static_cast<std::size_t>(last) + 1 + margin));
  const auto local = buffer.first(transfer.places.size());
  if (owner) std::ranges::copy(memory_of(transfer, memory.size(), before), memory.begin());
  for (std::size_t i = 0; i < local.size(); ++i) local[i] = operation == Operation::get ? untouched : sent(i);
  mover.sync();
  const Reference& reference = mover.of(operation);
  if (origin) {
    reference.routine(1);
    if (reference.others.release) reference.others.release();
  } else if (reference.others.work) {
    reference.others.work(1);
  }
  mover.sync();

  bool right = true;
  if (owner) {
    const auto after = [&](std::size_t i) {
      if (operation == Operation::put) return sent(i);
      return operation == Operation::get ? before(i) : before(i) + mover.factor * sent(i);
    };
    right = std::ranges::equal(memory, memory_of(transfer, memory.size(), after));
  }
  for (std::size_t i = 0; origin && i < local.size(); ++i)
    right = right && local[i] == (operation == Operation::get ? before(i) : sent(i));
  require(world.all_reduce(right ? 1 : 0, Reduce::min) == 1,
          transfer.section + ", " + transfer.name + ": " + reference.name);
}

const Reference& Mover::of(Operation operation) const {
  if (operation == Operation::put) return put;
  return operation == Operation::get ? get : accumulate;
}

std::vector<index_t> places_of_rows(index_t rows, index_t columns, index_t stride, index_t first) {
  std::vector<index_t> places;
  places.reserve(static_cast<std::size_t>(rows * columns));
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) places.push_back(first + i * stride + j);
  }
  return places;
}

void measure(Session& session, const Transfer& transfer, std::span<double> buffer, const Mover& own,
             const std::vector<Mover>& others) {
  for (const Operation operation : {Operation::put, Operation::get, Operation::accumulate}) {
    if (!own.of(operation).routine) continue;
    check(session.world(), transfer, buffer, own, operation);
    std::vector<Reference> references;
    for (const Mover& other : others) {
      if (!other.of(operation).routine) continue;
      check(session.world(), transfer, buffer, other, operation);
      references.push_back(other.of(operation));
    }
    session.compare({.section = transfer.section,
                     .name = std::string(to_string(operation)) + ", " + transfer.name,
                     .routine = own.of(operation).routine,
                     .bytes = static_cast<double>(transfer.places.size() * sizeof(double)),
                     .others = own.of(operation).others},
                    references);
  }
}

}  // namespace tessera::benchmark
