// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "phases.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace ccsd {

using namespace tessera;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Phases::Scope::Scope(Phases& phases, const std::string& name)
    : phases_(phases), seconds_(now()), bytes_(phases.bytes_moved()) {
  auto& all = phases.all_;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Phase& phase) { return phase.name == name; });
  phase_ = static_cast<std::size_t>(found - all.begin());
  if (found == all.end()) all.push_back({name});
}

Phases::Scope::~Scope() {
  Phase& phase = phases_.all_[phase_];
  phase.seconds += now() - seconds_;
  phase.bytes += phases_.bytes_moved() - bytes_;
}

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
