// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi/unyielding.hpp"

#include <dlfcn.h>

namespace tessera::detail::mpi {
namespace {

// Sets Open MPI's own switch, which is no part of MPI, and returns the old value; false if there is no switch.
bool set_yielding(bool yields) noexcept {
  using Switch = bool (*)(bool);
  static const auto that = reinterpret_cast<Switch>(dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle"));
  return that != nullptr && that(yields);
}

// Whether MPI yields by the user's choice.
bool yields() noexcept {
  static const bool at_first = set_yielding(false);
  return at_first;
}

}  // namespace

Unyielding::Unyielding() noexcept {
  if (yields()) set_yielding(false);
}

// Several threads may look at a time, and end in any order. So each restores the first value, not the one that
// it found.
Unyielding::~Unyielding() {
  if (yields()) set_yielding(true);
}

}  // namespace tessera::detail::mpi
