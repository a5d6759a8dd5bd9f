// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Local memory from several sources. The source matters where a network registers memory.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include <tessera/runtime/error.hpp>
#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::network {
namespace {

constexpr const char* section = "buffers: from a LocalBuffer, against other memory";
constexpr index_t sizes[] = {64 * kib, mib, 8 * mib}, most = 8 * mib;

struct FreeMpi {
  void operator()(double* memory) const noexcept { MPI_Free_mem(memory); }
};

std::unique_ptr<double, FreeMpi> allocate_mpi(index_t bytes) {
  void* memory = nullptr;
  if (const int code = MPI_Alloc_mem(bytes, MPI_INFO_NULL, &memory); code != MPI_SUCCESS)
    throw Error(std::string("MPI_Alloc_mem failed in a benchmark, with code ") + std::to_string(code));
  return std::unique_ptr<double, FreeMpi>(static_cast<double*>(memory));
}

}  // namespace

void buffers(Session& session, Ends& ends) {
  if (!session.wants(section)) return;
  const Group& world = ends.world();
  Segment segment(world, most, "blocks"), local(world, most, "local blocks");
  const LocalBuffer<double> registered(most / element);
  const std::span<double> buffer = span_of(registered);
  LineAligned ordinary(most / element);
  const auto by_mpi = allocate_mpi(most);
  const std::pair<const char*, double*> others[] = {
      {"malloc", ordinary.span().data()},
      {"MPI_Alloc_mem", by_mpi.get()},
      {"a segment", reinterpret_cast<double*>(local.address(world.rank()))}};
  std::ranges::fill(buffer, 1.0);
  for (const auto& [name, memory] : others) std::fill_n(memory, most / element, 1.0);
  segment.sync();
  local.sync();
  for (const index_t bytes : sizes) {
    const auto from = [&](double* memory) {
      return by_segment(segment, target, Rows::contiguous(bytes), memory, ends.waiting());
    };
    for (const Operation operation : {Operation::put, Operation::get}) {
      const Mover own = from(buffer.data());
      std::vector<Reference> references;
      for (const auto& [name, memory] : others) {
        references.push_back(from(memory).of(operation));
        references.back().name = name;
      }
      session.compare({.section = section,
                       .name = std::string(to_string(operation)) + ", " + format_bytes(bytes) + waits,
                       .routine = own.of(operation).routine,
                       .bytes = static_cast<double>(bytes),
                       .others = ends.waiting()},
                      references);
    }
  }
  local.close();
  segment.close();
}

}  // namespace tessera::benchmark::network
