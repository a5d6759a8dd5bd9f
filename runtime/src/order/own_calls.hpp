// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

namespace tessera::detail::order {

/// While one exists, calls of MPI by this thread are Tessera's own: no clock travels with them.
class OwnCalls {
 public:
  OwnCalls() noexcept { ++depth_; }
  ~OwnCalls() { --depth_; }
  OwnCalls(const OwnCalls&) = delete;
  OwnCalls& operator=(const OwnCalls&) = delete;
  static bool in_one() noexcept { return depth_ > 0; }

 private:
  // With another model, a shared library would call a function for each use.
  static inline thread_local int depth_ __attribute__((tls_model("initial-exec"))) = 0;
};

}  // namespace tessera::detail::order
