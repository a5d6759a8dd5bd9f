// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "format.hpp"
#include "state.hpp"

namespace tessera::detail {
namespace {

// What the handler needs, kept apart from states that may be half destroyed when it runs.
struct Job {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, size = 1;
  std::terminate_handler previous = nullptr;
};
Job job;

std::string message_of_current_exception() {
  const std::exception_ptr current = std::current_exception();
  if (!current) return "std::terminate was called";
  try {
    std::rethrow_exception(current);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is not a std::exception left main";
  }
}

[[noreturn]] void print_and_abort(const Job& where, const std::string& message) noexcept {
  std::fflush(stdout);
  std::fprintf(stderr, "[rank %d of %d] %s\n", where.rank, where.size, message.c_str());
  std::fflush(stderr);
  if (where.comm != MPI_COMM_NULL && !mpi::finalized()) mpi::abort(where.comm, EXIT_FAILURE);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace

void install_terminate_handler(const GroupState& world) {
  job = {world.comm.get(), world.rank, world.size,
         std::set_terminate([] { print_and_abort(job, message_of_current_exception()); })};
}

void remove_terminate_handler() noexcept {
  std::set_terminate(job.previous);
  job = {};
}

void abort_job(const GroupState& world, const std::string& message) noexcept {
  print_and_abort({world.comm.get(), world.rank, world.size}, message);
}

}  // namespace tessera::detail
