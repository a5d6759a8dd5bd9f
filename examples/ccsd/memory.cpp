// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "memory.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

namespace ccsd {

using namespace tessera;

std::string size_text(double bytes) {
  for (const auto& [unit, size] : {std::pair("GB", 1e9), std::pair("MB", 1e6), std::pair("kB", 1e3)})
    if (bytes >= size) return fmt::format("{:.2f} {}", bytes / size, unit);
  return fmt::format("{:.0f} bytes", bytes);
}

double Memory::most() const { return std::max({transformation, amplitudes, triples}); }

Memory memory_of(const Size& size) {
  const auto n = static_cast<double>(size.functions), o = static_cast<double>(size.occupied),
             v = static_cast<double>(size.virtuals), m = o + v;
  constexpr double word = sizeof(double);
  const double ovov = o * o * v * v;
  const auto p = static_cast<double>(size.ranks), uneven = std::ceil(v / p) * p / v;
  if (size.method == Method::mp2) {
    const double part = n * v * (n + o) * (size.on_disk ? 1 : o);
    return {word * uneven * (part + ovov), word * uneven * 2 * ovov, 0, word * ovov,
            size.on_disk ? word * n * n * o * v : 0};
  }
  const double large = o * v * v * v + v * v * v * v, small = o * o * o * o + o * o * o * v + 2 * ovov;
  const double integrals = size.on_disk ? small : small + large;
  // Of the equations: seven tensors like the doubles, and two with half of the pairs. Of the solver:
  // amplitudes, their changes, and DIIS's copies.
  const double equations = 7 * ovov + o * (o + 1) * v * v + o * o * o * (o + v),
               solver = (2 + 2 * size.diis + (size.checkpoint ? 1 : 0)) * (ovov + o * v);
  const double part = equations + solver;
  // The half-transformed integrals, and the largest tensor with three transformed indices.
  const double one_part = n * n * m + n * v * v + v * v * v,
               transformation = size.on_disk ? std::max(part, one_part) : n * n * m * m + n * v * v * v;
  // Amplitudes and factors; and the tiles that each rank keeps, and its products.
  const double of_one = v * v * m, of_two = (m + v) * v;
  const double triples = ovov + o * o * of_two + (size.on_disk ? of_one + v * v * v : o * of_one) +
                         size.ranks * (7 * of_one + 24 * of_two + v * v * v);
  const double factors = size.method == Method::ccsd_t ? o * of_one : 0;
  return {word * uneven * (integrals + transformation), word * uneven * (integrals + part),
          size.method == Method::ccsd_t ? word * uneven * (integrals + triples) : 0, word * part,
          size.on_disk ? word * (large + std::max(n * n * m * m, factors)) : 0};
}

std::string what_is_missing(const Runtime& runtime, const Memory& memory, const std::string& advice) {
  const Group& world = runtime.world();
  const double part = memory.most() / world.size();
  const MemoryLeft left = runtime.memory_left();
  const double on_node = part * ((world.size() + world.node_count() - 1) / world.node_count());
  std::string problem;
  if (part > static_cast<double>(left.process) || on_node > static_cast<double>(left.node)) {
    problem = fmt::format(
        "the tensors take {}, which is {} on each of {} ranks; rank {} may take {}, and its node has {} left "
        "({})",
        size_text(memory.most()), size_text(part), world.size(), world.rank(),
        size_text(static_cast<double>(std::min(left.process, left.node))),
        size_text(static_cast<double>(left.node)), advice);
  }
  return world.agree(problem);
}

std::string what_is_missing(const Group& group, const Memory& memory, const std::filesystem::path& directory) {
  std::string problem;
  std::error_code error;
  const auto space = std::filesystem::space(directory, error);
  if (!error && static_cast<double>(space.available) < memory.files) {
    problem = fmt::format("the files take {}, and {} has {} left for rank {} (take another one)",
                          size_text(memory.files), directory.string(),
                          size_text(static_cast<double>(space.available)), group.rank());
  }
  return group.agree(problem);
}

}  // namespace ccsd
