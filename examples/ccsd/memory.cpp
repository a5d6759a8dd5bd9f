// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "memory.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <tessera/linalg/linalg.hpp>

namespace ccsd {

using namespace tessera;

double Memory::most() const { return std::max({transformation, amplitudes, triples}); }

Memory memory_of(Method method, index_t functions, index_t occupied, index_t virtuals) {
  const auto n = static_cast<double>(functions), o = static_cast<double>(occupied),
             v = static_cast<double>(virtuals), m = o + v;
  constexpr double word = sizeof(double);
  const double ovov = o * o * v * v;
  if (method == Method::mp2) return {word * (n * n * o * v + o * n * o * v + ovov), word * 4 * ovov, 0};
  const double integrals = o * o * o * o + o * o * o * v + 2 * ovov + o * v * v * v + v * v * v * v;
  // The half-transformed integrals, all results, and the largest tensor with three transformed indices.
  const double transformation = n * n * m * m + integrals + n * v * v * v;
  // Of the equations: seven tensors like the doubles. Of the solver: amplitudes, their changes, and DIIS's
  // copies.
  const double equations = 7 * ovov + o * o * o * (o + v),
               solver = (2 + 2 * linalg::DiisOptions{}.max_iterations) * (ovov + o * v);
  const double triples = integrals + ovov + o * v * v * m + o * o * (m + v) * v;
  return {word * transformation, word * (integrals + equations + solver),
          method == Method::ccsd_t ? word * triples : 0};
}

std::string what_is_missing(const Runtime& runtime, const Memory& memory) {
  const Group& world = runtime.world();
  const double part = memory.most() / world.size();
  const MemoryLeft left = runtime.memory_left();
  const double on_node = part * ((world.size() + world.node_count() - 1) / world.node_count());
  std::string problem;
  if (part > static_cast<double>(left.process) || on_node > static_cast<double>(left.node)) {
    problem = fmt::format(
        "the tensors take {:.2f} GB, which is {:.2f} GB on each of {} ranks; rank {} may take {:.2f} GB, and "
        "its node "
        "has {:.2f} GB left (take more nodes, a smaller basis set, or freeze the core)",
        memory.most() * 1e-9, part * 1e-9, world.size(), world.rank(),
        static_cast<double>(std::min(left.process, left.node)) * 1e-9, static_cast<double>(left.node) * 1e-9);
  }
  return world.agree(problem);
}

}  // namespace ccsd
