// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <deque>
#include <string>

#include <tessera/tessera.hpp>

#include "times.hpp"

namespace ccsd {

/// The time of each phase of a calculation, and the bytes that all ranks move in it by one-sided operations.
class Phases {
 public:
  explicit Phases(const tessera::Runtime& runtime) : runtime_(runtime) {}

  /// Calls a function as a phase of this name, and returns its result. Phases of one name add up. @collective
  template <class F>
  auto operator()(const std::string& name, F&& function) {
    const Scope scope(*this, name);
    return function();
  }
  /// A line for each phase, on every rank. @collective
  std::string text() const;

 private:
  struct Phase {
    std::string name;
    double seconds = 0, bytes = 0;
  };
  class Scope {
   public:
    Scope(Phases& phases, const std::string& name);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Phases& phases_;
    Phase& phase_;
    double bytes_;  // moved before
    rhf::Timer timer_;
  };
  Phase& phase(const std::string& name);
  double bytes_moved() const;

  const tessera::Runtime& runtime_;
  std::deque<Phase> all_;
};

}  // namespace ccsd
