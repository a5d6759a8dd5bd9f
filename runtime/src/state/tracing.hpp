// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "trace/trace_text.hpp"

namespace tessera::detail {

class GroupState;
class Registry;

/// The trace of a Runtime (TESSERA_TRACE). While it exists, the process records. A thread of each process saves
/// what is recorded in a file of the process, at least a second apart, so that a job that is killed leaves
/// that. At the end rank 0 collects all, writes the file, and the files of the processes are removed.
class Tracing {
 public:
  /// `is_part`: other processes of the job have other Runtimes. Null if the process is traced already, or if
  /// rank 0 cannot write the file; rank 0 then prints why.
  /// @collective over the world
  static std::unique_ptr<Tracing> start(GroupState& world, bool is_part, const Registry& registry,
                                        const std::string& file);
  Tracing(GroupState& world, const Registry& registry, std::filesystem::path file);
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;
  /// Stops recording, and writes the file. @collective over the world
  void finish();

 private:
  trace::EventRecorder::Recording recording() const;
  void read_clock();
  void save_regularly();
  void save();
  void end_saving();
  std::string collect(const std::string& events, const std::string& sums);

  GroupState& world_;
  const Registry& registry_;
  std::filesystem::path file_, own_file_;
  trace::TraceOrigin origin_;
  std::uint64_t job_ = 0;  // tells the files of one job from those of others
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ends_ = false;
  std::thread saver_;
};

}  // namespace tessera::detail
