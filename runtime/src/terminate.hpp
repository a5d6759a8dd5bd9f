// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

namespace tessera::detail {

class RuntimeState;

/// While a Runtime lives, an uncaught exception prints rank and message and aborts the job. The rank is that in
/// the Runtime's world, or in MPI_COMM_WORLD where several live.
void install_terminate_handler(const RuntimeState& runtime);
void remove_terminate_handler(const RuntimeState& runtime) noexcept;
/// Prints `[rank r of n] message`, with the same rank, and aborts the job.
[[noreturn]] void abort_job(const std::string& message) noexcept;

}  // namespace tessera::detail
