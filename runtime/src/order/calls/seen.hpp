// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <dlfcn.h>

#include <mpi.h>

#include "order/clock.hpp"
#include "order/own_calls.hpp"

// These functions stand before MPI's in a program. They are weak, so that a library of the same kind may be
// linked statically as well.
#define TESSERA_MPI_CALL __attribute__((weak, visibility("default"))) int

// A function of MPI that does something before MPI's own, if the call is seen. Parameters and arguments are in
// parentheses.
#define TESSERA_SEEN_CALL(Name, parameters, arguments, ...) \
  TESSERA_MPI_CALL Name parameters {                        \
    static const auto real = next(#Name, &P##Name);         \
    if (seen()) {                                           \
      __VA_ARGS__;                                          \
    }                                                       \
    return real arguments;                                  \
  }

/// MPI's functions as the program calls them: they carry clocks (MPI standard 15.2, the profiling interface).
namespace tessera::detail::order::calls {

/// Whether a call is the program's, and clocks are on.
inline bool seen() noexcept { return clocks_on() && !OwnCalls::in_one(); }

/// The function that would have been called without Tessera. A library for measurements may be preloaded or
/// linked after Tessera, and then its function is the next one.
template <class Function>
Function next(const char* name, Function mpis) noexcept {
  void* const found = dlsym(RTLD_NEXT, name);
  return found != nullptr ? reinterpret_cast<Function>(found) : mpis;
}

/// Notes that a call has come here.
void note_seen() noexcept;

// The functions are of no use unless they are linked, so something must refer to each file of them.
void link_sends() noexcept;
void link_receives() noexcept;
void link_collectives() noexcept;
void link_nonblocking() noexcept;
void link_communicators() noexcept;
void link_completions() noexcept;
void link_unseen() noexcept;
void link_persistent() noexcept;

/// The status that MPI fills: the caller's, or one to look at if the caller ignores it.
class OwnStatus {
 public:
  explicit OwnStatus(MPI_Status* given) noexcept : status_(given == MPI_STATUS_IGNORE ? &own_ : given) {}
  MPI_Status* get() noexcept { return status_; }

 private:
  MPI_Status own_{};
  MPI_Status* status_;
};

}  // namespace tessera::detail::order::calls
