// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "transfers.hpp"

#include <algorithm>

#include "by_hand.hpp"
#include "sections.hpp"

namespace tessera::benchmark::onesided {
namespace {

constexpr double untouched = -1.0;
double sent(std::size_t i) { return static_cast<double>(i) + 1.0; }
double before(std::size_t i) { return 0.5 * static_cast<double>(i); }

// The last rank's memory before or after a transfer: nothing but the places may change.
std::vector<double> memory_of(const Transfer& transfer, std::size_t size,
                              const std::function<double(std::size_t)>& value) {
  std::vector<double> memory(size, untouched);
  for (std::size_t i = 0; i < transfer.places.size(); ++i)
    memory[static_cast<std::size_t>(transfer.places[i])] = value(i);
  return memory;
}

void check(const Group& world, const Transfer& transfer, std::span<double> buffer, const Mover& mover,
           Operation operation) {
  const bool origin = world.rank() == 0, owner = world.rank() == world.size() - 1;
  constexpr std::size_t margin = 8;
  const auto last = *std::max_element(transfer.places.begin(), transfer.places.end());
  const auto memory =
      mover.memory.first(std::min(mover.memory.size(), static_cast<std::size_t>(last) + 1 + margin));
  const auto local = buffer.first(transfer.places.size());
  if (owner) std::ranges::copy(memory_of(transfer, memory.size(), before), memory.begin());
  for (std::size_t i = 0; i < local.size(); ++i) local[i] = operation == Operation::get ? untouched : sent(i);
  mover.sync();
  if (origin) mover.of(operation).routine(1);
  mover.sync();

  bool right = true;
  if (owner) {
    const auto after = [operation](std::size_t i) {
      if (operation == Operation::put) return sent(i);
      return operation == Operation::get ? before(i) : before(i) + sent(i);
    };
    right = std::ranges::equal(memory, memory_of(transfer, memory.size(), after));
  }
  for (std::size_t i = 0; origin && i < local.size(); ++i)
    right = right && local[i] == (operation == Operation::get ? before(i) : sent(i));
  require(world.all_reduce(right ? 1 : 0, Reduce::min) == 1,
          transfer.section + ", " + transfer.name + ": " + mover.of(operation).name);
}

}  // namespace

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
                     .bytes = static_cast<double>(transfer.places.size() * sizeof(double))},
                    references);
  }
}

std::optional<Target> close_to_hand(Operation operation, index_t bytes) {
  if (bytes < 32 * 1024) return {};
  return Target{Goal::at_least, operation == Operation::accumulate ? 0.9 : 0.95};
}

Mover by_hand(const Session& session, const Mover& same_memory, double* remote, double* buffer,
              const Rows& rows) {
  const Group& world = session.world();
  Mover hand{.put = fastest_copy(world, remote, buffer, rows),
             .get = fastest_copy(world, buffer, remote, rows.reversed()),
             .accumulate = {"a loop without locks", repeat([=] { add_rows(remote, buffer, rows); })},
             .memory = same_memory.memory,
             .sync = same_memory.sync};
  hand.put.target = close_to_hand(Operation::put, rows.count * rows.bytes);
  hand.get.target = close_to_hand(Operation::get, rows.count * rows.bytes);
  hand.accumulate.target = close_to_hand(Operation::accumulate, rows.count * rows.bytes);
  return hand;
}

Mover by_armci(const Session& session, armci_peer::Memory* memory, index_t bytes, index_t offset,
               double* buffer, const Rows& rows) {
  if (memory == nullptr) return {};
  const int rank = session.world().size() - 1;
  return {.put = {"ARMCI", repeat([=] { memory->put(rank, offset, buffer, rows); }), no_slower},
          .get = {"ARMCI", repeat([=] { memory->get(rank, offset, buffer, rows.reversed()); }), no_slower},
          .accumulate = {"ARMCI", repeat([=] { memory->accumulate(rank, offset, buffer, rows); }), no_slower},
          .memory = {memory->own(), static_cast<std::size_t>(bytes) / sizeof(double)},
          .sync = armci_peer::sync};
}

}  // namespace tessera::benchmark::onesided
