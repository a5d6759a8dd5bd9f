// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi/terminate.hpp"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include <unistd.h>

#include "base/explain.hpp"
#include "mpi/mpi.hpp"

namespace tessera::detail {
namespace {

// Data for the handler, kept apart from states that may be half destroyed when it runs. It ends all of MPI, as
// communicators may have been freed.
struct Job {
  const RuntimeState* runtime = nullptr;
  int rank = -1, size = 0;  // unknown
};
// The jobs of all Runtimes that exist, the one whose start was tried last, and all of MPI, under the mutex.
std::mutex mutex;
// Never destroyed: a Runtime may be a global variable, which is destroyed after those of this file. Its first
// use may be the handler's, which must not need memory.
std::vector<Job>& jobs() noexcept {
  alignas(std::vector<Job>) static std::byte place[sizeof(std::vector<Job>)];
  static auto& all = *new (place) std::vector<Job>;
  return all;
}
Job started, everything;
bool is_installed = false;
std::terminate_handler previous = nullptr;

void install() {
  if (!is_installed) previous = std::set_terminate([] { abort_by_current_exception(""); });
  is_installed = true;
}

// The job whose rank is printed. With several Runtimes, which may give the process different ranks, it is
// MPI_COMM_WORLD. Calls nothing that may fail.
Job job_to_blame() {
  const std::lock_guard lock(mutex);
  if (jobs().size() == 1) return jobs().front();
  return jobs().empty() ? started : everything;
}

[[noreturn]] void print_and_abort(const Job& where, const char* message) noexcept {
  std::fflush(stdout);
  if (where.rank >= 0)
    std::fprintf(stderr, "[rank %d of %d] %s\n", where.rank, where.size, message);
  else
    std::fprintf(stderr, "[rank ?] %s\n", message);
  std::fflush(stderr);
  abort_after_output(EXIT_FAILURE);
}

}  // namespace

void abort_after_output(int status) noexcept {
  // MPICH's launcher drops what it has not yet read when it is told to abort.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  // Open MPI's MPI_Abort may wait for a launcher that no longer answers.
  std::signal(SIGALRM, SIG_DFL);
  alarm(3);
  if (mpi::is_running()) mpi::abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

void install_terminate_handler(const RuntimeState& runtime, MPI_Comm world) {
  const Job job{&runtime, mpi::rank(world), mpi::size(world)};
  const std::lock_guard lock(mutex);
  jobs().push_back(job);
  install();
}

void install_terminate_handler_for_start(MPI_Comm parent) {
  const Job job{nullptr, mpi::rank(parent), mpi::size(parent)};
  const Job all{nullptr, mpi::rank(MPI_COMM_WORLD), mpi::size(MPI_COMM_WORLD)};
  const std::lock_guard lock(mutex);
  started = job;
  everything = all;
  install();
}

void remove_terminate_handler(const RuntimeState& runtime) noexcept {
  const std::lock_guard lock(mutex);
  if (std::erase_if(jobs(), [&](const Job& job) { return job.runtime == &runtime; }) == 0 || !jobs().empty())
    return;
  std::set_terminate(previous);
  is_installed = false;
}

void abort_by_current_exception(const char* before) noexcept {
  try {
    const std::string message = before + explain_current_exception();
    print_and_abort(job_to_blame(), message.c_str());
  } catch (const std::bad_alloc&) {
    print_and_abort(job_to_blame(), "memory of this process was refused, even for a message; raise its limits");
  }
}

void abort_job(const std::string& message) noexcept { print_and_abort(job_to_blame(), message.c_str()); }

}  // namespace tessera::detail
