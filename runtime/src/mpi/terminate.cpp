// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi/terminate.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <vector>

#include "format.hpp"
#include "mpi/mpi.hpp"

namespace tessera::detail {
namespace {

// Data for the handler, kept apart from states that may be half destroyed when it runs.
struct Job {
  const RuntimeState* runtime = nullptr;
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, size = 1;
};
// The jobs of all Runtimes that exist, under the mutex.
std::mutex mutex;
std::vector<Job> jobs;
std::terminate_handler previous = nullptr;

// The job whose rank is printed. With several Runtimes, which may give the process different ranks, it is
// MPI_COMM_WORLD.
Job job_to_blame() {
  const std::lock_guard lock(mutex);
  if (jobs.size() == 1) return jobs.front();
  if (mpi::finalized()) return {};
  return {nullptr, MPI_COMM_WORLD, mpi::rank(MPI_COMM_WORLD), mpi::size(MPI_COMM_WORLD)};
}

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

void install_terminate_handler(const RuntimeState& runtime, MPI_Comm world) {
  const std::lock_guard lock(mutex);
  jobs.push_back({&runtime, world, mpi::rank(world), mpi::size(world)});
  if (jobs.size() == 1)
    previous = std::set_terminate([] { print_and_abort(job_to_blame(), message_of_current_exception()); });
}

void remove_terminate_handler(const RuntimeState& runtime) noexcept {
  const std::lock_guard lock(mutex);
  if (std::erase_if(jobs, [&](const Job& job) { return job.runtime == &runtime; }) > 0 && jobs.empty())
    std::set_terminate(previous);
}

void abort_job(const std::string& message) noexcept { print_and_abort(job_to_blame(), message); }

}  // namespace tessera::detail
