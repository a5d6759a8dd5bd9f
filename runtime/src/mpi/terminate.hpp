// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <mpi.h>

#include <string>

namespace tessera::detail {

class RuntimeState;

/// While a Runtime exists, an uncaught exception prints rank and message and aborts the job. The rank is the
/// one in `world`, or in MPI_COMM_WORLD if several Runtimes exist.
void install_terminate_handler(const RuntimeState& runtime, MPI_Comm world);
/// The same from the time on at which a Runtime starts. It stays if the start fails, as the error may leave
/// main.
void install_terminate_handler_for_start(MPI_Comm parent);
void remove_terminate_handler(const RuntimeState& runtime) noexcept;
/// Aborts the job with the message of the exception that is being handled, after `before`. @local
[[noreturn]] void abort_by_current_exception(const char* before) noexcept;
/// Ends the job with this status, after the launcher has read what was flushed. @local
[[noreturn]] void abort_after_output(int status) noexcept;
/// Prints `[rank r of n] message`, with the same rank, and aborts the job.
[[noreturn]] void abort_job(const std::string& message) noexcept;

}  // namespace tessera::detail
