// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "phases.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ccsd {

using namespace tessera;

Phases::Phase& Phases::phase(const std::string& name) {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const Phase& one) { return one.name == name; });
  return found == all_.end() ? all_.emplace_back(Phase{name}) : *found;
}

Phases::Scope::Scope(Phases& phases, const std::string& name)
    : phases_(phases), phase_(phases.phase(name)), bytes_(phases.bytes_moved()), timer_(phase_.seconds) {}

Phases::Scope::~Scope() { phase_.bytes += phases_.bytes_moved() - bytes_; }

double Phases::bytes_moved() const {
  double bytes = 0;
  for (const auto& path : runtime_.statistics().total) {
    for (const Traffic& traffic : path) bytes += static_cast<double>(traffic.bytes);
  }
  return bytes;
}

std::string Phases::text() const {
  std::string lines;
  for (const Phase& phase : all_) {
    const double bytes = runtime_.world().all_reduce(phase.bytes, Reduce::sum),
                 seconds = runtime_.world().all_reduce(phase.seconds, Reduce::max);
    lines += fmt::format("{:<24} {:>10.3f} s {:>12.1f} MB moved\n", phase.name, seconds, bytes * 1e-6);
  }
  return lines;
}

}  // namespace ccsd
