// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/exit_status.hpp"

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace tessera::detail::conflicts {
namespace {

int status_of_program = EXIT_FAILURE, status_to_tell = EXIT_SUCCESS;

// Runs after the destructors of all static objects.
__attribute__((destructor)) void end_process() {
  if (status_to_tell == EXIT_SUCCESS || status_of_program != EXIT_SUCCESS) return;
  std::fflush(nullptr);
  _exit(status_to_tell);
}

}  // namespace

void watch_exit_status() {
  static const bool is_watched = on_exit([](int status, void*) { status_of_program = status; }, nullptr) == 0;
  static_cast<void>(is_watched);
}

void tell_by_exit_status(int status) noexcept { status_to_tell = status; }

}  // namespace tessera::detail::conflicts
