// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include <tessera/tessera.hpp>

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
    std::size_t phase_;
    double seconds_, bytes_;
  };
  double bytes_moved() const;

  const tessera::Runtime& runtime_;
  std::vector<Phase> all_;
};

}  // namespace ccsd
