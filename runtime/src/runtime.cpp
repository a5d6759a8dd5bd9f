// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/runtime.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>

#include <sched.h>

#include "environment.hpp"
#include "format.hpp"
#include "memory_check.hpp"
#include "progress.hpp"
#include "progress_rank.hpp"
#include "state.hpp"
#include "watchdog.hpp"

namespace tessera {
namespace detail {
namespace {

constexpr int mpi_level(ThreadLevel level) {
  constexpr int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  return levels[static_cast<std::size_t>(level)];
}

ThreadLevel granted() {
  const int level = mpi::query_thread();
  if (level == MPI_THREAD_MULTIPLE) return ThreadLevel::multiple;
  if (level == MPI_THREAD_SERIALIZED) return ThreadLevel::serialized;
  return level == MPI_THREAD_FUNNELED ? ThreadLevel::funneled : ThreadLevel::single;
}

// A table of locks for each node of the world, in memory that all processes of the node see.
void create_locks(RuntimeState& runtime, GroupState& world) {
  const index_t stride =
      round_up((LockStripes::bytes + world.node_ranks() - 1) / world.node_ranks(), page_size());
  std::string problem;
  runtime.lock_table = NodeMemory::create(world.node_meeting(), stride, stride, problem);
  if (problem = world.agree(problem); !problem.empty()) throw MemoryError("Tessera's lock table: " + problem);
  runtime.locks = LockStripes(runtime.lock_table.base());
}

// Whether MPI's windows work here at all; said once, so that not every segment tries.
std::string find_window_problem(GroupState& world) {
  const index_t bytes = page_size();
  const auto memory = std::unique_ptr<std::byte, decltype(&std::free)>(
      static_cast<std::byte*>(
          std::aligned_alloc(static_cast<std::size_t>(bytes), static_cast<std::size_t>(bytes))),
      &std::free);
  std::string problem;
  create_tested_window(world, memory.get(), bytes, problem);
  return problem;
}

// Says what a program that is slow or stands still could not know. @collective
void warn_of_progress(const GroupState& world, ProgressMode mode) {
  cpu_set_t cores;
  const bool known = sched_getaffinity(0, sizeof cores, &cores) == 0;
  std::int64_t bound = mode == ProgressMode::thread && known && CPU_COUNT(&cores) == 1 ? 1 : 0;
  mpi::all_reduce(world.comm.get(), &bound, 1, ElementKind::int64, Reduce::sum);
  if (world.rank != 0) return;
  if (mode == ProgressMode::poll) {
    std::fputs(
        "Tessera: an operation on another node waits until its target calls Tessera, and a program that waits "
        "in "
        "calls of its own may stand still (poll mode; TESSERA_PROGRESS=thread needs an MPI with thread level "
        "multiple; "
        "TESSERA_WARNINGS=off silences this)\n",
        stderr);
  }
  if (bound > 0) {
    std::fputs(
        formatted(
            "Tessera: {} of {} ranks are bound to one core each, and share it with their agents for other "
            "nodes; bind each rank to two or more, or to none (TESSERA_WARNINGS=off silences this)\n",
            bound, world.size)
            .c_str(),
        stderr);
  }
}

void watch(RuntimeState& runtime, std::chrono::seconds patience) {
  std::string problem;
  runtime.watchdog = std::make_unique<Watchdog>(runtime, patience, problem);
  if (problem.empty()) return;
  runtime.watchdog.reset();
  if (GroupState::of(runtime.world).rank == 0) {
    std::fputs(
        formatted("Tessera: TESSERA_DEBUG=hang:{} is without effect: {}\n", patience.count(), problem).c_str(),
        stderr);
  }
}

}  // namespace

RuntimeState::RuntimeState() = default;
// Where MPI ended before the Runtime, users may still hold requests that nobody has completed.
RuntimeState::~RuntimeState() {
  for (const auto& pending : outstanding) pending->abandon();
}

std::shared_ptr<RuntimeState> RuntimeState::create(MPI_Comm parent, const Environment& environment,
                                                   ProgressRanks ranks) {
  auto runtime = std::make_shared<RuntimeState>();
  runtime->threads = granted();
  runtime->environment = environment;
  runtime->node_size_limit = environment.node_size;
  // Some of each of the nodes that were cut serve.
  if (!ranks.agents.empty() && environment.node_size > 0)
    runtime->node_size_limit -= environment.progress_ranks;
  choose_shared_memory(environment.shared_memory);
  auto world = GroupState::create(*runtime, ranks.world ? std::move(ranks.world) : mpi::dup(parent), nullptr);
  create_locks(*runtime, *world);
  runtime->world = Group(std::move(world));
  GroupState& all = runtime->world.state();
  if (all.node_count > 1) {
    runtime->window_problem = find_window_problem(all);
    auto least = static_cast<std::int64_t>(runtime->threads);
    mpi::all_reduce(all.comm.get(), &least, 1, ElementKind::int64, Reduce::min);
    ProgressMode mode = environment.mode(static_cast<ThreadLevel>(least));
    if (mode == ProgressMode::rank && ranks.agents.empty()) {
      throw UsageError(
          "TESSERA_PROGRESS=rank takes ranks away from the program, which cannot be done where Tessera "
          "attaches to a "
          "communicator of yours; use thread or poll");
    }
    if (mode == ProgressMode::rank) {
      runtime->with_agents = std::move(ranks.all);
    } else {
      ranks.agents.resize(static_cast<std::size_t>(all.size));
      std::iota(ranks.agents.begin(), ranks.agents.end(), 0);
    }
    MPI_Comm everybody = runtime->with_agents ? runtime->with_agents.get() : all.comm.get();
    runtime->progress = std::make_unique<Progress>(*runtime, everybody, std::move(ranks.agents), mode);
    if (const auto problem = all.agree(runtime->progress->show_locks()); !problem.empty())
      throw MemoryError("Tessera's lock table: " + problem);
    if (environment.warnings) warn_of_progress(all, mode);
  }
  runtime->lock_table.close_file();
  // Between pretended nodes there is no network to be measured.
  const bool choosable = runtime->progress && runtime->window_problem.empty() && runtime->node_size_limit == 0;
  if (choosable && environment.method == TransferMethod::automatic)
    runtime->paths = PathChoice::measure(runtime->world);
  if (environment.hang.count() > 0) watch(*runtime, environment.hang);
  return runtime;
}

namespace {

// The sum over all ranks, on rank 0's standard error. @collective
void print_statistics(RuntimeState& runtime, const GroupState& world) {
  Statistics sum = runtime.statistics();
  for (auto& path : sum.total) {
    for (Traffic& traffic : path) {
      std::int64_t counts[] = {static_cast<std::int64_t>(traffic.operations),
                               static_cast<std::int64_t>(traffic.bytes)};
      mpi::all_reduce(world.comm.get(), counts, 2, ElementKind::int64, Reduce::sum);
      mpi::all_reduce(world.comm.get(), &traffic.seconds, 1, ElementKind::float64, Reduce::sum);
      traffic.operations = static_cast<std::uint64_t>(counts[0]);
      traffic.bytes = static_cast<std::uint64_t>(counts[1]);
    }
  }
  if (world.rank == 0)
    std::fputs(formatted("Tessera: one-sided operations of {} ranks\n{}", world.size, sum.text()).c_str(),
               stderr);
}

}  // namespace

void RuntimeState::finish() {
  if (finished) return;
  finished = true;
  GroupState& group = world.state();
  // Nobody may free memory that another still writes to.
  complete_all();
  if (environment.statistics) print_statistics(*this, group);
  mpi::barrier(group.comm.get());
  watchdog.reset();
  // In the same order on all members of each.
  std::sort(formed.begin(), formed.end(),
            [](const auto& a, const auto& b) { return a->formed_key > b->formed_key; });
  for (const auto& other : formed) other->release();
  formed.clear();
  group.release();
  if (progress) progress->leave();
  progress.reset();
  with_agents.reset();
  lock_table = NodeMemory();
}

void RuntimeState::complete_all() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (windows.load(std::memory_order_relaxed) == 0 && !progress) return;
  const std::lock_guard lock(registry_mutex);
  for (const auto& [base, region] : regions) {
    for (const auto& [offset, segment] : region->segments) segment->complete_all();
    for (const SegmentState* part : region->parts) part->complete_all();
  }
}

void RuntimeState::poll() {
  if (progress && progress->mode() == ProgressMode::poll && may_call_mpi()) progress->poll();
}

bool RuntimeState::advance_outstanding() {
  const std::size_t before = outstanding.size();
  for (std::size_t i = 0; i < outstanding.size();) {
    const auto pending = outstanding[i];  // one that is done takes itself off the list
    if (!pending->advance()) ++i;
  }
  return outstanding.size() != before;
}

Statistics RuntimeState::statistics() {
  const std::lock_guard lock(registry_mutex);
  Statistics sum = closed;
  for (const auto& [base, region] : regions) {
    for (const auto& [offset, segment] : region->segments) sum += segment->statistics();
    for (const SegmentState* part : region->parts) sum += part->statistics();
  }
  return sum;
}

std::optional<std::uint64_t> RuntimeState::operations_so_far() {
  const std::unique_lock lock(registry_mutex, std::try_to_lock);
  if (!lock) return {};
  std::uint64_t sum = 0;
  const auto add = [&](const Statistics& some) {
    for (const auto& path : some.total) {
      for (const Traffic& traffic : path) sum += traffic.operations;
    }
  };
  add(closed);
  for (const auto& [base, region] : regions) {
    for (const auto& [offset, segment] : region->segments) add(segment->statistics());
    for (const SegmentState* part : region->parts) add(part->statistics());
  }
  return sum;
}

WindowLock::WindowLock(RuntimeState& runtime) : lock_(mpi::mutex()) {
  if (runtime.may_take_turns()) return;
  throw UsageError(
      formatted("a one-sided operation between nodes by another thread than the one that started the "
                "Runtime, but MPI's thread "
                "level is {}; start with RuntimeOptions{{.threads = ThreadLevel::serialized}}",
                to_string(runtime.threads)));
}

}  // namespace detail

namespace mpi = detail::mpi;
using detail::RuntimeState;

const char* to_string(ThreadLevel level) noexcept {
  constexpr const char* names[] = {"single", "funneled", "serialized", "multiple"};
  return names[static_cast<std::size_t>(level)];
}

const char* to_string(ProgressMode mode) noexcept {
  constexpr const char* names[] = {"none", "thread", "poll", "rank"};
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

// A process that serves comes back from here no more: the program is not to see it.
[[noreturn]] void serve_and_leave(ProgressRanks ranks, bool owns_mpi) {
  try {
    serve_node(ranks);
    ranks = {};
    if (owns_mpi) mpi::finalize();
  } catch (const std::exception& error) {
    std::fputs(formatted("Tessera: a progress process failed: {}\n", error.what()).c_str(), stderr);
    mpi::abort(MPI_COMM_WORLD, 1);
  }
  std::exit(0);
}

// The exception that is being handled ends the job.
[[noreturn]] void abort_start() {
  try {
    throw;
  } catch (const std::exception& error) {
    std::fputs(formatted("Tessera could not start: {}\n", error.what()).c_str(), stderr);
  } catch (...) {
    std::fputs("Tessera could not start\n", stderr);
  }
  mpi::abort(MPI_COMM_WORLD, 1);
  std::abort();
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

}  // namespace

Runtime::Runtime(int& argc, char**& argv, RuntimeOptions options)
    : exceptions_at_start_(std::uncaught_exceptions()) {
  require_not_finalized();
  const bool start = !mpi::initialized();
  if (start) {
    // Open MPI 4.1 before 4.1.7 writes shared files unlocked by default and can corrupt them (its issue 12718).
    setenv("OMPI_MCA_fs_ufs_lock_algorithm", "3", 0);
    const ThreadLevel level = detail::may_need_thread() ? ThreadLevel::multiple : options.threads;
    mpi::init_thread(argc, argv, detail::mpi_level(level));
  }
  bool serving = false;
  try {
    // What is wrong with the environment is found before some ranks leave to serve the others: these would wait
    // for them for ever.
    const auto environment = detail::Environment::read(MPI_COMM_WORLD, options);
    detail::ProgressRanks ranks;
    if (const int per_node = environment.progress_ranks; per_node > 0)
      ranks = detail::take_progress_ranks(MPI_COMM_WORLD, per_node, environment.node_size);
    serving = !ranks.agents.empty();
    if (ranks.all && !ranks.world) detail::serve_and_leave(std::move(ranks), start);
    state_ = RuntimeState::create(MPI_COMM_WORLD, environment, std::move(ranks));
  } catch (...) {
    // The error is the same on every rank, so MPI can be ended in order; but not by those who serve.
    if (serving) detail::abort_start();
    if (start) mpi::finalize();
    throw;
  }
  state_->owns_mpi = start;
  detail::install_terminate_handler(*state_);
}

Runtime::Runtime(MPI_Comm parent, RuntimeOptions options) : exceptions_at_start_(std::uncaught_exceptions()) {
  require_not_finalized();
  if (!mpi::initialized()) {
    throw UsageError(
        "a Runtime was to attach to a communicator before MPI was started; call MPI_Init_thread first, or "
        "construct it from argc and argv");
  }
  state_ = RuntimeState::create(parent, detail::Environment::read(parent, options), {});
  detail::install_terminate_handler(*state_);
}

Runtime::~Runtime() {
  const detail::GroupState* world = state_->finished || mpi::finalized() ? nullptr : &state_->world.state();
  if (world != nullptr && std::uncaught_exceptions() > exceptions_at_start_) {
    // The exception cannot be looked at from here; if it is one of ours its message was noted when it was made.
    const std::string& last = detail::last_error();
    detail::abort_job(*world, last.empty() ? "an exception leaves the scope of the Runtime" : last);
  }
  try {
    if (world != nullptr) state_->finish();
    detail::remove_terminate_handler(*state_);
    if (state_->owns_mpi && !mpi::finalized()) mpi::finalize();
  } catch (const std::exception& error) {
    std::fputs(formatted("Tessera: {} while the Runtime ended\n", error.what()).c_str(), stderr);
  }
}

const Group& Runtime::world() const noexcept { return state_->world; }
ThreadLevel Runtime::thread_level() const noexcept { return state_->threads; }
ProgressMode Runtime::progress() const noexcept {
  return state_->progress ? state_->progress->mode() : ProgressMode::none;
}
index_t Runtime::memory_in_use() const noexcept { return state_->memory_in_use; }

Statistics Runtime::statistics() const { return state_->statistics(); }

std::optional<Location> Runtime::locate(const void* pointer) const {
  const std::lock_guard lock(state_->registry_mutex);
  const auto* place = static_cast<const std::byte*>(pointer);
  auto after = state_->regions.upper_bound(place);
  if (after == state_->regions.begin()) return {};
  const detail::Region& region = *std::prev(after)->second;
  if (place >= region.end()) return {};
  const index_t distance = place - region.memory.base();
  auto next = region.segments.upper_bound(distance % region.stride);
  if (next == region.segments.begin()) return {};
  detail::SegmentState& segment = *std::prev(next)->second;
  const index_t offset = distance % region.stride - segment.offset;
  auto handle = segment.handle.lock();
  const int rank = segment.group->rank_of_slot(distance / region.stride);
  if (!handle || offset >= segment.slice || rank < 0) return {};
  return Location{Segment(Group(segment.group_handle.lock()), std::move(handle)), rank, offset};
}

namespace {

std::string paths(const RuntimeState& runtime) {
  if (!runtime.progress) return "shared memory";
  return formatted("shared memory, and between nodes agents ({}{}){}", to_string(runtime.progress->mode()),
                   runtime.progress->mode() == ProgressMode::thread && !runtime.progress->rings()
                       ? ", which cannot be woken and look by themselves"
                       : "",
                   runtime.window_problem.empty() ? " and MPI's windows"
                                                  : formatted(" only (no window: {})", runtime.window_problem));
}

}  // namespace

std::string Runtime::description() const {
  const detail::GroupState& world = state_->world.state();
  std::string library = mpi::library_version();
  library = library.substr(0, library.find_first_of(",\n"));
  for (char& c : library) c = c == '\t' ? ' ' : c;
  return formatted("Tessera {} on {}: {} rank{} on {} node{}, {}, MPI threads {}", version(), library,
                   world.size, world.size == 1 ? "" : "s", world.node_count, world.node_count == 1 ? "" : "s",
                   paths(*state_), to_string(state_->threads));
}

}  // namespace tessera
