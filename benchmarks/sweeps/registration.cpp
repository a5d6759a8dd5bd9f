// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The first get into local memory, against the second into the same: a network that registers memory does so at
// the first. The memory is malloc's, or MPI's own (LocalBuffer has it from MPI_Alloc_mem), and its pages exist
// before.
#include <algorithm>
#include <array>
#include <vector>

#include <tessera/runtime/local_buffer.hpp>

#include "compute.hpp"
#include "library_movers.hpp"
#include "sections.hpp"

namespace tessera::benchmark::sweeps {
namespace {

constexpr const char* section = "registration: get into memory that no transfer has used, against once more";
constexpr index_t sizes[] = {kib, 8 * kib, 64 * kib, 512 * kib, 4 * mib};

// The last rank's memory, and a mover for each piece of local memory.
struct Way {
  std::string name;
  std::function<Mover(index_t bytes, double* buffer)> mover;
};

std::span<double> part_of(LineAligned& memory) { return memory.span(); }
std::span<double> part_of(const LocalBuffer<double>& memory) { return span_of(memory); }

// The times of the first, second and third get into so many pieces of memory. All pieces live on, so that no
// new one is at the place of an old one.
template <class Memory>
std::array<std::vector<double>, 3> take(const Group& world, const Way& way, index_t bytes, std::size_t samples,
                                        std::vector<Memory>& used) {
  std::array<std::vector<double>, 3> all;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    double* memory = nullptr;
    if (world.rank() == 0) {
      used.emplace_back(bytes / element);
      std::ranges::fill(part_of(used.back()), 0.0);
      memory = part_of(used.back()).data();
    }
    const Reference get = way.mover(bytes, memory).get;
    std::vector<double> seconds(3);
    make_calls(world, get.others, 3, [&] {
      for (double& one : seconds) {
        const double begin = now();
        get.routine(1);
        one = now() - begin;
      }
    });
    world.broadcast(std::span(seconds), 0);
    for (std::size_t i = 0; i < seconds.size(); ++i) all[i].push_back(seconds[i]);
  }
  return all;
}

template <class Memory>
void measure_memory(Session& session, const std::vector<Way>& ways, const std::string& allocator) {
  const Group& world = session.world();
  std::vector<Memory> used;
  for (const index_t bytes : sizes) {
    if (session.is_quick() && bytes > 64 * kib) break;
    for (const Way& way : ways) {
      Memory& trial = used.emplace_back(bytes / element);
      check(world, {section, format_bytes(bytes), places_of(Rows::contiguous(bytes))}, part_of(trial),
            way.mover(bytes, part_of(trial).data()), Operation::get);
      const auto [first, second, third] = take(world, way, bytes, session.is_quick() ? 5 : 21, used);
      session.add({.section = section,
                   .name = way.name + ", " + format_bytes(bytes) + ", " + allocator,
                   .reference = "the same memory again",
                   .measured = {.time = median_estimate(first),
                                .reference = median_estimate(second),
                                .ratio = median_estimate(quotients(second, first)),
                                .control = median_estimate(quotients(third, second))},
                   .bytes = static_cast<double>(bytes)});
    }
  }
}

}  // namespace

void registration(Session& session, const Place& place) {
  if (!session.wants(section)) return;
  const Group& world = session.world();
  const int target = world.size() - 1;
  constexpr index_t most = 4 * mib;
  Segment segment(world, most, "blocks");
  MpiMovers by_mpi(world, place.windows, most);
  std::vector<Way> ways{{"get", [&](index_t bytes, double* buffer) {
                           return by_segment(segment, target, Rows::contiguous(bytes), buffer, waiting(world));
                         }}};
  if (place.windows || target != 0)
    ways.push_back({place.windows ? "MPI_Get" : "MPI_Recv",
                    [&](index_t bytes, double* buffer) { return by_mpi.of(target, bytes, buffer); }});
  measure_memory<LineAligned>(session, ways, "malloc");
  measure_memory<LocalBuffer<double>>(session, ways, "MPI_Alloc_mem");
  segment.close();
}

}  // namespace tessera::benchmark::sweeps
