// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/tracing.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <tessera/runtime/detail/quiet_thread.hpp>

#include "base/host_name.hpp"
#include "format.hpp"
#include "mpi/mpi.hpp"
#include "state/group_state.hpp"
#include "state/registry.hpp"

namespace tessera::detail {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr int trace_tag = 32000;
constexpr milliseconds shortest_interval{1000};
constexpr int saving_share = 50;  // saving takes at most one part in so many of a core
// All ranks together keep about a million events, so that viewers open the file.
constexpr std::size_t events_of_all = 1'000'000, most_events = 32'768, least_events = 1024;

std::size_t events_per_log(int ranks) {
  return std::clamp(events_of_all / static_cast<std::size_t>(ranks), least_events, most_events);
}

// A file under a temporary name, which is renamed when it is complete. A pattern such as trace.json.rank* does
// not match the name, if the job is killed meanwhile. The first error stays. Where others may write to the
// folder, a link of theirs under that name is not followed.
class NewFile {
 public:
  explicit NewFile(fs::path path)
      : path_(std::move(path)),
        temporary_((path_.parent_path() / formatted(".{}.new", path_.filename().string())).string()) {
    unlink(temporary_.c_str());
    const int descriptor = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) file_ = fdopen(descriptor, "w");
    if (file_ == nullptr) error_ = errno;
    if (file_ == nullptr && descriptor >= 0) close(descriptor);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (file_ != nullptr) std::fclose(file_);
    if (!done_) unlink(temporary_.c_str());
  }
  void write(const std::string& text) {
    if (error_ == 0 && std::fwrite(text.data(), 1, text.size(), file_) != text.size()) error_ = errno;
  }
  /// The problem so far; empty: none.
  std::string problem() const { return error_ == 0 ? std::string() : std::strerror(error_); }
  /// Returns the problem, if there is one.
  std::string finish() {
    if (file_ != nullptr && std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) error_ = errno;
    if (error_ == 0 && std::rename(temporary_.c_str(), path_.c_str()) != 0) error_ = errno;
    done_ = error_ == 0;
    return problem();
  }

 private:
  fs::path path_;
  std::string temporary_;
  std::FILE* file_ = nullptr;
  int error_ = 0;
  bool done_ = false;
};

// Why the file cannot be written, if so. An earlier trace stays until there is a new one.
std::string problem_of(const fs::path& file) {
  std::error_code error;
  const auto status = fs::status(file, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return "it is no regular file";
  return NewFile(file).problem();
}

void warn(const fs::path& file, const std::string& problem) {
  std::fputs(
      formatted("Tessera: the trace {} (TESSERA_TRACE) cannot be written, so there is none: {}; the program "
                "goes on\n",
                file.string(), problem)
          .c_str(),
      stderr);
}

void wait(MPI_Request request) {
  std::vector<MPI_Request> one{request};
  mpi::wait_all(one);
}
void send(MPI_Comm comm, const void* data, index_t bytes, int to) {
  wait(mpi::isend(comm, data, bytes, to, trace_tag));
}
void receive(MPI_Comm comm, void* data, index_t bytes, int from) {
  wait(mpi::irecv(comm, data, bytes, from, trace_tag));
}

void send_text(MPI_Comm comm, const std::string& text, int to) {
  const auto size = static_cast<index_t>(text.size());
  send(comm, &size, sizeof size, to);
  for (index_t done = 0; done < size; done += mpi::max_bytes)
    send(comm, text.data() + done, std::min(mpi::max_bytes, size - done), to);
}
std::string receive_text(MPI_Comm comm, int from) {
  index_t size = 0;
  receive(comm, &size, sizeof size, from);
  std::string text(static_cast<std::size_t>(size), ' ');
  for (index_t done = 0; done < size; done += mpi::max_bytes)
    receive(comm, text.data() + done, std::min(mpi::max_bytes, size - done), from);
  return text;
}

}  // namespace

std::unique_ptr<Tracing> Tracing::start(GroupState& world, bool is_part, const Registry& registry,
                                        const std::string& file) {
  // Another Runtime of some process may be traced, and a later one must not overwrite the trace of an earlier
  // one.
  static int earlier = 0;
  std::int64_t least[2] = {trace::is_on() ? -1 : 0, -earlier};
  world.reduce_min(least, 2);
  if (least[0] < 0) return nullptr;
  earlier = static_cast<int>(1 - least[1]);
  std::error_code error;
  fs::path path = fs::absolute(file, error);
  if (earlier > 1) path += formatted(".{}", earlier);
  // Runtimes of other parts of the job have files of their own.
  int first = mpi::rank(MPI_COMM_WORLD);
  mpi::broadcast(world.comm(), &first, sizeof first, 0);
  if (is_part) path += formatted(".from{}", first);
  const std::string problem = world.agree(world.rank() == 0 ? problem_of(path) : std::string());
  if (problem.empty()) return std::make_unique<Tracing>(world, registry, std::move(path));
  if (world.rank() == 0) warn(path, problem);
  return nullptr;
}

Tracing::Tracing(GroupState& world, const Registry& registry, fs::path file)
    : world_(world),
      registry_(registry),
      file_(std::move(file)),
      own_file_(file_.string() + formatted(".rank{}", world.rank())),
      origin_{world.rank(), world.node(), host_name(), trace::now()} {
  mpi::broadcast(world_.comm(), &origin_.begin, sizeof origin_.begin, 0);
  job_ = std::random_device()() + (std::uint64_t{std::random_device()()} << 32);
  mpi::broadcast(world_.comm(), &job_, sizeof job_, 0);
  std::error_code none;
  fs::remove(own_file_, none);  // of a job that was killed
  read_clock();
  trace::recorder().start(events_per_log(world.size()));
  saver_ = quiet_thread([this] { save_regularly(); });
}

Tracing::~Tracing() {
  end_saving();
  trace::recorder().stop();
}

// Each rank sends rank 0 some messages, and rank 0 answers with its time. The shortest round trip counts.
void Tracing::read_clock() {
  constexpr int rounds = 10;
  MPI_Comm comm = world_.beside();
  mpi::barrier(comm);
  trace::ClockReading best{trace::now(), 0, 0};
  for (int round = 0; world_.rank() != 0 && round < rounds; ++round) {
    const std::int64_t sent = trace::now();
    std::int64_t answer = 0;
    send(comm, &answer, sizeof answer, 0);
    receive(comm, &answer, sizeof answer, 0);
    const std::int64_t came = trace::now(), round_trip = came - sent, middle = sent + round_trip / 2;
    if (round == 0 || round_trip < best.round_trip) best = {middle, answer - middle, round_trip};
  }
  for (int rank = 1; world_.rank() == 0 && rank < world_.size(); ++rank) {
    for (int round = 0; round < rounds; ++round) {
      std::int64_t time = 0;
      receive(comm, &time, sizeof time, rank);
      time = trace::now();
      send(comm, &time, sizeof time, rank);
    }
  }
  origin_.clock.push_back(best);
}

trace::EventRecorder::Recording Tracing::recording() const {
  trace::EventRecorder::Recording all = trace::recorder().recording();
  registry_.add_traced(all.arrays);
  all.names = trace::recorder().names();  // last, as other threads give new numbers meanwhile
  return all;
}

void Tracing::save_regularly() {
  std::unique_lock lock(mutex_);
  auto interval = shortest_interval;
  while (!wake_.wait_for(lock, interval, [this] { return ends_; })) {
    lock.unlock();
    const std::int64_t begin = trace::now();
    try {
      save();
    } catch (const std::exception&) {  // no memory: this time nothing is saved
    }
    interval = std::max(shortest_interval, milliseconds((trace::now() - begin) * saving_share / 1'000'000));
    lock.lock();
  }
}

// A problem is not reported here: rank 0 reports it at the end.
void Tracing::save() {
  const trace::EventRecorder::Recording all = recording();
  NewFile file(own_file_);
  file.write(trace::file_begin());
  file.write(trace::events_text(all, origin_));
  file.write(trace::file_middle(world_.size(), job_, false));
  file.write(trace::sums_text(all, origin_, trace::now()));
  file.write(trace::file_end());
  static_cast<void>(file.finish());
}

void Tracing::end_saving() {
  if (!saver_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  saver_.join();
}

void Tracing::finish() {
  end_saving();
  trace::recorder().stop();
  const std::int64_t end = trace::now();
  read_clock();
  const trace::EventRecorder::Recording all = recording();
  const std::string problem = collect(trace::events_text(all, origin_), trace::sums_text(all, origin_, end));
  if (!problem.empty()) warn(file_, problem);
  std::error_code none;
  fs::remove(own_file_, none);
}

// Rank 0 writes the events as they come, and keeps the sums for the end.
std::string Tracing::collect(const std::string& events, const std::string& sums) {
  MPI_Comm comm = world_.beside();
  if (world_.rank() != 0) {
    send_text(comm, events, 0);
    send_text(comm, sums, 0);
    return {};
  }
  NewFile file(file_);
  file.write(trace::file_begin());
  file.write(events);
  std::string all_sums = sums;
  for (int rank = 1; rank < world_.size(); ++rank) {
    file.write(",\n");
    file.write(receive_text(comm, rank));
    all_sums += ",\n" + receive_text(comm, rank);
  }
  file.write(trace::file_middle(world_.size(), job_, true));
  file.write(all_sums);
  file.write(trace::file_end());
  return file.finish();
}

}  // namespace tessera::detail
