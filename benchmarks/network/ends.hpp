// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/runtime.hpp>

#include "session.hpp"
#include "signal.hpp"

namespace tessera::benchmark::network {

/// The two ends of a measurement. Rank 0 makes the calls; rank 1, on another node, is their target.
class Ends {
 public:
  static constexpr int origin = 0, target = 1;

  /// @collective @throws UsageError unless there are 2 ranks on 2 nodes.
  explicit Ends(const Runtime& runtime);
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  /// @collective
  void close() { signal_.close(); }

  const Group& world() const noexcept { return signal_.group(); }
  bool is_origin() const { return world().rank() == origin; }
  /// Whether MPI has windows between these nodes. @local
  bool has_windows() const noexcept { return windows_; }
  /// Whether a target is served while it makes no calls; false in ProgressMode::poll. @local
  bool is_served() const noexcept { return served_; }

  /// The target waits in Group::barrier meanwhile. @local
  Others waiting() const { return benchmark::waiting(world()); }
  /// The target computes without any call, until rank 0 stores a word in its memory. Needs is_served(). @local
  Others computing() { return benchmark::computing(signal_); }

  /// Rank 0 calls f() while the other rank does what `others` says. @collective
  template <class F>
  void call(const Others& others, F&& f) {
    make_calls(world(), others, 1, f);
  }

  /// Ends a listen() of the other rank. @onesided
  void tell(int rank) { signal_.tell(rank); }
  /// True once for each tell() of the other rank; makes no calls. @local
  bool listen() noexcept { return signal_.is_told(); }

 private:
  Signal signal_;
  bool windows_, served_;
};

/// What the names of rows say about the target.
inline constexpr const char *waits = ", target waits", *computes = ", target computes";

}  // namespace tessera::benchmark::network
