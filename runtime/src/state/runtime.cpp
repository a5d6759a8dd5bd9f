// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/runtime.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <tessera/runtime/error.hpp>

#include "agents/progress.hpp"
#include "agents/progress_rank.hpp"
#include "base/explain.hpp"
#include "base/memory_check.hpp"
#include "format.hpp"
#include "mpi/deadline.hpp"
#include "mpi/terminate.hpp"
#include "state/environment.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"

namespace tessera {
namespace {

constexpr int mpi_level(ThreadLevel level) {
  constexpr int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  return levels[static_cast<std::size_t>(level)];
}

}  // namespace

namespace mpi = detail::mpi;
using detail::RuntimeState;

const char* to_string(ThreadLevel level) noexcept {
  constexpr const char* names[] = {"single", "funneled", "serialized", "multiple"};
  return names[static_cast<std::size_t>(level)];
}

const char* to_string(ProgressMode mode) noexcept {
  constexpr const char* names[] = {"none", "thread", "poll", "rank", "spin"};
  return names[static_cast<std::size_t>(mode)];
}

const char* to_string(ElementKind kind) noexcept {
  constexpr const char* names[] = {"bytes", "int32", "int64", "float32", "float64", "complex64", "complex128"};
  return names[static_cast<std::size_t>(kind)];
}

const char* to_string(Update update) noexcept {
  constexpr const char* names[] = {"sum", "min", "max", "bit_and", "bit_or", "bit_xor", "replace"};
  return names[static_cast<std::size_t>(update)];
}

const char* version() noexcept { return TESSERA_VERSION; }

namespace detail {
namespace {

// Whether processes that served a Runtime have left MPI_COMM_WORLD.
bool have_servers_left = false;

// A process that serves never returns from here, so the program does not see it, and cannot end MPI in it.
[[noreturn]] void serve_and_leave(ProgressRanks ranks) {
  try {
    serve_node(ranks);
    ranks = {};
    mpi::finalize();
  } catch (const std::exception& error) {
    abort_job("this progress process failed: " + explain(error));
  }
  std::exit(0);
}

// Ends the job with the message of the exception that is being handled.
[[noreturn]] void abort_start() { abort_by_current_exception("Tessera could not start: "); }

// Whether every rank has the error that is being handled. Those of the standard library belong to one rank, and
// the others wait for it.
bool is_common_error() {
  try {
    throw;
  } catch (const Error&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace
}  // namespace detail

namespace {

void require_not_finalized() {
  if (!mpi::finalized()) return;
  throw UsageError(
      "a Runtime was started after MPI_Finalize, and MPI cannot be started again; let one Runtime live for the "
      "whole program, or end MPI after the last");
}

void require_all_processes() {
  if (!detail::have_servers_left) return;
  throw UsageError(
      "a second Runtime was started from argc and argv after one with TESSERA_PROGRESS=rank, whose serving "
      "processes have ended; let one Runtime live for the whole program, or leave progress to threads");
}

}  // namespace

Runtime::Runtime(int& argc, char**& argv, RuntimeOptions options)
    : exceptions_at_start_(std::uncaught_exceptions()) {
  require_not_finalized();
  require_all_processes();
  const bool start = !mpi::initialized();
  if (start) {
    // Open MPI 4.1 before 4.1.7 writes shared files unlocked by default and can corrupt them (its issue 12718).
    setenv("OMPI_MCA_fs_ufs_lock_algorithm", "3", 0);
    // Open MPI then waits for its sockets with an epoll set, which wakes our agents (EventSets).
    setenv("OMPI_MCA_opal_event_include", "epoll", 0);
    const ThreadLevel level = detail::thread_need().may_be ? ThreadLevel::multiple : options.threads;
    mpi::init_thread(argc, argv, mpi_level(level));
  }
  detail::install_terminate_handler_for_start(MPI_COMM_WORLD);
  bool serving = false;
  try {
    // Errors in the environment must be found before some ranks leave to serve the others. Later, the serving
    // ranks would wait for ever.
    const auto environment = detail::Environment::read(MPI_COMM_WORLD, options);
    detail::ProgressRanks ranks;
    if (const int per_node = environment.progress_ranks; per_node > 0)
      ranks = detail::take_progress_ranks(MPI_COMM_WORLD, per_node, environment.node_size);
    serving = !ranks.agents.empty();
    if (ranks.all && !ranks.world) detail::serve_and_leave(std::move(ranks));
    detail::have_servers_left = serving;
    state_ = RuntimeState::create(MPI_COMM_WORLD, environment, std::move(ranks));
  } catch (...) {
    // If the error is the same on every rank, MPI can be finalized; but not if some ranks serve.
    if (serving || !detail::is_common_error()) detail::abort_start();
    if (start) {
      const detail::Deadline deadline("Tessera could not start: " + detail::explain_current_exception());
      mpi::finalize();
    }
    throw;
  }
  owns_mpi_ = start;
  detail::install_terminate_handler(*state_, state_->world().state().comm());
}

Runtime::Runtime(MPI_Comm parent, RuntimeOptions options) : exceptions_at_start_(std::uncaught_exceptions()) {
  require_not_finalized();
  if (!mpi::initialized()) {
    throw UsageError(
        "a Runtime was to attach to a communicator before MPI was started; call MPI_Init_thread first, or "
        "construct it from argc and argv");
  }
  detail::install_terminate_handler_for_start(parent);
  try {
    state_ = RuntimeState::create(parent, detail::Environment::read(parent, options), {});
  } catch (...) {
    if (!detail::is_common_error()) detail::abort_start();
    throw;
  }
  detail::install_terminate_handler(*state_, state_->world().state().comm());
}

Runtime::~Runtime() {
  const detail::GroupState* world =
      state_->is_finished() || mpi::finalized() ? nullptr : &state_->world().state();
  if (world != nullptr && std::uncaught_exceptions() > exceptions_at_start_) {
    // The exception cannot be read from here. If it is one of Tessera's, its message was noted when it was
    // made.
    const std::string& last = detail::last_error();
    detail::abort_job(last.empty() ? "an exception leaves the scope of the Runtime" : last);
  }
  try {
    if (world != nullptr) state_->finish();
    detail::remove_terminate_handler(*state_);
    if (owns_mpi_ && !mpi::finalized()) mpi::finalize();
  } catch (const std::exception& error) {
    detail::abort_job(detail::explain(error) + " (while the Runtime ended)");
  }
}

const Group& Runtime::world() const noexcept { return state_->world(); }
ThreadLevel Runtime::thread_level() const noexcept { return state_->threads().level(); }
ProgressMode Runtime::progress() const noexcept {
  return state_->progress() != nullptr ? state_->progress()->mode() : ProgressMode::none;
}
index_t Runtime::memory_in_use() const noexcept { return state_->memory_in_use(); }
index_t Runtime::memory_peak() const noexcept { return state_->memory_peak(); }
void Runtime::reset_memory_peak() const noexcept { state_->reset_memory_peak(); }

MemoryLeft Runtime::memory_left() const {
  return {std::max<index_t>(0, state_->memory_left()), detail::memory_available().bytes};
}

Statistics Runtime::statistics() const { return state_->registry().statistics(); }

std::optional<Location> Runtime::locate(const void* pointer) const {
  return state_->registry().locate(pointer);
}

namespace {

std::string paths(const RuntimeState& runtime) {
  if (runtime.progress() == nullptr) return "shared memory";
  return formatted("shared memory, and between nodes agents ({}{}){}", to_string(runtime.progress()->mode()),
                   runtime.progress()->mode() == ProgressMode::thread && !runtime.progress()->rings()
                       ? ", which cannot be woken and look by themselves"
                       : "",
                   runtime.window_problem().empty()
                       ? " and MPI's windows"
                       : formatted(" only (no window: {})", runtime.window_problem()));
}

}  // namespace

std::string Runtime::description() const {
  const detail::GroupState& world = state_->world().state();
  std::string library = mpi::library_version();
  library = library.substr(0, library.find_first_of(",\n"));
  for (char& c : library) c = c == '\t' ? ' ' : c;
  return formatted("Tessera {} on {}: {} rank{} on {} node{}, {}, MPI threads {}", version(), library,
                   world.size(), world.size() == 1 ? "" : "s", world.node_count(),
                   world.node_count() == 1 ? "" : "s", paths(*state_), to_string(state_->threads().level()));
}

}  // namespace tessera
