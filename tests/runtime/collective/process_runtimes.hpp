// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/group.hpp>

// How Runtimes of a process begin and end, also several. All but exchange_works() return the exit status.
namespace tessera::test {

/// Puts to the next rank and checks what came from the rank before. @collective
bool exchange_works(const Group& group);
int attach();
int two_runtimes();
int fail_with_two_runtimes();
int outside_of_mpi(int argc, char** argv);
int serve_in_a_running_mpi(int argc, char** argv);
int start_attached();

}  // namespace tessera::test
